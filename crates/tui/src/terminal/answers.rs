//! What a terminal answered, to be used the next time before it answers again.

use std::fmt;
use std::str::FromStr;

use tau_view::theme::{Appearance, Rgb};

use super::colours::parse_colour;
use super::input::Reply;
use super::switches::Question;

/// What is known about a terminal from its answers. It can be written down ([`fmt::Display`]) and read again ([`FromStr`]),
/// so that the first frame need not wait for any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answers {
    /// Whether it speaks the Kitty keyboard protocol.
    pub kitty: Option<bool>,
    /// Whether it can show frames as a whole.
    pub synchronized: Option<bool>,
    /// Whether it shows what programs say about their state.
    pub program_status: Option<bool>,
    /// The colour of text.
    pub foreground: Option<Rgb>,
    /// The colour behind text.
    pub background: Option<Rgb>,
    /// The first 16 colours.
    pub palette: [Option<Rgb>; 16],
    /// Whether the system is dark or light.
    pub appearance: Option<Appearance>,
    /// Width and height of a cell, in pixels.
    pub cell: Option<(u16, u16)>,
    /// Its name and version.
    pub version: Option<String>,
}

/// What was asked and is not answered yet. What was not asked changes nothing: text that a program shows can make a terminal
/// answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    answers: Answers,
    /// How many batches are not closed.
    fences: u32,
    /// What may still be answered, also late: what is between can answer the fence first.
    open: Vec<Question>,
    /// As `open`, for the colours of the palette.
    colours: [bool; 16],
    /// What the fence decides, if nothing else does.
    fenced: Vec<Question>,
    /// Whether a fence was ever answered.
    answers_fences: bool,
}

/// What an answer means for the program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Change {
    /// What is known has changed.
    pub(super) differs: bool,
    /// A batch of questions is closed: what was not answered will not be.
    pub(super) closed: bool,
    /// The Kitty protocol is not known, as is clear now.
    pub(super) lacks_kitty: bool,
    /// The Kitty protocol is on.
    pub(super) has_kitty: bool,
}

impl Asked {
    pub(super) fn new(answers: Answers) -> Self {
        Self { answers, ..Self::default() }
    }

    pub(super) fn answers(&self) -> &Answers {
        &self.answers
    }

    /// Whether fences can be waited for.
    pub(super) fn answers_fences(&self) -> bool {
        self.answers_fences
    }

    /// Whether a batch is not closed.
    pub(super) fn waits(&self) -> bool {
        self.fences > 0
    }

    /// A batch is asked.
    pub(super) fn ask(&mut self, questions: &[Question]) {
        self.fences += 1;
        for question in questions {
            if *question == Question::Palette {
                self.colours = [true; 16];
            }
            if !self.open.contains(question) {
                self.open.push(*question);
            }
            if !self.fenced.contains(question) {
                self.fenced.push(*question);
            }
        }
    }

    /// Whether this answers something.
    fn answered(&mut self, question: Question) -> bool {
        self.fenced.retain(|fenced| *fenced != question);
        let open = self.open.iter().position(|open| *open == question);
        open.map(|at| self.open.remove(at)).is_some()
    }

    /// Takes an answer.
    pub(super) fn take(&mut self, reply: &Reply) -> Change {
        let before = self.answers.clone();
        let mut change = Change::default();
        match reply {
            Reply::Attributes(_) => {
                self.answers_fences = true;
                change.closed = self.fences == 1;
                self.fences = self.fences.saturating_sub(1);
                if change.closed {
                    // What was asked before this and has no answer is not known to the terminal.
                    for question in std::mem::take(&mut self.fenced) {
                        match question {
                            Question::Keyboard => {
                                self.answers.kitty = Some(false);
                                change.lacks_kitty = true;
                            }
                            Question::Synchronized => self.answers.synchronized = Some(false),
                            Question::ProgramStatus => self.answers.program_status = Some(false),
                            _ => {}
                        }
                    }
                }
            }
            Reply::KittyFlags(flags) => {
                if self.answered(Question::Keyboard) {
                    self.answers.kitty = Some(*flags != 0);
                    change.lacks_kitty = *flags == 0;
                    change.has_kitty = *flags != 0;
                }
            }
            Reply::Mode { mode: 2026, state } => {
                if self.answered(Question::Synchronized) {
                    self.answers.synchronized = Some(state.is_usable());
                }
            }
            Reply::ProgramStatus => {
                if self.answered(Question::ProgramStatus) {
                    self.answers.program_status = Some(true);
                }
            }
            // The terminal also says this by itself.
            Reply::Appearance(appearance) => {
                self.answered(Question::Appearance);
                self.answers.appearance = Some(*appearance);
            }
            Reply::Foreground(colour) => {
                if self.answered(Question::Foreground) {
                    self.answers.foreground = Some(*colour);
                }
            }
            Reply::Background(colour) => {
                if self.answered(Question::Background) {
                    self.answers.background = Some(*colour);
                }
            }
            Reply::Palette(index, colour) => {
                let index = usize::from(*index);
                if self.colours.get_mut(index).is_some_and(std::mem::take) {
                    self.answers.palette[index] = Some(*colour);
                }
            }
            Reply::CellSize { width, height } => {
                if self.answered(Question::CellSize) {
                    self.answers.cell = Some((*width, *height));
                }
            }
            Reply::Version(version) => {
                if self.answered(Question::Version) {
                    self.answers.version = Some(version.clone());
                }
            }
            Reply::Mode { .. } | Reply::Cursor { .. } | Reply::Graphics(_) => {}
        }
        change.differs = self.answers != before;
        change
    }
}

impl Answers {
    /// All 16 colours, if they are known.
    pub fn whole_palette(&self) -> Option<[Rgb; 16]> {
        let mut whole = [Rgb { red: 0, green: 0, blue: 0 }; 16];
        for (place, colour) in whole.iter_mut().zip(self.palette) {
            *place = colour?;
        }
        Some(whole)
    }
}

impl fmt::Display for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let yes = |known: Option<bool>| known.map(|yes| if yes { "1" } else { "0" }.to_owned());
        let colour = |colour: Rgb| format!("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
        let palette = self.palette.iter().enumerate();
        let palette = palette.filter_map(|(index, known)| Some((format!("color{index}"), colour((*known)?))));
        let named = [
            ("kitty", yes(self.kitty)),
            ("synchronized", yes(self.synchronized)),
            ("status", yes(self.program_status)),
            ("foreground", self.foreground.map(colour)),
            ("background", self.background.map(colour)),
            ("appearance", self.appearance.map(|appearance| format!("{appearance:?}").to_lowercase())),
            ("cell", self.cell.map(|(width, height)| format!("{width}x{height}"))),
            ("version", self.version.clone().filter(|version| !version.contains(char::is_control))),
        ];
        let named = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        for (at, (name, value)) in named.chain(palette).enumerate() {
            write!(f, "{}{name}={value}", if at > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl FromStr for Answers {
    type Err = std::convert::Infallible;

    /// Reads what was written down. What it cannot read is not known.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut answers = Self::default();
        for (name, value) in text.lines().filter_map(|line| line.split_once('=')) {
            let yes = || match value {
                "1" => Some(true),
                "0" => Some(false),
                _ => None,
            };
            match name {
                "kitty" => answers.kitty = yes(),
                "synchronized" => answers.synchronized = yes(),
                "status" => answers.program_status = yes(),
                "foreground" => answers.foreground = parse_colour(value),
                "background" => answers.background = parse_colour(value),
                "appearance" => {
                    answers.appearance = match value {
                        "dark" => Some(Appearance::Dark),
                        "light" => Some(Appearance::Light),
                        _ => None,
                    }
                }
                "cell" => {
                    let parts = value.split_once('x');
                    let parts = parts.and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
                    answers.cell = parts.filter(|(width, height)| *width > 0 && *height > 0);
                }
                "version" => answers.version = Some(value.to_owned()),
                _ => {
                    let index = name.strip_prefix("color").and_then(|index| index.parse::<usize>().ok());
                    if let Some(known) = index.and_then(|index| answers.palette.get_mut(index)) {
                        *known = parse_colour(value);
                    }
                }
            }
        }
        Ok(answers)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::input::ModeState;
    use super::*;

    #[test]
    fn what_is_not_answered_before_the_fence_is_not_known_to_the_terminal() {
        let mut asked = Asked::new(Answers::default());
        asked.ask(&[Question::Keyboard, Question::Synchronized, Question::ProgramStatus]);
        assert!(!asked.answers_fences());
        let change = asked.take(&Reply::Mode { mode: 2026, state: ModeState::Off });
        assert_eq!(change, Change { differs: true, ..Change::default() });
        let change = asked.take(&Reply::Attributes(vec![62]));
        assert_eq!(change, Change { differs: true, closed: true, lacks_kitty: true, has_kitty: false });
        let answers = asked.answers();
        assert_eq!(
            (answers.kitty, answers.synchronized, answers.program_status),
            (Some(false), Some(true), Some(false))
        );
        // It may be late.
        let on = Change { differs: true, has_kitty: true, ..Change::default() };
        assert_eq!(asked.take(&Reply::KittyFlags(7)), on);
        asked.ask(&[Question::Keyboard]);
        assert_eq!(asked.take(&Reply::KittyFlags(7)), Change { differs: false, ..on });
        let closed = Change { closed: true, ..Change::default() };
        assert_eq!(asked.take(&Reply::Attributes(vec![62])), closed);
        assert_eq!(asked.answers().kitty, Some(true));
        assert!(asked.answers_fences());
    }

    #[test]
    fn what_nobody_asked_changes_nothing() {
        let colour = Rgb { red: 1, green: 2, blue: 3 };
        let forged = [
            Reply::Attributes(vec![62]),
            Reply::KittyFlags(0),
            Reply::KittyFlags(7),
            Reply::Mode { mode: 2026, state: ModeState::Off },
            Reply::ProgramStatus,
            Reply::Foreground(colour),
            Reply::Background(colour),
            Reply::Palette(0, colour),
            Reply::Palette(200, colour),
            Reply::CellSize { width: 1, height: 1 },
            Reply::Version("x".to_owned()),
        ];
        let known =
            Answers { kitty: Some(true), background: Some(Rgb { red: 0, green: 0, blue: 0 }), ..Answers::default() };
        let mut asked = Asked::new(known.clone());
        for reply in &forged {
            assert_eq!(asked.take(reply), Change::default(), "{reply:?}");
        }
        assert_eq!(*asked.answers(), known);
        // A second answer to one question is ignored too.
        asked.ask(&[Question::Background, Question::Palette]);
        assert!(asked.take(&Reply::Background(colour)).differs && asked.take(&Reply::Palette(3, colour)).differs);
        let other = Rgb { red: 9, ..colour };
        assert!(!asked.take(&Reply::Background(other)).differs && !asked.take(&Reply::Palette(3, other)).differs);
        assert!(asked.take(&Reply::Appearance(Appearance::Light)).differs);
    }

    #[test]
    fn a_terminal_that_refuses_the_kitty_protocol_lacks_it() {
        let mut asked = Asked::new(Answers::default());
        asked.ask(&[Question::Keyboard]);
        assert!(asked.take(&Reply::KittyFlags(0)).lacks_kitty);
        assert!(!asked.take(&Reply::Attributes(vec![])).lacks_kitty);
    }

    #[test]
    fn answers_that_are_written_down_are_the_same_when_they_are_read() {
        let rgb = |red, green, blue| Rgb { red, green, blue };
        let mut answers = Answers {
            kitty: Some(true),
            synchronized: Some(false),
            program_status: None,
            foreground: Some(rgb(1, 2, 3)),
            background: Some(rgb(255, 254, 0)),
            appearance: Some(Appearance::Light),
            cell: Some((9, 18)),
            version: Some("name(1=2)".to_owned()),
            ..Answers::default()
        };
        answers.palette[15] = Some(rgb(9, 9, 9));
        assert_eq!(answers.to_string().parse(), Ok(answers.clone()));
        assert_eq!(answers.whole_palette(), None);
        answers.palette = [Some(rgb(7, 8, 9)); 16];
        assert_eq!(answers.to_string().parse(), Ok(answers.clone()));
        assert_eq!(answers.whole_palette(), Some([rgb(7, 8, 9); 16]));
        assert_eq!(Answers::default().to_string(), "");
    }

    proptest! {
        #[test]
        fn anything_that_was_written_down_can_be_read(text in "([a-z]{1,9}[0-9]{0,3}=[0-9a-z#x]{0,9}\n){0,5}\\PC{0,20}") {
            let read: Result<Answers, _> = text.parse();
            let read = read.expect("it cannot fail");
            let again: Result<Answers, _> = read.to_string().parse();
            prop_assert_eq!(again.expect("it cannot fail"), read);
        }
    }
}
