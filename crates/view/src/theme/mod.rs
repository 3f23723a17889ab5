//! Colour themes: which colour everything that is drawn has, read from JSON in the format that pi's themes have.

mod color;
mod oklab;
mod read;
mod rgb;
mod system;
mod tokens;

pub use color::Color;
pub use read::ThemeError;
pub use rgb::Rgb;
pub use system::Reported;

use std::collections::BTreeMap;

use self::tokens::TOKENS;

/// A colour theme: every colour is there and can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColorTheme {
    /// What settings call it.
    pub name: String,
    /// The background it is made for, where it says so.
    pub appearance: Option<Appearance>,
    /// The colours of an exported page, where the theme has some.
    pub export: ExportColors,
    colors: BTreeMap<String, Color>,
}

/// A background that a theme is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appearance {
    /// Light text on it.
    Dark,
    /// Dark text on it.
    Light,
}

impl Appearance {
    /// What the variable `COLORFGBG` says of the background: the last of its numbers is a place in the palette of 256.
    pub fn of_variable(colours: &str) -> Option<Self> {
        let background = colours.rsplit(';').find_map(|part| part.trim().parse().ok())?;
        Some(Rgb::of_palette(background).appearance())
    }

    /// As themes write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
        }
    }
}

/// Colours of an exported page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExportColors {
    /// Behind everything.
    pub page: Option<Color>,
    /// Behind a message.
    pub card: Option<Color>,
    /// Behind a note.
    pub info: Option<Color>,
}

impl ColorTheme {
    /// The names of the built-in themes.
    pub const BUILTIN: [&'static str; 2] = ["dark", "light"];

    /// Reads the JSON text of a theme.
    ///
    /// # Errors
    /// When it is no JSON, or no theme; all that is wrong with it is told at once.
    pub fn parse(text: &str) -> Result<Self, ThemeError> {
        read::theme(text)
    }

    /// A theme of colours as themes write them, by what they are for. What is missing is as in the built-in theme for this
    /// background.
    ///
    /// # Errors
    /// When a value is no colour.
    pub fn of_colors(
        name: &str,
        appearance: Appearance,
        colors: serde_json::Map<String, serde_json::Value>,
    ) -> Result<Self, ThemeError> {
        read::of_colors(name, appearance, colors)
    }

    /// The built-in theme of that name.
    pub fn builtin(name: &str) -> Option<Self> {
        let text = match name {
            "dark" => include_str!("dark.json"),
            "light" => include_str!("light.json"),
            _ => return None,
        };
        Self::parse(text).ok()
    }

    /// The colour of something, such as `accent` or `selectedBg`.
    pub fn color(&self, token: &str) -> Option<Color> {
        self.colors.get(token).copied()
    }

    /// All colours of text.
    pub fn foregrounds(&self) -> impl Iterator<Item = (&str, Color)> {
        self.colors().filter(|(name, _)| !is_background(name))
    }

    /// All colours behind text.
    pub fn backgrounds(&self) -> impl Iterator<Item = (&str, Color)> {
        self.colors().filter(|(name, _)| is_background(name))
    }

    fn colors(&self) -> impl Iterator<Item = (&str, Color)> {
        self.colors.iter().map(|(name, color)| (name.as_str(), *color))
    }
}

fn is_background(name: &str) -> bool {
    TOKENS.iter().any(|token| token.background && token.name == name)
}

#[cfg(test)]
mod tests;
