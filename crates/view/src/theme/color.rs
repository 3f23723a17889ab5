//! A colour.

use std::fmt;

use super::Rgb;
use super::oklab::Lab;

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

impl From<Rgb> for Color {
    fn from(Rgb { red, green, blue }: Rgb) -> Self {
        Self::Rgb(red, green, blue)
    }
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

/// Why a text that looks like a colour by its parts is none.
pub(super) const FUNCTIONS: &str = "oklch(L C H) or okhsl(H S L), with the parts in their bounds";

impl Color {
    /// Reads `oklch(L C H)` or `okhsl(H S L)`: hues are degrees, lightness and saturation go from 0 to 1 or 100%. `None` for
    /// a text that is no such call; for one with parts that make no colour, `Some(None)`.
    pub(super) fn from_call(text: &str) -> Option<Option<Self>> {
        let (name, rest) = text.split_once('(')?;
        let is_oklch = match name.to_ascii_lowercase().as_str() {
            "oklch" => true,
            "okhsl" => false,
            _ => return None,
        };
        Some(rest.strip_suffix(')').and_then(|parts| Self::from_parts(is_oklch, parts)))
    }

    fn from_parts(is_oklch: bool, parts: &str) -> Option<Self> {
        let mut parts = parts.split_ascii_whitespace();
        let parts = [parts.next()?, parts.next()?, parts.next().filter(|_| parts.next().is_none())?];
        let share = |text: &str| part(text, "%").filter(|share| (0.0..=1.0).contains(share));
        let lab = if is_oklch {
            let chroma = part(parts[1], "%").filter(|chroma| *chroma >= 0.0)?;
            Lab::of_lch(share(parts[0])?, chroma, part(parts[2], "deg")?)
        } else {
            Lab::of_okhsl(part(parts[0], "deg")?.rem_euclid(360.0), share(parts[1])?, share(parts[2])?)
        };
        Some(lab.screen().into())
    }
}

/// A decimal number, with this unit or without one; a hundredth for each per cent.
fn part(text: &str, unit: &str) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    let (digits, scale) = match lower.strip_suffix(unit) {
        Some(digits) if unit == "%" => (digits, 0.01),
        Some(digits) => (digits, 1.0),
        None => (lower.as_str(), 1.0),
    };
    let plain = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    let is_decimal = plain.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    digits.parse::<f64>().ok().filter(|number| is_decimal && number.is_finite()).map(|number| number * scale)
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
