//! What terminals answer.

use tau_view::theme::{Appearance, Rgb};

use crate::terminal::colours::parse_colour;

/// An answer of the terminal, or a report that it makes by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// What it is (primary device attributes). Every terminal answers this, so it closes a batch of questions.
    Attributes(Vec<u16>),
    /// Which enhancements of the Kitty keyboard protocol are on.
    KittyFlags(u16),
    /// Whether it has a mode, and how it stands.
    Mode {
        /// The number of the private mode.
        mode: u16,
        /// What it says about it.
        state: ModeState,
    },
    /// Whether the system is dark or light.
    Appearance(Appearance),
    /// The colour of text.
    Foreground(Rgb),
    /// The colour behind text.
    Background(Rgb),
    /// A colour of the palette.
    Palette(u8, Rgb),
    /// How large a cell is, in pixels.
    CellSize {
        /// Pixels from left to right.
        width: u16,
        /// Pixels from top to bottom.
        height: u16,
    },
    /// Where the cursor stands.
    Cursor {
        /// The row, from 0.
        row: u16,
        /// The column, from 0.
        column: u16,
    },
    /// Its name and version.
    Version(String),
    /// It shows what programs say about their state (OSC 7501).
    ProgramStatus,
    /// What became of an image.
    Graphics(String),
}

/// What a terminal says about a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModeState {
    /// It does not know it.
    Unknown,
    /// It is on.
    On,
    /// It is off.
    Off,
    /// It is on for good.
    AlwaysOn,
    /// It is off for good.
    AlwaysOff,
}

impl ModeState {
    /// Whether the mode can be used.
    pub(crate) fn is_usable(self) -> bool {
        matches!(self, Self::On | Self::Off | Self::AlwaysOn)
    }
}

/// Reads an answer. One sequence may carry several, of the palette.
pub(super) fn parse(raw: &str) -> Option<Vec<Reply>> {
    if let Some(body) = raw.strip_prefix("\x1b[") {
        return csi(body).map(|reply| vec![reply]);
    }
    let (kind, body) = (raw.get(..2)?, raw.get(2..)?);
    let body = body.strip_suffix("\x1b\\").or_else(|| body.strip_suffix('\x07'))?;
    match kind {
        "\x1b]" => osc(body),
        "\x1bP" => body.strip_prefix(">|").map(|version| vec![Reply::Version(version.to_owned())]),
        "\x1b_" => body.strip_prefix('G').map(|said| vec![Reply::Graphics(said.to_owned())]),
        _ => None,
    }
}

fn csi(body: &str) -> Option<Reply> {
    let last = body.chars().next_back()?;
    let body = body.strip_suffix(last)?;
    match (last, body.strip_prefix('?')) {
        ('c', Some(body)) => numbers(body).map(Reply::Attributes),
        ('u', Some(body)) => body.parse().ok().map(Reply::KittyFlags),
        ('n', Some(body)) => match body {
            "997;1" => Some(Reply::Appearance(Appearance::Dark)),
            "997;2" => Some(Reply::Appearance(Appearance::Light)),
            _ => None,
        },
        ('y', Some(body)) => {
            let &[mode, state] = numbers(body.strip_suffix('$')?)?.as_slice() else { return None };
            let state = match state {
                0 => ModeState::Unknown,
                1 => ModeState::On,
                2 => ModeState::Off,
                3 => ModeState::AlwaysOn,
                4 => ModeState::AlwaysOff,
                _ => return None,
            };
            Some(Reply::Mode { mode, state })
        }
        ('t', None) => match numbers(body)?.as_slice() {
            &[6, height, width] if height > 0 && width > 0 => Some(Reply::CellSize { width, height }),
            _ => None,
        },
        ('R', None) => match numbers(body)?.as_slice() {
            &[row, column] if row > 0 && column > 0 => Some(Reply::Cursor { row: row - 1, column: column - 1 }),
            _ => None,
        },
        _ => None,
    }
}

/// Whether this report of the cursor could also be F3 with modifiers, in the sequences of xterm.
pub(super) fn is_ambiguous(reply: &Reply) -> bool {
    matches!(reply, Reply::Cursor { row: 0, column: 1..=15 })
}

fn osc(body: &str) -> Option<Vec<Reply>> {
    let (number, rest) = body.split_once(';')?;
    let one = |reply| Some(vec![reply]);
    match number {
        "10" => one(Reply::Foreground(parse_colour(rest)?)),
        "11" => one(Reply::Background(parse_colour(rest)?)),
        "4" => {
            let parts: Vec<&str> = rest.split(';').collect();
            let colours = parts.chunks(2).map(|pair| match pair {
                [index, colour] => Some(Reply::Palette(index.parse().ok()?, parse_colour(colour)?)),
                _ => None,
            });
            colours.collect()
        }
        "7501" if rest.starts_with('?') => one(Reply::ProgramStatus),
        _ => None,
    }
}

fn numbers(body: &str) -> Option<Vec<u16>> {
    body.split(';').map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_terminals_are_understood() {
        let one = |raw: &str| parse(raw).and_then(|mut all| all.pop());
        let rgb = |red, green, blue| Rgb { red, green, blue };
        assert_eq!(one("\x1b[?62;22;52c"), Some(Reply::Attributes(vec![62, 22, 52])));
        assert_eq!(one("\x1b[?7u"), Some(Reply::KittyFlags(7)));
        assert_eq!(one("\x1b[?2026;2$y"), Some(Reply::Mode { mode: 2026, state: ModeState::Off }));
        assert_eq!(one("\x1b[?997;2n"), Some(Reply::Appearance(Appearance::Light)));
        assert_eq!(one("\x1b]10;rgb:ffff/8080/0000\x1b\\"), Some(Reply::Foreground(rgb(255, 128, 0))));
        assert_eq!(one("\x1b]11;rgb:1e/1e/2e\x07"), Some(Reply::Background(rgb(0x1e, 0x1e, 0x2e))));
        assert_eq!(
            parse("\x1b]4;0;rgb:00/00/00;15;#ffffff\x07"),
            Some(vec![Reply::Palette(0, rgb(0, 0, 0)), Reply::Palette(15, rgb(255, 255, 255))])
        );
        assert_eq!(one("\x1b[6;18;9t"), Some(Reply::CellSize { width: 9, height: 18 }));
        assert_eq!(one("\x1b[12;40R"), Some(Reply::Cursor { row: 11, column: 39 }));
        assert_eq!(one("\x1bP>|WezTerm 2026\x1b\\"), Some(Reply::Version("WezTerm 2026".to_owned())));
        assert_eq!(one("\x1b]7501;?\x1b\\"), Some(Reply::ProgramStatus));
        assert_eq!(one("\x1b_Gi=1;OK\x1b\\"), Some(Reply::Graphics("i=1;OK".to_owned())));
    }

    #[test]
    fn what_is_no_answer_is_none() {
        let wrong = [
            "\x1b[A",
            "\x1b[1;5A",
            "\x1b[97;5u",
            "\x1b[?c",
            "\x1b[?99999u",
            "\x1b[?2026;9$y",
            "\x1b[?997;3n",
            "\x1b[6;0;9t",
            "\x1b[4;1;1t",
            "\x1b[0;1R",
            "\x1b]11;red\x07",
            "\x1b]11;rgb:1/2\x07",
            "\x1b]4;0\x07",
            "\x1b]4;300;rgb:0/0/0\x07",
            "\x1b]52;c;YQ==\x07",
            "\x1b]7501;state=idle\x07",
            "\x1bP1+r\x1b\\",
            "\x1b",
            "\x1b]",
            "é",
            "",
        ];
        for raw in wrong {
            assert_eq!(parse(raw), None, "{raw:?}");
        }
    }
}
