//! What a terminal can do, as far as the environment says.

use super::switches::{Question, Switch, Wanted};
use crate::picture::How;
use crate::style::ColorDepth;

/// How images are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Images {
    /// The graphics protocol of Kitty.
    Kitty,
    /// The sequence of iTerm2.
    Iterm,
}

/// What passes everything on to the terminal, and does not pass all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multiplexer {
    /// tmux.
    Tmux,
    /// GNU screen.
    Screen,
    /// Zellij.
    Zellij,
}

/// What to say otherwise, whatever the environment says. Settings come before variables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Whether there are all colours.
    pub true_colour: Option<bool>,
    /// Whether links are shown.
    pub links: Option<bool>,
    /// How images are shown; not at all with `Some(None)`.
    pub images: Option<Option<Images>>,
    /// Nothing is animated, rewritten or coloured: `--plain`.
    pub plain: bool,
}

/// What a terminal can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    /// Which terminal it is, as a name under which its answers can be kept.
    pub name: String,
    /// What is between.
    pub multiplexer: Option<Multiplexer>,
    /// How many colours there are.
    pub colours: ColorDepth,
    /// Whether links can be written (OSC 8).
    pub links: bool,
    /// How images are shown.
    pub images: Option<Images>,
    /// Whether everything is appended: nothing is rewritten, animated or shown by colour alone.
    pub plain: bool,
    /// Whether the program runs on another machine than the terminal.
    pub remote: bool,
    /// Whether the mouse can be reported when it only moves.
    pub mouse_moves: bool,
    /// Whether the beginnings of prompts can be marked (OSC 133).
    pub marks: bool,
    /// Whether the state of the program is reported without asking whether anybody understands it (`Some(true)`), never
    /// (`Some(false)`), or after the terminal has answered.
    pub program_status: Option<bool>,
    /// Whether 0x08 is ctrl+backspace.
    pub windows_terminal: bool,
    /// Whether work of unknown length can be shown (OSC 9;4).
    pub progress: bool,
    kind: Kind,
}

/// What terminals make of sequences that they do not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Nothing, as it should be.
    Usual,
    /// It shows some of them.
    AppleTerminal,
    /// The console of Linux: it understands little, and shows what it does not understand.
    Console,
    /// Nothing at all is understood.
    Dumb,
}

impl Capabilities {
    /// What the environment says.
    pub fn of(variable: impl Fn(&str) -> Option<String>, overrides: Overrides) -> Self {
        let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        let lower = |name: &str| variable(name).unwrap_or_default().to_lowercase();
        let (term, program) = (lower("TERM"), lower("TERM_PROGRAM"));
        let says_true = matches!(lower("COLORTERM").as_str(), "truecolor" | "24bit") || term.ends_with("-direct");
        let multiplexer = if is_set("TMUX") || term.starts_with("tmux") {
            Some(Multiplexer::Tmux)
        } else if is_set("ZELLIJ") {
            Some(Multiplexer::Zellij)
        } else if is_set("STY") || term.starts_with("screen") {
            Some(Multiplexer::Screen)
        } else {
            None
        };
        let kind = match (term.as_str(), program.as_str()) {
            ("dumb", _) => Kind::Dumb,
            ("linux", _) => Kind::Console,
            (_, "apple_terminal") => Kind::AppleTerminal,
            _ => Kind::Usual,
        };
        let (images, is_true, links) = match multiplexer {
            // What they pass on cannot be known from the environment. Links: see `tmux_shows_links`.
            Some(_) => (None, says_true, false),
            None => known(&program, &term, &is_set, &lower).unwrap_or((None, says_true, false)),
        };
        let plain = overrides.plain || kind == Kind::Dumb || is_set("ACCESSIBLE");
        let is_true = overrides.true_colour.or_else(|| yes(variable("PI_TRUE_COLOR"))).unwrap_or(is_true);
        let colours = if is_set("NO_COLOR") || kind == Kind::Dumb {
            ColorDepth::None
        } else if is_true {
            ColorDepth::True
        } else if kind == Kind::Console || term == "ansi" || term.starts_with("vt1") || term.starts_with("vt2") {
            ColorDepth::Basic
        } else {
            ColorDepth::Indexed
        };
        let links = overrides.links.or_else(|| yes(variable("PI_HYPERLINKS"))).unwrap_or(links);
        let images = overrides.images.or_else(|| chosen_images(&variable)).unwrap_or(images);
        let is_usual = matches!(kind, Kind::Usual | Kind::AppleTerminal);
        let name = ["TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "COLORTERM", "VTE_VERSION", "WT_PROFILE_ID"];
        let name =
            name.map(|name| variable(name).unwrap_or_default().replace(|ch: char| ch.is_control() || ch == '|', ""));
        Self {
            name: format!("{}|{}", name.join("|"), multiplexer.map_or("", Multiplexer::name)),
            colours,
            links: links && !plain,
            images: images.filter(|_| !plain),
            plain,
            remote: is_remote(&is_set),
            // The others forward each move of the mouse to every program that asked, in all of their panes.
            mouse_moves: multiplexer.is_none() && is_usual,
            marks: is_usual && !plain && multiplexer.is_none(),
            program_status: yes(variable("PI_PROGRAM_STATUS")),
            windows_terminal: is_set("WT_SESSION") && !is_remote(&is_set),
            progress: is_usual && !plain && multiplexer.is_none(),
            multiplexer,
            kind,
        }
    }

    /// What is switched on and asked in a terminal like this.
    ///
    /// `automatic` says that the theme follows the terminal, so that its colours are asked for.
    pub fn wanted(&self, automatic: bool) -> Wanted {
        match self.kind {
            Kind::Dumb => return Wanted::default(),
            // It shows what it does not understand, and knows no colours but its own.
            Kind::Console => return Wanted { switches: vec![Switch::Paste], questions: Vec::new() },
            Kind::Usual | Kind::AppleTerminal => {}
        }
        let mut switches = vec![Switch::Title, Switch::Paste, Switch::Focus, Switch::Keyboard];
        let mut questions = vec![Question::Keyboard];
        if self.program_status.is_none() && self.multiplexer.is_none() {
            questions.push(Question::ProgramStatus);
        }
        // Apple's terminal shows the end of the question.
        if self.kind != Kind::AppleTerminal {
            questions.push(Question::Synchronized);
        }
        if automatic && self.colours != ColorDepth::None {
            switches.push(Switch::Appearance);
            questions.extend([Question::Appearance, Question::Foreground, Question::Background, Question::Palette]);
        }
        if self.images.is_some() {
            questions.push(Question::CellSize);
        }
        if !self.plain {
            switches.push(Switch::NoCursor);
        }
        Wanted { switches, questions }
    }

    /// How keys are named that some terminals send in their own way. `kitty` says that the Kitty protocol is on.
    pub fn key_modes(&self, kitty: bool) -> tau_view::keys::KeyModes {
        tau_view::keys::KeyModes { kitty, windows_terminal: self.windows_terminal }
    }

    /// Takes what tmux says about its client (`tmux display-message -p '#{client_termfeatures}'`): it passes links on to
    /// terminals that show them. An explicit choice stays.
    pub fn tmux_features(&mut self, features: &str, overrides: Overrides, variable: impl Fn(&str) -> Option<String>) {
        let is_said = overrides.links.or_else(|| yes(variable("PI_HYPERLINKS"))).is_some();
        if self.multiplexer == Some(Multiplexer::Tmux) && !is_said && !self.plain {
            self.links = features.trim().split(',').any(|feature| feature.trim() == "hyperlinks");
        }
    }

    /// Takes whether tmux `passes` on what a program has for the terminal, and the names of its `terminal`. Images are drawn
    /// there by characters that stand for them, which not every terminal of Kitty's protocol knows. Without that there are
    /// none, whatever the user chose: what is not passed on would leave characters that mean nothing.
    pub fn tmux_images(
        &mut self,
        passes: bool,
        terminal: &str,
        overrides: Overrides,
        variable: impl Fn(&str) -> Option<String>,
    ) {
        if self.multiplexer != Some(Multiplexer::Tmux) || self.plain {
            return;
        }
        let terminal = terminal.to_lowercase();
        let is_known = ["kitty", "ghostty"].iter().any(|name| terminal.contains(name));
        let chosen = overrides.images.or_else(|| chosen_images(&variable));
        self.images = match chosen {
            _ if !passes => None,
            Some(chosen) => chosen.filter(|images| *images == Images::Kitty),
            None => is_known.then_some(Images::Kitty),
        };
    }

    /// How images get onto the screen, if they do.
    pub fn draws_images(&self) -> Option<How> {
        match (self.images?, self.multiplexer) {
            (Images::Kitty, Some(Multiplexer::Tmux)) => Some(How::Placeholders),
            (Images::Kitty, _) => Some(How::Kitty),
            (Images::Iterm, None) => Some(How::Iterm),
            // Nothing passes it on.
            (Images::Iterm, Some(_)) => None,
        }
    }
}

/// How images are shown, if a variable says so.
fn chosen_images(variable: &impl Fn(&str) -> Option<String>) -> Option<Option<Images>> {
    match variable("PI_IMAGE_PROTOCOL").unwrap_or_default().to_lowercase().as_str() {
        "kitty" => Some(Some(Images::Kitty)),
        "iterm2" => Some(Some(Images::Iterm)),
        "none" | "0" => Some(None),
        _ => None,
    }
}

impl Multiplexer {
    fn name(self) -> &'static str {
        match self {
            Self::Tmux => "tmux",
            Self::Screen => "screen",
            Self::Zellij => "zellij",
        }
    }
}

/// How images are shown, whether there are all colours, and whether links are shown, in terminals that are known.
fn known(
    program: &str,
    term: &str,
    is_set: &impl Fn(&str) -> bool,
    lower: &impl Fn(&str) -> String,
) -> Option<(Option<Images>, bool, bool)> {
    let any = |names: &[&str]| names.iter().any(|name| is_set(name));
    let kitty = program == "rex"
        || (program == "orca" && lower("ORCA_IMAGE_PROTOCOL") == "kitty")
        || program == "kitty"
        || is_set("KITTY_WINDOW_ID")
        || program == "ghostty"
        || term.contains("ghostty")
        || is_set("GHOSTTY_RESOURCES_DIR")
        || program == "wezterm"
        || is_set("WEZTERM_PANE")
        || program == "warpterminal"
        || any(&["WARP_SESSION_ID", "WARP_TERMINAL_SESSION_UUID"]);
    if kitty {
        return Some((Some(Images::Kitty), true, true));
    }
    if program == "iterm.app" || is_set("ITERM_SESSION_ID") {
        return Some((Some(Images::Iterm), true, true));
    }
    let others = is_set("WT_SESSION")
        || matches!(program, "alacritty" | "vscode" | "zed")
        || term.starts_with("alacritty")
        || is_set("ALACRITTY_WINDOW_ID");
    if others {
        return Some((None, true, true));
    }
    (lower("TERMINAL_EMULATOR") == "jetbrains-jediterm").then_some((None, true, false))
}

/// Whether the program runs on another machine than the terminal.
fn is_remote(is_set: &impl Fn(&str) -> bool) -> bool {
    ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "MOSH_CONNECTION"].iter().any(|name| is_set(name))
}

/// `1` and `0` say something; anything else, such as `auto`, leaves it to what is found.
fn yes(value: Option<String>) -> Option<bool> {
    match value.as_deref() {
        Some("1") => Some(true),
        Some("0") => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Capabilities {
        with(variables, Overrides::default())
    }

    fn with(variables: &[(&str, &str)], overrides: Overrides) -> Capabilities {
        Capabilities::of(find(variables), overrides)
    }

    fn find(variables: &[(&str, &str)]) -> impl Fn(&str) -> Option<String> {
        move |name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn known_terminals_have_what_they_have() {
        use ColorDepth::{Basic, Indexed, True};
        let (kitty, iterm) = (Some(Images::Kitty), Some(Images::Iterm));
        type Case<'a> = (&'a [(&'a str, &'a str)], ColorDepth, Option<Images>, bool);
        let cases: &[Case<'_>] = &[
            (&[("KITTY_WINDOW_ID", "1")], True, kitty, true),
            (&[("TERM_PROGRAM", "ghostty")], True, kitty, true),
            (&[("TERM", "xterm-ghostty")], True, kitty, true),
            (&[("TERM_PROGRAM", "WezTerm")], True, kitty, true),
            (&[("TERM_PROGRAM", "WarpTerminal")], True, kitty, true),
            (&[("TERM_PROGRAM", "rex")], True, kitty, true),
            (&[("TERM_PROGRAM", "orca"), ("ORCA_IMAGE_PROTOCOL", "kitty")], True, kitty, true),
            (&[("TERM_PROGRAM", "orca"), ("TERM", "xterm-256color")], Indexed, None, false),
            (&[("TERM_PROGRAM", "iTerm.app")], True, iterm, true),
            (&[("WT_SESSION", "x")], True, None, true),
            (&[("TERM", "alacritty")], True, None, true),
            (&[("ALACRITTY_WINDOW_ID", "1")], True, None, true),
            (&[("TERM_PROGRAM", "vscode")], True, None, true),
            (&[("TERM_PROGRAM", "zed")], True, None, true),
            (&[("TERMINAL_EMULATOR", "JetBrains-JediTerm")], True, None, false),
            (&[("TERM", "xterm-256color")], Indexed, None, false),
            (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], True, None, false),
            (&[("TERM", "xterm-direct")], True, None, false),
            (&[("TERM", "linux")], Basic, None, false),
            // What is between does not say what it passes on.
            (&[("TMUX", "x"), ("TERM", "tmux-256color"), ("KITTY_WINDOW_ID", "1")], Indexed, None, false),
            (&[("TMUX", "x"), ("COLORTERM", "24bit")], True, None, false),
            (&[("TERM", "screen"), ("TERM_PROGRAM", "iTerm.app")], Indexed, None, false),
            (&[("ZELLIJ", "0"), ("TERM_PROGRAM", "ghostty"), ("COLORTERM", "truecolor")], True, None, false),
        ];
        for (variables, colours, images, links) in cases {
            let found = of(variables);
            assert_eq!((found.colours, found.images, found.links), (*colours, *images, *links), "{variables:?}");
        }
    }

    #[test]
    fn settings_come_before_variables_and_these_before_what_is_found() {
        let variables = [
            ("TERM_PROGRAM", "ghostty"),
            ("PI_HYPERLINKS", "0"),
            ("PI_TRUE_COLOR", "0"),
            ("PI_IMAGE_PROTOCOL", "iterm2"),
        ];
        let found = of(&variables);
        assert_eq!((found.colours, found.images, found.links), (ColorDepth::Indexed, Some(Images::Iterm), false));
        let overrides = Overrides { true_colour: Some(true), links: Some(true), images: Some(None), plain: false };
        let found = with(&variables, overrides);
        assert_eq!((found.colours, found.images, found.links), (ColorDepth::True, None, true));
        let found = of(&[("TERM_PROGRAM", "ghostty"), ("PI_HYPERLINKS", "auto"), ("PI_IMAGE_PROTOCOL", "none")]);
        assert_eq!((found.images, found.links), (None, true));
        let found = of(&[("TMUX", "x"), ("PI_HYPERLINKS", "1"), ("PI_IMAGE_PROTOCOL", "kitty")]);
        assert_eq!((found.images, found.links), (Some(Images::Kitty), true));
    }

    #[test]
    fn no_colour_is_none_and_what_must_be_plain_is() {
        assert_eq!(of(&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")]).colours, ColorDepth::None);
        assert_eq!(of(&[("NO_COLOR", ""), ("COLORTERM", "truecolor")]).colours, ColorDepth::True);
        assert!(!of(&[("NO_COLOR", "1")]).plain);
        let dumb = of(&[("TERM", "dumb"), ("PI_HYPERLINKS", "1")]);
        assert_eq!((dumb.plain, dumb.colours, dumb.links), (true, ColorDepth::None, false));
        assert_eq!(dumb.wanted(true), Wanted::default());
        let accessible = of(&[("ACCESSIBLE", "1"), ("TERM_PROGRAM", "ghostty")]);
        assert_eq!((accessible.plain, accessible.links, accessible.images), (true, false, None));
        assert!(!accessible.wanted(true).switches.contains(&Switch::NoCursor));
        assert!(with(&[], Overrides { plain: true, ..Overrides::default() }).plain);
    }

    #[test]
    fn nothing_is_asked_that_shows() {
        let usual = of(&[("TERM_PROGRAM", "ghostty")]).wanted(true);
        let expected = [
            Question::Keyboard,
            Question::ProgramStatus,
            Question::Synchronized,
            Question::Appearance,
            Question::Foreground,
            Question::Background,
            Question::Palette,
            Question::CellSize,
        ];
        assert_eq!(usual.questions, expected);
        assert!(usual.switches.contains(&Switch::Appearance));
        let named = of(&[("TERM", "xterm"), ("PI_PROGRAM_STATUS", "1")]).wanted(false);
        assert_eq!(named.questions, [Question::Keyboard, Question::Synchronized]);
        assert!(!named.switches.contains(&Switch::Appearance));
        let apple = of(&[("TERM_PROGRAM", "Apple_Terminal")]).wanted(false);
        assert!(!apple.questions.contains(&Question::Synchronized));
        assert!(!of(&[("TMUX", "x")]).wanted(false).questions.contains(&Question::ProgramStatus));
        assert_eq!(of(&[("TERM", "linux")]).wanted(true).questions, []);
    }

    #[test]
    fn tmux_passes_links_on_when_its_client_shows_them() {
        let show = |features: &str, variables: &[(&str, &str)]| {
            let mut found = of(variables);
            found.tmux_features(features, Overrides::default(), find(variables));
            found.links
        };
        assert!(show("bpaste,hyperlinks,RGB\n", &[("TMUX", "x")]));
        assert!(!show("bpaste,RGB", &[("TMUX", "x")]));
        assert!(!show("hyperlinks", &[("TMUX", "x"), ("PI_HYPERLINKS", "0")]));
        assert!(show("", &[("TMUX", "x"), ("PI_HYPERLINKS", "1")]));
        assert!(!show("hyperlinks", &[("TERM", "xterm")]));
    }

    #[test]
    fn tmux_draws_images_where_it_passes_on_and_its_terminal_knows_how() {
        let images = |passes: bool, terminal: &str, variables: &[(&str, &str)]| {
            let mut found = of(variables);
            found.tmux_images(passes, terminal, Overrides::default(), find(variables));
            found.draws_images()
        };
        let tmux = ("TMUX", "x");
        assert_eq!(images(true, "kitty(0.32) xterm-kitty", &[tmux]), Some(How::Placeholders));
        assert_eq!(images(true, "ghostty 1.1 xterm-ghostty", &[tmux]), Some(How::Placeholders));
        assert_eq!(images(true, "WezTerm 2024 xterm-256color", &[tmux]), None);
        assert_eq!(images(false, "xterm-kitty", &[tmux]), None);
        assert_eq!(images(true, "xterm", &[tmux, ("PI_IMAGE_PROTOCOL", "kitty")]), Some(How::Placeholders));
        assert_eq!(images(false, "xterm", &[tmux, ("PI_IMAGE_PROTOCOL", "kitty")]), None);
        assert_eq!(images(true, "xterm-kitty", &[tmux, ("PI_IMAGE_PROTOCOL", "none")]), None);
        assert_eq!(images(true, "xterm-kitty", &[tmux, ("PI_IMAGE_PROTOCOL", "iterm2")]), None);
        // Elsewhere tmux says nothing.
        assert_eq!(images(false, "", &[("KITTY_WINDOW_ID", "1")]), Some(How::Kitty));
        assert_eq!(images(false, "", &[("TERM_PROGRAM", "iTerm.app")]), Some(How::Iterm));
    }

    #[test]
    fn a_remote_windows_terminal_does_not_change_what_backspace_is() {
        assert!(of(&[("WT_SESSION", "x")]).key_modes(true).windows_terminal);
        let remote = of(&[("WT_SESSION", "x"), ("SSH_TTY", "x")]);
        assert!(!remote.key_modes(false).windows_terminal && remote.remote);
        assert!(of(&[("TERM", "xterm")]).mouse_moves && !of(&[("TMUX", "x")]).mouse_moves);
        assert_ne!(of(&[("TERM", "xterm")]).name, of(&[("TERM", "xterm"), ("TMUX", "x")]).name);
    }
}
