//! What extensions show: questions, notes, statuses, widgets.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tau_hooks::dialogs::{
    DialogAnswer, DialogEvent, DialogKind, DialogRequest, NotifyLevel, UiCall, UiEvent, WidgetContent,
};
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
            }
            DialogEvent::Ui(event) => self.call(&event),
            DialogEvent::OwnerRemoved(owner) => self.dock.remove_owner(&owner),
        }
    }

    fn opened(&mut self, request: &Arc<DialogRequest>) {
        match panel_of(request) {
            Some(panel) => {
                let owner = short_owner(&request.owner);
                self.panels.open(Entry::question(request, owner, panel), self.is_writing());
                self.screen.close_pager();
                self.ring();
            }
            None => {
                debug_assert!(matches!(request.kind, DialogKind::Custom { .. }));
                self.no_components();
                if let Err(error) = self.back_end.answer(request.id(), DialogAnswer::Cancelled) {
                    tracing::debug!(%error, "a component was closed already");
                }
            }
        }
    }

    /// Whether the user is about to write something in the editor.
    pub(super) fn is_writing(&self) -> bool {
        self.typed.is_some_and(|typed| typed.elapsed() < TYPING) || !self.editor.model.text().is_empty()
    }

    /// Says once that components of extensions are not shown.
    fn no_components(&mut self) {
        if !std::mem::replace(&mut self.said_no_components, true) {
            self.warn(
                "An extension wants to draw on the screen itself, which tau does not support yet; it continues without",
            );
        }
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

    fn call(&mut self, event: &UiEvent) {
        let owner = &event.owner;
        match &event.call {
            UiCall::Notify { .. } if !self.notices.takes(owner, Instant::now()) => {}
            UiCall::Notify { message, level } => match level {
                Some(NotifyLevel::Warning) => self.warn(message),
                Some(NotifyLevel::Error) => self.error(message),
                _ => self.note(message),
            },
            UiCall::SetStatus { key, text } => self.dock.set_status(owner, key, text.as_deref()),
            UiCall::SetWidget { key, content, placement } => match content {
                None => self.dock.remove_widget(key),
                Some(WidgetContent::Lines(lines)) => {
                    self.dock.set_widget(owner, key, lines, placement.unwrap_or_default());
                }
                Some(WidgetContent::Handle(_)) => self.no_components(),
            },
            UiCall::SetTitle(title) => self.screen.terminal.writer().commit(say::title(title)),
            UiCall::SetEditorText(text) => {
                self.editor.set_text(text);
                self.edited();
            }
            UiCall::PasteToEditor(text) => {
                self.editor.paste(text);
                self.edited();
            }
            UiCall::SetWorkingMessage(message) => self.dock.working.message.clone_from(message),
            UiCall::SetWorkingVisible(visible) => self.dock.working.is_hidden = !visible,
            UiCall::SetWorkingIndicator(indicator) => self.dock.working.indicator.clone_from(indicator),
            UiCall::SetHiddenThinkingLabel(label) => self.chat.set_thinking_label(label.clone()),
            UiCall::SetToolsExpanded(expands) => self.chat.expand_tools(&mut self.screen.transcript, *expands),
            // Taking back what was never shown.
            UiCall::SetFooter(None) | UiCall::SetHeader(None) | UiCall::SetEditorComponent(None) => {}
            UiCall::OffTerminalInput(_) => {}
            UiCall::SetFooter(Some(_))
            | UiCall::SetHeader(Some(_))
            | UiCall::SetEditorComponent(Some(_))
            | UiCall::AddAutocompleteProvider(_)
            | UiCall::OnTerminalInput(_) => self.no_components(),
        }
    }
}
