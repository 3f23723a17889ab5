//! The panels that are open, the newest on top.

use std::time::{Duration, Instant};

use tau_hooks::dialogs::{Blocked, DialogKind, DialogRequest};
use tau_tui::Drawn;
use tau_tui::keymap::Keymap;
use tau_tui::look::Look;
use tau_tui::queue::Queued;
use uuid::Uuid;

use super::{ComponentPanel, MenuPanel, ModelRow, Panel, Space, Took};
use crate::mounts::Slot;

/// How long keys that could be meant for what a panel covers are no answer to it.
const GUARD: Duration = Duration::from_millis(300);
/// How long the user must have stopped typing, once a key was taken to be meant for what the panel covers.
const PAUSE: Duration = Duration::from_millis(800);

/// A panel that is open.
pub(crate) struct Entry {
    panel: Box<dyn Panel>,
    /// The question that it asks, if it is one.
    question: Option<Asked>,
    owner: Option<String>,
    /// When its question counts as not answered.
    deadline: Option<Instant>,
    /// When it was first painted after it came or was uncovered.
    seen: Option<Instant>,
    /// It covered another one, or was uncovered: keys may be meant for that.
    is_guarded: bool,
    /// It came while the user wrote in the editor: what is no answer goes there.
    is_over_editor: bool,
    /// When a key came last that was no answer.
    ignored: Option<Instant>,
    /// When it came, in the order of all that was opened.
    opened: u64,
}

/// A question of an extension.
struct Asked {
    id: Uuid,
    title: String,
    /// It asks whether something may be done.
    is_permission: bool,
    /// The program waits for the user as long as it is open.
    blocks: bool,
}

impl Entry {
    /// A panel of tau.
    pub(crate) fn own(panel: impl Panel + 'static) -> Self {
        Self::new(Box::new(panel))
    }

    fn new(panel: Box<dyn Panel>) -> Self {
        Self {
            panel,
            question: None,
            owner: None,
            deadline: None,
            seen: None,
            is_guarded: false,
            is_over_editor: false,
            ignored: None,
            opened: 0,
        }
    }

    /// A question of an extension.
    pub(crate) fn question(request: &DialogRequest, owner: String, panel: Box<dyn Panel>) -> Self {
        let question = Asked {
            id: request.id(),
            title: request.kind.title().unwrap_or_default().to_owned(),
            is_permission: matches!(request.kind, DialogKind::Confirm { .. }),
            blocks: true,
        };
        let deadline = request.deadline.map(|timeout| Instant::now() + timeout);
        Self { question: Some(question), owner: Some(owner), deadline, ..Self::new(panel) }
    }

    /// A component of an extension that is the answer to a question, with what the extension says the program waits for.
    pub(crate) fn component(id: Uuid, owner: String, panel: ComponentPanel, blocked: Option<Blocked>) -> Self {
        let is_permission = blocked.as_ref().and_then(|blocked| blocked.kind.as_deref()) == Some("permission");
        let blocks = blocked.is_some();
        let title = blocked.and_then(|blocked| blocked.message).unwrap_or_default();
        let question = Asked { id, title, is_permission, blocks };
        Self { question: Some(question), owner: Some(owner), ..Self::new(Box::new(panel)) }
    }

    /// A menu of an extension. The user asked for it.
    pub(crate) fn menu(id: Uuid, owner: Option<String>, panel: MenuPanel) -> Self {
        let question = Asked { id, title: String::new(), is_permission: false, blocks: false };
        Self { question: Some(question), owner, ..Self::new(Box::new(panel)) }
    }

    /// Whether the program waits for an answer. A component that does not say so has all keys that are typed into it.
    pub(crate) fn asks(&self) -> bool {
        self.question.as_ref().is_some_and(|asked| asked.blocks)
    }

    /// The same, as what was opened as the `opened`th of all.
    pub(crate) fn opened_as(self, opened: u64) -> Self {
        Self { opened, ..self }
    }

    /// A key is taken to be meant for what the panel covers.
    fn ignore(&mut self) -> Took {
        self.ignored = Some(Instant::now());
        if self.is_over_editor { Took::Beneath } else { Took::Stays }
    }
}

/// Whether the key changes a text or moves the cursor within its line: somebody who writes goes on, and has not seen the
/// question.
fn edits(data: &str, keys: &Keymap) -> bool {
    const VERTICAL: [&str; 4] =
        ["tui.editor.cursorUp", "tui.editor.cursorDown", "tui.editor.pageUp", "tui.editor.pageDown"];
    let edits = |id: &str| id.starts_with("tui.editor.") && !VERTICAL.contains(&id);
    tau_view::bindings::BINDINGS.iter().any(|binding| edits(binding.id) && keys.is(data, binding.id))
}

/// The open panels.
#[derive(Default)]
pub(crate) struct Stack(Vec<Entry>);

impl Stack {
    /// Whether none is open.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a question is open.
    pub(crate) fn asks(&self) -> bool {
        self.0.iter().any(|entry| entry.question.is_some())
    }

    /// The newest question: its title, and whether it asks for a permission.
    pub(crate) fn asked(&self) -> Option<(&str, bool)> {
        let asked = self.0.iter().rev().filter_map(|entry| entry.question.as_ref()).find(|asked| asked.blocks)?;
        Some((&asked.title, asked.is_permission))
    }

    /// Whether a question is seen in the place of an overlay that was opened as the so many-th. A component leaves the
    /// overlays of its own extension in sight, and those that came later unless the program waits for it.
    pub(crate) fn covers(&self, overlay: &Slot, opened: u64) -> bool {
        let is_beside = |entry: &Entry| entry.panel.component().is_some_and(|slot| slot.owner() == overlay.owner());
        let is_over = |entry: &Entry| entry.panel.component().is_none() || entry.asks() || entry.opened >= opened;
        self.0.iter().any(|entry| entry.question.is_some() && is_over(entry) && !is_beside(entry))
    }

    /// Whether the newest one is a question that the program waits for.
    pub(crate) fn newest_asks(&self) -> bool {
        self.0.last().is_some_and(Entry::asks)
    }

    /// The component that is shown, if the newest one is a component.
    pub(crate) fn component(&self) -> Option<Slot> {
        self.0.last()?.panel.component()
    }

    /// Opens one on top, or below those that were asked for after it. What was typed to what it covers must not answer it; `is_typing` says that the user did not ask for
    /// it and writes in the editor at this moment. Such keys go there, and nothing is an answer before there was a pause.
    pub(crate) fn open(&mut self, mut entry: Entry, is_typing: bool) {
        entry.is_guarded = is_typing || (entry.asks() && !self.0.is_empty());
        entry.is_over_editor = entry.is_guarded && self.0.is_empty();
        let at = self.0.iter().position(|other| other.opened > entry.opened).unwrap_or(self.0.len());
        self.0.insert(at, entry);
    }

    /// The question is settled: takes its panel away, if it is open.
    pub(crate) fn settle(&mut self, question: Uuid) -> bool {
        let is_it = |entry: &Entry| entry.question.as_ref().is_some_and(|asked| asked.id == question);
        let (before, was_shown) = (self.0.len(), self.0.last().is_some_and(is_it));
        self.0.retain(|entry| !is_it(entry));
        // The one that is shown already keeps its keys.
        if was_shown {
            self.uncovered();
        }
        self.0.len() < before
    }

    /// Draws the newest one.
    ///
    /// Of a component that does not fit, the end is shown where `from_end` says so.
    pub(crate) fn draw(&mut self, (width, rows): (usize, usize), from_end: bool, look: &Look, keys: &Keymap) -> Drawn {
        let count = self.0.len();
        let Some(entry) = self.0.last_mut() else { return Drawn::default() };
        let now = Instant::now();
        entry.seen.get_or_insert(now);
        let mut note = String::new();
        if count > 1 {
            note.push_str(&format!(" (1 of {count})"));
        }
        if let Some(deadline) = entry.deadline {
            let left = deadline.saturating_duration_since(now).as_secs_f64().ceil();
            note.push_str(&format!(" ({left}s)"));
        }
        let owner = entry.owner.as_deref();
        entry.panel.draw(&Space { width, rows, from_end, look, keys, note: &note, owner })
    }

    /// Whether something of it changes by itself.
    pub(crate) fn counts_down(&self) -> bool {
        self.0.last().is_some_and(|entry| entry.deadline.is_some())
    }

    /// Takes a key; what follows from it, if the newest one is done with that. `held` says when it was typed, if it was held
    /// back since.
    pub(crate) fn key(&mut self, data: &str, keys: &Keymap, held: Option<Instant>) -> Option<Took> {
        let entry = self.0.last_mut()?;
        let Some(seen) = entry.seen else {
            // Nobody has seen it yet.
            return Some(entry.ignore());
        };
        if entry.asks() && held.is_some_and(|typed| typed <= seen) {
            // Nobody had seen it then.
            return Some(entry.ignore());
        }
        let is_early = match entry.ignored {
            Some(ignored) => ignored.elapsed() < PAUSE,
            None => seen.elapsed() < GUARD,
        };
        let is_for_editor = entry.is_over_editor && edits(data, keys);
        if entry.is_guarded && is_early && (is_for_editor || entry.panel.is_answer(data, keys)) {
            return Some(entry.ignore());
        }
        (entry.is_guarded, entry.is_over_editor) = (false, false);
        let took = entry.panel.key(data, keys);
        if let Took::Closes(_) = took {
            self.0.pop();
            self.uncovered();
        }
        Some(took)
    }

    /// The user asked for the newest one and types to it before it is in sight. Not so for questions.
    pub(crate) fn is_expected(&mut self) {
        if let Some(entry) = self.0.last_mut().filter(|entry| !entry.asks()) {
            entry.seen.get_or_insert_with(Instant::now);
        }
    }

    /// Takes a turn of the wheel over the newest one; how many lines it would go further, and what follows.
    pub(crate) fn wheel(&mut self, lines: isize) -> (isize, Option<Took>) {
        let Some(entry) = self.0.last_mut() else { return (lines, None) };
        let Some(list) = entry.panel.list() else { return (lines, None) };
        let left = list.wheel(lines);
        (left, (left != lines).then(|| entry.panel.moved()))
    }

    /// Takes a click on a row of the newest one: chooses the item there, if a key would be an answer now.
    pub(crate) fn click(&mut self, row: usize, keys: &Keymap) -> Option<Took> {
        /// Enter, which chooses unless the user changed that; then the item is selected.
        const CONFIRM: &str = "\r";
        let entry = self.0.last_mut()?;
        let is_on_item = entry.panel.list()?.click(row);
        if !is_on_item {
            return None;
        }
        if keys.is(CONFIRM, "tui.select.confirm") { self.key(CONFIRM, keys, None) } else { Some(entry.panel.moved()) }
    }

    /// Takes a paste.
    pub(crate) fn paste(&mut self, text: &str) {
        if let Some(entry) = self.0.last_mut().filter(|entry| entry.seen.is_some()) {
            entry.panel.paste(text);
        }
    }

    /// Other messages are queued now; texts that were being changed and have no place any more.
    pub(crate) fn queued(&mut self, messages: &[Queued]) -> Vec<String> {
        self.0.iter_mut().filter_map(|entry| entry.panel.queued(messages)).collect()
    }

    /// These models can be chosen now.
    pub(crate) fn models(&mut self, models: &[ModelRow]) {
        self.0.iter_mut().for_each(|entry| entry.panel.models(models));
    }

    /// The text of the newest one that another editor can edit.
    pub(crate) fn text(&self) -> Option<String> {
        self.0.last()?.panel.text()
    }

    /// Another editor has edited it.
    pub(crate) fn set_text(&mut self, text: &str) {
        if let Some(entry) = self.0.last_mut() {
            entry.panel.set_text(text);
        }
    }

    /// Something else covered the newest one, and is gone: keys may be meant for that.
    pub(crate) fn was_covered(&mut self) {
        self.uncovered();
    }

    /// Closes everything that is tau's own.
    pub(crate) fn close_own(&mut self) {
        self.0.retain(|entry| entry.question.is_some());
        self.uncovered();
    }

    fn uncovered(&mut self) {
        if let Some(entry) = self.0.last_mut().filter(|entry| entry.asks()) {
            (entry.is_guarded, entry.is_over_editor) = (true, false);
            (entry.seen, entry.ignored) = (None, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use tau_tui::style::Styles;

    use super::*;
    use crate::dialogs::Effect;

    /// A panel that every key closes.
    struct Any;

    impl Panel for Any {
        fn draw(&mut self, _: &Space<'_>) -> Drawn {
            Drawn::default()
        }

        fn key(&mut self, _: &str, _: &Keymap) -> Took {
            Took::Closes(Effect::Nothing)
        }

        fn is_answer(&self, _: &str, _: &Keymap) -> bool {
            false
        }
    }

    fn question(id: Uuid) -> Entry {
        let question = Some(Asked { id, title: String::new(), is_permission: false, blocks: true });
        Entry { question, ..Entry::own(Any) }
    }

    fn paint(stack: &mut Stack, keys: &Keymap) {
        let look = Look::plain(Styles::new(
            &tau_view::theme::ColorTheme::builtin("dark").expect("a theme"),
            tau_tui::style::ColorDepth::None,
        ));
        stack.draw((80, 20), false, &look, keys);
    }

    #[test]
    fn a_question_that_is_shown_keeps_its_keys_when_the_one_before_is_reported_as_closed() {
        let keys = Keymap::default();
        let (first, second) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let mut stack = Stack::default();
        stack.open(question(first), false);
        stack.open(question(second), false);
        paint(&mut stack, &keys);
        assert!(matches!(stack.key("x", &keys, None), Some(Took::Closes(_))));
        // The one below has not been seen: a key is not meant for it.
        assert!(matches!(stack.key("x", &keys, None), Some(Took::Stays)));
        paint(&mut stack, &keys);
        assert!(!stack.settle(second));
        assert!(matches!(stack.key("x", &keys, None), Some(Took::Closes(_))));
        assert!(stack.is_empty());
    }

    #[test]
    fn what_was_asked_for_first_lies_below_however_late_it_is_ready() {
        let keys = Keymap::default();
        let (early, late) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let mut stack = Stack::default();
        stack.open(question(late).opened_as(2), false);
        stack.open(question(early).opened_as(1), false);
        paint(&mut stack, &keys);
        let overlay = Slot::new(1, "an extension".into(), tau_hooks::mount::Place::Overlay);
        assert_eq!([1, 2, 3].map(|opened| stack.covers(&overlay, opened)), [true, true, true]);
        assert_eq!(stack.0.last().and_then(|entry| entry.question.as_ref()).map(|asked| asked.id), Some(late));
    }

    #[test]
    fn a_question_that_comes_into_sight_takes_no_key_before_it_is_painted() {
        let keys = Keymap::default();
        let (first, second) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let mut stack = Stack::default();
        stack.open(question(first), false);
        paint(&mut stack, &keys);
        stack.open(question(second), false);
        assert!(stack.settle(second));
        assert!(matches!(stack.key("x", &keys, None), Some(Took::Stays)));
        paint(&mut stack, &keys);
        assert!(matches!(stack.key("x", &keys, None), Some(Took::Closes(_))));
    }

    #[test]
    fn who_goes_on_typing_answers_nothing_and_loses_nothing() {
        /// A question that any text answers.
        struct Text;

        impl Panel for Text {
            fn draw(&mut self, _: &Space<'_>) -> Drawn {
                Drawn::default()
            }

            fn key(&mut self, _: &str, _: &Keymap) -> Took {
                Took::Closes(Effect::Nothing)
            }
        }

        let keys = Keymap::default();
        let asked = || Some(Asked { id: Uuid::from_u128(1), title: String::new(), is_permission: true, blocks: true });
        let mut stack = Stack::default();
        stack.open(Entry { question: asked(), ..Entry::own(Text) }, true);
        assert!(matches!(stack.key("a", &keys, None), Some(Took::Beneath)), "nobody has seen it");
        paint(&mut stack, &keys);
        // Seen long ago, but no pause since: however long it takes.
        let long_ago = Instant::now() - 10 * PAUSE;
        stack.0[0].seen = Some(long_ago);
        for key in ["y", "\r", "\x7f", "\x1b[D", "n"] {
            stack.0[0].ignored = Some(Instant::now() + PAUSE);
            assert!(matches!(stack.key(key, &keys, None), Some(Took::Beneath)), "{key:?}");
        }
        stack.0[0].ignored = Some(long_ago);
        assert!(matches!(stack.key("y", &keys, None), Some(Took::Closes(_))));

        // Nobody was typing: it is answered at once.
        stack.open(Entry { question: asked(), ..Entry::own(Text) }, false);
        paint(&mut stack, &keys);
        assert!(matches!(stack.key("y", &keys, None), Some(Took::Closes(_))));

        // What was held back since before it was painted is no answer to it.
        stack.open(Entry { question: asked(), ..Entry::own(Text) }, false);
        let before = Instant::now();
        paint(&mut stack, &keys);
        stack.0[0].seen = Some(before);
        assert!(matches!(stack.key("y", &keys, Some(before)), Some(Took::Stays)));
        let after = before + Duration::from_millis(1);
        assert!(matches!(stack.key("y", &keys, Some(after)), Some(Took::Closes(_))));
    }
}
