//! How the program of a server ended, and what it wrote: foreign text, made safe and bounded.

use std::fmt;
use std::process::ExitStatus;

use tau_view::untrusted::plain;

/// How many of the last lines of a program are shown.
const LINES: usize = 20;
/// How much of each, in characters.
const LINE: usize = 300;

/// What a program wrote that may say why it does not answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wrote {
    /// The first lines that are no messages.
    pub noise: String,
    /// The last lines of its standard error.
    pub errors: String,
}

impl fmt::Display for Wrote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { noise, errors } = self;
        if !noise.is_empty() {
            f.write_str("; check its \"command\" and \"args\", as it wrote what is no message of the protocol:\n")?;
            f.write_str(noise)?;
        }
        match (noise.as_str(), errors.as_str()) {
            (_, "") => Ok(()),
            ("", _) => write!(f, "; it wrote:\n{errors}"),
            _ => write!(f, "\nand to its standard error:\n{errors}"),
        }
    }
}

/// How a program ended that ended by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending(pub ExitStatus);

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.code() {
            Some(code) => write!(f, "exit code {code}"),
            None => write!(f, "{}", self.0),
        }
    }
}

/// In brackets, if it is known.
pub(super) fn bracketed(ending: Option<Ending>) -> String {
    ending.map(|ending| format!(" ({ending})")).unwrap_or_default()
}

/// What became of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fate {
    /// Nothing when it only closed its output.
    pub(super) ending: Option<Ending>,
    /// The last lines of its standard error.
    pub(super) errors: String,
}

/// A connection that was lost while a request waited for its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// The server.
    pub server: String,
    /// Whether it is a program.
    pub is_program: bool,
    /// How its program ended, if it did.
    pub ending: Option<Ending>,
    /// The last lines of its standard error.
    pub errors: String,
    /// Whether a tool was called.
    pub is_call: bool,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, is_program, ending, errors, is_call } = self;
        let during = if *is_call { "during the call" } else { "before it answered" };
        match (is_program, ending) {
            (true, Some(_)) => write!(f, "server \"{server}\" ended {during}{}", bracketed(*ending))?,
            (true, None) => write!(f, "server \"{server}\" closed its output {during}")?,
            (false, _) => write!(f, "the connection to server \"{server}\" ended {during}")?,
        }
        f.write_str(if *is_call {
            "; the call may have taken effect, and the next call "
        } else {
            "; the next call "
        })?;
        f.write_str(if *is_program { "starts the server again" } else { "connects again" })?;
        if errors.is_empty() { Ok(()) } else { write!(f, ". It wrote:\n{errors}") }
    }
}

/// The last lines of a text.
pub(super) fn last_lines(text: &str) -> String {
    let text = plain(text);
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let cut = |line: &str| match line.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    };
    lines[lines.len().saturating_sub(LINES)..].iter().map(|line| cut(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_lines_are_shown_and_none_is_long() {
        let text: String = (0..100).map(|n| format!("\u{1b}[31mline {n}\u{1b}[0m\r\n\n")).collect();
        let shown = last_lines(&text);
        assert_eq!(shown.lines().count(), LINES);
        assert!(shown.starts_with("line 80\n") && shown.ends_with("line 99"), "{shown}");
        assert_eq!(last_lines(&"ä".repeat(LINE + 1)), format!("{}…", "ä".repeat(LINE)));
    }
}
