//! A colour.

use std::fmt;

/// A colour of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// The terminal's own.
    Terminal,
    /// One of the 256 of the terminal's palette.
    Indexed(u8),
    /// Red, green and blue.
    Rgb(u8, u8, u8),
}

impl Color {
    /// Reads `#rrggbb` or `#rgb`.
    pub(super) fn from_hex(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#')?;
        let doubled: String = digits.chars().flat_map(|digit| [digit, digit]).collect();
        let digits = if digits.len() == 3 { &doubled } else { digits };
        if digits.len() != 6 || !digits.is_ascii() {
            return None;
        }
        let part = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
        // A sign is a digit to the parser.
        let all_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        all_digits.then_some(Self::Rgb(part(0)?, part(2)?, part(4)?))
    }
}

/// As themes write it.
impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Terminal => Ok(()),
            Self::Indexed(index) => write!(f, "{index}"),
            Self::Rgb(red, green, blue) => write!(f, "#{red:02x}{green:02x}{blue:02x}"),
        }
    }
}
