//! Files as the script left them so far.

use std::path::{Component, Path, PathBuf};

use super::state::{State, Written};
use super::{Shell, limits};
use crate::evaluation::ScriptKind;
use crate::invocation::Stdin;
use crate::text::{Source, Text};
use crate::world::File;

/// A path without `.` and `..`, as a shell follows `cd`.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut new = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                new.pop();
            }
            part => new.push(part),
        }
    }
    new
}

/// What a file that is run holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// A text, as far as it is known, and what kind of script that makes it.
    Text(Text, ScriptKind),
    /// A program that was copied or linked there.
    Program(Text),
    /// A program, or nothing that is known.
    Other,
}

impl Shell<'_> {
    /// What a file holds, if the script wrote it or it is a text file that can be read.
    pub(super) fn content(&mut self, state: &State, name: &Text) -> Option<Text> {
        match self.run_content(state, name) {
            Content::Text(text, _) => Some(text),
            Content::Program(_) | Content::Other => None,
        }
    }

    /// What a file that a shell or the system is to run holds.
    pub(super) fn run_content(&mut self, state: &State, name: &Text) -> Content {
        let Some(known) = name.known() else { return Content::Other };
        if matches!(known, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "-") {
            return match &state.stdin {
                Stdin::Text(text) => Content::Text(text.clone(), ScriptKind::Text),
                Stdin::Inherited => Content::Other,
            };
        }
        let known = known.strip_prefix("/proc/self/fd/").map_or_else(|| known.to_owned(), |fd| format!("/dev/fd/{fd}"));
        let Some(path) = self.path(state, &known) else { return Content::Other };
        if let Some(written) = written(state, &path) {
            let kind = if path.starts_with("/dev/fd") { ScriptKind::Text } else { ScriptKind::File(path) };
            return match written {
                Written::Text(text) => Content::Text(text.clone(), kind),
                Written::Program(name) => Content::Program(name.clone()),
                Written::Folder | Written::Nothing => Content::Other,
            };
        }
        if state.is_elsewhere {
            return Content::Other;
        }
        self.steps += 10;
        match self.world.file(&path, limits::LENGTH as u64) {
            File::Text(text) => Content::Text(Text::new(text), ScriptKind::File(path)),
            File::TooLong => Content::Text(Text::unknown(Source::Local), ScriptKind::File(path)),
            File::Missing | File::Folder | File::Binary | File::Unreadable => Content::Other,
        }
    }

    /// Whether there is a folder; `None` if the script may have changed that.
    pub(super) fn is_folder(&self, state: &State, path: &Path) -> Option<bool> {
        match written(state, path) {
            Some(Written::Folder) => Some(true),
            Some(_) => None,
            None => match self.world.file(path, 0) {
                File::Folder => Some(true),
                _ => None,
            },
        }
    }

    /// The program that a path really is, if it was copied or linked under another name.
    pub(super) fn real_program(&self, state: &State, name: &str) -> Option<String> {
        let path = self.path(state, name).filter(|_| name.contains('/') && !state.is_elsewhere)?;
        let real = self.world.resolved(&path);
        let (own, other) = (path.file_name()?, real.file_name()?.to_str()?);
        (own != other).then(|| other.to_owned())
    }
}

/// What the script made of a path, or of a folder above it.
fn written<'s>(state: &'s State, path: &Path) -> Option<&'s Written> {
    if state.files.is_empty() {
        return None;
    }
    state.files.get(path)
}
