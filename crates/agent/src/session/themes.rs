//! Colour themes: which there are, and which one is in use.

use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use tau_hooks::{ActionError, Report, ThemeInfo};
use tau_view::theme::ColorTheme;

use super::AgentSession;
use crate::resources::{Theme, theme_wanted};
use crate::settings::Layer;

/// Used when nobody chose one, in a dark terminal.
const DARK: &str = "dark";
/// The same in a light one.
const LIGHT: &str = "light";
/// What settings call whichever of the two fits the terminal.
const SYSTEM: &str = "system";

/// The theme in use.
#[derive(Default)]
pub(super) struct ThemeState {
    current: RwLock<Option<Arc<ThemeInfo>>>,
    /// What was chosen since the session began: a value of the setting `theme`.
    chosen: Mutex<Option<String>>,
    /// A name that was told to be unknown.
    told: Mutex<Option<String>>,
}

impl AgentSession {
    /// The themes that can be chosen, in the order of their names.
    pub(super) fn all_themes(&self) -> Vec<Arc<ThemeInfo>> {
        let resources = self.resources();
        let mut themes: Vec<Arc<ThemeInfo>> = resources.themes.iter().map(|theme| self.theme_info(theme)).collect();
        for name in ColorTheme::BUILTIN {
            if themes.iter().all(|theme| theme.colors.name != name) {
                themes.extend(builtin(name));
            }
        }
        themes.sort_by(|a, b| a.colors.name.cmp(&b.colors.name));
        themes
    }

    /// The theme in use.
    pub(super) fn current_theme(&self) -> Option<Arc<ThemeInfo>> {
        self.resources.themes.current.read().clone()
    }

    /// Uses another theme and keeps it in the user's settings.
    pub(super) fn choose_theme(&self, name: &str) -> Result<(), ActionError> {
        let theme = self.theme_called(name);
        let theme = theme.ok_or_else(|| ActionError::Refused(format!("Theme not found: {name}")))?;
        let themes = &self.resources.themes;
        *themes.chosen.lock() = Some(name.to_owned());
        *themes.current.write() = Some(theme);
        // What is chosen for a child session is no choice of the user.
        if self.lineage.is_some() || self.settings.snapshot().theme() == Some(name) {
            return Ok(());
        }
        let saved = self.settings.set(Layer::Global, "theme", Some(name.into()));
        saved.map_err(|error| ActionError::Refused(error.to_string()))
    }

    /// Looks for the theme in use again, after settings or resources changed.
    pub(super) fn refresh_theme(&self) {
        let themes = &self.resources.themes;
        let setting = self.theme_setting();
        let (is_light, standard) = (self.is_light(), self.standard_theme());
        let wanted = setting.as_deref().map_or(Some(standard), |setting| theme_wanted(setting, is_light));
        let found = wanted.and_then(|name| self.theme_called(name));
        // Extensions may still bring it: what is missing is told when they were asked.
        *themes.current.write() = found.or_else(|| builtin(standard));
    }

    /// Tells when the theme that settings name is not there.
    pub(super) fn report_theme(&self) {
        let themes = &self.resources.themes;
        let Some(setting) = self.theme_setting() else { return *themes.told.lock() = None };
        let known = |name: &str| name == SYSTEM || self.all_themes().iter().any(|theme| theme.colors.name == name);
        let wanted = [true, false].map(|light| theme_wanted(&setting, light));
        let lost = wanted.into_iter().find(|name| !name.is_some_and(known));
        let missing = lost.map(|name| name.unwrap_or(&setting).to_owned());
        let mut told = themes.told.lock();
        if let (Some(setting), true) = (&missing, *told != missing) {
            let names = self.all_themes().into_iter().map(|theme| theme.colors.name.clone());
            let names: Vec<String> = names.chain([SYSTEM.to_owned()]).collect();
            let text = format!("theme: there is no theme {setting:?}; there are {}", names.join(", "));
            self.hooks.dispatcher.reports.send(&Report::diagnostic("theme", "settings", text));
        }
        *told = missing;
    }

    /// The value of the setting `theme` that counts.
    fn theme_setting(&self) -> Option<String> {
        let chosen = self.resources.themes.chosen.lock().clone().or_else(|| self.load.use_theme.clone());
        chosen.or_else(|| self.settings.snapshot().theme().map(str::to_owned))
    }

    /// The theme of that name; `system` is a built-in one unless a file says otherwise.
    fn theme_called(&self, name: &str) -> Option<Arc<ThemeInfo>> {
        let resources = self.resources();
        let theme = resources.themes.iter().find(|theme| theme.name == name);
        let builtin = || builtin(if name == SYSTEM { self.standard_theme() } else { name });
        theme.map(|theme| self.theme_info(theme)).or_else(builtin)
    }

    fn is_light(&self) -> bool {
        self.env().var("COLORFGBG").is_some_and(is_light)
    }

    fn standard_theme(&self) -> &'static str {
        if self.is_light() { LIGHT } else { DARK }
    }

    fn theme_info(&self, theme: &Theme) -> Arc<ThemeInfo> {
        let source = self.resource_source(&theme.file_path, &theme.provenance);
        Arc::new(ThemeInfo::new(Arc::clone(&theme.colors), Some(source.path.clone()), Some(source)))
    }
}

fn builtin(name: &str) -> Option<Arc<ThemeInfo>> {
    let colors = ColorTheme::builtin(name)?;
    Some(Arc::new(ThemeInfo::new(Arc::new(colors), None, None)))
}

/// Whether the background that a terminal tells of in `COLORFGBG`, the last of its numbers, is a light one.
fn is_light(colors: &str) -> bool {
    let background = colors.rsplit(';').find_map(|part| part.trim().parse::<u8>().ok());
    background.is_some_and(|index| luminance(index) >= 0.5)
}

/// How bright a colour of the palette of 256 is, from 0 to 1.
fn luminance(index: u8) -> f64 {
    const BASIC: [(u8, u8, u8); 16] = [
        (0, 0, 0),
        (128, 0, 0),
        (0, 128, 0),
        (128, 128, 0),
        (0, 0, 128),
        (128, 0, 128),
        (0, 128, 128),
        (192, 192, 192),
        (128, 128, 128),
        (255, 0, 0),
        (0, 255, 0),
        (255, 255, 0),
        (0, 0, 255),
        (255, 0, 255),
        (0, 255, 255),
        (255, 255, 255),
    ];
    let step = |n: u8| if n == 0 { 0 } else { 55 + n * 40 };
    let (red, green, blue) = match index {
        0..=15 => BASIC[usize::from(index)],
        16..=231 => (step((index - 16) / 36), step((index - 16) / 6 % 6), step((index - 16) % 6)),
        232.. => (8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10),
    };
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_tell_their_background() {
        // What is no number is passed over.
        let light = ["0;15", "0;default;7", "7;default", " 15", "0;231", "0;255"];
        let dark = ["15;0", "15;8", "", "x", "0;16", "0;240"];
        assert_eq!((light.map(is_light), dark.map(is_light)), ([true; 6], [false; 6]));
    }
}
