//! Text taken apart into runs that can be shown and the sequences between them.

use super::hidden::Hidden;
use super::machine::{Machine, Step};
use crate::ansi::LONGEST_LINK;

/// How long the parameters of a control sequence may be, in bytes.
const LONGEST_PARAMETERS: usize = 128;

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Characters without control characters, hidden ones and line breaks; never empty.
    Text(&'a str),
    Newline,
    Return,
    Tab,
    Backspace,
    /// A control sequence: its parameters and its last character.
    Control(&'a str, char),
    /// A command for the terminal (OSC).
    Command(&'a str),
}

/// The parts of a text, one after the other. Each character is looked at once, but for one per sequence without an end.
#[derive(Debug, Clone)]
pub(super) struct Pieces<'a> {
    text: &'a str,
    at: usize,
    hidden: Hidden,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, hidden: Hidden::default() }
    }

    fn char_at(&self, at: usize) -> Option<char> {
        self.text[at..].chars().next()
    }

    /// Takes what can be shown.
    fn run(&mut self) -> &'a str {
        let bytes = self.text.as_bytes();
        let from = self.at;
        while let Some(byte) = bytes.get(self.at) {
            if (0x20..=0x7e).contains(byte) {
                self.hidden.plain();
                self.at += 1;
                continue;
            }
            match self.char_at(self.at).filter(|ch| !ch.is_control()) {
                Some(ch) if self.hidden.filter(ch) == Some(ch) => self.at += ch.len_utf8(),
                _ => break,
            }
        }
        &self.text[from..self.at]
    }

    /// Takes line breaks and the like.
    fn control(&mut self, ch: char) -> Option<Piece<'a>> {
        self.hidden.plain();
        self.at += ch.len_utf8();
        match ch {
            '\n' => Some(Piece::Newline),
            '\t' => Some(Piece::Tab),
            '\u{8}' => Some(Piece::Backspace),
            '\r' => {
                // A line that goes through several terminals can end in `\r\r\n`.
                let bytes = &self.text.as_bytes()[self.at..];
                self.at += bytes.iter().take_while(|byte| **byte == b'\r').count();
                if self.text[self.at..].starts_with('\n') {
                    self.at += 1;
                    return Some(Piece::Newline);
                }
                Some(Piece::Return)
            }
            _ => None,
        }
    }

    /// Takes a sequence, or what is left of one that has no end.
    fn sequence(&mut self) -> Option<Piece<'a>> {
        let mut machine = Machine::default();
        let mut body = self.at;
        while let Some(ch) = self.char_at(self.at) {
            let before = self.at;
            let step = machine.next(ch);
            if let Step::Char(_) = step {
                // Text follows, and is looked at as text.
                return None;
            }
            self.at += ch.len_utf8();
            match step {
                Step::Body => body = self.at,
                Step::Control(last) => {
                    let parameters = &self.text[body..before];
                    return (parameters.len() <= LONGEST_PARAMETERS).then_some(Piece::Control(parameters, last));
                }
                Step::Command => {
                    let command = &self.text[body..before];
                    return Some(Piece::Command(command.strip_suffix('\u{1b}').unwrap_or(command)));
                }
                Step::Nothing if machine.is_in_text() => return None,
                Step::Nothing | Step::Char(_) => {}
            }
        }
        None
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        loop {
            let run = self.run();
            if !run.is_empty() {
                return Some(Piece::Text(run));
            }
            let piece = match self.char_at(self.at)? {
                ch @ ('\n' | '\t' | '\r' | '\u{8}') => self.control(ch),
                ch if ch.is_control() => self.sequence(),
                ch => {
                    self.at += ch.len_utf8();
                    self.hidden.filter(ch).map(|_| Piece::Newline)
                }
            };
            if piece.is_some() {
                return piece;
            }
        }
    }
}

/// What can be left of untrusted text in a line that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    /// Characters without a control character, a hidden character or a line break among them; never empty.
    Text(&'a str),
    /// The parameters of a sequence that sets colours and styles (SGR): digits, `;` and `:`.
    Style(&'a str),
    /// A link (OSC 8) begins, as `parameters;address`, or ends.
    Link(Option<&'a str>),
    /// A line ends: `\n`, `\r\n`, or a separator of lines or paragraphs.
    Newline,
    /// The cursor goes back to the start of the line.
    Return,
    /// A tab.
    Tab,
}

/// Takes `text` apart; what is no [`Token`] is left out: what [`plain`](super::plain) leaves out, but for styles and links.
///
/// A sequence that has no end stops at the end of its line, so that it cannot hide the lines after it.
pub fn tokens(text: &str) -> Tokens<'_> {
    Tokens { pieces: Pieces::new(text) }
}

/// Iterator of [`tokens`].
#[derive(Debug, Clone)]
pub struct Tokens<'a> {
    pieces: Pieces<'a>,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let token = match self.pieces.next()? {
                Piece::Text(run) => Some(Token::Text(run)),
                Piece::Newline => Some(Token::Newline),
                Piece::Return => Some(Token::Return),
                Piece::Tab => Some(Token::Tab),
                Piece::Control(parameters, 'm') if is_style(parameters) => Some(Token::Style(parameters)),
                Piece::Command(command) => link(command),
                Piece::Control(..) | Piece::Backspace => None,
            };
            if token.is_some() {
                return token;
            }
        }
    }
}

/// Whether parameters say how text looks, and nothing else.
pub(super) fn is_style(parameters: &str) -> bool {
    parameters.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':'))
}

fn link(command: &str) -> Option<Token<'_>> {
    let body = command.strip_prefix("8;")?;
    let (_, address) = body.split_once(';')?;
    if address.is_empty() {
        return Some(Token::Link(None));
    }
    let is_harmless = || Pieces::new(body).run().len() == body.len();
    Some(Token::Link((body.len() <= LONGEST_LINK && is_harmless()).then_some(body)))
}
