//! Components of extensions: where they stand, what becomes of what they want, and what is done about those that fail.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use tau_agent::settings::is_builtin_name;
use tau_hooks::HandlerError;
use tau_hooks::dialogs::{Blocked, DialogAnswer, DialogKind, DialogRequest};
use tau_hooks::mount::{Component, Menu, Place, SharedModel, Signal, UiHandle, Wish};
use tau_hooks::payload::StreamingBehavior;
use uuid::Uuid;

use super::actions::{ACTIONS, CLEAR};
use super::{App, Twice};
use crate::dialogs::{ComponentPanel, Entry, MenuPanel};
use crate::mounts::{Ended, Mounting, Slot};
use crate::paths::short_owner;
use crate::told::Told;

/// A component that somebody waits for.
pub(super) struct AskedComponent {
    slot: Slot,
    question: Uuid,
    blocked: Option<Blocked>,
    /// When it was asked for, in the order of all that was opened.
    opened: u64,
}

/// The components that have a place of their own.
#[derive(Default)]
pub(super) struct Standing {
    pub(super) footer: Option<Slot>,
    pub(super) header: Option<Slot>,
    pub(super) editor: Option<Slot>,
    /// What the editor of an extension works on.
    model: Option<SharedModel>,
    /// The text that it is known to have; nothing when it is given the text whatever it has.
    known: Option<String>,
    /// Those that somebody waits for.
    asked: Vec<AskedComponent>,
}

impl Standing {
    /// What an editor of an extension says that it has, with what was pasted.
    fn whole(&self, text: String) -> String {
        let Some(model) = &self.model else { return text };
        let model = model.0.lock();
        // One with a model of its own never changes this one.
        if model.text() == text { model.expanded_text() } else { text }
    }
}

impl App {
    /// Takes what there is to say about a component.
    pub(super) fn mounting(&mut self, id: u64, mounting: Mounting) {
        if let Mounting::Turned(turn, result) = &mounting
            && let Some((owner, left)) = self.mounts.ended(id, turn, result)
        {
            self.type_again(&owner, &left);
            return self.hear_next();
        }
        let Some(slot) = self.mounts.get(id) else { return };
        match mounting {
            Mounting::Made(made) => self.made(&slot, made),
            Mounting::Turned(turn, result) => {
                let has_keys = turn.signals.iter().any(|signal| matches!(signal, Signal::Key(_) | Signal::Mouse(_)));
                let ended = slot.ended(turn, result);
                self.turned(&slot, ended);
                if has_keys {
                    self.hear_next();
                }
                if has_keys { self.screen.changed_by_key() } else { self.screen.changed() }
            }
            Mounting::Wishes(wish) => self.wished(&slot, wish),
        }
    }

    /// A component for which somebody waits.
    pub(super) fn open_component(&mut self, request: &DialogRequest) {
        let DialogKind::Custom { handle, overlays, blocked } = &request.kind else { return };
        if let Some(menu) = handle.0.menu() {
            return self.open_menu(request, menu);
        }
        let place = if *overlays { Place::Overlay } else { Place::Dialog };
        let slot = self.mounts.begin(&request.owner, place, handle);
        let opened = self.next_opened();
        self.standing.asked.push(AskedComponent { slot, question: request.id(), blocked: blocked.clone(), opened });
    }

    /// A menu, which stands in the place of the editor whatever it asks for.
    fn open_menu(&mut self, request: &DialogRequest, menu: Arc<dyn Menu>) {
        let teller = self.teller.clone();
        let panel = MenuPanel::new(request.id(), menu, move || teller.tell(Told::Changed));
        let owner = Some(short_owner(&request.owner)).filter(|_| !is_builtin_name(&request.owner));
        let is_writing = self.is_typing() && !self.editor.model.text().is_empty();
        self.open_panel(Entry::menu(request.id(), owner, panel), is_writing);
        self.screen.close_pager();
    }

    /// A component over the screen for which nobody waits.
    pub(super) fn show_overlay(&mut self, owner: &Arc<str>, handle: &UiHandle) {
        let slot = self.mounts.begin(owner, Place::Overlay, handle);
        self.overlays.reserve(&slot);
    }

    /// The question that a component answers is settled: it goes.
    pub(super) fn close_component(&mut self, question: Uuid) {
        let Some(at) = self.standing.asked.iter().position(|asked| asked.question == question) else { return };
        let asked = self.standing.asked.remove(at);
        self.take_away(&asked.slot);
    }

    /// Takes a component off the screen.
    pub(super) fn take_away(&mut self, slot: &Slot) {
        self.overlays.close(slot.id());
        self.dock.remove_slot(slot.id());
        let is_it = |place: &Option<Slot>| place.as_ref().is_some_and(|other| other.id() == slot.id());
        if is_it(&self.standing.footer) {
            self.standing.footer = None;
        }
        if is_it(&self.standing.header) {
            self.standing.header = None;
            self.header_changed();
        }
        if is_it(&self.standing.editor) {
            self.standing.editor = None;
            self.take_model_back();
        }
        let left = self.mounts.end(slot);
        self.type_again(&slot.owner(), &left);
        self.screen.changed();
    }

    /// Keys that a component left go to the editor, or to another component of its extension. A question, and a component of
    /// others that may be one, gets none of them: the user had not seen it.
    pub(super) fn type_again(&mut self, owner: &Arc<str>, left: &[Arc<str>]) {
        let is_others = |slot: Slot| slot.place() != Place::Editor && slot.owner() != *owner;
        if self.panels.newest_asks() || self.focused_component().is_some_and(is_others) {
            return;
        }
        left.iter().for_each(|data| self.typed_in(data));
    }

    /// All components of an extension go, or of all when none is named.
    pub(super) fn take_away_all(&mut self, owner: Option<&Arc<str>>) {
        let slots = match owner {
            Some(owner) => self.mounts.of_owner(owner),
            None => self.mounts.all(),
        };
        for slot in slots {
            self.take_away(&slot);
        }
    }

    /// Takes what extensions have asked for so far. What they go on to ask for has its turn later.
    fn catch_up(&mut self) {
        let now = Instant::now();
        while let Some(event) = self.back_end.try_recv_before(now) {
            self.dialog(event);
        }
    }

    fn made(&mut self, slot: &Slot, made: Result<Arc<dyn Component>, HandlerError>) {
        // What its factory asked for came before it.
        self.catch_up();
        match made {
            Ok(component) => slot.mounted(component),
            Err(error) => return self.give_up(slot, &error, "could not be made"),
        }
        let asked = self.standing.asked.iter().find(|asked| asked.slot.id() == slot.id());
        let question = asked.map(|asked| (asked.question, asked.blocked.clone(), asked.opened));
        match (slot.place(), question) {
            (Place::Dialog, Some((question, blocked, opened))) => {
                let owner = short_owner(&slot.owner());
                let entry = Entry::component(question, owner, ComponentPanel::new(slot.clone()), blocked);
                // What an extension wrote into the editor is nothing that the user is about to go on with. What a shortcut
                // opened is what the user asked for, unless the program waits for an answer to it.
                let is_wanted = !entry.asks() && self.shortcut_at >= self.typed;
                self.panels.open(entry.opened_as(opened), self.is_typing() && !is_wanted);
                self.overlays.inline(slot);
                self.screen.close_pager();
            }
            (Place::Overlay, _) => {
                let opened = self.next_opened();
                self.overlays.open(slot.clone(), opened, slot.captures());
                self.overlays.hide(slot.id(), slot.begins_hidden());
            }
            (Place::Editor, _) => {
                let text = self.editor.text();
                let model = SharedModel(Arc::new(Mutex::new(std::mem::take(&mut self.editor.model))));
                self.editor.set_text(&text);
                self.standing.known = Some(text);
                self.standing.model = Some(model.clone());
                slot.tell(Signal::Model(model));
                self.completing.list.close();
            }
            (Place::Header | Place::Footer | Place::Widget | Place::Dialog, _) => {}
        }
        self.screen.changed();
    }

    fn turned(&mut self, slot: &Slot, ended: Ended) {
        match ended {
            Ended::Fine => {
                if slot.place() == Place::Header {
                    self.header_changed();
                }
            }
            Ended::Passes(keys) => {
                // What it asked for came before them.
                self.catch_up();
                self.type_again(&slot.owner(), &keys);
            }
            Ended::Failed(error) => self.report_component(slot, &error, "failed"),
            Ended::FailedAgain => {}
            Ended::GivenUp(error) => {
                self.give_up(slot, &error, "is taken away, because it failed three times in a row")
            }
        }
    }

    fn report_component(&mut self, slot: &Slot, error: &HandlerError, what: &str) {
        if let HandlerError::Lost(_) = error {
            // The loss of its engine is reported once, for all that it held.
            return;
        }
        let (owner, place) = (short_owner(&slot.owner()), slot.place().as_str());
        self.error(&format!("{owner}: its {place} {what}: {error}"));
    }

    /// A component that is of no use any more goes; who waits for it gets the error.
    fn give_up(&mut self, slot: &Slot, error: &HandlerError, what: &str) {
        let asked = self.standing.asked.iter().find(|asked| asked.slot.id() == slot.id());
        match asked.map(|asked| asked.question) {
            Some(question) => {
                let failed = DialogAnswer::Failed(error.to_string());
                if let Err(error) = self.back_end.answer(question, failed) {
                    tracing::debug!(%error, "nobody waits for the component any more");
                }
            }
            None => self.report_component(slot, error, what),
        }
        self.take_away(slot);
    }

    fn wished(&mut self, slot: &Slot, wish: Wish) {
        match wish {
            Wish::Redraw => slot.redraw(),
            Wish::Done(value) => self.component_done(slot, DialogAnswer::Custom(value)),
            Wish::Failed(why) => self.component_done(slot, DialogAnswer::Failed(why)),
            Wish::Hide(hides) => {
                self.mounts.focus_moves(&slot.owner());
                self.overlays.hide(slot.id(), hides);
            }
            Wish::Focus => {
                self.mounts.focus_moves(&slot.owner());
                self.overlays.focus(slot.id());
            }
            Wish::Unfocus => {
                self.mounts.focus_moves(&slot.owner());
                self.overlays.unfocus(slot.id());
            }
            Wish::Submit(text) => {
                // It empties itself.
                self.standing.known = Some(String::new());
                if let Some(model) = &self.standing.model {
                    model.0.lock().add_to_history(&text);
                }
                self.editor.set_text(&text);
                self.submit(StreamingBehavior::Steer);
            }
            Wish::Changed(text) => {
                let text = self.standing.whole(text);
                self.standing.known = Some(text.clone());
                if self.editor.text() != text {
                    self.editor.set_text(&text);
                    self.edited();
                }
            }
            Wish::Action(id) => self.act_for_editor(&id),
            Wish::Shortcut(data) => {
                self.shortcut(&data);
            }
        }
        self.screen.changed();
    }

    fn component_done(&mut self, slot: &Slot, answer: DialogAnswer) {
        let asked = self.standing.asked.iter().find(|asked| asked.slot.id() == slot.id());
        let Some(question) = asked.map(|asked| asked.question) else {
            slot.leaves_keys();
            return self.take_away(slot);
        };
        slot.leaves_keys();
        if let Err(error) = self.back_end.answer(question, answer) {
            // It was settled by others, and goes when that is told.
            tracing::debug!(%error, "a component was done too late");
        }
    }

    /// The editor of an extension met the key of an action.
    fn act_for_editor(&mut self, id: &str) {
        if let Some(action) = ACTIONS.iter().find(|action| action.id == id) {
            (action.run)(self);
        }
    }

    /// An extension sets the text of the editor: one that stands in its place gets it in any case.
    pub(super) fn set_editor_text(&mut self, text: &str) {
        self.standing.known = None;
        self.editor.set_text(text);
        self.edited();
    }

    /// The text of the editor of tau has changed: the one of an extension that stands in its place gets it.
    pub(super) fn tell_own_editor(&mut self, text: &str) {
        if let Some(slot) = self.standing.editor.as_ref().filter(|slot| slot.is_mounted())
            && self.standing.known.as_deref() != Some(text)
        {
            self.standing.known = Some(text.to_owned());
            slot.tell(Signal::Text(text.to_owned()));
        }
    }

    /// The editor of tau is there again, with what the one of an extension had.
    fn take_model_back(&mut self) {
        if let Some(model) = self.standing.model.take() {
            let text = self.editor.text();
            let mut theirs = std::mem::take(&mut *model.0.lock());
            // One with a model of its own never changed this one.
            if theirs.expanded_text() != text {
                theirs.set_text(&text);
            }
            self.editor.model = theirs;
        }
        self.edited();
    }

    /// The component that has the keys, if one has.
    pub(super) fn focused_component(&self) -> Option<Slot> {
        if let Some(overlay) = self.focused_overlay() {
            return Some(overlay);
        }
        if self.panels.is_empty() {
            self.standing.editor.clone().filter(Slot::is_mounted)
        } else {
            self.panels.component()
        }
    }

    /// The component over the screen that has the keys, if one has.
    fn focused_overlay(&self) -> Option<Slot> {
        self.overlays.focused(|slot, opened| self.panels.covers(slot, opened), self.panels.component().as_ref())
    }

    /// Tells each component whether it has the keys.
    pub(super) fn tell_focus(&self) {
        let focused = self.focused_component().map(|slot| slot.id());
        for slot in self.mounts.all() {
            slot.focus(Some(slot.id()) == focused && self.has_focus_of_keys());
        }
    }

    /// Whether keys go to what stands on the screen, and not to the pager.
    fn has_focus_of_keys(&self) -> bool {
        !self.screen.has_pager()
    }

    /// A key for a component over the screen; whether there is one that takes keys.
    pub(super) fn key_of_overlay(&mut self, data: &str) -> bool {
        let Some(slot) = self.focused_overlay() else { return false };
        slot.key(data);
        true
    }

    /// A key for the editor of an extension; whether there is one.
    pub(super) fn key_of_own_editor(&mut self, data: &str) -> bool {
        let Some(slot) = self.standing.editor.clone().filter(Slot::is_mounted) else { return false };
        self.dock.status = None;
        slot.key(data);
        true
    }

    /// The key that ends the program when it is typed twice does so whatever a component makes of it.
    pub(super) fn leaves_for_good(&mut self, data: &str) -> bool {
        let is_key = self.keys.is(data, CLEAR);
        if !is_key && !tau_view::keys::is_key_release(data) {
            // Another key came between.
            self.clear_came = None;
            if matches!(self.last, Some((Twice::Clear, _))) {
                self.last = None;
            }
        }
        let is_held = self.focused_component().is_some() || self.holds_keys();
        if is_key && self.came_again() && is_held {
            self.quits.cancel();
            return true;
        }
        false
    }

    /// Whether what is typed has to wait for others.
    pub(super) fn holds_keys(&self) -> bool {
        self.listening.holds() || self.waits_for_keys()
    }

    /// Whether it is not known yet what the next key is for.
    pub(super) fn waits_for_keys(&self) -> bool {
        self.mounts.holds_keys() || self.completing.list.is_choosing() || self.sent.holds_keys()
    }

    /// Another extension's component takes the place of one that has its own.
    pub(super) fn set_standing(&mut self, owner: &Arc<str>, place: Place, handle: Option<&UiHandle>) {
        let slot = handle.map(|handle| self.mounts.begin(owner, place, handle));
        let standing = match place {
            Place::Footer => &mut self.standing.footer,
            Place::Header => &mut self.standing.header,
            _ => &mut self.standing.editor,
        };
        let before = std::mem::replace(standing, slot);
        let left = before.map(|before| (before.owner(), self.mounts.end(&before)));
        match place {
            Place::Header => self.header_changed(),
            Place::Editor => self.take_model_back(),
            _ => {}
        }
        if let Some((owner, left)) = left {
            self.type_again(&owner, &left);
        }
        self.screen.changed();
    }
}
