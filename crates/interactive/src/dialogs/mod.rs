//! What takes the place of the editor: questions of extensions, and lists of tau.
//!
//! They form a stack: the newest is shown, and when it is closed the one below is there again. All of them stay open until
//! they are answered, their deadline passes, or the asker gives up.

mod component;
mod confirm;
mod draft;
mod fork;
mod history;
mod line;
mod list;
mod menu;
mod models;
mod question;
mod queue;
mod scoped;
mod searched;
mod sessions;
mod settings;
mod stack;
mod text;
mod tree;

pub(crate) use component::ComponentPanel;
pub(crate) use draft::Draft;
pub(crate) use fork::ForkPanel;
pub(crate) use history::HistoryPanel;
pub(crate) use line::LineInput;
pub(crate) use list::ListPanel;
pub(crate) use menu::MenuPanel;
pub(crate) use models::{ModelRow, ModelsPanel};
pub(crate) use question::panel_of;
pub(crate) use queue::QueuePanel;
pub(crate) use scoped::{ScopedPanel, ScopedRow};
pub(crate) use sessions::{Chosen as ChosenSession, SessionsPanel, Shelf};
pub(crate) use settings::{SettingRow, SettingsPanel};
pub(crate) use stack::{Entry, Stack};
pub(crate) use text::is_secret;
pub(crate) use tree::{TreePanel, rows_of};

use std::path::PathBuf;

use tau_hooks::dialogs::DialogAnswer;
use tau_launch::FolderAnswer;
use tau_tui::Drawn;
use tau_tui::keymap::Keymap;
use tau_tui::look::Look;
use tau_tui::queue::Queued;
use tau_tui::select::SelectList;
use uuid::Uuid;

use crate::mounts::Slot;

/// Something that takes the place of the editor.
pub(crate) trait Panel: Send {
    /// How it looks, in at most `rows` rows.
    fn draw(&mut self, space: &Space<'_>) -> Drawn;

    /// Takes a key, undecoded as the terminal sent it.
    fn key(&mut self, data: &str, keys: &Keymap) -> Took;

    /// The list that the wheel moves in and a click chooses from, if it shows one.
    fn list(&mut self) -> Option<&mut SelectList> {
        None
    }

    /// The wheel has selected another item of the list.
    fn moved(&mut self) -> Took {
        Took::Stays
    }

    /// Takes a paste.
    fn paste(&mut self, text: &str) {
        let _ = text;
    }

    /// Other messages are queued now. A text that was being changed and has no place any more is given back.
    fn queued(&mut self, messages: &[Queued]) -> Option<String> {
        let _ = messages;
        None
    }

    /// These models can be chosen now.
    fn models(&mut self, models: &[ModelRow]) {
        let _ = models;
    }

    /// The text that another editor can edit, if it has one.
    fn text(&self) -> Option<String> {
        None
    }

    /// Another editor has edited its text.
    fn set_text(&mut self, text: &str) {
        let _ = text;
    }

    /// The component of an extension that it is.
    fn component(&self) -> Option<Slot> {
        None
    }

    /// Whether a key is one that text is typed with: while the panel is not known to be seen, such a key is not an answer.
    fn is_answer(&self, data: &str, keys: &Keymap) -> bool {
        keys.is(data, "tui.select.confirm") || tau_tui::editor::typed(data).is_some()
    }
}

/// Where a panel is drawn.
pub(crate) struct Space<'a> {
    pub(crate) width: usize,
    /// The most rows it should take.
    pub(crate) rows: usize,
    /// Of a component that does not fit, the end is shown.
    pub(crate) from_end: bool,
    pub(crate) look: &'a Look,
    pub(crate) keys: &'a Keymap,
    /// What stands behind the title: how many questions are open, how long there is time.
    pub(crate) note: &'a str,
    /// Who asks.
    pub(crate) owner: Option<&'a str>,
}

/// What became of a key.
pub(crate) enum Took {
    /// It did something with the panel, or nothing.
    Stays,
    /// It is none of the panel's.
    Nothing,
    /// It is taken to be meant for the editor, in which the user was writing when the panel came.
    Beneath,
    /// Something follows from it, and the panel stays open.
    Acts(Effect),
    /// The panel is done.
    Closes(Effect),
}

/// What follows from the end of a panel.
pub(crate) enum Effect {
    /// A question is answered.
    Answer(Uuid, DialogAnswer),
    /// A line is sent as if it was typed.
    Send(String),
    /// What is queued is in this order now, without what is not in it; a text that is new is sent.
    Queue {
        /// The messages as they were.
        known: Vec<Queued>,
        /// As they are to be.
        wanted: Vec<Queued>,
    },
    /// This text is in the editor now.
    Edit(String),
    /// A session is chosen, or none.
    Session(Option<PathBuf>),
    /// A session of another project is forked, or not.
    Forks(bool),
    /// How to continue a session whose folder is gone.
    Folder(FolderAnswer),
    /// Something is done.
    Do(Deed),
    /// Nothing.
    Nothing,
}

/// What a panel wants to be done.
pub(crate) enum Deed {
    /// New sessions begin with this model.
    SaveModel {
        /// Its provider.
        provider: String,
        /// Its id.
        id: String,
    },
    /// New sessions begin with this thinking level.
    SaveThinking(String),
    /// Cycling goes through these models.
    SetScope(Vec<String>),
    /// The same in sessions to come.
    SaveScope(Vec<String>),
    /// A setting gets this value.
    ChangeSetting(&'static str, serde_json::Value),
    /// A session gets another name.
    RenameSession(PathBuf, String, Shelf),
    /// A session is deleted.
    DeleteSession(PathBuf, Shelf),
    /// An entry gets this label, or none when it is empty.
    Label {
        /// The entry.
        id: String,
        /// The label.
        label: String,
    },
    /// A text is copied.
    Copy(String),
    /// A theme is shown; without one that of the settings.
    PreviewTheme(Option<String>),
    /// A theme is shown from now on.
    ChooseTheme(String),
}

/// What is answered to a question whose panel was left.
fn left(id: Uuid) -> Effect {
    Effect::Answer(id, DialogAnswer::Cancelled)
}

#[cfg(test)]
mod tests;
