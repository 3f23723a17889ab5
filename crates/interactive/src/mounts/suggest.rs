//! Providers of completions of extensions around those of tau, and the other way round.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tau_hooks::mount::{Suggested, SuggestedItem, Suggests, Written};
use tau_hooks::{BoxFuture, Failing, HandlerError, InARow};
use tau_tui::complete::{Edit, EditReply, Provider, Reply, Request, Suggestion, Suggestions};
use tau_view::editor::Position;
use tokio::sync::mpsc;

/// How long an extension that asks for the suggestions of tau waits for more of them.
const PATIENCE: Duration = Duration::from_millis(300);
/// After how long what is suggested without an extension is shown until it answers, and what is chosen is written without it.
const LATE: Duration = Duration::from_secs(1);
/// For how many times [`LATE`] an answer is waited for that nobody wants any more.
const MOST_UNWANTED: u32 = 10;

/// A column in UTF-16 units for one in bytes.
fn units(line: &str, column: usize) -> usize {
    line[..line.floor_char_boundary(column)].encode_utf16().count()
}

/// A column in bytes for one in UTF-16 units.
fn bytes(line: &str, column: usize) -> usize {
    let mut left = column;
    for (at, char) in line.char_indices() {
        let Some(rest) = left.checked_sub(char.len_utf16()).filter(|_| left > 0) else { return at };
        left = rest;
    }
    line.len()
}

/// What is written, as extensions count it.
fn written(request: &Request) -> Written {
    let line = request.lines.get(request.cursor.line).map(String::as_str).unwrap_or_default();
    Written {
        lines: request.lines.clone(),
        cursor_line: request.cursor.line,
        cursor_col: units(line, request.cursor.column),
    }
}

/// A place as tau counts it.
fn position(written: &Written) -> Position {
    let line = written.lines.get(written.cursor_line).map(String::as_str).unwrap_or_default();
    Position { line: written.cursor_line, column: bytes(line, written.cursor_col) }
}

/// What tau suggests, for extensions.
pub(crate) struct Own {
    /// All of it.
    pub(crate) provider: Arc<dyn Provider>,
    /// The extension that was asked last before that, if there is one.
    pub(crate) theirs: Option<Arc<dyn Suggests>>,
}

impl Suggests for Own {
    fn suggest(&self, written: Written, force: bool) -> BoxFuture<Result<Option<Suggested>, HandlerError>> {
        let request = Request { cursor: position(&written), lines: written.lines, forced: force };
        let (sender, mut answers) = mpsc::unbounded_channel();
        // Who asked may be gone.
        let reply = Reply::apart(move |answer| drop(sender.send(answer)));
        self.provider.suggest(&Arc::new(request), &reply);
        Box::pin(async move {
            let mut last = None;
            let all = async {
                while let Some(answer) = answers.recv().await {
                    let more = answer.as_ref().is_some_and(|answer: &Suggestions| answer.more);
                    last = answer;
                    if !more {
                        break;
                    }
                }
            };
            if tokio::time::timeout(PATIENCE, all).await.is_err() {
                tracing::debug!("an extension gets the suggestions that there are so far");
            }
            drop(reply);
            Ok(last.map(|last| Suggested { items: last.items.into_iter().map(item).collect(), prefix: last.prefix }))
        })
    }

    fn number(&self) -> Option<u32> {
        self.theirs.as_ref()?.number()
    }
}

fn item(one: Suggestion) -> SuggestedItem {
    let description = Some(one.description).filter(|text| !text.is_empty());
    SuggestedItem { value: one.value, label: one.label, description }
}

fn suggestion(one: SuggestedItem) -> Suggestion {
    Suggestion { value: one.value, label: one.label, description: one.description.unwrap_or_default() }
}

/// What an extension suggests, for tau.
pub(crate) struct Theirs {
    theirs: Arc<dyn Suggests>,
    /// What was there before, which makes the edits that the extension does not make.
    before: Arc<dyn Provider>,
    failures: InARow,
    /// Hears of failures that are worth a word.
    failed: Failed,
}

/// Hears why there are no suggestions of an extension, and whether it is asked no more.
type Failed = Arc<dyn Fn(&HandlerError, Failing) + Send + Sync>;

impl Theirs {
    pub(crate) fn new(
        theirs: Arc<dyn Suggests>,
        before: Arc<dyn Provider>,
        failures: InARow,
        failed: impl Fn(&HandlerError, Failing) + Send + Sync + 'static,
    ) -> Self {
        Self { theirs, before, failures, failed: Arc::new(failed) }
    }
}

impl Provider for Theirs {
    fn suggest(&self, request: &Arc<Request>, reply: &Reply) {
        if self.failures.is_over() {
            return self.before.suggest(request, reply);
        }
        let mut asked = self.theirs.suggest(written(request), request.forced);
        let (failures, failed) = (self.failures.clone(), Arc::clone(&self.failed));
        let (before, request, reply) = (Arc::clone(&self.before), Arc::clone(request), reply.clone());
        tokio::spawn(async move {
            let (mut is_late, mut unwanted) = (false, 0);
            let shows = Arc::new(AtomicBool::new(false));
            let found = loop {
                match tokio::time::timeout(LATE, &mut asked).await {
                    Ok(found) => break found,
                    // It may be about to fail, which counts.
                    Err(_) if !reply.is_wanted() => unwanted += 1,
                    Err(_) if is_late => {}
                    Err(_) => {
                        is_late = true;
                        // That there is nothing without the extension says nothing about what it is about to suggest.
                        let (reply, shows) = (reply.clone(), Arc::clone(&shows));
                        let some = Reply::apart(move |found| {
                            if found.is_some() {
                                shows.store(true, Ordering::Relaxed);
                                reply.send(found);
                            }
                        });
                        before.suggest(&request, &some);
                    }
                }
                if unwanted >= MOST_UNWANTED {
                    return;
                }
            };
            let found = match found {
                // One that was overtaken says nothing about the extension.
                Ok(None) if !reply.is_wanted() => return,
                Ok(None) if shows.load(Ordering::Relaxed) => return failures.worked(),
                Ok(found) => {
                    failures.worked();
                    found
                }
                // Without the extension it is as if it was not there.
                Err(error) => {
                    failed(&error, failures.failed());
                    if !shows.load(Ordering::Relaxed) {
                        before.suggest(&request, &reply);
                    }
                    return;
                }
            };
            reply.send(found.map(|found| Suggestions {
                items: found.items.into_iter().map(suggestion).collect(),
                prefix: found.prefix,
                more: false,
            }));
        });
    }

    fn apply(&self, request: &Request, item: &Suggestion, prefix: &str) -> Edit {
        self.before.apply(request, item, prefix)
    }

    fn edit(&self, request: &Arc<Request>, one: &Suggestion, prefix: &str, reply: EditReply) {
        if self.failures.is_over() || !self.theirs.applies() {
            return self.before.edit(request, one, prefix, reply);
        }
        let asked = self.theirs.apply(written(request), item(one.clone()), prefix.to_owned());
        let (failures, failed) = (self.failures.clone(), Arc::clone(&self.failed));
        let (before, request, one, prefix) =
            (Arc::clone(&self.before), Arc::clone(request), one.clone(), prefix.to_owned());
        tokio::spawn(async move {
            match tokio::time::timeout(LATE, asked).await {
                Ok(Ok(Some(text))) => return reply.send(Edit::of_lines(&request, &text.lines, position(&text))),
                Ok(Ok(None)) => {}
                Ok(Err(error)) => failed(&error, failures.failed()),
                Err(_) => {
                    tracing::debug!("a completion is written without its extension, which did not say how in time")
                }
            }
            before.edit(&request, &one, &prefix, reply);
        });
    }

    fn triggers(&self) -> Vec<char> {
        let mut all = self.before.triggers();
        // As those of pi, they are asked after `#` without a word about it.
        all.push('#');
        all.extend(self.theirs.triggers());
        all
    }

    fn completes_paths(&self, request: &Request) -> bool {
        self.before.completes_paths(request)
    }

    fn closed(&self) {
        self.before.closed();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_the_same_place_in_both_ways_to_count() {
        let line = "a€😀b";
        for (in_bytes, in_units) in [(0, 0), (1, 1), (4, 2), (8, 4), (9, 5)] {
            assert_eq!((units(line, in_bytes), bytes(line, in_units)), (in_units, in_bytes));
        }
        assert_eq!(bytes(line, 99), line.len());
        assert_eq!(bytes(line, 3), 4, "within a character it is its start");
    }
}
