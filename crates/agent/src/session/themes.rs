//! Colour themes: which there are, and which one is in use.

use std::path::Path;
use std::sync::Arc;

use tau_hooks::{ActionError, ThemeInfo};
use tau_view::theme::{Appearance, ColorTheme};
use tokio::sync::watch;

use super::AgentSession;
use crate::parts::Parts;
use crate::resources::{Diagnostic, Theme, theme_wanted};
use crate::session::provenance::resource_source;
use crate::settings::{Layer, keys};

/// Used when nobody chose one, in a dark terminal.
const DARK: &str = "dark";
/// The same in a light one.
const LIGHT: &str = "light";
/// What settings call whichever of the two fits the terminal.
const SYSTEM: &str = "system";

/// The themes that can be chosen, in the order of their names.
pub(super) fn all_themes(parts: &Parts) -> Vec<Arc<ThemeInfo>> {
    let resources = parts.prompting.resources();
    let mut themes: Vec<Arc<ThemeInfo>> = resources.themes.iter().map(|theme| theme_info(parts, theme)).collect();
    for name in ColorTheme::BUILTIN {
        if themes.iter().all(|theme| theme.colors.name != name) {
            themes.extend(builtin(name));
        }
    }
    themes.sort_by(|a, b| a.colors.name.cmp(&b.colors.name));
    themes
}

/// The theme in use.
pub(super) fn current_theme(parts: &Parts) -> Option<Arc<ThemeInfo>> {
    parts.prompting.themes().current
}

/// Uses another theme and keeps it in the user's settings.
pub(super) fn choose_theme(parts: &Parts, name: &str) -> Result<(), ActionError> {
    if theme_called(parts, name).is_none() {
        return Err(ActionError::Refused(format!("Theme not found: {name}")));
    }
    choose_setting(parts, name)
}

/// As [`choose_theme`] for a value of the setting that names themes which are there.
pub(super) fn choose_setting(parts: &Parts, setting: &str) -> Result<(), ActionError> {
    use_setting(parts, setting);
    // What is chosen for a child session is no choice of the user.
    if parts.family.is_child() || parts.settings().theme() == Some(setting) {
        return Ok(());
    }
    let saved = parts.services.settings.set(Layer::Global, keys::THEME, Some(setting.into()));
    saved.map_err(|error| ActionError::Refused(error.to_string()))
}

/// Shows everything in colours that have no file until a theme is chosen; gives their number.
pub(super) fn show_theme(parts: &Parts, colors: ColorTheme) -> u64 {
    let theme = Arc::new(ThemeInfo::new(Arc::new(colors), None, None));
    let serial = theme.serial();
    parts.prompting.change_themes(|themes| themes.shown = Some(theme));
    refresh_theme(parts);
    parts.prompting.report_change();
    serial
}

fn use_setting(parts: &Parts, setting: &str) {
    parts.prompting.change_themes(|themes| (themes.chosen, themes.shown) = (Some(setting.to_owned()), None));
    refresh_theme(parts);
    parts.prompting.report_change();
}

impl AgentSession {
    /// The value of the setting `theme` that counts: what was chosen since the session began, else what the command line
    /// says, else the settings.
    pub fn theme_setting(&self) -> Option<String> {
        theme_setting(&self.parts)
    }

    /// The colours that an extension shows everything in, in the place of the theme that [`Self::theme_setting`] names.
    pub fn shown_theme(&self) -> Option<Arc<ColorTheme>> {
        self.parts.prompting.themes().shown.map(|theme| Arc::clone(&theme.colors))
    }

    /// Uses another value of the setting `theme` from now on, without keeping it.
    pub fn use_theme(&self, setting: &str) {
        use_setting(&self.parts, setting);
    }

    /// Reads the file of a theme again. While it is gone its colours stay.
    ///
    /// # Errors
    /// When it holds no theme, or one of another name; what was read before stays.
    pub fn reread_theme(&self, file: &Path) -> Result<(), Diagnostic> {
        let resources = self.parts.prompting.resources();
        let Some(before) = resources.themes.iter().find(|theme| theme.file_path == file) else { return Ok(()) };
        if !file.exists() {
            return Ok(());
        }
        let theme = Theme::read(file, before.provenance.clone())?;
        if theme.name != before.name {
            let why = format!("the theme {:?} is called {:?} now; /reload takes it", before.name, theme.name);
            return Err(Diagnostic::error(file, why));
        }
        if self.parts.prompting.replace_theme(theme) {
            refresh_theme(&self.parts);
            self.parts.prompting.report_change();
        }
        Ok(())
    }

    /// Learns of it when other resources, extensions or settings are loaded, or when another theme is in use.
    pub fn loaded_changes(&self) -> watch::Receiver<()> {
        self.parts.prompting.changes()
    }
}

/// Looks for the theme in use again, after settings or resources changed.
pub(super) fn refresh_theme(parts: &Parts) {
    let setting = theme_setting(parts);
    let (is_light, standard) = (is_light_terminal(parts), standard_theme(parts));
    let wanted = setting.as_deref().map_or(Some(standard), |setting| theme_wanted(setting, is_light));
    let found = wanted.and_then(|name| theme_called(parts, name));
    // Extensions may still bring it: what is missing is told when they were asked.
    let current = found.or_else(|| builtin(standard));
    parts.prompting.change_themes(|themes| themes.current = themes.shown.clone().or(current));
}

/// Tells when the theme that settings name is not there.
pub(super) fn report_theme(parts: &Parts) {
    let note = |missing: Option<String>| {
        parts.prompting.change_themes(|themes| std::mem::replace(&mut themes.reported, missing))
    };
    let Some(setting) = theme_setting(parts) else {
        note(None);
        return;
    };
    let known = |name: &str| name == SYSTEM || all_themes(parts).iter().any(|theme| theme.colors.name == name);
    let wanted = [true, false].map(|light| theme_wanted(&setting, light));
    let lost = wanted.into_iter().find(|name| !name.is_some_and(known));
    let missing = lost.map(|name| name.unwrap_or(&setting).to_owned());
    let before = note(missing.clone());
    if let (Some(setting), true) = (&missing, before != missing) {
        let names = all_themes(parts).into_iter().map(|theme| theme.colors.name.clone());
        let names: Vec<String> = names.chain([SYSTEM.to_owned()]).collect();
        let text = format!("theme: there is no theme {setting:?}; there are {}", names.join(", "));
        parts.report("theme", "settings", text);
    }
}

/// The value of the setting `theme` that counts.
fn theme_setting(parts: &Parts) -> Option<String> {
    let chosen = parts.prompting.themes().chosen.or_else(|| parts.prompting.options.use_theme.clone());
    chosen.or_else(|| parts.settings().theme().map(str::to_owned))
}

/// The theme of that name; `system` is a built-in one unless a file says otherwise.
fn theme_called(parts: &Parts, name: &str) -> Option<Arc<ThemeInfo>> {
    let resources = parts.prompting.resources();
    let theme = resources.themes.iter().find(|theme| theme.name == name);
    let builtin = || builtin(if name == SYSTEM { standard_theme(parts) } else { name });
    theme.map(|theme| theme_info(parts, theme)).or_else(builtin)
}

fn is_light_terminal(parts: &Parts) -> bool {
    parts.conversation.env().var("COLORFGBG").and_then(Appearance::of_variable) == Some(Appearance::Light)
}

fn standard_theme(parts: &Parts) -> &'static str {
    if is_light_terminal(parts) { LIGHT } else { DARK }
}

fn theme_info(parts: &Parts, theme: &Theme) -> Arc<ThemeInfo> {
    let source = resource_source(parts, &theme.file_path, &theme.provenance);
    Arc::new(ThemeInfo::new(Arc::clone(&theme.colors), Some(source.path.clone()), Some(source)))
}

fn builtin(name: &str) -> Option<Arc<ThemeInfo>> {
    let colors = ColorTheme::builtin(name)?;
    Some(Arc::new(ThemeInfo::new(Arc::new(colors), None, None)))
}
