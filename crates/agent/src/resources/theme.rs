//! Colour themes in files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tau_view::theme::ColorTheme;

use super::Provenance;
use crate::diagnostic::Diagnostic;
use crate::text;

/// A colour theme and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    /// What settings call it: the field `name`, whatever the file is called.
    pub name: String,
    /// The colours.
    pub colors: Arc<ColorTheme>,
    /// The file.
    pub file_path: PathBuf,
    /// Who brought it.
    pub provenance: Provenance,
}

impl Theme {
    /// Reads one file.
    pub(crate) fn read(path: &Path, provenance: Provenance) -> Result<Self, Diagnostic> {
        let content = text::read(path).map_err(|error| Diagnostic::error(path, error.to_string()))?;
        let colors = ColorTheme::parse(&content)
            .map_err(|error| Diagnostic::error(path, error.message.clone()).at_line(error.line))?;
        Ok(Self { name: colors.name.clone(), colors: Arc::new(colors), file_path: path.to_path_buf(), provenance })
    }
}

/// The theme that a value of the setting `theme` names: a name, or two with a slash between them, the one for light
/// terminals first. `None` when it is neither.
pub fn theme_wanted(setting: &str, terminal_is_light: bool) -> Option<&str> {
    let Some((light, dark)) = setting.split_once('/') else { return Some(setting) };
    let (light, dark) = (light.trim(), dark.trim());
    let is_pair = !light.is_empty() && !dark.is_empty() && !dark.contains('/');
    is_pair.then_some(if terminal_is_light { light } else { dark })
}
