//! What is switched on in a terminal, and what it is asked.

/// Something of a terminal that is switched on while a program has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// The title is kept, to be put back.
    Title,
    /// The other screen is shown, which has no scrollback.
    AlternateScreen,
    /// Lines that are too long end at the edge.
    NoWrap,
    /// The mouse is reported.
    Mouse(Reports),
    /// Focus is reported.
    Focus,
    /// Pastes have marks.
    Paste,
    /// Changes between dark and light are reported.
    Appearance,
    /// Keys are reported as the Kitty protocol says: without ambiguity, with their kind, and with the key of a US keyboard.
    Keyboard,
    /// Keys with modifiers are reported as xterm does, where the Kitty protocol is not known.
    OtherKeys,
    /// The cursor is hidden.
    NoCursor,
    /// The cursor has a shape.
    Cursor(Shape),
    /// Work of unknown length is shown.
    Progress,
}

/// What of the mouse is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reports {
    /// Buttons and the wheel.
    Buttons,
    /// Also where it moves while a button is held.
    Drags,
    /// Also where it moves otherwise.
    Moves,
}

/// The shape of a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A cell.
    Block,
    /// A line between two cells.
    Bar,
}

impl Switch {
    /// What switches it on.
    pub fn on(self) -> &'static str {
        match self {
            Self::Title => "\x1b[22;0t",
            Self::AlternateScreen => "\x1b[?1049h",
            Self::NoWrap => "\x1b[?7l",
            Self::Mouse(Reports::Buttons) => "\x1b[?1000h\x1b[?1006h",
            Self::Mouse(Reports::Drags) => "\x1b[?1000h\x1b[?1002h\x1b[?1006h",
            Self::Mouse(Reports::Moves) => "\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1006h",
            Self::Focus => "\x1b[?1004h",
            Self::Paste => "\x1b[?2004h",
            Self::Appearance => "\x1b[?2031h",
            Self::Keyboard => "\x1b[>7u",
            Self::OtherKeys => "\x1b[>4;2m",
            Self::NoCursor => "\x1b[?25l",
            Self::Cursor(Shape::Block) => "\x1b[2 q",
            Self::Cursor(Shape::Bar) => "\x1b[6 q",
            Self::Progress => "\x1b]9;4;3\x1b\\",
        }
    }

    /// What takes it back.
    pub fn off(self) -> &'static str {
        match self {
            Self::Title => "\x1b[23;0t",
            Self::AlternateScreen => "\x1b[?1049l",
            Self::NoWrap => "\x1b[?7h",
            Self::Mouse(Reports::Buttons) => "\x1b[?1006l\x1b[?1000l",
            Self::Mouse(Reports::Drags) => "\x1b[?1006l\x1b[?1002l\x1b[?1000l",
            Self::Mouse(Reports::Moves) => "\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l",
            Self::Focus => "\x1b[?1004l",
            Self::Paste => "\x1b[?2004l",
            Self::Appearance => "\x1b[?2031l",
            Self::Keyboard => "\x1b[<u",
            Self::OtherKeys => "\x1b[>4;0m",
            Self::NoCursor => "\x1b[?25h",
            Self::Cursor(_) => "\x1b[0 q",
            Self::Progress => "\x1b]9;4;0\x1b\\",
        }
    }

    /// Whether the terminal sends something by itself while it is on, which has to be read.
    fn makes_input(self) -> bool {
        matches!(self, Self::Mouse(_) | Self::Focus | Self::Appearance | Self::Keyboard | Self::OtherKeys)
    }

    /// Whether both cannot be on.
    fn replaces(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// What is switched on now, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Switched(Vec<Switch>);

impl Switched {
    /// Switches something on; what to write.
    pub(super) fn on(&mut self, switch: Switch) -> String {
        if self.0.contains(&switch) {
            return String::new();
        }
        let before = self.0.iter().position(|other| other.replaces(switch)).map(|at| self.0.remove(at));
        self.0.push(switch);
        before.map_or_else(String::new, |before| before.off().to_owned()) + switch.on()
    }

    /// Switches something off; what to write.
    pub(super) fn off(&mut self, switch: Switch) -> &'static str {
        match self.0.iter().position(|other| other.replaces(switch)) {
            Some(at) => self.0.remove(at).off(),
            None => "",
        }
    }

    /// What switches everything on again.
    pub(super) fn again(&self) -> String {
        self.0.iter().map(|switch| switch.on()).collect()
    }

    /// What makes the terminal silent, so that what is read afterwards was typed. The keyboard comes first: keys that are
    /// let go later would be reported to a program that does not expect it.
    pub(super) fn quiet(&self) -> String {
        let is_keyboard = |switch: &&Switch| matches!(switch, Switch::Keyboard | Switch::OtherKeys);
        let input = || self.0.iter().filter(|switch| switch.makes_input());
        input()
            .filter(is_keyboard)
            .chain(input().filter(|switch| !is_keyboard(switch)))
            .map(|switch| switch.off())
            .collect()
    }

    /// What takes the rest back, the last first.
    pub(super) fn rest(&self) -> String {
        self.0.iter().rev().filter(|switch| !switch.makes_input()).map(|switch| switch.off()).collect()
    }
}

/// Something that a terminal can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Whether the Kitty protocol is on.
    Keyboard,
    /// Whether it shows what programs say about their state.
    ProgramStatus,
    /// Whether it can show frames as a whole.
    Synchronized,
    /// Whether the system is dark or light.
    Appearance,
    /// The colour of text.
    Foreground,
    /// The colour behind text.
    Background,
    /// The first 16 colours.
    Palette,
    /// How large a cell is.
    CellSize,
    /// Its name.
    Version,
    /// Where the cursor stands. See [`super::input::CursorReports`].
    Cursor,
}

/// Closes a batch of questions: every terminal answers it, and in order.
pub(super) const FENCE: &str = "\x1b[c";

impl Question {
    /// What asks it.
    pub fn ask(self) -> String {
        match self {
            Self::Keyboard => "\x1b[?u".to_owned(),
            Self::ProgramStatus => "\x1b]7501;?\x1b\\".to_owned(),
            Self::Synchronized => "\x1b[?2026$p".to_owned(),
            Self::Appearance => "\x1b[?996n".to_owned(),
            Self::Foreground => "\x1b]10;?\x1b\\".to_owned(),
            Self::Background => "\x1b]11;?\x1b\\".to_owned(),
            // One at a time: not every terminal reads more than one of them.
            Self::Palette => (0..16).map(|index| format!("\x1b]4;{index};?\x1b\\")).collect(),
            Self::CellSize => "\x1b[16t".to_owned(),
            Self::Version => "\x1b[>q".to_owned(),
            Self::Cursor => "\x1b[6n".to_owned(),
        }
    }
}

/// What a program wants of a terminal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// What is switched on while the program has it.
    pub switches: Vec<Switch>,
    /// What it is asked then. Nothing waits for the answers.
    pub questions: Vec<Question>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_switched_on_is_taken_back_the_keyboard_first() {
        let mut switched = Switched::default();
        let mut written = String::new();
        for switch in [Switch::Title, Switch::Paste, Switch::Focus, Switch::Keyboard, Switch::NoCursor] {
            written += &switched.on(switch);
        }
        assert_eq!(written, "\x1b[22;0t\x1b[?2004h\x1b[?1004h\x1b[>7u\x1b[?25l");
        assert_eq!(switched.again(), written);
        assert_eq!(switched.quiet(), "\x1b[<u\x1b[?1004l");
        assert_eq!(switched.rest(), "\x1b[?25h\x1b[?2004l\x1b[23;0t");
    }

    #[test]
    fn nothing_is_switched_twice() {
        let mut switched = Switched::default();
        assert_eq!(switched.off(Switch::NoCursor), "");
        assert_eq!(switched.on(Switch::NoCursor), "\x1b[?25l");
        assert_eq!(switched.on(Switch::NoCursor), "");
        assert_eq!(switched.off(Switch::NoCursor), "\x1b[?25h");
        let (buttons, moves) = (Switch::Mouse(Reports::Buttons), Switch::Mouse(Reports::Moves));
        switched.on(buttons);
        assert_eq!(switched.on(moves), format!("{}{}", buttons.off(), moves.on()));
        assert_eq!(switched.off(buttons), moves.off());
        assert_eq!(switched.again(), "");
        switched.on(Switch::Cursor(Shape::Block));
        assert_eq!(switched.on(Switch::Cursor(Shape::Bar)), "\x1b[0 q\x1b[6 q");
        assert_eq!((switched.rest().as_str(), switched.off(Switch::Cursor(Shape::Block))), ("\x1b[0 q", "\x1b[0 q"));
    }
}
