//! The source of suggestions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tau_view::editor::{Editor, Position};

/// What could stand in place of what is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Suggestion {
    /// What is written when it is chosen.
    pub value: String,
    /// What it is called in the list.
    pub label: String,
    /// What it is; may be empty.
    pub description: String,
}

/// What could stand there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Suggestions {
    /// The best first.
    pub items: Vec<Suggestion>,
    /// What stands right before the cursor and would be replaced.
    pub prefix: String,
    /// Whether another answer to the same request follows.
    pub more: bool,
}

/// A question for suggestions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// The lines of the prompt; at least one.
    pub lines: Vec<String>,
    /// Where the cursor stands.
    pub cursor: Position,
    /// Whether the user asked for it, by the key that completes.
    pub forced: bool,
}

impl Request {
    /// About this editor.
    pub fn new(editor: &Editor, forced: bool) -> Self {
        Self { lines: editor.lines().to_vec(), cursor: editor.cursor(), forced }
    }

    /// The line of the cursor, up to the cursor.
    pub fn before(&self) -> &str {
        self.lines.get(self.cursor.line).and_then(|line| line.get(..self.cursor.column)).unwrap_or_default()
    }

    /// The line of the cursor, from the cursor on.
    pub fn after(&self) -> &str {
        self.lines.get(self.cursor.line).and_then(|line| line.get(self.cursor.column..)).unwrap_or_default()
    }

    /// Whether the text and the cursor are still those of the question.
    pub(super) fn is_about(&self, editor: &Editor) -> bool {
        self.cursor == editor.cursor() && self.lines == editor.lines()
    }

    /// Whether a prefix that an answer names stands before the cursor.
    pub(super) fn has(&self, prefix: &str) -> bool {
        self.before().ends_with(prefix)
    }
}

/// A change to the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edit {
    /// Where the replaced text begins.
    pub from: Position,
    /// Where it ends.
    pub to: Position,
    /// What stands there afterwards.
    pub text: String,
    /// Where in that text the cursor stands, in bytes.
    pub cursor: usize,
}

impl Edit {
    /// Replaces the prefix before the cursor with `text`; the cursor goes behind it.
    pub(crate) fn of_prefix(request: &Request, prefix: &str, text: String) -> Self {
        let to = request.cursor;
        let from = Position { line: to.line, column: to.column.saturating_sub(prefix.len()) };
        Self { from, to, cursor: text.len(), text }
    }

    /// Replaces all lines. A cursor outside of them goes to their end.
    pub fn of_lines(request: &Request, lines: &[String], cursor: Position) -> Self {
        let last = request.lines.len().saturating_sub(1);
        let to = Position { line: last, column: request.lines.last().map_or(0, String::len) };
        let text = lines.join("\n");
        let before: usize = lines.iter().take(cursor.line).map(|line| line.len() + 1).sum();
        let column = lines.get(cursor.line).map_or(0, |line| cursor.column.min(line.len()));
        let cursor = (before + column).min(text.len());
        Self { from: Position::default(), to, text, cursor }
    }
}

/// A source of suggestions. A provider may wrap another one: it passes the request on with [`Reply::map`] and changes
/// the answer.
pub trait Provider: Send + Sync {
    /// Answers through `reply`, now or later, on any thread: once, or several times while [`Suggestions::more`] is set.
    fn suggest(&self, request: &Arc<Request>, reply: &Reply);

    /// The edit that choosing `item` makes. `prefix` is the one that came with it.
    fn apply(&self, request: &Request, item: &Suggestion, prefix: &str) -> Edit {
        Edit::of_prefix(request, prefix, item.value.clone())
    }

    /// Finds out the edit that choosing `item` makes; `request` is about what is written then. Answers now or later, on any
    /// thread.
    fn edit(&self, request: &Arc<Request>, item: &Suggestion, prefix: &str, reply: EditReply) {
        reply.send(self.apply(request, item, prefix));
    }

    /// Characters that open the list at the start of a word, in addition to `@` and to `/` at the start of a prompt.
    fn triggers(&self) -> Vec<char> {
        Vec::new()
    }

    /// Whether the key that completes may complete a path here.
    fn completes_paths(&self, request: &Request) -> bool {
        let _ = request;
        true
    }

    /// The list was closed: work started for it can stop.
    fn closed(&self) {}
}

/// Takes the edit of a suggestion that was chosen; nothing when nobody answered.
type TakeEdit = dyn FnOnce(Option<Edit>) + Send;

/// Where the edit of a suggestion goes. Dropped without an answer, it says that there is none.
pub struct EditReply(Option<Box<TakeEdit>>);

impl EditReply {
    pub(super) fn new(take: impl FnOnce(Option<Edit>) + Send + 'static) -> Self {
        Self(Some(Box::new(take)))
    }

    /// Answers.
    pub fn send(mut self, edit: Edit) {
        if let Some(take) = self.0.take() {
            take(Some(edit));
        }
    }
}

impl Drop for EditReply {
    fn drop(&mut self) {
        if let Some(take) = self.0.take() {
            take(None);
        }
    }
}

/// Takes an answer: which request it is for, and what was found.
type Take = dyn Fn(u64, Option<Suggestions>) + Send + Sync;

/// Where an answer goes.
#[derive(Clone)]
pub struct Reply {
    id: u64,
    current: Arc<AtomicU64>,
    take: Arc<Take>,
}

impl Reply {
    /// For the request of this number, as long as it is the current one.
    pub(super) fn new(id: u64, current: Arc<AtomicU64>, take: Arc<Take>) -> Self {
        Self { id, current, take }
    }

    /// For a request outside of the list, which is always wanted.
    pub fn apart(take: impl Fn(Option<Suggestions>) + Send + Sync + 'static) -> Self {
        Self { id: 0, current: Arc::default(), take: Arc::new(move |_, answer| take(answer)) }
    }

    /// The number of the request: later requests have greater ones.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Whether the answer is still wanted.
    pub fn is_wanted(&self) -> bool {
        self.current.load(Ordering::SeqCst) == self.id
    }

    /// Answers; `None` means no suggestions. Does nothing if the answer is no longer wanted.
    pub fn send(&self, answer: Option<Suggestions>) {
        if self.is_wanted() {
            (self.take)(self.id, answer);
        }
    }

    /// A reply that changes each answer before passing it on.
    #[must_use]
    pub fn map(&self, change: impl Fn(Option<Suggestions>) -> Option<Suggestions> + Send + Sync + 'static) -> Self {
        let take = Arc::clone(&self.take);
        self.through(move |id, answer| take(id, change(answer)))
    }

    /// A reply that gives answers to `take` instead.
    pub(super) fn through(&self, take: impl Fn(u64, Option<Suggestions>) + Send + Sync + 'static) -> Self {
        Self { id: self.id, current: Arc::clone(&self.current), take: Arc::new(take) }
    }
}
