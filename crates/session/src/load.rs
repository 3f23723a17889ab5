//! From the lines of a file to a tree, in one pass.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use tau_ai::json::replace_lone_surrogates;

use crate::entry::Source;
use crate::line::Envelope;
use crate::lines::{Line, lines};
use crate::marks::Marks;
use crate::seen::Seen;
use crate::store::Store;
use crate::tree::{Effect, Index, Tree};
use crate::{Entry, EntryId, EntryKind, FORMAT_VERSION, Header, LEAF_MARKER, Problem, ProblemReason, SessionError};

/// What a file holds.
pub(crate) struct Loaded {
    pub(crate) header: Header,
    pub(crate) tree: Tree,
    /// What is wrong with it.
    pub(crate) problems: Vec<Problem>,
    /// What the file was like.
    pub(crate) seen: Seen,
}

/// What was found in a file.
pub(crate) enum Found {
    Session(Box<Loaded>),
    /// A session of this older version, with its header in this line.
    Old {
        version: u64,
        header_line: usize,
    },
}

/// The header of a text, and the number of its line. Lines before it that are no JSON are passed over.
pub(crate) fn header(text: &[u8], path: &Path) -> Result<(Header, usize), SessionError> {
    let found = lines(text).find_map(|line| Some((header_in(&line)?, line.number)));
    match found {
        Some((header, number)) => Ok((header.map_err(|reason| refuse(path, reason))?, number)),
        None => Err(without_header(path, text.is_empty())),
    }
}

fn refuse(path: &Path, reason: String) -> SessionError {
    SessionError::NotASession { path: path.to_owned(), reason }
}

fn without_header(path: &Path, is_empty: bool) -> SessionError {
    refuse(path, if is_empty { "the file is empty" } else { "there is no header" }.to_owned())
}

/// The header, when the line is JSON, or why it is none.
fn header_in(line: &Line<'_>) -> Option<Result<Header, String>> {
    let is_json = !line.is_blank() && serde_json::from_str::<serde::de::IgnoredAny>(&line.text).is_ok();
    is_json.then(|| Header::parse(&line.text))
}

/// Reads a file.
///
/// # Errors
/// When it cannot be read, has no header, or is of a version that is not known.
pub(crate) fn load(store: &Arc<Store>, path: &Path) -> Result<Found, SessionError> {
    let mut loader = Loader { store, tree: Tree::default(), problems: Vec::new(), waiting: Vec::new(), last: None };
    let mut header: Option<Header> = None;
    let mut other = None;
    let seen = store.each_line(|line| {
        if header.is_none()
            && let Some(found) = header_in(line)
        {
            match found {
                Ok(found) if found.version == FORMAT_VERSION => {
                    loader.last = Some(line.problem(ProblemReason::MissingNewline)).filter(|_| !line.ends_with_newline);
                    header = Some(found);
                    return ControlFlow::Continue(());
                }
                Ok(found) if found.version < FORMAT_VERSION => {
                    other = Some(Ok(Found::Old { version: found.version, header_line: line.number }));
                }
                Ok(found) => {
                    let version = found.version;
                    other = Some(Err(SessionError::UnknownVersion { path: path.to_owned(), version }));
                }
                Err(reason) => other = Some(Err(refuse(path, reason))),
            }
            return ControlFlow::Break(());
        }
        loader.line(line);
        ControlFlow::Continue(())
    });
    let seen = seen.map_err(SessionError::io("read", path))?;
    if let Some(other) = other {
        return other;
    }
    let Some(header) = header else { return Err(without_header(path, seen.len == 0)) };
    let (tree, problems) = loader.finish();
    Ok(Found::Session(Box::new(Loaded { header, tree, problems, seen })))
}

struct Loader<'a> {
    store: &'a Arc<Store>,
    tree: Tree,
    problems: Vec<Problem>,
    /// Entries whose parent has not been seen yet, with their line.
    waiting: Vec<(Index, usize, usize)>,
    /// The last line, if it has no newline.
    last: Option<Problem>,
}

impl Loader<'_> {
    fn line(&mut self, line: &Line<'_>) {
        self.last = Some(line.problem(ProblemReason::MissingNewline)).filter(|_| !line.ends_with_newline);
        if line.is_blank() {
            return;
        }
        if !line.is_utf8() {
            self.problems.push(line.problem(ProblemReason::InvalidUtf8));
        }
        let place = Some((line.number, line.start));
        let error = match serde_json::from_str::<Envelope<'_>>(&line.text) {
            Ok(envelope) if line.is_utf8() => {
                let source = Source::stored(self.store, line);
                return self.entry(line, &envelope, source);
            }
            Ok(envelope) => {
                return self.entry(line, &envelope, Source::Line { text: (*line.text).into(), place });
            }
            Err(error) => error,
        };
        let fixed = replace_lone_surrogates(&line.text);
        match fixed.as_deref().map(|text| (text, serde_json::from_str::<Envelope<'_>>(text))) {
            Some((text, Ok(envelope))) => self.entry(line, &envelope, Source::Line { text: text.into(), place }),
            _ => self.problems.push(line.bad(&error)),
        }
    }

    fn entry(&mut self, line: &Line<'_>, envelope: &Envelope<'_>, source: Source) {
        let Some(type_name) = envelope.kind.as_deref() else {
            return self.problems.push(line.problem(ProblemReason::Incomplete("type")));
        };
        if type_name == "session" {
            return self.problems.push(line.problem(ProblemReason::SecondHeader));
        }
        let Some(id) = envelope.id.as_deref() else {
            return self.problems.push(line.problem(ProblemReason::Incomplete("id")));
        };
        let kind = EntryKind::from_name(type_name);
        let effect = match kind {
            EntryKind::Label => match envelope.target_id.as_deref() {
                Some(target) => Effect::label(target, envelope.label.as_deref()),
                None => Effect::None,
            },
            EntryKind::SessionInfo => Effect::name(envelope.name.as_deref()),
            EntryKind::Custom if envelope.custom_type.as_deref() == Some(LEAF_MARKER) => Effect::LeafMarker,
            _ => Effect::None,
        };
        // The parent's own id is shared where there is one.
        let parent_id = envelope.parent_id.as_deref().map(|parent| match self.tree.get(parent) {
            Some(parent) => parent.id().clone(),
            None => EntryId::from(parent),
        });
        let timestamp = envelope.timestamp.as_deref().unwrap_or_default();
        let id = EntryId::from(id);
        let entry = Entry::read(id.clone(), parent_id, timestamp, kind, Marks::of(kind, envelope), source);
        let pushed = self.tree.push(Arc::new(entry), effect);
        if pushed.id_taken {
            self.problems.push(line.problem(ProblemReason::DuplicateId(id)));
        }
        if pushed.parent_missing {
            self.waiting.push((pushed.at, line.number, line.start));
        }
    }

    fn finish(mut self) -> (Tree, Vec<Problem>) {
        let waiting: Vec<_> = self.waiting.iter().map(|(at, ..)| *at).collect();
        for (at, reason) in self.tree.link_forward(&waiting) {
            if let Ok(found) = self.waiting.binary_search_by_key(&at, |(index, ..)| *index) {
                let (_, line, offset) = self.waiting[found];
                self.problems.push(Problem { line, offset, reason });
            }
        }
        self.problems.sort_by_key(|problem| problem.line);
        let reported = |last: &Problem| self.problems.last().is_some_and(|problem| problem.line == last.line);
        if let Some(last) = self.last.take().filter(|last| !reported(last)) {
            self.problems.push(last);
        }
        (self.tree, self.problems)
    }
}
