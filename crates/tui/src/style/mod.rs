//! Text in the colours of a theme, as far as the terminal has them.

mod depth;

use std::collections::HashMap;

use tau_view::theme::ColorTheme;

pub use depth::ColorDepth;

/// Gives text the colours of a theme. Attributes such as bold stay where there are no colours.
#[derive(Debug, Clone)]
pub struct Styles {
    /// What turns each colour on, by token. Empty for the terminal's own.
    on: HashMap<String, String>,
    depth: ColorDepth,
    name: String,
}

impl Styles {
    /// The colours of `theme` for a terminal that has this many.
    pub fn new(theme: &ColorTheme, depth: ColorDepth) -> Self {
        let front = theme.foregrounds().map(|(token, color)| (token.to_owned(), depth.foreground(color)));
        let behind = theme.backgrounds().map(|(token, color)| (token.to_owned(), depth.background(color)));
        Self { on: front.chain(behind).collect(), depth, name: theme.name.clone() }
    }

    /// What settings call the theme.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many colours the terminal has.
    pub fn depth(&self) -> ColorDepth {
        self.depth
    }

    /// What turns the colour of a token on; empty when it is the terminal's own. A token that no theme has is a mistake of
    /// the caller and has no colour.
    pub fn on(&self, token: &str) -> &str {
        debug_assert!(self.on.contains_key(token), "no theme has a colour for {token}");
        self.on.get(token).map_or("", String::as_str)
    }

    /// `text` in the colour of a token.
    pub fn fg(&self, token: &str, text: &str) -> String {
        wrapped(self.on(token), text, "\x1b[39m")
    }

    /// `text` with the colour of a token behind it.
    pub fn bg(&self, token: &str, text: &str) -> String {
        wrapped(self.on(token), text, "\x1b[49m")
    }
}

fn wrapped(on: &str, text: &str, off: &str) -> String {
    if on.is_empty() || text.is_empty() { text.to_owned() } else { format!("{on}{text}{off}") }
}

/// `text` in bold.
pub fn bold(text: &str) -> String {
    wrapped("\x1b[1m", text, "\x1b[22m")
}

/// `text` in italics.
pub fn italic(text: &str) -> String {
    wrapped("\x1b[3m", text, "\x1b[23m")
}

/// `text` underlined.
pub fn underline(text: &str) -> String {
    wrapped("\x1b[4m", text, "\x1b[24m")
}

/// `text` with the colours of text and background exchanged.
pub fn inverse(text: &str) -> String {
    wrapped("\x1b[7m", text, "\x1b[27m")
}

/// `text` struck through.
pub(crate) fn struck(text: &str) -> String {
    wrapped("\x1b[9m", text, "\x1b[29m")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn styles(depth: ColorDepth) -> Styles {
        Styles::new(&ColorTheme::builtin("dark").expect("a theme"), depth)
    }

    #[test]
    fn a_token_has_its_colour_in_front_or_behind() {
        let styles = styles(ColorDepth::True);
        assert_eq!(styles.fg("accent", "x"), "\x1b[38;2;127;200;194mx\x1b[39m");
        assert_eq!(styles.bg("selectedBg", "x"), "\x1b[48;2;58;63;78mx\x1b[49m");
        assert_eq!(styles.fg("text", "x"), "x");
        assert_eq!(styles.fg("accent", ""), "");
    }

    #[test]
    fn without_colours_attributes_stay() {
        let styles = styles(ColorDepth::None);
        assert_eq!(styles.fg("accent", &bold("x")), "\x1b[1mx\x1b[22m");
        assert_eq!(styles.bg("selectedBg", "x"), "x");
    }
}
