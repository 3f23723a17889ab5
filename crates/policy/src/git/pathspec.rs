//! What names of files select.

use std::path::{Component, Path, PathBuf};

use crate::text::{Piece, Text};
use crate::world::World;

use super::paths::{plain, real};

/// How much a name selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breadth {
    /// The files that it names.
    Some,
    /// Everything here, or in the whole work tree.
    All,
    /// It takes files out.
    Less,
    /// It may be any name.
    Unknown,
}

/// Where names of files are read.
pub(super) struct Here<'a> {
    /// The directory.
    pub(super) directory: Option<&'a Path>,
    /// The root of the work tree.
    pub(super) root: Option<&'a Path>,
    pub(super) world: &'a dyn World,
}

impl Here<'_> {
    /// How much a name selects.
    pub(super) fn breadth(&self, text: &Text) -> Breadth {
        // Nothing but patterns, as `*` or `[a-z]*`.
        let is_glob = |piece: &Piece| matches!(piece, Piece::Glob(_));
        if text.is_glob() && text.pieces().iter().all(is_glob) && text.shown().contains('*') {
            return Breadth::All;
        }
        let Some(pattern) = text.pattern() else {
            return match text.pieces().first() {
                Some(Piece::Unknown(_)) => Breadth::Unknown,
                _ => Breadth::Some,
            };
        };
        let Magic { is_top, is_less, rest } = Magic::of(&pattern);
        if is_less {
            return Breadth::Less;
        }
        // Old shells put `.` and `..` in place of `.*`.
        let is_dots = text.is_glob() && rest.rsplit('/').next() == Some(".*");
        if is_dots || is_pattern_alone(rest) {
            return Breadth::All;
        }
        // What ends in `*` selects as much as the folder before it.
        let folder = rest.trim_end_matches(['*', '/']);
        let is_star = folder.len() < rest.len() && rest.contains('*') || rest.is_empty();
        let folder = match folder {
            "" if rest.starts_with('/') && !is_top => "/",
            folder => folder,
        };
        if folder.is_empty() && (is_star || is_top) {
            return Breadth::All;
        }
        let is_part = is_star && !rest.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        if is_part || folder.contains(['*', '?', '[']) {
            return Breadth::Some;
        }
        if self.holds_everything(folder, is_top) { Breadth::All } else { Breadth::Some }
    }

    /// Whether a folder is this one, or one that this one or the whole work tree is in.
    fn holds_everything(&self, folder: &str, is_top: bool) -> bool {
        let base = if is_top { self.root } else { self.directory };
        let Some(base) = base else {
            return Path::new(folder).components().all(|part| matches!(part, Component::CurDir | Component::ParentDir));
        };
        let path = real(&base.join(folder), self.world);
        let holds = |inner: Option<&Path>| inner.is_some_and(|inner| real(inner, self.world).starts_with(&path));
        holds(self.root) || (!is_top && holds(self.directory))
    }

    /// The file that a name stands for, if it stands for one.
    pub(super) fn file(&self, text: &Text) -> Option<PathBuf> {
        let name = text.known()?;
        let Magic { is_top, is_less, rest } = Magic::of(name);
        let base = if is_top { self.root } else { self.directory }?;
        (!is_less && !rest.contains(['*', '?', '['])).then(|| plain(&base.join(rest)))
    }
}

/// Whether nothing in a pattern is a letter that must be there, as in `*` or `[a-z]*`. A star stands for slashes too.
fn is_pattern_alone(pattern: &str) -> bool {
    let mut rest = pattern;
    while let Some(at) = rest.find(']').filter(|_| rest.starts_with('[')) {
        rest = rest.get(at + 1..).unwrap_or_default();
    }
    rest.contains('*') && rest.chars().all(|letter| matches!(letter, '*' | '?' | '/')) && !rest.starts_with('/')
}

/// What stands before a name: `:/`, `:!`, `:(top,exclude)`.
struct Magic<'a> {
    is_top: bool,
    is_less: bool,
    rest: &'a str,
}

impl<'a> Magic<'a> {
    fn of(pattern: &'a str) -> Self {
        let plain = Self { is_top: false, is_less: false, rest: pattern };
        let Some(rest) = pattern.strip_prefix(':') else { return plain };
        if let Some((words, rest)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            let has = |word: &str| words.split(',').any(|known| known.trim() == word);
            return Self { is_top: has("top"), is_less: has("exclude"), rest };
        }
        let end = rest.find(|letter| !matches!(letter, '/' | '!' | '^')).unwrap_or(rest.len());
        let (letters, behind) = rest.split_at(end);
        let behind = behind.strip_prefix(':').unwrap_or(behind);
        // A colon alone is no name at all.
        let is_top = letters.contains('/') || rest.is_empty();
        Self { is_top, is_less: letters.contains(['!', '^']), rest: behind }
    }
}
