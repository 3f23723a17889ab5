//! What was sent before.

use std::collections::VecDeque;

use super::Editor;
use super::buffer::Buffer;
use super::markers::Pastes;
use super::parts::ENTRY;

const MAX_ENTRIES: usize = 100;

/// Earlier texts, newest first, and which of them is shown.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    entries: VecDeque<String>,
    shown: Option<usize>,
    /// What was being written when browsing began.
    draft: Option<(Buffer, Pastes)>,
}

impl History {
    /// About how much it holds, in bytes.
    pub(super) fn held(&self) -> usize {
        let draft = self.draft.as_ref().map_or(0, |(buffer, pastes)| buffer.held() + pastes.held_beside(None));
        self.entries.iter().map(|text| text.len() + ENTRY).sum::<usize>() + draft
    }

    /// Ends browsing; what is shown becomes the text that is being written.
    pub(super) fn leave(&mut self) {
        self.shown = None;
        self.draft = None;
    }
}

impl Editor {
    /// Remembers a text that was sent. Blank ones and repetitions of the newest are not kept.
    pub fn add_to_history(&mut self, text: &str) {
        let text = text.trim();
        let entries = &mut self.history.entries;
        if !text.is_empty() && entries.front().is_none_or(|newest| newest != text) {
            entries.push_front(text.to_owned());
            entries.truncate(MAX_ENTRIES);
        }
    }

    /// The texts that were sent, newest first.
    pub fn history(&self) -> impl Iterator<Item = &str> {
        self.history.entries.iter().map(String::as_str)
    }

    /// Replaces the texts that were sent; the newest is the first. Browsing ends.
    pub fn set_history(&mut self, entries: impl IntoIterator<Item = String>) {
        self.history.leave();
        self.history.entries = entries.into_iter().take(MAX_ENTRIES).collect();
    }

    /// Ends browsing; what is shown becomes the text that is being written.
    pub fn leave_history(&mut self) {
        self.history.leave();
    }

    /// Which earlier text is shown, counted from the newest.
    pub fn history_shown(&self) -> Option<usize> {
        self.history.shown
    }

    /// Whether an earlier text is shown.
    pub fn is_browsing_history(&self) -> bool {
        self.history.shown.is_some()
    }

    /// Shows the text sent before the one shown, with the cursor at its start.
    pub fn history_previous(&mut self) {
        self.last = None;
        let index = self.history.shown.map_or(0, |shown| shown + 1);
        let Some(entry) = self.history.entries.get(index) else { return };
        let mut buffer = Buffer::with_text(entry);
        buffer.cursor = super::Position::default();
        if self.history.shown.is_none() {
            self.snapshot();
            self.history.draft = Some((self.buffer.clone(), self.pastes.clone()));
        }
        self.history.shown = Some(index);
        self.buffer = buffer;
        self.goal = None;
    }

    /// Shows the text sent after the one shown; after the newest, what was being written.
    pub fn history_next(&mut self) {
        self.last = None;
        let Some(shown) = self.history.shown else { return };
        self.goal = None;
        match shown.checked_sub(1) {
            Some(index) => {
                self.history.shown = Some(index);
                self.buffer = self.history.entries.get(index).map(|entry| Buffer::with_text(entry)).unwrap_or_default();
            }
            None => {
                (self.buffer, self.pastes) = self.history.draft.take().unwrap_or_default();
                self.history.leave();
            }
        }
    }
}
