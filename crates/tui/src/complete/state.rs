//! When the list of suggestions is open, and what keys do in it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tau_view::editor::Editor;
use tau_view::keys::is_key_release;
use tau_view::untrusted;
use tau_view::width::graphemes;

use super::builtin::is_command;
use super::choosing::{Choice, Choosing};
use super::provider::{Edit, Provider, Reply, Request, Suggestion, Suggestions};
use super::token::{slash, word};
use crate::keymap::Keymap;
use crate::select::{Columns, Item, ListLook, Picked, SelectList};
use crate::style::Styles;

/// The fewest rows of the list; the most, and the default, follow.
pub const LEAST_ROWS: usize = 3;
/// See [`LEAST_ROWS`].
pub const MOST_ROWS: usize = 20;
/// See [`LEAST_ROWS`].
pub const USUAL_ROWS: usize = 5;

/// What became of a key, or of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Became {
    /// Nothing: it was not for the list.
    Nothing,
    /// The list took it, or looks different now.
    Taken,
    /// A suggestion stands in the text.
    Applied,
    /// A command stands in the text, and the user wants it sent.
    Submit,
    /// The list is closed.
    Closed,
}

/// Completion of an editor's text.
///
/// A key goes to [`Completion::key`] first. What that leaves goes to the editor, and [`Completion::changed`] is called
/// afterwards. Keys that mean the same with and without a list, such as the one that empties the editor, are the
/// caller's to look at before. When the function given to [`Completion::new`] is called, [`Completion::wake`] is to be
/// called soon.
pub struct Completion {
    provider: Arc<dyn Provider>,
    mailbox: Arc<Mailbox>,
    rows: usize,
    /// The request that is answered now.
    asked: Option<Asked>,
    open: Option<Open>,
    choosing: Choosing,
    /// Where the cursor stood when this was last looked at: the line, and the text before it there.
    seen: (usize, String),
}

struct Asked {
    request: Arc<Request>,
    /// A suggestion that is the only one is applied at once.
    single: bool,
}

/// The list. It may be about an earlier request while a later one is not answered yet.
struct Open {
    request: Arc<Request>,
    prefix: String,
    items: Vec<Suggestion>,
    list: SelectList,
    /// The user has moved in it.
    is_moved: bool,
}

impl Open {
    /// Whether the cursor is still in the word that the list is about.
    fn is_in_same_word(&self, request: &Request) -> bool {
        let start = self.request.before().len().saturating_sub(self.prefix.len());
        let Some(now) = request.before().get(start..) else { return false };
        let has_blank = |text: &str| text.contains(char::is_whitespace);
        now.contains('"') || has_blank(&self.prefix) || !has_blank(now)
    }
}

impl Completion {
    /// Asks this provider. `notify` is called, on any thread, when an answer has come.
    pub fn new(provider: Arc<dyn Provider>, notify: impl Fn() + Send + Sync + 'static) -> Self {
        let mailbox = Mailbox { current: Arc::default(), mail: Mutex::default(), notify: Box::new(notify) };
        Self {
            provider,
            mailbox: Arc::new(mailbox),
            rows: USUAL_ROWS,
            asked: None,
            open: None,
            choosing: Choosing::default(),
            seen: (0, String::new()),
        }
    }

    /// Asks another provider from now on.
    pub fn set_provider(&mut self, provider: Arc<dyn Provider>) {
        self.close();
        self.provider = provider;
    }

    /// The current provider, to be wrapped by another one.
    pub fn provider(&self) -> Arc<dyn Provider> {
        Arc::clone(&self.provider)
    }

    /// How many rows the list shows at once, within [`LEAST_ROWS`] and [`MOST_ROWS`].
    pub fn set_rows(&mut self, rows: usize) {
        self.rows = rows.clamp(LEAST_ROWS, MOST_ROWS);
        if let Some(open) = &mut self.open {
            open.list.set_rows(self.rows);
        }
    }

    /// Whether a list is shown.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether a suggestion was chosen that does not stand in the text yet: what is typed then is for the text with it.
    pub fn is_choosing(&self) -> bool {
        self.choosing.waits()
    }

    /// What is suggested now, the best first.
    pub fn items(&self) -> &[Suggestion] {
        self.open.as_ref().map(|open| open.items.as_slice()).unwrap_or_default()
    }

    /// What would be chosen now.
    pub fn selected(&self) -> Option<&Suggestion> {
        let open = self.open.as_ref()?;
        open.items.get(open.list.selected()?)
    }

    /// Closes the list, and forgets what was asked.
    pub fn close(&mut self) {
        let was_busy = self.open.take().is_some() | self.asked.take().is_some();
        if was_busy {
            self.mailbox.forget();
            self.provider.closed();
        }
    }

    /// Closes the list, and treats the text as not typed: for a paste, a prompt from the history, or a text that was
    /// set.
    pub fn reset(&mut self, editor: &Editor) {
        self.close();
        self.note(editor);
    }

    /// Takes one key, undecoded as the terminal sent it, before the editor gets it.
    pub fn key(&mut self, data: &str, keys: &Keymap, editor: &mut Editor) -> Became {
        if is_key_release(data) {
            return Became::Nothing;
        }
        if self.asked.as_ref().is_some_and(|asked| !asked.request.is_about(editor)) {
            // The text was set by something else.
            self.reset(editor);
        }
        let is_tab = keys.is(data, "tui.input.tab");
        if self.open.is_none() {
            return if is_tab { self.tab(editor) } else { self.key_while_waiting(data, keys) };
        }
        if is_tab {
            return self.choose(editor);
        }
        if keys.is(data, "tui.select.confirm") {
            if !self.is_current() {
                // The list is about an older text.
                self.close();
                return Became::Nothing;
            }
            return self.choose_and_send(editor);
        }
        let Some(open) = &mut self.open else { return Became::Nothing };
        match open.list.key(data, keys) {
            Picked::Cancelled => {
                self.close();
                Became::Closed
            }
            Picked::Moved | Picked::Item(_) => {
                open.is_moved = true;
                Became::Taken
            }
            Picked::Nothing => Became::Nothing,
        }
    }

    /// The list when it is open, for the wheel and for clicks.
    pub fn open_list(&mut self) -> Option<&mut SelectList> {
        let open = self.open.as_mut()?;
        open.is_moved = true;
        Some(&mut open.list)
    }

    /// Takes what is selected, as the key that completes does.
    pub fn choose_selected(&mut self, editor: &mut Editor) -> Became {
        if self.is_open() { self.choose(editor) } else { Became::Nothing }
    }

    /// The editor took a key: opens the list, asks again, or closes it.
    pub fn changed(&mut self, editor: &Editor) -> Became {
        let was_open = self.is_open();
        let (line, before) = place(editor);
        let mut became = Became::Nothing;
        if let Some(asked) = &self.asked {
            if asked.request.is_about(editor) {
                return Became::Nothing;
            }
            let forced = asked.request.forced;
            let is_near = asked.request.cursor.line == line && !editor.is_browsing_history();
            let goes_on = if forced { !word(before).text.is_empty() } else { self.has_trigger(editor) };
            if is_near && goes_on { became = self.ask(Request::new(editor, forced), false, None) } else { self.close() }
        } else if !editor.is_browsing_history() && self.is_typed(line, before) && self.has_trigger(editor) {
            became = self.ask(Request::new(editor, false), false, None);
        }
        self.note(editor);
        if was_open && !self.is_open() { Became::Closed } else { became }
    }

    /// Takes the answers that have come.
    pub fn wake(&mut self, editor: &mut Editor) -> Became {
        if let became @ (Became::Applied | Became::Submit | Became::Closed) = self.chosen(editor) {
            return became;
        }
        match self.mailbox.take() {
            Some(answer) => self.install(answer, Some(editor)),
            None => Became::Nothing,
        }
    }

    /// The rows of the list; none when it is closed.
    pub fn draw(&self, width: usize, styles: &Styles) -> Vec<String> {
        let Some(open) = &self.open else { return Vec::new() };
        let columns = Columns { least: 12, most: 32 };
        open.list.draw(width, &ListLook { styles, columns, empty: "" })
    }

    /// No list is shown, but an answer may be pending.
    fn key_while_waiting(&mut self, data: &str, keys: &Keymap) -> Became {
        if self.asked.is_some() && keys.is(data, "tui.select.cancel") {
            self.close();
        }
        Became::Nothing
    }

    /// The key that completes, without a list.
    fn tab(&mut self, editor: &mut Editor) -> Became {
        if self.asked.as_ref().is_some_and(|asked| asked.request.forced) {
            // The answer is pending.
            return Became::Taken;
        }
        let request = Request::new(editor, true);
        let is_name = slash(request.cursor, request.before()).is_some_and(|slash| slash.argument.is_none());
        if !is_name && !self.provider.completes_paths(&request) {
            return Became::Nothing;
        }
        match self.ask(request, true, Some(editor)) {
            Became::Applied => Became::Applied,
            _ => Became::Taken,
        }
    }

    fn ask(&mut self, request: Request, single: bool, editor: Option<&mut Editor>) -> Became {
        let request = Arc::new(request);
        self.asked = Some(Asked { request: Arc::clone(&request), single });
        let reply = Mailbox::begin(&self.mailbox);
        self.provider.suggest(&request, &reply);
        match self.mailbox.end() {
            Some(answer) => self.install(answer, editor),
            None => {
                // What is shown stays until there is an answer, as long as it is about the same word.
                self.open = self.open.take().filter(|open| open.is_in_same_word(&request));
                Became::Nothing
            }
        }
    }

    fn install(&mut self, answer: Option<Suggestions>, editor: Option<&mut Editor>) -> Became {
        let was_open = self.is_open();
        let closed = if was_open { Became::Closed } else { Became::Nothing };
        let Some(asked) = &self.asked else { return Became::Nothing };
        let request = Arc::clone(&asked.request);
        let is_stale = editor.as_ref().is_some_and(|editor| !request.is_about(editor));
        let Some(answer) = answer.filter(|answer| !is_stale && request.has(&answer.prefix)) else {
            self.close();
            return closed;
        };
        let Suggestions { items, prefix, more } = answer;
        match items.as_slice() {
            [] if more => return Became::Nothing,
            [] => {
                self.close();
                return closed;
            }
            [only] if asked.single && !more => {
                if let Some(editor) = editor {
                    let (item, is_command) = (only.clone(), false);
                    return self.begin(Choice { request, item, prefix, is_command, sends: false }, editor);
                }
            }
            _ => {}
        }
        let list = self.list(&items, &prefix);
        let is_moved = self.open.as_ref().is_some_and(|open| open.is_moved) && list.1;
        self.open = Some(Open { request, prefix, items, list: list.0, is_moved });
        Became::Taken
    }

    /// The list of these. What the user moved to stays selected if it is still there; else the best is.
    fn list(&self, items: &[Suggestion], prefix: &str) -> (SelectList, bool) {
        let row = |item: &Suggestion| Item::new(line(&item.label)).about(line(&item.description));
        let mut list = SelectList::new(items.iter().map(row).collect(), self.rows);
        let chosen = self.open.as_ref().filter(|open| open.is_moved).and_then(|_| self.selected());
        let kept = chosen.and_then(|chosen| items.iter().position(|item| item.value == chosen.value));
        list.select(kept.unwrap_or_else(|| best(items, prefix)));
        (list, kept.is_some())
    }

    /// Whether what is shown is about what is written.
    fn is_current(&self) -> bool {
        let (Some(open), Some(asked)) = (&self.open, &self.asked) else { return false };
        Arc::ptr_eq(&open.request, &asked.request)
    }

    fn choose(&mut self, editor: &mut Editor) -> Became {
        match self.choice(false).filter(|_| self.is_current()) {
            Some(choice) => self.begin(choice, editor),
            None => Became::Taken,
        }
    }

    fn choose_and_send(&mut self, editor: &mut Editor) -> Became {
        match self.choice(true) {
            Some(choice) => self.begin(choice, editor),
            None => Became::Taken,
        }
    }

    /// What is selected.
    fn choice(&self, sends: bool) -> Option<Choice> {
        let open = self.open.as_ref()?;
        let (request, prefix, item) = (Arc::clone(&open.request), open.prefix.clone(), self.selected()?.clone());
        let is_command = is_command(&request, &item, &prefix);
        Some(Choice { request, item, prefix, is_command, sends })
    }

    /// Asks what a choice makes of the text. The list is closed meanwhile.
    fn begin(&mut self, choice: Choice, editor: &mut Editor) -> Became {
        let mailbox = Arc::clone(&self.mailbox);
        self.choosing.begin(choice, &*self.provider, move || (mailbox.notify)());
        let became = self.chosen(editor);
        if became != Became::Nothing {
            return became;
        }
        self.close();
        Became::Taken
    }

    /// Takes what a choice makes of the text, if that is known now.
    fn chosen(&mut self, editor: &mut Editor) -> Became {
        let Some((choice, edit)) = self.choosing.take() else { return Became::Nothing };
        if !choice.request.is_about(editor) {
            // Something else set the text.
            self.reset(editor);
            return Became::Closed;
        }
        let edit = edit.unwrap_or_else(|| Edit::of_prefix(&choice.request, &choice.prefix, choice.item.value.clone()));
        let before = editor.text();
        let became = self.apply(&edit, editor);
        // A command that was typed to its end needs no second key.
        let is_whole = || before.starts_with('/') && editor.text().trim_end() == before.trim_end();
        match became {
            Became::Applied if choice.sends && (choice.is_command || is_whole()) => Became::Submit,
            Became::Applied if choice.is_command => {
                // What can follow the command is the next thing to choose.
                self.ask(Request::new(editor, false), false, None);
                Became::Applied
            }
            became => became,
        }
    }

    fn apply(&mut self, edit: &Edit, editor: &mut Editor) -> Became {
        let done = editor.replace(edit.from, edit.to, &edit.text, edit.cursor);
        self.reset(editor);
        if done { Became::Applied } else { Became::Closed }
    }

    fn note(&mut self, editor: &Editor) {
        let (line, before) = place(editor);
        self.seen = (line, before.to_owned());
    }

    /// Whether one character was typed, or some were deleted, at the cursor.
    fn is_typed(&self, line: usize, before: &str) -> bool {
        let (seen_line, seen) = &self.seen;
        if *seen_line != line || seen == before {
            return false;
        }
        let added = before.strip_prefix(seen.as_str());
        let is_one = |text: &str| graphemes(text).nth(1).is_none();
        added.map_or_else(|| seen.starts_with(before), is_one)
    }

    /// Whether what stands before the cursor is completed without being asked for.
    fn has_trigger(&self, editor: &Editor) -> bool {
        let (_, before) = place(editor);
        if slash(editor.cursor(), before).is_some() {
            return true;
        }
        let word = word(before);
        word.is_mention || word.text.chars().next().is_some_and(|first| self.provider.triggers().contains(&first))
    }
}

/// The line of the cursor, and what stands before it there.
fn place(editor: &Editor) -> (usize, &str) {
    let cursor = editor.cursor();
    let line = editor.lines().get(cursor.line).map(String::as_str).unwrap_or_default();
    (cursor.line, line.get(..cursor.column).unwrap_or_default())
}

/// The suggestion that is what was written, else the first that begins with it, else the first.
fn best(items: &[Suggestion], prefix: &str) -> usize {
    if prefix.starts_with('@') {
        // Files are in the order of how well they match.
        return 0;
    }
    let written = prefix.strip_prefix('/').filter(|_| !items.iter().any(|item| item.value.starts_with('/')));
    let written = written.unwrap_or(prefix);
    let exact = items.iter().position(|item| item.value == written);
    exact.or_else(|| items.iter().position(|item| item.value.starts_with(written))).unwrap_or(0)
}

/// Text from elsewhere, fit for one line.
fn line(text: &str) -> String {
    untrusted::plain(text).replace(['\n', '\t'], " ")
}

/// Where answers wait.
struct Mailbox {
    /// The number of the request whose answers are taken.
    current: Arc<AtomicU64>,
    mail: Mutex<Mail>,
    notify: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct Mail {
    /// A request is being made: answers are looked at when that is done.
    is_asking: bool,
    /// What has come for the request of this number.
    answer: Option<(u64, Option<Suggestions>)>,
    /// The request that has its last answer.
    done: u64,
}

impl Mailbox {
    /// Begins a request.
    fn begin(this: &Arc<Self>) -> Reply {
        let mailbox = Arc::clone(this);
        this.mail.lock().is_asking = true;
        let id = this.current.fetch_add(1, Ordering::SeqCst) + 1;
        Reply::new(id, Arc::clone(&this.current), Arc::new(move |id, answer| mailbox.put(id, answer)))
    }

    /// The request is made; gives what it was answered on the spot.
    fn end(&self) -> Option<Option<Suggestions>> {
        self.mail.lock().is_asking = false;
        self.take()
    }

    /// Answers to the request are not taken any more.
    fn forget(&self) {
        self.current.fetch_add(1, Ordering::SeqCst);
    }

    fn put(&self, id: u64, answer: Option<Suggestions>) {
        let mut mail = self.mail.lock();
        if mail.done == id {
            return;
        }
        if !answer.as_ref().is_some_and(|answer| answer.more) {
            mail.done = id;
        }
        mail.answer = Some((id, answer));
        let is_asking = mail.is_asking;
        drop(mail);
        if !is_asking {
            (self.notify)();
        }
    }

    fn take(&self) -> Option<Option<Suggestions>> {
        let (id, answer) = self.mail.lock().answer.take()?;
        (id == self.current.load(Ordering::SeqCst)).then_some(answer)
    }
}
