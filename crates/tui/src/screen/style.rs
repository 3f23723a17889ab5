//! Colours and styles of characters, and the shortest way from one to another.

use std::fmt::Write as _;
use std::sync::Arc;

/// A colour as a terminal takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Color {
    #[default]
    Default,
    /// One of the sixteen colours of the terminal.
    Basic(u8),
    /// One of the 256.
    Indexed(u8),
    Rgb(u8, u8, u8),
}

/// Attributes that are on or off, by the number that turns each on.
const ATTRIBUTES: [u8; 8] = [1, 2, 3, 5, 7, 8, 9, 53];
const INVERSE: u8 = 7;
const STRUCK: u8 = 9;
const OVERLINED: u8 = 53;

fn bit(attribute: u8) -> u8 {
    ATTRIBUTES.iter().position(|known| *known == attribute).map_or(0, |index| 1 << index)
}

/// The number that turns an attribute off.
fn off(attribute: u8) -> u8 {
    match attribute {
        1 | 2 => 22,
        OVERLINED => 55,
        other => other + 20,
    }
}

/// How a character looks, and the link that it is part of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Style {
    attributes: u8,
    /// 0 for none, else the kind, as in `4:3`.
    underline: u8,
    foreground: Color,
    background: Color,
    underline_color: Color,
    /// `parameters;address`.
    pub(super) link: Option<Arc<str>>,
}

impl Style {
    /// Whether a space in this style looks like a cell that nothing was written to.
    pub(super) fn hides_spaces(&self) -> bool {
        self.attributes & (bit(INVERSE) | bit(STRUCK) | bit(OVERLINED)) == 0
            && self.underline == 0
            && self.background == Color::Default
            && self.link.is_none()
    }

    /// The same style, in inverse or not.
    pub(super) fn inverted(&self) -> Style {
        Style { attributes: self.attributes ^ bit(INVERSE), ..self.clone() }
    }

    /// The same style, underlined.
    pub(super) fn underlined(&self) -> Style {
        Style { underline: 1, ..self.clone() }
    }

    /// Takes the parameters of one SGR sequence into account; what is not understood changes nothing.
    pub(super) fn apply(&mut self, parameters: &str) {
        let mut list = parameters.split(';');
        while let Some(parameter) = list.next() {
            let mut parts = parameter.split(':');
            let code: u32 = match parts.next() {
                None | Some("") => 0,
                Some(number) => number.parse().unwrap_or(u32::MAX),
            };
            match code {
                0 => *self = Style { link: self.link.take(), ..Style::default() },
                1..=3 | 5 | 7..=9 | 53 => self.attributes |= bit(code as u8),
                6 => self.attributes |= bit(5),
                4 => {
                    self.underline =
                        parts.next().map_or(1, |kind| kind.parse().ok().filter(|kind| *kind <= 5).unwrap_or(1))
                }
                21 => self.underline = 2,
                22 => self.attributes &= !(bit(1) | bit(2)),
                24 => self.underline = 0,
                23 | 25 | 27..=29 => self.attributes &= !bit(code as u8 - 20),
                55 => self.attributes &= !bit(OVERLINED),
                30..=37 => self.foreground = Color::Basic(code as u8 - 30),
                90..=97 => self.foreground = Color::Basic(code as u8 - 90 + 8),
                39 => self.foreground = Color::Default,
                40..=47 => self.background = Color::Basic(code as u8 - 40),
                100..=107 => self.background = Color::Basic(code as u8 - 100 + 8),
                49 => self.background = Color::Default,
                59 => self.underline_color = Color::Default,
                38 | 48 | 58 => {
                    let color = if parameter.contains(':') { colon_color(parts) } else { listed_color(&mut list) };
                    match (code, color) {
                        // What a list of an unknown kind takes cannot be told from what comes after it.
                        (_, None) if !parameter.contains(':') => return,
                        (_, None) => {}
                        (38, Some(color)) => self.foreground = color,
                        (48, Some(color)) => self.background = color,
                        (_, Some(color)) => self.underline_color = color,
                    }
                }
                _ => {}
            }
        }
    }

    /// Writes what turns this style on, for text that was written in `from`.
    pub(super) fn write_after(&self, from: &Style, out: &mut String) {
        if from.link != self.link {
            match &self.link {
                Some(link) => {
                    let _ = write!(out, "\x1b]8;{link}\x1b\\");
                }
                None => out.push_str("\x1b]8;;\x1b\\"),
            }
        }
        if self.looks_like(from) {
            return;
        }
        let default = Style::default();
        if self.looks_like(&default) {
            out.push_str("\x1b[m");
            return;
        }
        let (mut change, mut anew) = (String::new(), String::from("0;"));
        self.codes_after(from, &mut change);
        self.codes_after(&default, &mut anew);
        let codes = if anew.len() < change.len() { &anew } else { &change };
        let _ = write!(out, "\x1b[{}m", codes.trim_end_matches(';'));
    }

    fn looks_like(&self, other: &Style) -> bool {
        self.attributes == other.attributes
            && self.underline == other.underline
            && self.foreground == other.foreground
            && self.background == other.background
            && self.underline_color == other.underline_color
    }

    /// The codes of what differs, each followed by `;`.
    fn codes_after(&self, from: &Style, codes: &mut String) {
        let mut before = from.attributes;
        for attribute in ATTRIBUTES {
            if before & bit(attribute) != 0 && self.attributes & bit(attribute) == 0 {
                let _ = write!(codes, "{};", off(attribute));
                // Bold and dim have one number to turn them off.
                before &= !(if off(attribute) == 22 { bit(1) | bit(2) } else { bit(attribute) });
            }
        }
        for attribute in ATTRIBUTES {
            if self.attributes & bit(attribute) != 0 && before & bit(attribute) == 0 {
                let _ = write!(codes, "{attribute};");
            }
        }
        if self.underline != from.underline {
            codes.push_str(match self.underline {
                0 => "24;",
                1 => "4;",
                2 => "21;",
                3 => "4:3;",
                4 => "4:4;",
                _ => "4:5;",
            });
        }
        for (color, before, base) in [
            (self.foreground, from.foreground, 30),
            (self.background, from.background, 40),
            (self.underline_color, from.underline_color, 50),
        ] {
            if color != before {
                let _ = match color {
                    Color::Default => write!(codes, "{};", base + 9),
                    Color::Basic(index) if base == 50 => write!(codes, "58;5;{index};"),
                    Color::Basic(index) if index < 8 => write!(codes, "{};", base + index),
                    Color::Basic(index) => write!(codes, "{};", base + 60 + index - 8),
                    Color::Indexed(index) => write!(codes, "{};5;{index};", base + 8),
                    Color::Rgb(red, green, blue) => write!(codes, "{};2;{red};{green};{blue};", base + 8),
                };
            }
        }
    }
}

/// A colour in the form `38;5;n` or `38;2;r;g;b`, after its first number.
fn listed_color<'a>(list: &mut impl Iterator<Item = &'a str>) -> Option<Color> {
    let mut number = || list.next().and_then(|part| part.parse::<u8>().ok());
    match number()? {
        5 => number().map(Color::Indexed),
        2 => Some(Color::Rgb(number()?, number()?, number()?)),
        _ => None,
    }
}

/// A colour in the form `38:5:n`, `38:2:r:g:b` or `38:2:space:r:g:b`, after its first number.
fn colon_color<'a>(parts: impl Iterator<Item = &'a str>) -> Option<Color> {
    let parts: Vec<Option<u8>> = parts.take(6).map(|part| part.parse().ok()).collect();
    match parts.as_slice() {
        [Some(5), Some(index), ..] => Some(Color::Indexed(*index)),
        [Some(2), _, Some(red), Some(green), Some(blue), ..] | [Some(2), Some(red), Some(green), Some(blue)] => {
            Some(Color::Rgb(*red, *green, *blue))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(parameters: &[&str]) -> Style {
        let mut style = Style::default();
        for list in parameters {
            style.apply(list);
        }
        style
    }

    fn change(from: &[&str], to: &[&str]) -> String {
        let mut out = String::new();
        style(to).write_after(&style(from), &mut out);
        out
    }

    #[test]
    fn the_shortest_change_is_written() {
        assert_eq!(change(&[], &[]), "");
        assert_eq!(change(&["1"], &[]), "\x1b[m");
        assert_eq!(change(&[], &["1;31"]), "\x1b[1;31m");
        assert_eq!(change(&["1;31"], &["31"]), "\x1b[22m");
        assert_eq!(change(&["1;2;31"], &["2;31"]), "\x1b[22;2m");
        assert_eq!(change(&["1;4;9;31;44"], &["3"]), "\x1b[0;3m");
        assert_eq!(change(&["31"], &["38;5;200"]), "\x1b[38;5;200m");
        assert_eq!(change(&["48:2::1:2:3"], &["48;2;1;2;4"]), "\x1b[48;2;1;2;4m");
        assert_eq!(change(&["97;104"], &["37;44"]), "\x1b[37;44m");
        assert_eq!(change(&["4"], &["4:3;58:5:9"]), "\x1b[4:3;58;5;9m");
    }

    #[test]
    fn what_is_not_understood_changes_nothing() {
        assert_eq!(style(&["38;5", "38;2;1;2", "48:9:1", "777", "99999999999", "38;7;1"]), style(&["1", "22"]));
    }
}
