//! What extensions show: questions, notes, statuses, widgets.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tau_hooks::dialogs::{DialogEvent, DialogRequest, NotifyLevel, UiCall, UiEvent, WidgetContent};
use tau_hooks::mount::{Place, Signal};
use tau_tui::terminal::say;

use super::App;
use crate::dialogs::{Entry, panel_of};
use crate::paths::short_owner;

/// How long after a key the user counts as writing.
const TYPING: Duration = Duration::from_secs(1);

impl App {
    /// Takes an event of the broker.
    pub(super) fn dialog(&mut self, event: DialogEvent) {
        self.screen.changed();
        match event {
            DialogEvent::Opened(request) => self.opened(&request),
            DialogEvent::Closed { id, .. } => {
                self.panels.settle(id);
                self.close_component(id);
            }
            DialogEvent::Ui(event) => self.call(&event),
            DialogEvent::OwnerRemoved(owner) => self.remove_owner(&owner),
        }
    }

    fn opened(&mut self, request: &Arc<DialogRequest>) {
        match panel_of(request) {
            Some(panel) => {
                let owner = short_owner(&request.owner);
                self.open_panel(Entry::question(request, owner, panel), self.is_writing());
                self.screen.close_pager();
                self.ring();
            }
            None => self.open_component(request),
        }
    }

    /// Opens what takes the place of the editor.
    pub(super) fn open_panel(&mut self, entry: Entry, is_typing: bool) {
        let opened = self.next_opened();
        self.panels.open(entry.opened_as(opened), is_typing);
    }

    /// The number of what is opened next.
    pub(super) fn next_opened(&mut self) -> u64 {
        self.opened += 1;
        self.opened
    }

    /// An extension is gone, with all it has put on the screen.
    fn remove_owner(&mut self, owner: &Arc<str>) {
        self.dock.remove_owner(owner);
        self.take_away_all(Some(owner));
        self.listening.remove_owner(owner);
        self.progress_of.retain(|other| other != owner);
        if self.title_of.as_ref() == Some(owner) {
            self.title_of = None;
        }
        self.completing.remove_owner(owner, &self.tasks);
    }

    /// Whether the user is about to write something in the editor.
    pub(super) fn is_writing(&self) -> bool {
        self.is_typing() || !self.editor.model.text().is_empty()
    }

    /// Whether the user typed something just now.
    pub(super) fn is_typing(&self) -> bool {
        self.typed.is_some_and(|typed| typed.elapsed() < TYPING)
    }

    /// Says how many notices of an extension were not shown.
    pub(super) fn count_notices(&mut self) {
        for (owner, count) in self.notices.left_out(Instant::now()) {
            self.warn(&format!(
                "{} sent {count} more notices than can be read; they are left out",
                short_owner(&owner)
            ));
        }
    }

    fn remove_widget(&mut self, key: &str) {
        if let Some(slot) = self.dock.remove_widget(key) {
            let left = self.mounts.end(&slot);
            self.type_again(&slot.owner(), &left);
        }
    }

    fn call(&mut self, event: &UiEvent) {
        let owner = &event.owner;
        match &event.call {
            UiCall::Notify { .. } if !self.notices.takes(owner, Instant::now()) => {}
            UiCall::Notify { message, level } => match level {
                Some(NotifyLevel::Warning) => self.warn(message),
                Some(NotifyLevel::Error) => self.error(message),
                _ => self.note(message),
            },
            UiCall::SetStatus { key, text } => {
                self.dock.set_status(owner, key, text.as_deref());
                self.facts.is_stale = true;
            }
            UiCall::SetWidget { key, content, placement } => match content {
                None => self.remove_widget(key),
                Some(WidgetContent::Lines(lines)) => {
                    self.remove_widget(key);
                    self.dock.set_widget(owner, key, lines, placement.unwrap_or_default());
                }
                Some(WidgetContent::Handle(handle)) => {
                    self.remove_widget(key);
                    let slot = self.mounts.begin(owner, Place::Widget, handle);
                    self.dock.set_component(owner, key, slot, placement.unwrap_or_default());
                }
            },
            UiCall::SetTitle(title) => {
                self.title_of = Some(Arc::clone(owner));
                self.screen.terminal.writer().commit(say::title(title));
            }
            UiCall::SetProgress(works) => {
                self.progress_of.retain(|other| other != owner);
                if *works {
                    self.progress_of.push(Arc::clone(owner));
                }
            }
            UiCall::SetEditorText(text) => self.set_editor_text(text),
            UiCall::PasteToEditor(text) => match &self.standing.editor {
                Some(slot) => slot.tell(Signal::Insert(text.clone())),
                None => {
                    self.editor.paste(text);
                    self.edited();
                }
            },
            UiCall::SetWorkingMessage(message) => self.dock.working.message.clone_from(message),
            UiCall::SetWorkingVisible(visible) => self.dock.working.is_hidden = !visible,
            UiCall::SetWorkingIndicator(indicator) => self.dock.working.indicator.clone_from(indicator),
            UiCall::SetHiddenThinkingLabel(label) => {
                self.chat.set_thinking_label(&mut self.screen.transcript, label.clone());
            }
            UiCall::SetToolsExpanded(expands) => {
                self.chat.expand_tools(&mut self.screen.transcript, *expands);
                self.facts.is_stale = true;
                self.mounts.tell_all(&Signal::Expand(*expands));
            }
            UiCall::SetFooter(handle) => self.set_standing(owner, Place::Footer, handle.as_ref()),
            UiCall::SetHeader(handle) => self.set_standing(owner, Place::Header, handle.as_ref()),
            UiCall::SetEditorComponent(handle) => self.set_standing(owner, Place::Editor, handle.as_ref()),
            UiCall::ShowOverlay(handle) => self.show_overlay(owner, handle),
            UiCall::Lend(lend) => self.lends.push_back((Arc::clone(owner), lend.clone())),
            UiCall::AddAutocompleteProvider(handle) => self.completing.wrap(owner, handle, &self.tasks),
            UiCall::OnTerminalInput(handle) => self.listening.add(owner, handle.clone()),
            UiCall::OffTerminalInput(handle) => self.listening.remove(handle),
        }
    }
}
