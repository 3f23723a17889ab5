//! Who gets a key.

use std::time::Instant;

use tau_agent::UserCommand;
use tau_hooks::payload::StreamingBehavior;
use tau_tui::editor::Took;
use tau_view::keys::is_key_release;

use super::App;
use super::actions::{self, ACTIONS};
use crate::dialogs;
use crate::screen::{Paged, opens};

impl App {
    /// Takes a key, undecoded as the terminal sent it.
    pub(super) fn key(&mut self, data: &str) {
        if is_key_release(data) {
            return;
        }
        if self.screen.pager().is_some() {
            return self.key_of_pager(data);
        }
        if !self.panels.is_empty() {
            match self.panels.key(data, &self.keys) {
                Some(dialogs::Took::Closes(effect) | dialogs::Took::Acts(effect)) => return self.effect(effect),
                Some(dialogs::Took::Nothing) => return self.key_beside_panel(data),
                Some(dialogs::Took::Beneath) => return self.key_beneath(data),
                Some(dialogs::Took::Stays) | None => return,
            }
        }
        self.typed = Some(Instant::now());
        if self.shortcut(data) {
            return;
        }
        if self.key_of_list(data) {
            return;
        }
        self.dock.status = None;
        let action = ACTIONS.iter().find(|action| self.keys.is(data, action.id));
        if action.is_some_and(|action| (action.run)(self) == actions::Done::Yes) {
            return;
        }
        if self.editor_pages(data) {
            return;
        }
        match self.editor.key(data, &self.keys) {
            Took::Submit => self.submit(StreamingBehavior::Steer),
            Took::Changed => {
                self.edited();
                self.completing.list.changed(&self.editor.model);
            }
            Took::Moved => {
                self.completing.list.changed(&self.editor.model);
            }
            Took::Nothing => {}
        }
    }

    /// A key of somebody who goes on writing although a question took the place of the editor. Nothing is sent.
    fn key_beneath(&mut self, data: &str) {
        self.typed = Some(Instant::now());
        if !self.keys.is(data, "tui.input.submit") && self.editor.key(data, &self.keys) == Took::Changed {
            self.edited();
        }
    }

    /// Keys that work whatever is open.
    fn key_beside_panel(&mut self, data: &str) {
        let anywhere = ACTIONS.iter().filter(|action| action.anywhere);
        if let Some(action) = anywhere.into_iter().find(|action| self.keys.is(data, action.id)) {
            (action.run)(self);
        } else if self.keys.is(data, "app.editor.external") && self.panels.text().is_some() {
            self.edits_outside = true;
        }
    }

    fn key_of_pager(&mut self, data: &str) {
        if self.keys.is(data, "app.tools.expand") {
            return self.toggle_tools_in_pager();
        }
        if self.keys.is(data, "app.suspend") {
            self.suspends = true;
            return;
        }
        let Some((pager, transcript)) = self.screen.pager() else { return };
        match pager.key(transcript, data, &self.keys) {
            Paged::Done => {}
            Paged::Closes => self.close_pager(),
            Paged::Types => {
                self.close_pager();
                // It is for the editor: it cannot be meant for a question that was not in sight.
                if self.panels.is_empty() {
                    self.key(data);
                }
            }
        }
    }

    fn close_pager(&mut self) {
        self.screen.close_pager();
        self.panels.was_covered();
    }

    /// Keys that open the pager at a place, where the editor has no use for them.
    fn editor_pages(&mut self, data: &str) -> bool {
        // Counting rows takes as long as the text is.
        if self.keys.is(data, "tui.editor.pageUp") && self.editor.model.rows().len() > 1 {
            return false;
        }
        if self.keys.is(data, "tui.altScreen.search") {
            let hint = self.pager_hint();
            self.screen.open_pager(hint).0.begin_search();
            return true;
        }
        let Some(place) = opens(data, &self.keys) else { return false };
        let hint = self.pager_hint();
        let (pager, transcript) = self.screen.open_pager(hint);
        pager.scroll(transcript, place);
        true
    }

    /// Takes text that came at once without being marked as a paste: from programs that type.
    pub(super) fn types(&mut self, text: &str) {
        self.typed = Some(Instant::now());
        self.dock.status = None;
        self.editor.types(text);
        self.completing.list.reset(&self.editor.model);
        self.edited();
    }

    /// Whether characters go into the editor.
    pub(super) fn writes(&mut self) -> bool {
        self.panels.is_empty() && self.screen.pager().is_none()
    }

    /// Takes a paste.
    pub(super) fn paste(&mut self, text: &str) {
        if !self.panels.is_empty() {
            return self.panels.paste(text);
        }
        self.screen.close_pager();
        self.editor.paste(text);
        self.completing.list.reset(&self.editor.model);
        self.edited();
    }

    /// The text of the editor has changed.
    pub(super) fn edited(&mut self) {
        let text = self.editor.text();
        self.dock.is_bash = UserCommand::parse(&text).is_some() || text.trim_start().starts_with('!');
        self.dock.shows_keys = text == "?";
        self.keep_draft(&text);
        self.back_end.report_editor_text(text);
        self.screen.changed();
    }
}
