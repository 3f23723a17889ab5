//! The colours of what a window adds to its transcript.

use crate::screen::style::Style;
use crate::style::Styles;

/// The colours of the scrollbar and of what a search has found. Where a theme leaves one to the terminal, or the terminal has
/// none, attributes tell things apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tints {
    track: String,
    thumb: String,
    match_text: String,
    match_behind: String,
}

impl Tints {
    /// Those of a theme.
    pub fn new(styles: &Styles) -> Self {
        let on = |token| styles.on(token).to_owned();
        Self {
            track: on("scrollbarTrack"),
            thumb: on("scrollbarThumb"),
            match_text: on("searchMatchText"),
            match_behind: on("searchMatchBg"),
        }
    }

    /// A row of the scrollbar beside what the window does not show.
    pub(super) fn track(&self) -> String {
        let faint = if self.track.is_empty() { "\x1b[2m" } else { &self.track };
        format!("{faint}│")
    }

    /// A row of the scrollbar that stands for the window, while the pointer is over it or not.
    pub(super) fn thumb(&self, is_hovered: bool) -> String {
        format!("{}{}", self.thumb, if is_hovered { "█" } else { "┃" })
    }

    /// The style of text that was found, which had another one.
    pub(super) fn of_match(&self, style: &Style) -> Style {
        let mut style = style.clone();
        if !self.match_behind.is_empty() || !self.match_text.is_empty() {
            // The colour that the text had is not meant for this background.
            style.apply("39");
        }
        for sequence in [&self.match_text, &self.match_behind] {
            if let Some(parameters) = sequence.strip_prefix("\x1b[").and_then(|rest| rest.strip_suffix('m')) {
                style.apply(parameters);
            }
        }
        style
    }
}
