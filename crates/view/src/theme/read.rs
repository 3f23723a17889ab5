//! From JSON to a theme. Everything that is wrong is collected, so that a theme can be mended in one go.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::color::FUNCTIONS;
use super::tokens::TOKENS;
use super::{Appearance, Color, ColorTheme, ExportColors};

/// Why a text is no theme.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ThemeError {
    /// The line, from 1, when it is known.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl From<String> for ThemeError {
    fn from(message: String) -> Self {
        Self { line: None, message }
    }
}

/// What stands in for an absent object.
static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);

pub(super) fn theme(text: &str) -> Result<ColorTheme, ThemeError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: Value = serde_json::from_str(text)
        .map_err(|error| ThemeError { line: Some(error.line()), message: format!("not JSON: {error}") })?;
    let Value::Object(theme) = value else { return Err("a theme is a JSON object".to_owned().into()) };
    let mut reader = Reader { vars: &NONE, wrong: Vec::new() };
    let name = reader.name(&theme);
    let appearance = reader.appearance(&theme);
    reader.vars = reader.object(&theme, "vars").unwrap_or(&NONE);
    for (name, value) in reader.vars {
        // Also those that no colour uses must be right.
        let _ = reader.value(&format!("vars.{name}"), value);
    }
    let colors = reader.colors(&theme);
    let export = reader.export(&theme);
    if reader.wrong.is_empty() {
        Ok(ColorTheme { name, appearance, export, colors })
    } else {
        Err(reader.wrong.join("; ").into())
    }
}

pub(super) fn of_colors(
    name: &str,
    appearance: Appearance,
    colors: Map<String, Value>,
) -> Result<ColorTheme, ThemeError> {
    let mut reader = Reader { vars: &NONE, wrong: Vec::new() };
    let mut theme = ColorTheme::builtin(appearance.as_str()).ok_or_else(|| "no such theme".to_owned())?;
    for (name, value) in &colors {
        let color = reader.value(name, value);
        theme.colors.extend(color.map(|color| (name.clone(), color)));
    }
    let wrong = reader.wrong;
    let theme =
        ColorTheme { name: name.to_owned(), appearance: Some(appearance), export: ExportColors::default(), ..theme };
    if wrong.is_empty() { Ok(theme) } else { Err(wrong.join("; ").into()) }
}

struct Reader<'a> {
    vars: &'a Map<String, Value>,
    wrong: Vec<String>,
}

impl<'a> Reader<'a> {
    fn name(&mut self, theme: &Map<String, Value>) -> String {
        match theme.get("name") {
            Some(Value::String(name)) if name.contains('/') => {
                self.wrong.push(format!("the name {name:?} has a slash, which stands between two themes in settings"));
            }
            Some(Value::String(name)) if name == ColorTheme::SYSTEM => {
                self.wrong.push(format!("the name {name:?} is that of the theme made of the terminal's colours"));
            }
            Some(Value::String(name)) if name.is_empty() => self.wrong.push("the name is empty".to_owned()),
            Some(Value::String(name)) => return name.clone(),
            Some(_) => self.wrong.push("name is no text".to_owned()),
            None => self.wrong.push("name is missing".to_owned()),
        }
        String::new()
    }

    fn appearance(&mut self, theme: &Map<String, Value>) -> Option<Appearance> {
        let given = theme.get("appearance")?;
        let found = [Appearance::Dark, Appearance::Light].into_iter().find(|known| given == known.as_str());
        if found.is_none() {
            self.wrong.push(format!("appearance is {given}, which is neither \"dark\" nor \"light\""));
        }
        found
    }

    fn object(&mut self, within: &'a Map<String, Value>, key: &str) -> Option<&'a Map<String, Value>> {
        match within.get(key) {
            Some(Value::Object(object)) => return Some(object),
            Some(_) => self.wrong.push(format!("{key} is no object")),
            None => {}
        }
        None
    }

    fn colors(&mut self, theme: &'a Map<String, Value>) -> BTreeMap<String, Color> {
        if !theme.contains_key("colors") {
            self.wrong.push("colors is missing".to_owned());
        }
        let Some(given) = self.object(theme, "colors") else { return BTreeMap::new() };
        let mut colors = BTreeMap::new();
        for (name, value) in given {
            let color = self.value(&format!("colors.{name}"), value);
            colors.extend(color.map(|color| (name.clone(), color)));
        }
        for token in TOKENS.iter().filter(|token| !given.contains_key(token.name)) {
            let instead = token.fallback.and_then(|other| colors.get(other).copied());
            colors.extend(instead.map(|color| (token.name.to_owned(), color)));
        }
        let missing = TOKENS.iter().filter(|token| token.fallback.is_none() && !given.contains_key(token.name));
        let missing: Vec<&str> = missing.map(|token| token.name).collect();
        if !missing.is_empty() {
            self.wrong.push(format!("colors lacks {}", missing.join(", ")));
        }
        colors
    }

    fn export(&mut self, theme: &'a Map<String, Value>) -> ExportColors {
        let Some(given) = self.object(theme, "export") else { return ExportColors::default() };
        let mut color = |name: &str| self.value(&format!("export.{name}"), given.get(name)?);
        ExportColors { page: color("pageBg"), card: color("cardBg"), info: color("infoBg") }
    }

    /// A colour: `#rrggbb`, `oklch(…)`, a number of the palette, nothing for the terminal's own, or a variable.
    fn value(&mut self, place: &str, value: &'a Value) -> Option<Color> {
        let mut seen = Vec::new();
        let mut value = value;
        loop {
            match value {
                Value::String(text) if text.is_empty() => return Some(Color::Terminal),
                Value::String(text) if text.starts_with('#') => {
                    let color = Color::from_hex(text);
                    if color.is_none() {
                        self.wrong.push(format!("{place}: {text:?} is neither of the form #rrggbb nor #rgb"));
                    }
                    return color;
                }
                Value::String(text) if let Some(color) = Color::from_call(text) => {
                    if color.is_none() {
                        self.wrong.push(format!("{place}: {text:?} is not of the form {FUNCTIONS}"));
                    }
                    return color;
                }
                Value::String(name) if seen.contains(&name) => {
                    self.wrong.push(format!("{place}: the variable {name} leads back to itself"));
                    return None;
                }
                Value::String(name) => {
                    let Some(next) = self.vars.get(name) else {
                        self.wrong.push(format!("{place}: there is no variable {name}"));
                        return None;
                    };
                    seen.push(name);
                    value = next;
                }
                other => {
                    let index = other.as_u64().or_else(|| whole(other.as_f64()?));
                    let index = index.and_then(|index| u8::try_from(index).ok());
                    if index.is_none() {
                        self.wrong.push(format!("{place}: {other} is neither a text nor a number from 0 to 255"));
                    }
                    return index.map(Color::Indexed);
                }
            }
        }
    }
}

/// `7.0` is as good a number of a colour as `7`.
fn whole(number: f64) -> Option<u64> {
    (number.fract() == 0.0 && (0.0..=255.0).contains(&number)).then_some(number as u64)
}
