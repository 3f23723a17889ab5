//! Red, green and blue, and which of fewer colours is nearest.

use super::Appearance;

/// A colour of which all parts are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rgb {
    /// How much red.
    pub red: u8,
    /// How much green.
    pub green: u8,
    /// How much blue.
    pub blue: u8,
}

/// How far a channel counts when two colours are compared: the eye sees green best, and blue worst.
const WEIGHTS: [u32; 3] = [30, 59, 11];

impl Rgb {
    /// A colour by its parts.
    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self { red, green, blue }
    }

    /// How bright it is to the eye, from 0 to 1 (relative luminance of sRGB).
    pub(crate) fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.red) + 0.7152 * linear(self.green) + 0.0722 * linear(self.blue)
    }

    /// How well one of two colours can be told from the other, from 1 to 21 (contrast ratio of WCAG).
    pub(crate) fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// What a terminal with this background is.
    pub fn appearance(self) -> Appearance {
        if self.luminance() >= 0.5 { Appearance::Light } else { Appearance::Dark }
    }

    pub(super) fn channels(self) -> [u8; 3] {
        [self.red, self.green, self.blue]
    }

    fn distance(self, other: Self) -> u32 {
        let differences =
            self.channels().into_iter().zip(other.channels()).map(|(one, two)| u32::from(one.abs_diff(two)));
        differences.zip(WEIGHTS).map(|(difference, weight)| difference * difference * weight).sum()
    }

    /// The usual colour at a place of the palette of 256. Terminals let users choose the first 16.
    pub fn of_palette(index: u8) -> Self {
        const FIRST: [[u8; 3]; 16] = [
            [0, 0, 0],
            [205, 0, 0],
            [0, 205, 0],
            [205, 205, 0],
            [0, 0, 238],
            [205, 0, 205],
            [0, 205, 205],
            [229, 229, 229],
            [127, 127, 127],
            [255, 0, 0],
            [0, 255, 0],
            [255, 255, 0],
            [92, 92, 255],
            [255, 0, 255],
            [0, 255, 255],
            [255, 255, 255],
        ];
        let [red, green, blue] = match index {
            0..16 => FIRST[usize::from(index)],
            16..232 => {
                let place = usize::from(index - 16);
                [place / 36, place / 6 % 6, place % 6].map(|level| CUBE[level])
            }
            232.. => [8 + 10 * (index - 232); 3],
        };
        Self { red, green, blue }
    }

    /// The nearest of the 256 colours that terminals agree on: those of the cube, and of the grey ramp if the channels
    /// differ by less than 10.
    pub fn nearest_256(self) -> u8 {
        let level = |channel: u8| {
            let distance = |index: &u8| CUBE[usize::from(*index)].abs_diff(channel);
            (0..6).min_by_key(distance).unwrap_or_default()
        };
        let cube = 16 + 36 * level(self.red) + 6 * level(self.green) + level(self.blue);
        let channels = self.channels();
        let spread = channels.iter().max().zip(channels.iter().min()).map_or(0, |(most, least)| most - least);
        if spread >= 10 {
            return cube;
        }
        let distance = |index: &u8| Self::of_palette(*index).distance(self);
        let grey = (232..=255).min_by_key(distance).unwrap_or(cube);
        if distance(&grey) < distance(&cube) { grey } else { cube }
    }

    /// The nearest of 16 colours. `palette` is what the terminal says they are; without it the usual ones are taken.
    pub fn nearest_16(self, palette: Option<&[Self; 16]>) -> u8 {
        let at = |index: u8| palette.map_or_else(|| Self::of_palette(index), |palette| palette[usize::from(index)]);
        (0..16).min_by_key(|&index| at(index).distance(self)).unwrap_or_default()
    }
}

/// The steps of a channel in the cube of the palette of 256.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rgb(red: u8, green: u8, blue: u8) -> Rgb {
        Rgb { red, green, blue }
    }

    #[test]
    fn fewer_colours_are_chosen_from_the_cube_or_the_ramp() {
        assert_eq!(rgb(255, 0, 0).nearest_256(), 196);
        assert_eq!(rgb(0, 0, 0).nearest_256(), 16);
        assert_eq!(rgb(255, 255, 255).nearest_256(), 231);
        assert_eq!(rgb(128, 128, 128).nearest_256(), 244);
        assert_eq!(rgb(30, 30, 38).nearest_256(), 234);
        assert_eq!(rgb(30, 30, 60).nearest_256(), 17);
        assert_eq!(rgb(250, 5, 5).nearest_16(None), 9);
        let mut palette = [rgb(0, 0, 0); 16];
        palette[3] = rgb(250, 0, 0);
        assert_eq!(rgb(250, 5, 5).nearest_16(Some(&palette)), 3);
    }

    #[test]
    fn contrast_is_what_guidelines_say_it_is() {
        let tenths = |one: Rgb, two: Rgb| (one.contrast(two) * 10.0).round();
        assert_eq!(tenths(rgb(0, 0, 0), rgb(255, 255, 255)), 210.0);
        assert_eq!(tenths(rgb(118, 118, 118), rgb(255, 255, 255)), 45.0);
        assert_eq!(tenths(rgb(7, 8, 9), rgb(7, 8, 9)), 10.0);
    }

    proptest! {
        #[test]
        fn a_colour_that_terminals_have_is_its_own_nearest(index in 16_u8..) {
            let colour = Rgb::of_palette(index);
            prop_assert_eq!(Rgb::of_palette(colour.nearest_256()), colour);
        }
    }
}
