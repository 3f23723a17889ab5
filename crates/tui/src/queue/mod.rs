//! Editing queued messages: each can be edited, moved and removed.

mod draw;

use tau_view::keys::is_key_release;

use crate::editor::{EditorView, Took};
use crate::keymap::Keymap;

pub use draw::QueueLook;

/// When a queued message is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// At the next step of the current run.
    Steer,
    /// After the current run.
    FollowUp,
}

impl Kind {
    /// What it is called in the list.
    pub fn name(self) -> &'static str {
        match self {
            Self::Steer => "steer",
            Self::FollowUp => "follow-up",
        }
    }
}

/// A queued message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queued {
    /// When it is sent.
    pub kind: Kind,
    /// Its text.
    pub text: String,
}

/// What became of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Queue {
    /// It was taken; the messages are unchanged.
    Taken,
    /// The messages are these now.
    Changed(Vec<Queued>),
    /// The list was closed; the messages are those reported last.
    Left,
    /// It was not for the list.
    Nothing,
}

/// The list of queued messages.
#[derive(Debug)]
pub struct QueueEditor {
    messages: Vec<Queued>,
    selected: usize,
    /// How many rows of messages are shown at once.
    rows: usize,
    /// The text of the selected message while it is changed.
    editing: Option<EditorView>,
}

impl QueueEditor {
    /// These messages in the order in which they are sent, of which so many are shown at once. The newest is selected.
    pub fn new(messages: Vec<Queued>, rows: usize) -> Self {
        let selected = messages.len().saturating_sub(1);
        Self { messages, selected, rows: rows.max(1), editing: None }
    }

    /// The messages.
    pub fn messages(&self) -> &[Queued] {
        &self.messages
    }

    /// The selected message, by its place.
    pub fn selected(&self) -> Option<usize> {
        (self.selected < self.messages.len()).then_some(self.selected)
    }

    /// Whether the text of a message is being changed.
    pub(crate) fn is_editing(&self) -> bool {
        self.editing.is_some()
    }

    /// Sets new messages, because some were sent or added meanwhile. The selected message stays selected if it still
    /// exists. If it was sent while it was being edited, the edited text is returned, so that it is not lost.
    pub fn update(&mut self, messages: Vec<Queued>) -> Option<String> {
        let was = self.selected().map(|at| (self.messages[at].clone(), self.place_among_equals(at)));
        self.messages = messages;
        let found = was.and_then(|(message, place)| {
            // The first ones are sent first, so equal messages are matched from the end.
            self.messages.iter().enumerate().rev().filter(|(_, other)| **other == message).nth(place).map(|(at, _)| at)
        });
        if let Some(at) = found {
            self.selected = at;
            return None;
        }
        self.selected = self.selected.min(self.messages.len().saturating_sub(1));
        self.editing.take().map(|editor| editor.text()).filter(|text| !text.trim().is_empty())
    }

    /// How many equal messages come after this one.
    fn place_among_equals(&self, at: usize) -> usize {
        self.messages[at + 1..].iter().filter(|other| **other == self.messages[at]).count()
    }

    /// Takes one key, undecoded as the terminal sent it.
    pub fn key(&mut self, data: &str, keys: &Keymap) -> Queue {
        if is_key_release(data) {
            return Queue::Nothing;
        }
        if self.editing.is_some() {
            return self.key_of_editor(data, keys);
        }
        let rows = isize::try_from(self.rows).unwrap_or(isize::MAX);
        let moves = [
            ("tui.select.up", -1),
            ("tui.select.down", 1),
            ("tui.select.pageUp", -rows),
            ("tui.select.pageDown", rows),
        ];
        if keys.is(data, "app.models.reorderUp") {
            return self.reorder(-1);
        }
        if keys.is(data, "app.models.reorderDown") {
            return self.reorder(1);
        }
        if let Some((_, by)) = moves.into_iter().find(|(action, _)| keys.is(data, action)) {
            self.step(by);
            return Queue::Taken;
        }
        if keys.is(data, "tui.select.confirm") {
            self.edit();
            return Queue::Taken;
        }
        if keys.is(data, "tui.editor.deleteCharForward") || keys.is(data, "tui.editor.deleteCharBackward") {
            return self.remove();
        }
        if keys.is(data, "tui.select.cancel") { Queue::Left } else { Queue::Nothing }
    }

    /// Takes a paste.
    pub fn paste(&mut self, text: &str) {
        if let Some(editor) = &mut self.editing {
            editor.paste(text);
        }
    }

    /// Selects another message; a single step goes round.
    pub fn step(&mut self, by: isize) {
        let Some(last) = self.messages.len().checked_sub(1) else { return };
        self.selected = match by {
            -1 if self.selected == 0 => last,
            1 if self.selected == last => 0,
            _ => self.selected.saturating_add_signed(by).min(last),
        };
    }

    /// Moves the selected message up or down. Only the order within a kind matters, so it changes places with the
    /// nearest message of its own kind.
    pub(crate) fn reorder(&mut self, by: isize) -> Queue {
        let Some(from) = self.selected() else { return Queue::Taken };
        let is_own = |at: &usize| self.messages[*at].kind == self.messages[from].kind;
        let to = if by < 0 { (0..from).rev().find(is_own) } else { (from + 1..self.messages.len()).find(is_own) };
        let Some(to) = to else { return Queue::Taken };
        self.messages.swap(from, to);
        self.selected = to;
        self.changed()
    }

    /// Removes the selected message.
    pub fn remove(&mut self) -> Queue {
        let Some(at) = self.selected() else { return Queue::Taken };
        self.messages.remove(at);
        self.selected = at.min(self.messages.len().saturating_sub(1));
        self.changed()
    }

    /// Starts editing the selected message.
    pub fn edit(&mut self) {
        if let Some(at) = self.selected() {
            let mut editor = EditorView::new();
            editor.set_text(&self.messages[at].text);
            self.editing = Some(editor);
        }
    }

    fn key_of_editor(&mut self, data: &str, keys: &Keymap) -> Queue {
        let Some(editor) = &mut self.editing else { return Queue::Nothing };
        if keys.is(data, "tui.select.cancel") {
            self.editing = None;
            return Queue::Taken;
        }
        match editor.key(data, keys) {
            Took::Submit => self.keep_edit(),
            Took::Changed | Took::Moved => Queue::Taken,
            Took::Nothing => Queue::Nothing,
        }
    }

    /// Keeps the edited text. A message without text is removed.
    fn keep_edit(&mut self) -> Queue {
        let (Some(editor), Some(at)) = (self.editing.take(), self.selected()) else { return Queue::Taken };
        let text = editor.text().trim().to_owned();
        if text.is_empty() {
            return self.remove();
        }
        if self.messages[at].text == text {
            return Queue::Taken;
        }
        self.messages[at].text = text;
        self.changed()
    }

    fn changed(&self) -> Queue {
        Queue::Changed(self.messages.clone())
    }
}

#[cfg(test)]
mod tests;
