//! Telling escape sequences from text.

/// What a character completes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing.
    Nothing,
    /// A character that is no control character, or one of line feed, tab, carriage return and backspace.
    Char(char),
    /// What stands between the introducer of a sequence and its end begins with the next character.
    Body,
    /// A control sequence, with its last character.
    Control(char),
    /// A command for the terminal (OSC).
    Command,
}

/// Reads text character by character; it keeps its place within a sequence, and nothing of the text.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Machine {
    state: State,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// After an escape character.
    Escape,
    /// After an escape character and what announces one more character.
    Designation,
    Control,
    /// In a command for the terminal, or in a string for a device.
    String {
        command: bool,
    },
    /// In one, after an escape character.
    StringEscape {
        command: bool,
    },
}

impl Machine {
    /// Whether the next character is not part of a sequence, unless it begins one.
    pub(super) fn is_in_text(self) -> bool {
        self.state == State::Text
    }

    /// What `ch` completes.
    pub(super) fn next(&mut self, ch: char) -> Step {
        match std::mem::take(&mut self.state) {
            State::Text => self.text(ch),
            State::Escape => self.escape(ch),
            State::Designation => match ch {
                ' '..='/' => self.enter(State::Designation),
                '0'..='~' => Step::Nothing,
                // What cannot be part of a sequence is text.
                _ => self.text(ch),
            },
            State::Control => match ch {
                ' '..='?' => self.enter(State::Control),
                '@'..='~' => Step::Control(ch),
                _ => self.text(ch),
            },
            State::String { command } => self.string(ch, command),
            State::StringEscape { command: true } if ch == '\\' => Step::Command,
            State::StringEscape { .. } if ch == '\\' => Step::Nothing,
            // Another sequence begins; the string has no end.
            State::StringEscape { .. } => self.escape(ch),
        }
    }

    fn text(&mut self, ch: char) -> Step {
        match ch {
            '\n' | '\t' | '\r' | '\u{8}' => Step::Char(ch),
            '\u{1b}' => self.enter(State::Escape),
            '\u{9b}' => self.begin(State::Control),
            '\u{9d}' => self.begin(State::String { command: true }),
            '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => self.begin(State::String { command: false }),
            ch if ch.is_control() => Step::Nothing,
            ch => Step::Char(ch),
        }
    }

    fn enter(&mut self, state: State) -> Step {
        self.state = state;
        Step::Nothing
    }

    fn begin(&mut self, state: State) -> Step {
        self.state = state;
        Step::Body
    }

    fn escape(&mut self, ch: char) -> Step {
        match ch {
            '[' => self.begin(State::Control),
            ']' => self.begin(State::String { command: true }),
            'P' | 'X' | '^' | '_' => self.begin(State::String { command: false }),
            ' '..='/' => self.enter(State::Designation),
            '0'..='~' => Step::Nothing,
            _ => self.text(ch),
        }
    }

    fn string(&mut self, ch: char, command: bool) -> Step {
        match ch {
            '\u{7}' | '\u{9c}' if command => Step::Command,
            '\u{7}' | '\u{9c}' | '\u{18}' | '\u{1a}' => Step::Nothing,
            '\u{1b}' => self.enter(State::StringEscape { command }),
            // A string without its end must not hide the text after it.
            '\n' => Step::Char(ch),
            _ => self.enter(State::String { command }),
        }
    }
}
