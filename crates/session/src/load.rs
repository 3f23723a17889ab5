//! From the text of a file to a tree, in one pass.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tau_ai::json::replace_lone_surrogates;

use crate::entry::{Source, Span};
use crate::line::Envelope;
use crate::tree::{Effect, Index, Tree};
use crate::{Entry, EntryId, EntryKind, Header, Problem, ProblemReason, SessionError};

/// The text of a file. Lines that were not UTF-8 are blank in it and stand beside it.
#[derive(Debug)]
pub(crate) struct Text {
    text: Arc<String>,
    /// By the byte at which they begin.
    repaired: BTreeMap<usize, Repaired>,
}

#[derive(Debug)]
struct Repaired {
    /// With replacement characters.
    text: String,
    original: Vec<u8>,
}

/// One line of a [`Text`].
pub(crate) struct Line<'a> {
    /// Counted from 1.
    pub(crate) number: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Without the newline.
    pub(crate) text: &'a str,
    /// What the file really has.
    pub(crate) original: &'a [u8],
    pub(crate) is_utf8: bool,
    pub(crate) ends_with_newline: bool,
}

impl Line<'_> {
    pub(crate) fn is_blank(&self) -> bool {
        self.text.bytes().all(|byte| byte.is_ascii_whitespace())
    }

    fn problem(&self, reason: ProblemReason) -> Problem {
        Problem { line: self.number, offset: self.start, reason }
    }

    /// Why the line cannot be read, when the parser said `error`.
    fn bad(&self, error: &serde_json::Error) -> Problem {
        self.problem(if self.text.contains('\0') {
            ProblemReason::NulBytes
        } else if !self.ends_with_newline {
            ProblemReason::Truncated
        } else if error.is_data() {
            ProblemReason::NotAnObject
        } else {
            // The parser sees one line at a time.
            ProblemReason::InvalidJson(error.to_string().replace(" at line 1 column ", " at column "))
        })
    }
}

impl Text {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        let mut repaired = BTreeMap::new();
        let text = String::from_utf8(bytes).unwrap_or_else(|error| {
            let mut bytes = error.into_bytes();
            let mut start = 0;
            while start < bytes.len() {
                let end = bytes[start..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |at| start + at);
                if let Cow::Owned(text) = String::from_utf8_lossy(&bytes[start..end]) {
                    repaired.insert(start, Repaired { text, original: bytes[start..end].to_vec() });
                    bytes[start..end].fill(b' ');
                }
                start = end + 1;
            }
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Self { text: Arc::new(text), repaired }
    }

    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn ends_with_newline(&self) -> bool {
        self.text.ends_with('\n')
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let (mut start, mut number) = (0, 0);
        std::iter::from_fn(move || {
            if start >= self.text.len() {
                return None;
            }
            let begin = start;
            let newline = self.text[begin..].find('\n').map(|at| begin + at);
            let end = newline.unwrap_or(self.text.len());
            start = end + 1;
            number += 1;
            let whole = &self.text[begin..end];
            let repaired = if self.repaired.is_empty() { None } else { self.repaired.get(&begin) };
            Some(Line {
                number,
                start: begin,
                end,
                text: repaired.map_or(whole, |line| &line.text),
                original: repaired.map_or(whole.as_bytes(), |line| &line.original),
                is_utf8: repaired.is_none(),
                ends_with_newline: newline.is_some(),
            })
        })
    }

    /// The header and the number of its line. Lines before it that are no JSON are passed over.
    pub(crate) fn header(&self, path: &Path) -> Result<(Header, usize), SessionError> {
        let refuse = |reason: String| SessionError::NotASession { path: path.to_owned(), reason };
        let is_json = |line: &Line<'_>| serde_json::from_str::<serde::de::IgnoredAny>(line.text).is_ok();
        let first = self.lines().find(|line| !line.is_blank() && is_json(line));
        let Some(line) = first else {
            let reason = if self.text.is_empty() { "the file is empty" } else { "there is no header" };
            return Err(refuse(reason.to_owned()));
        };
        Ok((Header::parse(line.text).map_err(refuse)?, line.number))
    }
}

/// The entries after the header, and what is wrong with the file.
pub(crate) fn load(text: &Text, header_line: usize) -> (Tree, Vec<Problem>) {
    let mut loader = Loader { text, tree: Tree::default(), problems: Vec::new(), waiting: Vec::new() };
    for line in text.lines().filter(|line| line.number != header_line && !line.is_blank()) {
        loader.line(&line);
    }
    loader.finish()
}

struct Loader<'a> {
    text: &'a Text,
    tree: Tree,
    problems: Vec<Problem>,
    /// Entries whose parent has not been seen yet, with their line.
    waiting: Vec<(Index, usize, usize)>,
}

impl Loader<'_> {
    fn line(&mut self, line: &Line<'_>) {
        if !line.is_utf8 {
            self.problems.push(line.problem(ProblemReason::InvalidUtf8));
        }
        let place = Some((line.number, line.start));
        let error = match serde_json::from_str::<Envelope<'_>>(line.text) {
            Ok(envelope) if line.is_utf8 => {
                let source = Source::File { text: Arc::clone(&self.text.text), start: line.start, end: line.end };
                return self.entry(line, line.text, &envelope, source);
            }
            Ok(envelope) => {
                return self.entry(line, line.text, &envelope, Source::Line { text: line.text.into(), place });
            }
            Err(error) => error,
        };
        let fixed = replace_lone_surrogates(line.text);
        match fixed.as_deref().map(|text| (text, serde_json::from_str::<Envelope<'_>>(text))) {
            Some((text, Ok(envelope))) => {
                self.entry(line, text, &envelope, Source::Line { text: text.into(), place });
            }
            _ => self.problems.push(line.bad(&error)),
        }
    }

    fn entry(&mut self, line: &Line<'_>, text: &str, envelope: &Envelope<'_>, source: Source) {
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
            EntryKind::Custom if envelope.custom_type.as_deref() == Some(crate::LEAF_MARKER) => Effect::LeafMarker,
            _ => Effect::None,
        };
        // The parent's own id is shared where there is one.
        let parent_id = envelope.parent_id.as_deref().map(|parent| match self.tree.get(parent) {
            Some(parent) => parent.id().clone(),
            None => EntryId::from(parent),
        });
        let timestamp = Span::of(envelope.timestamp.as_deref().unwrap_or_default(), text);
        let id = EntryId::from(id);
        let pushed = self.tree.push(Arc::new(Entry::read(id.clone(), parent_id, timestamp, kind, source)), effect);
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
        if self.text.len() > 0 && !self.text.ends_with_newline() {
            let last = self.text.lines().last();
            let reported = |line: &Line<'_>| self.problems.last().is_some_and(|problem| problem.line == line.number);
            if let Some(line) = last.filter(|line| !reported(line)) {
                self.problems.push(line.problem(ProblemReason::MissingNewline));
            }
        }
        (self.tree, self.problems)
    }
}
