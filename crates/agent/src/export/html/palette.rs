//! Colours that are not those of the theme.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The colours a page uses beside those of its theme. Each is a class, as a page allows no style in its elements.
#[derive(Debug, Default)]
pub(super) struct Palette(BTreeSet<(bool, u8, u8, u8)>);

impl Palette {
    /// Adds a colour, of the background or of the text.
    pub(super) fn add(&mut self, back: bool, (r, g, b): (u8, u8, u8)) {
        self.0.insert((back, r, g, b));
    }

    /// The rules of its classes.
    pub(super) fn css(&self) -> String {
        let mut css = String::new();
        for (back, r, g, b) in &self.0 {
            let (class, property) = if *back { ('b', "background-color") } else { ('f', "color") };
            // Writing to a string does not fail.
            let _ = writeln!(css, ".{class}-{r:02x}{g:02x}{b:02x}{{{property}:#{r:02x}{g:02x}{b:02x}}}");
        }
        css
    }
}
