//! What a program says to a terminal beside text: titles, notices, links, the clipboard. Whatever it is made of, nothing in
//! it can end it early.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The longest text that terminals put on the clipboard, in base64.
const LONGEST_COPY: usize = 100_000;
/// The longest message of a state, in bytes.
const LONGEST_MESSAGE: usize = 2048;
/// The longest title and the longest notice, in characters.
const LONGEST_LINE: usize = 256;

/// Text without what steers a terminal: control characters are spaces, and what changes the direction of text is left out.
pub fn plain(text: &str) -> String {
    let kept = text.chars().filter(|ch| !is_direction(*ch));
    kept.map(|ch| if ch.is_control() { ' ' } else { ch }).collect()
}

/// As [`plain`], for one line of at most so many characters.
fn line(text: &str) -> String {
    plain(text).trim().chars().take(LONGEST_LINE).collect()
}

/// Whether a character turns the direction of text, and so can make it look like another.
fn is_direction(ch: char) -> bool {
    matches!(ch, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Sets the title.
pub fn title(text: &str) -> String {
    format!("\x1b]0;{}\x1b\\", line(text))
}

/// The progress of work, for terminals that show it in the tab or in the task bar (OSC 9;4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Nothing is done.
    None,
    /// Something is done, and its length is not known.
    Working,
    /// So much is done, in percent.
    Done(u8),
    /// It failed.
    Failed,
}

/// Shows the progress of work.
pub fn progress(progress: Progress) -> String {
    match progress {
        Progress::None => "\x1b]9;4;0\x1b\\".to_owned(),
        Progress::Working => "\x1b]9;4;3\x1b\\".to_owned(),
        Progress::Done(percent) => format!("\x1b]9;4;1;{}\x1b\\", percent.min(100)),
        Progress::Failed => "\x1b]9;4;2;100\x1b\\".to_owned(),
    }
}

/// How a terminal shows notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notices {
    /// It rings.
    Bell,
    /// As iTerm2 does, and many others (OSC 9).
    Osc9,
    /// As urxvt does, and VTE (OSC 777).
    Osc777,
    /// As Kitty does (OSC 99).
    Osc99,
}

impl Notices {
    /// How this terminal shows them. One that is not known rings.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        let program = variable("TERM_PROGRAM").unwrap_or_default().to_lowercase();
        let term = variable("TERM").unwrap_or_default().to_lowercase();
        if is_set("TMUX") || is_set("STY") || is_set("ZELLIJ") || term.starts_with("screen") || term.starts_with("tmux")
        {
            // They pass the bell on, and nothing else.
            Self::Bell
        } else if is_set("KITTY_WINDOW_ID") || program == "kitty" {
            Self::Osc99
        } else if matches!(program.as_str(), "iterm.app" | "ghostty" | "wezterm" | "warpterminal" | "rex")
            || is_set("WT_SESSION")
        {
            Self::Osc9
        } else if is_set("VTE_VERSION") || term.starts_with("rxvt") || term.starts_with("foot") {
            Self::Osc777
        } else {
            Self::Bell
        }
    }
}

/// Tells a user who looks elsewhere that something happened.
pub fn notice(how: Notices, title: &str, text: &str) -> String {
    let (title, text) = (line(title), line(text));
    let both = if title.is_empty() || text.is_empty() { format!("{title}{text}") } else { format!("{title}: {text}") };
    match how {
        Notices::Bell => "\x07".to_owned(),
        // `4;…` would be progress.
        Notices::Osc9 => {
            format!("\x1b]9;{}\x1b\\", both.trim_start_matches(|ch: char| ch.is_ascii_digit() || ch == ';'))
        }
        Notices::Osc777 => format!("\x1b]777;notify;{};{}\x1b\\", title.replace(';', ","), text.replace(';', ",")),
        Notices::Osc99 => format!("\x1b]99;i=tau:d=0;{title}\x1b\\\x1b]99;i=tau:p=body;{text}\x1b\\"),
    }
}

/// Whether a text is a notification to the user (OSC 9, 99 or 777) and nothing else, so that it can be passed on.
pub fn is_notification(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("\x1b]") else { return false };
    let body = rest.strip_suffix('\x07').or_else(|| rest.strip_suffix("\x1b\\"));
    body.is_some_and(|body| {
        ["9;", "99;", "777;notify;"].iter().any(|kind| body.starts_with(kind)) && !body.contains(char::is_control)
    })
}

/// Asks the terminal to put text on the clipboard (OSC 52); `None` when that is more than terminals take. Whether it did is
/// not said.
pub fn copy(text: &str) -> Option<String> {
    let length = text.len().div_ceil(3) * 4;
    (length <= LONGEST_COPY).then(|| format!("\x1b]52;c;{}\x1b\\", base64(text.as_bytes())))
}

/// What a program is doing (OSC 7501).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It waits for something to do.
    Idle,
    /// It works.
    Working,
    /// It waits for the user.
    Blocked(Blocked),
    /// It did what it was asked to.
    Done,
    /// It failed.
    Error,
}

/// Why a program waits for the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocked {
    /// For an answer.
    Question,
    /// For a permission.
    Permission,
    /// For a login.
    Auth,
}

/// Says what the program is doing, for terminals and dashboards that show it.
pub fn program_status(state: State, message: &str) -> String {
    let (state, kind) = match state {
        State::Idle => ("idle", ""),
        State::Working => ("working", ""),
        State::Blocked(Blocked::Question) => ("blocked", ":kind=question"),
        State::Blocked(Blocked::Permission) => ("blocked", ":kind=permission"),
        State::Blocked(Blocked::Auth) => ("blocked", ":kind=auth"),
        State::Done => ("done", ""),
        State::Error => ("error", ""),
    };
    let message = plain(message);
    let message = message.trim();
    let message = &message[..message.floor_char_boundary(LONGEST_MESSAGE)];
    let mut said = format!("\x1b]7501;state={state}:app=tau{kind}");
    if !message.is_empty() {
        said += ":msg=";
        said += &base64(message.as_bytes());
    }
    said + "\x1b\\"
}

/// Begins a link (OSC 8), which [`LINK_END`] ends. `None` when the address is none that a terminal can open.
pub fn link(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once(':')?;
    let is_scheme = scheme.starts_with(|ch: char| ch.is_ascii_alphabetic())
        && scheme.chars().all(|ch| ch.is_ascii_alphanumeric() || matches!(ch, '+' | '-' | '.'));
    if !is_scheme || rest.is_empty() {
        return None;
    }
    let mut said = "\x1b]8;;".to_owned();
    for byte in address.bytes() {
        match byte {
            // Only these are allowed in there.
            0x21..=0x7e => said.push(char::from(byte)),
            _ => write!(said, "%{byte:02X}").ok()?,
        }
    }
    Some(said + "\x1b\\")
}

/// Ends a link.
pub const LINK_END: &str = "\x1b]8;;\x1b\\";

/// The marks of a shell around what it shows (OSC 133): a prompt begins.
pub const PROMPT: &str = "\x1b]133;A\x1b\\";
/// A prompt ends, and what was entered begins.
pub const ENTERED: &str = "\x1b]133;B\x1b\\";
/// What comes of it begins.
pub const OUTPUT: &str = "\x1b]133;C\x1b\\";
/// It ends.
pub const OUTPUT_END: &str = "\x1b]133;D\x1b\\";

fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_thing_is_said_as_terminals_understand_it() {
        assert_eq!(title("τ - tau"), "\x1b]0;τ - tau\x1b\\");
        assert_eq!(progress(Progress::Done(250)), "\x1b]9;4;1;100\x1b\\");
        assert_eq!(notice(Notices::Bell, "tau", "done"), "\x07");
        assert_eq!(notice(Notices::Osc9, "tau", "done"), "\x1b]9;tau: done\x1b\\");
        assert_eq!(notice(Notices::Osc9, "", "4;1;50 things"), "\x1b]9; things\x1b\\");
        assert_eq!(notice(Notices::Osc777, "a;b", "c;d"), "\x1b]777;notify;a,b;c,d\x1b\\");
        assert_eq!(notice(Notices::Osc99, "tau", "done"), "\x1b]99;i=tau:d=0;tau\x1b\\\x1b]99;i=tau:p=body;done\x1b\\");
        assert_eq!(program_status(State::Idle, ""), "\x1b]7501;state=idle:app=tau\x1b\\");
        assert_eq!(
            program_status(State::Blocked(Blocked::Permission), " a\nb "),
            "\x1b]7501;state=blocked:app=tau:kind=permission:msg=YSBi\x1b\\"
        );
        assert_eq!(link("https://a.b/ä c"), Some("\x1b]8;;https://a.b/%C3%A4%20c\x1b\\".to_owned()));
        for wrong in ["", "no address", "1a:b", "a:", "file", "\x1b:a"] {
            assert_eq!(link(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn what_is_copied_is_encoded_up_to_what_terminals_take() {
        for (text, encoded) in
            [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("héllo", "aMOpbGxv"), ("~~?", "fn4/")]
        {
            assert_eq!(copy(text), Some(format!("\x1b]52;c;{encoded}\x1b\\")));
        }
        assert!(copy(&"x".repeat(75_000)).is_some());
        assert_eq!(copy(&"x".repeat(75_001)), None);
        let long = program_status(State::Done, &"é".repeat(5000));
        assert!(long.len() < 2048 * 4 / 3 + 50, "{}", long.len());
    }

    #[test]
    fn notices_go_the_way_that_the_terminal_shows() {
        let of = |name: &str, value: &str| Notices::of(|asked| (asked == name).then(|| value.to_owned()));
        assert_eq!(of("KITTY_WINDOW_ID", "1"), Notices::Osc99);
        assert_eq!(of("TERM_PROGRAM", "iTerm.app"), Notices::Osc9);
        assert_eq!(of("VTE_VERSION", "7600"), Notices::Osc777);
        assert_eq!(of("TERM", "xterm"), Notices::Bell);
        assert_eq!(of("TMUX", "x"), Notices::Bell);
    }

    proptest! {
        /// A string of a terminal has one end, which is its last two bytes.
        #[test]
        fn nothing_ends_what_is_said_early(text in "(\\PC|[\x00-\x1f\x7f-\u{9f}\u{202e}]|\x1b\\\\|\x07){0,40}") {
            let mut said = vec![
                title(&text),
                notice(Notices::Osc9, &text, &text),
                notice(Notices::Osc777, &text, &text),
                program_status(State::Error, &text),
            ];
            said.extend(copy(&text));
            said.extend(link(&text));
            for said in said {
                let body = said.strip_prefix("\x1b]").and_then(|said| said.strip_suffix("\x1b\\"));
                let body = body.expect("a string of a terminal");
                prop_assert!(!body.contains(|ch: char| ch.is_control() || is_direction(ch)), "{said:?}");
            }
        }
    }
}
