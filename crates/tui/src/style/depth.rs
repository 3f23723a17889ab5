//! How many colours a terminal has.

use tau_view::theme::{Color, Rgb};

/// How many colours a terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ColorDepth {
    /// None, or none are wanted: text is plain.
    None,
    /// The 16 that the user has chosen.
    Basic,
    /// The palette of 256: a cube of 216, a ramp of grey, and the 16.
    #[default]
    Indexed,
    /// Any red, green and blue.
    True,
}

impl ColorDepth {
    /// What makes text have this colour, or the nearest one there is; empty for the terminal's own.
    pub fn foreground(self, color: Color) -> String {
        self.code(color, 38, 30, 90)
    }

    /// The same for the colour behind text.
    pub fn background(self, color: Color) -> String {
        self.code(color, 48, 40, 100)
    }

    fn code(self, color: Color, extended: u8, dark: u8, bright: u8) -> String {
        match (self, color) {
            (Self::None, _) | (_, Color::Terminal) => String::new(),
            (Self::True, Color::Rgb(red, green, blue)) => format!("\x1b[{extended};2;{red};{green};{blue}m"),
            (Self::True | Self::Indexed, Color::Indexed(index)) => format!("\x1b[{extended};5;{index}m"),
            (Self::Indexed, Color::Rgb(red, green, blue)) => {
                format!("\x1b[{extended};5;{}m", Rgb { red, green, blue }.nearest_256())
            }
            (Self::Basic, color) => match basic(color) {
                index @ 0..=7 => format!("\x1b[{}m", dark + index),
                index => format!("\x1b[{}m", bright + index - 8),
            },
        }
    }
}

fn basic(color: Color) -> u8 {
    match color {
        Color::Terminal => 7,
        Color::Indexed(index @ 0..=15) => index,
        Color::Indexed(index) => Rgb::of_palette(index).nearest_16(None),
        Color::Rgb(red, green, blue) => Rgb { red, green, blue }.nearest_16(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_the_nearest_that_there_is() {
        let red = Color::Rgb(250, 3, 2);
        assert_eq!(ColorDepth::True.foreground(red), "\x1b[38;2;250;3;2m");
        assert_eq!(ColorDepth::Indexed.foreground(red), "\x1b[38;5;196m");
        assert_eq!(ColorDepth::Basic.foreground(red), "\x1b[91m");
        assert_eq!(ColorDepth::Basic.background(red), "\x1b[101m");
        assert_eq!(ColorDepth::None.foreground(red), "");
        assert_eq!(ColorDepth::True.foreground(Color::Terminal), "");
    }

    #[test]
    fn grays_are_taken_from_the_ramp() {
        assert_eq!(ColorDepth::Indexed.background(Color::Rgb(48, 48, 50)), "\x1b[48;5;236m");
        assert_eq!(ColorDepth::Indexed.background(Color::Rgb(255, 255, 255)), "\x1b[48;5;231m");
    }

    #[test]
    fn a_colour_of_the_palette_is_itself() {
        for index in 16..=255 {
            let Rgb { red, green, blue } = Rgb::of_palette(index);
            let written = ColorDepth::Indexed.foreground(Color::Rgb(red, green, blue));
            let number = written.trim_start_matches("\x1b[38;5;").trim_end_matches('m').parse().expect("a number");
            assert_eq!(Rgb::of_palette(number), Rgb::of_palette(index), "{index}");
        }
    }
}
