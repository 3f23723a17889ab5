//! Escape sequences inside text: finding them, removing them, and knowing which styles they leave on.

use std::fmt::Write as _;

/// A piece of a line: either an escape sequence, which takes no columns, or text between two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A whole escape sequence.
    Escape(&'a str),
    /// Text without recognised escape sequences; never empty.
    Text(&'a str),
}

/// The escape sequence `text` starts with: CSI up to one of `m G K H J`, or OSC or APC up to BEL or ST.
///
/// An unfinished sequence is not one: its bytes are text.
pub(crate) fn escape_at_start(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&0x1b) {
        return None;
    }
    let end = match bytes.get(1)? {
        b'[' => 2 + bytes[2..].iter().position(|byte| matches!(byte, b'm' | b'G' | b'K' | b'H' | b'J'))? + 1,
        b']' | b'_' => string_sequence_end(bytes)?,
        _ => return None,
    };
    Some(&text[..end])
}

fn string_sequence_end(bytes: &[u8]) -> Option<usize> {
    (2..bytes.len()).find_map(|index| match bytes[index] {
        0x07 => Some(index + 1),
        0x1b if bytes.get(index + 1) == Some(&b'\\') => Some(index + 2),
        _ => None,
    })
}

/// Splits `text` into escape sequences and the text between them; together they are `text` again.
pub fn pieces(text: &str) -> Pieces<'_> {
    Pieces { rest: text, unfinished: [false; 2] }
}

/// Iterator of [`pieces`].
#[derive(Debug, Clone)]
pub struct Pieces<'a> {
    rest: &'a str,
    /// Whether a CSI or a string sequence was found to have no end in the rest of the text: then no later one
    /// has, and looking again would take quadratic time.
    unfinished: [bool; 2],
}

impl<'a> Pieces<'a> {
    fn escape_at(&mut self, index: usize) -> Option<&'a str> {
        let rest = &self.rest[index..];
        let kind = match rest.as_bytes().get(1)? {
            b'[' => 0,
            b']' | b'_' => 1,
            _ => return None,
        };
        if self.unfinished[kind] {
            return None;
        }
        let escape = escape_at_start(rest);
        self.unfinished[kind] = escape.is_none();
        escape
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let mut from = 0;
        let end = loop {
            let Some(found) = self.rest[from..].find('\x1b') else { break self.rest.len() };
            match self.escape_at(from + found) {
                Some(escape) if from + found == 0 => {
                    self.rest = &self.rest[escape.len()..];
                    return Some(Piece::Escape(escape));
                }
                Some(_) => break from + found,
                None => from += found + 1,
            }
        };
        let (run, tail) = self.rest.split_at(end);
        self.rest = tail;
        (!run.is_empty()).then_some(Piece::Text(run))
    }
}

/// `text` without its escape sequences.
pub fn strip(text: &str) -> String {
    pieces(text)
        .filter_map(|piece| match piece {
            Piece::Text(run) => Some(run),
            Piece::Escape(_) => None,
        })
        .collect()
}

/// The longest sequence that opens a link which goes on in the next line, in bytes. Terminals ignore longer links, and
/// every line would repeat it.
pub const LONGEST_LINK: usize = 4 << 10;

/// An OSC 8 link that is open, with the terminator it was written with: some terminals only make links that end
/// in BEL clickable, so a link that goes on in the next line keeps its own.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Link {
    parameters: String,
    url: String,
    terminator: &'static str,
}

enum LinkSequence {
    Open(Link),
    Close,
}

fn parse_link(escape: &str) -> Option<LinkSequence> {
    let body = escape.strip_prefix("\x1b]8;")?;
    let (body, terminator) = match body.strip_suffix('\x07') {
        Some(body) => (body, "\x07"),
        None => (body.strip_suffix("\x1b\\")?, "\x1b\\"),
    };
    let (parameters, url) = body.split_once(';')?;
    Some(if url.is_empty() {
        LinkSequence::Close
    } else {
        LinkSequence::Open(Link { parameters: parameters.to_owned(), url: url.to_owned(), terminator })
    })
}

/// The address an OSC 8 sequence opens; `Some(None)` for one that closes a link, `None` for other sequences.
pub(crate) fn link_target(escape: &str) -> Option<Option<String>> {
    Some(match parse_link(escape)? {
        LinkSequence::Open(link) => Some(link.url),
        LinkSequence::Close => None,
    })
}

const ATTRIBUTES: [u8; 8] = [1, 2, 3, 4, 5, 7, 8, 9];
const UNDERLINE: usize = 3;

/// The styles and the link that the escape sequences seen so far have left on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StyleState {
    attributes: [bool; ATTRIBUTES.len()],
    foreground: Option<String>,
    background: Option<String>,
    link: Option<Link>,
}

impl StyleState {
    /// Takes one escape sequence into account; those that change no style are ignored.
    pub fn process(&mut self, escape: &str) {
        match parse_link(escape) {
            Some(LinkSequence::Open(link)) => self.link = Some(link).filter(|_| escape.len() <= LONGEST_LINK),
            Some(LinkSequence::Close) => self.link = None,
            None => self.process_sgr(escape),
        }
    }

    /// Takes every escape sequence of `text` into account.
    pub(crate) fn process_text(&mut self, text: &str) {
        for piece in pieces(text) {
            if let Piece::Escape(escape) = piece {
                self.process(escape);
            }
        }
    }

    fn process_sgr(&mut self, escape: &str) {
        // An unfinished sequence may have swallowed the beginning of this one.
        let Some((_, parameters)) = escape.strip_suffix('m').and_then(|rest| rest.rsplit_once("\x1b[")) else { return };
        if !parameters.bytes().all(|byte| byte.is_ascii_digit() || byte == b';') {
            return;
        }
        if parameters.is_empty() {
            self.reset();
            return;
        }
        let parts: Vec<&str> = parameters.split(';').collect();
        let mut index = 0;
        while let Some(part) = parts.get(index) {
            let code = part.parse::<u32>().ok();
            if let (Some(code @ (38 | 48)), Some(length)) = (code, extended_color_length(&parts[index..])) {
                let color = parts[index..index + length].join(";");
                *(if code == 38 { &mut self.foreground } else { &mut self.background }) = Some(color);
                index += length;
                continue;
            }
            if let Some(code) = code {
                self.apply(code);
            }
            index += 1;
        }
    }

    fn apply(&mut self, code: u32) {
        let attribute = |code: u32| ATTRIBUTES.iter().position(|&known| u32::from(known) == code);
        match code {
            0 => self.reset(),
            1..=9 => {
                if let Some(index) = attribute(code) {
                    self.attributes[index] = true;
                }
            }
            21 => self.attributes[0] = false,
            22 => {
                self.attributes[0] = false;
                self.attributes[1] = false;
            }
            23..=29 => {
                if let Some(index) = attribute(code - 20) {
                    self.attributes[index] = false;
                }
            }
            39 => self.foreground = None,
            49 => self.background = None,
            30..=37 | 90..=97 => self.foreground = Some(code.to_string()),
            40..=47 | 100..=107 => self.background = Some(code.to_string()),
            _ => {}
        }
    }

    /// A full style reset; an open link stays open, as it does in terminals.
    fn reset(&mut self) {
        self.attributes = Default::default();
        self.foreground = None;
        self.background = None;
    }

    /// The sequences that bring a fresh line into this state; empty when nothing is on.
    pub(crate) fn active_codes(&self) -> String {
        let mut codes: Vec<String> =
            ATTRIBUTES.iter().zip(self.attributes).filter(|(_, on)| *on).map(|(code, _)| code.to_string()).collect();
        codes.extend(self.foreground.clone());
        codes.extend(self.background.clone());
        let mut active = if codes.is_empty() { String::new() } else { format!("\x1b[{}m", codes.join(";")) };
        if let Some(Link { parameters, url, terminator }) = &self.link {
            let _ = write!(active, "\x1b]8;{parameters};{url}{terminator}");
        }
        active
    }

    /// What a line must end with so that its style does not leak into padding: underline and links off. Colours
    /// stay, because a background is meant to go on to the edge.
    pub(crate) fn line_end(&self) -> String {
        let underline = if self.attributes[UNDERLINE] { "\x1b[24m" } else { "" };
        format!("{underline}{}", self.link_close())
    }

    /// The sequence that closes the open link; empty without one.
    pub(crate) fn link_close(&self) -> String {
        self.link.as_ref().map(|link| format!("\x1b]8;;{}", link.terminator)).unwrap_or_default()
    }
}

/// How many parameters a 256-colour (`38;5;n`) or RGB colour (`38;2;r;g;b`) takes, if `parts` starts one.
fn extended_color_length(parts: &[&str]) -> Option<usize> {
    match *parts.get(1)? {
        "5" if parts.len() > 2 => Some(3),
        "2" if parts.len() > 4 => Some(5),
        _ => None,
    }
}
