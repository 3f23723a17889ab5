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

/// The action that copies the last answer, or what is selected.
const COPY: &str = "app.message.copy";
/// The action that copies what is selected, and does something else where nothing is.
const COPY_SELECTION: &str = "tui.input.copy";

impl App {
    /// Takes a key, undecoded as the terminal sent it.
    pub(super) fn key(&mut self, data: &str) {
        if is_key_release(data) {
            return self.focused_component().into_iter().for_each(|slot| slot.key(data));
        }
        if self.keys.is(data, COPY_SELECTION)
            && let Some(text) = self.screen.selected_text()
        {
            // Nothing was done that a second time would add to.
            (self.last, self.clear_came) = (None, None);
            self.copy_selection(text);
            return self.screen.unselect();
        }
        if self.screen.pager().is_some() {
            return self.key_of_pager(data);
        }
        if self.key_of_search(data) || self.key_of_overlay(data) {
            return;
        }
        if self.panels.component().is_some_and(|slot| !slot.takes_scroll_keys()) && self.scrolls(data) {
            return;
        }
        if !self.panels.is_empty() {
            match self.panels.key(data, &self.keys, self.listening.held()) {
                Some(dialogs::Took::Closes(effect) | dialogs::Took::Acts(effect)) => return self.effect(effect),
                Some(dialogs::Took::Nothing) if self.scrolls(data) => return,
                Some(dialogs::Took::Nothing) => return self.key_beside_panel(data),
                Some(dialogs::Took::Beneath) => return self.key_beneath(data),
                Some(dialogs::Took::Stays) | None => return,
            }
        }
        // An open list has its pages first.
        if !self.completing.list.is_open() && self.scrolls(data) {
            return;
        }
        self.typed = Some(Instant::now());
        if self.key_of_own_editor(data) {
            return;
        }
        if self.shortcut(data) {
            return;
        }
        if self.key_of_list(data) || self.scrolls(data) {
            return;
        }
        self.dock.status = None;
        let is_editors = self.editor.takes_first(data, &self.keys);
        let action = ACTIONS.iter().find(|action| !is_editors && self.keys.is(data, action.id));
        if action.is_none_or(|action| action.id != COPY) {
            self.screen.unselect();
        }
        if action.is_some_and(|action| (action.run)(self) == actions::Done::Yes) {
            return;
        }
        if self.screen.window().is_none() && self.opens_pager(data) {
            return;
        }
        match self.editor.key(data, &self.keys) {
            Took::Submit => self.submit(StreamingBehavior::Steer),
            Took::Changed => {
                self.edited();
                self.suggest();
            }
            Took::Moved => self.suggest(),
            Took::Nothing => {}
        }
    }

    /// Keys of the search on the alternate screen: they are the transcript's whatever is open.
    fn key_of_search(&mut self, data: &str) -> bool {
        let Some((window, transcript)) = self.screen.window() else { return false };
        if !window.searches() {
            let begins = self.keys.is(data, "tui.altScreen.search");
            if begins {
                window.begin_search();
            }
            return begins;
        }
        if let Some(scroll) = window.scroll_of(data, &self.keys) {
            window.scroll(transcript, scroll);
        } else if ACTIONS.iter().any(|action| action.anywhere && self.keys.is(data, action.id)) {
            self.key_beside_panel(data);
        } else {
            window.key_of_search(transcript, data, &self.keys);
        }
        true
    }

    /// Scrolls the transcript on the alternate screen, if the key does.
    fn scrolls(&mut self, data: &str) -> bool {
        let Some((window, transcript)) = self.screen.window() else { return false };
        let scroll = window.scroll_of(data, &self.keys);
        if let Some(scroll) = scroll {
            window.scroll(transcript, scroll);
        }
        scroll.is_some()
    }

    /// Suggests what fits to what was typed. Nobody types where keys are commands.
    fn suggest(&mut self) {
        if self.editor.takes_commands() {
            self.completing.list.close();
        } else {
            self.completing.list.changed(&self.editor.model);
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
        if self.keys.is(data, "app.tui.toggle") {
            return self.toggle_mode();
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
    fn opens_pager(&mut self, data: &str) -> bool {
        // Counting rows takes as long as the text is.
        if self.keys.is(data, "tui.editor.pageUp") && self.editor.model.rows().len() > 1 {
            return false;
        }
        if self.keys.is(data, "tui.altScreen.search") {
            let hint = self.pager_hint();
            self.screen.open_pager(hint).0.window.begin_search();
            return true;
        }
        let Some(place) = opens(data, &self.keys) else { return false };
        let hint = self.pager_hint();
        let (pager, transcript) = self.screen.open_pager(hint);
        pager.window.scroll(transcript, place);
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
        let takes_text = self.panels.is_empty() && self.screen.pager().is_none() && !self.screen.searches();
        takes_text && self.focused_component().is_none() && !self.editor.takes_commands()
    }

    /// Takes a paste.
    pub(super) fn paste(&mut self, text: &str) {
        if self.screen.paste_into_search(text) {
            return;
        }
        let raw = || format!("\x1b[200~{text}\x1b[201~");
        if self.screen.pager().is_none() && self.key_of_overlay(&raw()) {
            return;
        }
        if !self.panels.is_empty() {
            return self.panels.paste(text);
        }
        self.screen.close_pager();
        if self.key_of_own_editor(&raw()) {
            return;
        }
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
        self.tell_own_editor(&text);
        self.back_end.report_editor_text(text);
        self.screen.changed();
    }
}
