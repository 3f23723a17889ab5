//! Damaged session files: what is wrong is put right in the file, and what was there stays beside it.
//!
//! Opening a session changes no file: damaged lines are passed over, and the model gets stand-ins for results that are not
//! there. A repair writes that down, so that every program reads the same: each entry stays, with its id, and gets another
//! parent where something has to stand above it.

mod calls;
mod report;
mod rows;
mod salvage;
mod swap;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use tau_ai::Sources;

use crate::file::{AppendFile, Fate};
use crate::load::{self, Found, Loaded};
use crate::seen::Seen;
use crate::store::Store;
use crate::{EntryId, FORMAT_VERSION, Problem, ProblemReason, SessionError, migrate};

pub use report::{Fix, Repaired};

use rows::Row;

/// Repairs a session file that is not open elsewhere. A file in which nothing is wrong is not touched. Of any other, the
/// bytes of before are kept in a file beside it, and the new ones take its place in one step.
///
/// Blocks for as long as the disk takes.
///
/// # Errors
/// [`SessionError::InUse`] when tau has the session open, here or in another process; [`SessionError::NotASession`] and
/// [`SessionError::UnknownVersion`] as opening it does. The file is as it was then.
pub fn repair(path: &Path, sources: &Sources) -> Result<Repaired, SessionError> {
    // Of a link, the file behind it is repaired.
    let path = fs::canonicalize(path).map_err(SessionError::io("read", path))?;
    let (mut file, _) = AppendFile::open(&path).map_err(SessionError::io("read", &path))?;
    repair_open(&path, &mut file, sources)
}

/// Repairs the file of this name, of which `file` is a handle. That is one of the new file afterwards.
pub(crate) fn repair_open(path: &Path, file: &mut AppendFile, sources: &Sources) -> Result<Repaired, SessionError> {
    let Some(_alone) = file.claim() else { return Err(SessionError::InUse(path.to_owned())) };
    if file.look(path).map_err(SessionError::io("read", path))? != Fate::Same {
        return Err(swap::changed(path));
    }
    let before = fs::read(path).map_err(SessionError::io("read", path))?;
    let Corrected { text, mut fixes, left } = correct(&before, path, sources)?;
    if fixes.is_empty() {
        return Ok(Repaired { path: path.to_owned(), backup: None, fixes, left });
    }
    fixes.sort_by_key(Fix::line);
    let backup = swap::swap(path, &before, &text)?;
    let (mut new, _) = AppendFile::open(path).map_err(SessionError::io("read", path))?;
    new.saw(Seen::of(&text));
    *file = new;
    Ok(Repaired { path: path.to_owned(), backup: Some(backup), fixes, left })
}

/// A text as it should be, and how it got so.
struct Corrected {
    text: Vec<u8>,
    fixes: Vec<Fix>,
    left: Vec<Problem>,
}

fn correct(before: &[u8], path: &Path, sources: &Sources) -> Result<Corrected, SessionError> {
    let mut fixes = Vec::new();
    let text = match before.strip_prefix("\u{feff}".as_bytes()) {
        Some(rest) => {
            fixes.push(Fix::ByteOrderMark);
            rest
        }
        None => before,
    };
    let (header, line) = load::header(text, path)?;
    let mut rows = if header.version > FORMAT_VERSION {
        return Err(SessionError::UnknownVersion { path: path.to_owned(), version: header.version });
    } else if header.version < FORMAT_VERSION {
        fixes.push(Fix::Migrated(header.version));
        rows::read(&migrate::to_current(text, line, header.version)?, line, &mut fixes)
    } else {
        rows::read(text, line, &mut fixes)
    };
    let mut loaded = load(&rows, path)?;
    if join(&mut rows, &loaded, &mut fixes)? {
        loaded = load(&rows, path)?;
    }
    let left = loaded.problems.iter().map(|problem| Problem { line: rows[problem.line - 1].line, ..problem.clone() });
    let left: Vec<Problem> = left.collect();
    // Where two entries have one id, a parent that is named may be either.
    let plan = if loaded.tree.ids_are_unique() {
        let leaf = loaded.tree.file_leaf().map(|leaf| leaf.id());
        calls::plan(&loaded.tree.snapshot(), leaf, sources)?
    } else {
        calls::Plan::default()
    };
    fixes.extend(plan.fixes.into_iter().map(|fix| fix.at(|entry| rows[entry + 1].line)));
    for (entry, parent) in &plan.parents {
        rows[entry + 1].set_parent(Some(parent))?;
    }
    let mut text = Vec::with_capacity(before.len());
    let mut push = |line: &str| {
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
    };
    for (at, row) in rows.iter().enumerate() {
        push(&row.text);
        let behind = at.checked_sub(1).and_then(|entry| plan.behind.get(&entry));
        behind.into_iter().flatten().for_each(|line| push(line));
    }
    plan.last.iter().for_each(|line| push(line));
    Ok(Corrected { text, fixes, left })
}

/// The session in these rows: the first is the header, and each other one is an entry.
fn load(rows: &[Row], path: &Path) -> Result<Loaded, SessionError> {
    let text = rows.iter().flat_map(|row| [row.text.as_bytes(), b"\n"]).collect::<Vec<_>>().concat();
    match load::load(&Arc::new(Store::Memory(text)), path)? {
        Found::Session(loaded) => Ok(*loaded),
        Found::Old { .. } => Err(swap::changed(path)),
    }
}

/// Gives entries a parent that have none, although they name one. Says whether there were any.
fn join(rows: &mut [Row], loaded: &Loaded, fixes: &mut Vec<Fix>) -> Result<bool, SessionError> {
    let mut found = false;
    // Entries that are not there, with the one that stood before each.
    let mut lost: HashMap<EntryId, usize> = HashMap::new();
    for problem in &loaded.problems {
        let at = problem.line - 1;
        match &problem.reason {
            ProblemReason::Cycle(_) => {
                rows[at].set_parent(None)?;
                fixes.push(Fix::Cycle { line: rows[at].line });
            }
            // The line before cannot be read and was its parent: what it hung on was the entry before that.
            ProblemReason::UnknownParent(parent) => {
                if at == 1 && rows[at].is_behind(parent) {
                    // Nothing stood before the line that cannot be read.
                    rows[at].set_parent(None)?;
                    fixes.push(Fix::First { line: rows[at].line });
                    found = true;
                    continue;
                }
                if at >= 2 && rows[at].is_behind(parent) {
                    lost.insert(parent.clone(), at - 1);
                }
                let Some(&before) = lost.get(parent) else { continue };
                let above = loaded.tree.entries()[before - 1].id().clone();
                rows[at].set_parent(Some(&above))?;
                fixes.push(Fix::Joined { line: rows[at].line, to: rows[before].line });
            }
            _ => continue,
        }
        found = true;
    }
    Ok(found)
}
