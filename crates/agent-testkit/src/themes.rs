//! Colour themes to test with.

use serde_json::{Value, json};
use tau_view::theme::ColorTheme;

/// The text of a theme whose accent is a colour of the palette.
pub fn theme(name: &str, accent: u8) -> String {
    let dark = ColorTheme::builtin("dark").expect("a theme");
    let colors = dark.foregrounds().chain(dark.backgrounds());
    let mut colors: Value = colors.map(|(name, color)| (name.to_owned(), json!(color.to_string()))).collect();
    colors["accent"] = json!(accent);
    json!({"name": name, "colors": colors}).to_string()
}
