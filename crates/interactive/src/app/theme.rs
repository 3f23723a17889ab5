//! The theme: which one is shown, and its file when that changes.

use std::path::PathBuf;
use std::sync::{Arc, Weak};

use tau_agent::AgentSession;
use tau_agent::resources::theme_wanted;
use tau_agent::settings::{Settings, keys};
use tau_sys::watch::FileWatch;
use tau_tui::highlight::CodeColours;
use tau_tui::look::Look;
use tau_tui::picture::{CELL, Drawing};
use tau_tui::select::Item;
use tau_tui::style::Styles;
use tau_tui::terminal::capabilities::Capabilities;
use tau_tui::terminal::{Answers, Question, colours};
use tau_view::theme::{Appearance, ColorTheme, Reported};

use super::App;
use crate::dialogs::{Deed, Effect, Entry, ListPanel};
use crate::told::{Said, Told};

/// What terminals tell of their colours, from their answers and from variables.
pub(super) fn reported(answers: &Answers, variable: impl Fn(&str) -> Option<String>) -> Reported {
    Reported {
        foreground: answers.foreground,
        background: answers.background,
        palette: answers.whole_palette(),
        appearance: colours::appearance(answers.background, answers.appearance, variable("COLORFGBG").as_deref()),
    }
}

/// The built-in theme that fits a terminal.
fn fitting(reported: &Reported) -> &'static str {
    if reported.appearance == Some(Appearance::Light) { "light" } else { "dark" }
}

/// The name of the theme that a value of the setting means in this terminal.
fn name_of<'a>(setting: Option<&'a str>, reported: &Reported) -> &'a str {
    let is_light = reported.appearance == Some(Appearance::Light);
    setting.and_then(|setting| theme_wanted(setting, is_light)).unwrap_or(fitting(reported))
}

/// The theme of a name: from a file, made of the terminal's colours, or one of tau's. One that is not there is replaced by
/// the one that fits the terminal.
fn theme_of(name: &str, of_file: Option<ColorTheme>, reported: &Reported) -> ColorTheme {
    let made = || (name == ColorTheme::SYSTEM).then(|| ColorTheme::system(reported));
    let found = of_file.or_else(made).or_else(|| ColorTheme::builtin(name));
    found.or_else(|| ColorTheme::builtin(fitting(reported))).unwrap_or_else(|| ColorTheme::system(reported))
}

/// The theme that a value of the setting means where no file is read yet.
pub(super) fn theme_without_files(setting: Option<&str>, reported: &Reported) -> ColorTheme {
    theme_of(name_of(setting, reported), None, reported)
}

/// Whether the colours of the terminal say which theme a value of the setting means, or what it looks like.
pub(super) fn is_automatic(setting: Option<&str>) -> bool {
    setting.is_none_or(|setting| setting.contains('/') || setting == ColorTheme::SYSTEM)
}

/// How everything looks with these settings and this theme in this terminal.
pub(super) fn look_of(settings: &Settings, capabilities: &Capabilities, answers: &Answers, theme: &ColorTheme) -> Look {
    let padding = usize::try_from(settings.of(keys::OUTPUT_PAD)).unwrap_or(1);
    Look {
        links: capabilities.links,
        padding,
        highlighter: Some(Arc::new(CodeColours)),
        pictures: drawing(settings, capabilities, answers),
        ..Look::plain(Styles::new(theme, capabilities.colours))
    }
}

/// How images are drawn, if they are.
fn drawing(settings: &Settings, capabilities: &Capabilities, answers: &Answers) -> Option<Drawing> {
    let how = capabilities.draws_images().filter(|_| settings.of(keys::SHOW_IMAGES))?;
    let columns = u16::try_from(settings.of(keys::IMAGE_WIDTH_CELLS)).ok()?;
    Some(Drawing { how, cell: answers.cell.unwrap_or(CELL), columns })
}

/// The file of the theme that is shown.
#[derive(Default)]
pub(super) struct ThemeFile(Option<(PathBuf, FileWatch)>);

impl App {
    /// The value of the setting that counts.
    pub(super) fn theme_setting(&self, settings: &Settings) -> Option<String> {
        match &self.session {
            Some(session) => session.theme_setting(),
            None => self.use_theme.clone().or_else(|| settings.theme().map(str::to_owned)),
        }
    }

    fn reported(&self) -> Reported {
        reported(self.screen.terminal.answers(), |name| self.env.var(name).map(str::to_owned))
    }

    /// What the colours depend on has changed.
    pub(super) fn theme_changed(&mut self) {
        let of_extension = self.session.as_ref().and_then(|session| session.shown_theme());
        if let (None, Some(theme)) = (&self.previewed, of_extension) {
            self.show_theme(&theme);
            return self.watch_theme(None);
        }
        let setting = self.previewed.clone().or_else(|| self.theme_setting(&self.settings()));
        if is_automatic(setting.as_deref()) {
            self.ask_colours();
        }
        let reported = self.reported();
        let name = name_of(setting.as_deref(), &reported).to_owned();
        let (theme, file) = self.theme_called(&name, &reported);
        self.show_theme(&theme);
        self.watch_theme(file);
    }

    /// The theme of a name, and its file if it has one.
    fn theme_called(&self, name: &str, reported: &Reported) -> (ColorTheme, Option<PathBuf>) {
        let resources = self.session.as_ref().map(|session| session.resources());
        let found = resources.as_ref().and_then(|resources| resources.themes.iter().find(|theme| theme.name == name));
        let of_file = found.map(|theme| (*theme.colors).clone());
        (theme_of(name, of_file, reported), found.map(|theme| theme.file_path.clone()))
    }

    fn show_theme(&mut self, theme: &ColorTheme) {
        let answers = self.screen.terminal.answers();
        self.look.set(look_of(&self.settings(), &self.capabilities, answers, theme));
        self.screen.transcript.release();
        self.chat.restyled();
        self.screen.changed();
        self.follow_ways();
    }

    /// Asks the terminal for its colours, if nobody has yet.
    fn ask_colours(&mut self) {
        if std::mem::replace(&mut self.asked_colours, true) {
            return;
        }
        let (with, without) = (self.capabilities.wanted(true), self.capabilities.wanted(false));
        for switch in with.switches.into_iter().filter(|switch| !without.switches.contains(switch)) {
            self.screen.terminal.switch_on(switch);
        }
        self.ask_for(|_| true);
    }

    /// Asks what is asked for a theme that follows the terminal.
    fn ask_for(&mut self, which: impl Fn(Question) -> bool) {
        let (with, without) = (self.capabilities.wanted(true), self.capabilities.wanted(false));
        let of_colours = with.questions.into_iter().filter(|question| !without.questions.contains(question));
        let questions: Vec<Question> = of_colours.filter(|question| which(*question)).collect();
        if !questions.is_empty() {
            self.screen.terminal.ask(&questions);
        }
    }

    /// The terminal reports that it is dark or light. If that has changed, so have its colours.
    pub(super) fn appearance_is(&mut self, appearance: Appearance) {
        let before = self.appearance.replace(appearance);
        if before.is_some_and(|before| before != appearance) {
            self.ask_for(|question| question != Question::Appearance);
        }
        self.theme_changed();
    }

    /// Watches the file of the theme that is shown. What is read of it goes to the session, which reports the change.
    fn watch_theme(&mut self, file: Option<PathBuf>) {
        if self.theme_file.0.as_ref().map(|(watched, _)| watched) == file.as_ref() {
            return;
        }
        let session = self.session.as_ref().map(Arc::downgrade);
        let watched = file.zip(session).map(|(file, session): (PathBuf, Weak<AgentSession>)| {
            let (path, teller) = (file.clone(), self.teller.clone());
            let watch = FileWatch::start(file.clone(), move || {
                let Some(session) = session.upgrade() else { return };
                if let Err(wrong) = session.reread_theme(&path) {
                    teller.tell(Told::Done(Said::Error(wrong.to_string())));
                }
            });
            (file, watch)
        });
        self.theme_file = ThemeFile(watched);
    }

    /// Opens the choice of a theme, each of which is shown while it is selected.
    pub(super) fn choose_theme(&mut self, names: Vec<String>) {
        let setting = self.theme_setting(&self.settings());
        // Of two, or of none, the one that is shown.
        let now = name_of(setting.as_deref(), &self.reported()).to_owned();
        let current = names.iter().position(|name| *name == now);
        let mark = |at: usize| if current == Some(at) { "✓ " } else { "" };
        let items = names.iter().enumerate().map(|(at, name)| Item::new(format!("{}{name}", mark(at)))).collect();
        let shown = names.clone();
        let chosen = move |at: Option<usize>| match at.and_then(|at| names.get(at)) {
            Some(name) => Effect::Do(Deed::ChooseTheme(name.clone())),
            None => Effect::Do(Deed::PreviewTheme(None)),
        };
        let panel = ListPanel::new("Theme", items, current, chosen)
            .previewing(move |at| Effect::Do(Deed::PreviewTheme(at.and_then(|at| shown.get(at)).cloned())));
        self.panels.open(Entry::own(panel), false);
        self.screen.changed();
    }

    /// Shows everything that can change in a theme, without keeping it; without a name in the theme that counts.
    pub(super) fn preview_theme(&mut self, name: Option<String>) {
        if self.previewed != name {
            self.previewed = name;
            self.theme_changed();
        }
    }

    /// Keeps the theme that is shown already.
    pub(super) fn keep_theme(&mut self, name: &str) {
        self.previewed = None;
        self.send_command(&format!("/theme {name}"));
    }
}

#[cfg(test)]
mod tests {
    use tau_view::theme::Rgb;

    use super::*;

    fn of(variable: &'static str) -> Reported {
        reported(&Answers::default(), move |_| Some(variable.to_owned()))
    }

    fn named(setting: Option<&str>, reported: &Reported) -> String {
        theme_without_files(setting, reported).name
    }

    #[test]
    fn without_a_setting_the_built_in_theme_that_fits_is_shown() {
        assert_eq!(named(None, &of("15;0")), "dark");
        assert_eq!(named(None, &of("0;15")), "light");
        assert_eq!(named(None, &of("")), "dark");
        // What the terminal reports comes before the variable.
        let white = Rgb { red: 255, green: 255, blue: 255 };
        let answers = Answers { background: Some(white), ..Answers::default() };
        assert_eq!(named(None, &reported(&answers, |_| Some("15;0".to_owned()))), "light");
    }

    #[test]
    fn of_two_themes_the_one_for_this_terminal_is_shown() {
        assert_eq!(name_of(Some("day/night"), &of("15;0")), "night");
        assert_eq!(name_of(Some(" day / night "), &of("0;15")), "day");
        assert_eq!(named(Some("dark/light"), &of("15;0")), "light");
        assert_eq!(name_of(Some("a/b/c"), &of("0;15")), "light");
    }

    #[test]
    fn a_theme_of_a_file_comes_before_one_of_tau_and_one_that_is_missing_is_replaced() {
        let mut own = ColorTheme::builtin("light").expect("a theme");
        own.name = "dark".to_owned();
        assert_eq!(theme_of("dark", Some(own.clone()), &of("15;0")), own);
        assert_eq!(named(Some("none"), &of("0;15")), "light");
        assert_eq!(named(Some("system"), &of("15;0")), "system");
        let automatic = [None, Some("system"), Some("day/night"), Some("dark")].map(is_automatic);
        assert_eq!(automatic, [true, true, true, false]);
    }
}
