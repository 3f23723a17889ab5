//! Searching files of this machine with ripgrep's own parts.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use ignore::overrides::OverrideBuilder;
use tokio_util::sync::CancellationToken;

use crate::ToolFailure;
use crate::fs::open_regular;
use crate::paths::relative_posix;
use crate::support::Aborts;
use crate::walk::walk;

/// The longest line that is searched, in bytes; a file with a longer one is told as unreadable.
const MAX_LINE: usize = 64 << 20;

/// How much of a line is kept, in bytes: more characters than are shown.
const MAX_KEPT: usize = 4 << 10;

/// What to look for, and where.
pub(super) struct Search {
    pub(super) pattern: String,
    pub(super) literal: bool,
    pub(super) ignore_case: bool,
    pub(super) glob: Option<String>,
    pub(super) root: PathBuf,
    pub(super) root_is_directory: bool,
    /// Globs with a `/` start here.
    pub(super) cwd: PathBuf,
    /// Lines around a match.
    pub(super) context: usize,
    pub(super) limit: usize,
}

/// A match with the lines around it.
pub(super) struct Match {
    /// The path to show.
    pub(super) path: String,
    /// The file itself.
    pub(super) file: PathBuf,
    /// The line, counted from 1.
    pub(super) line: u64,
    /// Numbers and texts of the lines to show, the match among them.
    pub(super) lines: Vec<(u64, String)>,
}

/// How a search ended.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) matches: usize,
    pub(super) limit_reached: bool,
    /// Why a part of the tree could not be searched.
    pub(super) unreadable: Option<String>,
}

/// Searches files in the order of their paths, and hands over match after match until the limit is reached.
pub(super) fn search(
    search: &Search,
    cancel: &CancellationToken,
    mut found: impl FnMut(Match),
) -> Result<Outcome, ToolFailure> {
    let matcher = matcher(search)?;
    let mut searcher = SearcherBuilder::new()
        .line_number(true)
        .before_context(search.context)
        .after_context(search.context)
        .binary_detection(BinaryDetection::quit(b'\0'))
        .heap_limit(Some(MAX_LINE))
        .build();
    let mut builder = walk(&search.root);
    builder.add_custom_ignore_filename(".rgignore");
    if let Some(glob) = &search.glob {
        // Outside of the working directory, paths from there mean nothing.
        let base = if search.root.starts_with(&search.cwd) { &search.cwd } else { &search.root };
        let overrides = OverrideBuilder::new(base).add(glob).and_then(|builder| builder.build());
        builder.overrides(overrides.map_err(|error| ToolFailure::new(format_args!("Invalid glob: {error}")))?);
    }
    let mut outcome = Outcome::default();
    for entry in builder.build() {
        cancel.check()?;
        let path = match entry {
            // What is no regular file could keep the search waiting for ever.
            Ok(entry) if is_file(&entry) => entry.into_path(),
            Ok(_) => continue,
            Err(error) => {
                outcome.unreadable.get_or_insert_with(|| error.to_string());
                continue;
            }
        };
        let file = match open_regular(&path) {
            Ok(file) => file,
            Err(error) => {
                outcome.unreadable.get_or_insert_with(|| error.to_string());
                continue;
            }
        };
        let shown = display_path(search, &path);
        let mut sink = FileSink {
            cancel,
            context: search.context as u64,
            left: search.limit - outcome.matches,
            before: VecDeque::new(),
            open: VecDeque::new(),
            found: |line, lines| {
                found(Match { path: shown.clone(), file: path.clone(), line, lines });
                outcome.matches += 1;
            },
        };
        let result = searcher.search_file(&matcher, &file, &mut sink);
        sink.flush(u64::MAX);
        cancel.check()?;
        if let Err(error) = result {
            outcome.unreadable.get_or_insert_with(|| format!("{}: {error}", path.display()));
        }
        if outcome.matches >= search.limit {
            outcome.limit_reached = true;
            break;
        }
    }
    Ok(outcome)
}

fn matcher(search: &Search) -> Result<RegexMatcher, ToolFailure> {
    RegexMatcherBuilder::new()
        .case_insensitive(search.ignore_case)
        .fixed_strings(search.literal)
        .multi_line(true)
        .line_terminator(Some(b'\n'))
        .build(&search.pattern)
        .map_err(ToolFailure::new)
}

fn is_file(entry: &ignore::DirEntry) -> bool {
    // The starting point itself may be a link.
    entry.file_type().is_some_and(|kind| kind.is_file()) || (entry.depth() == 0 && entry.path().is_file())
}

fn display_path(search: &Search, path: &Path) -> String {
    let relative = if search.root_is_directory { relative_posix(path, &search.root) } else { None };
    let name = || path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    relative.unwrap_or_else(name)
}

/// Collects the matches of one file. Each match has its own lines around it, even where they overlap with those
/// of the next.
struct FileSink<'s, F> {
    cancel: &'s CancellationToken,
    context: u64,
    left: usize,
    /// The last lines seen, for the next match.
    before: VecDeque<(u64, String)>,
    /// Matches that still wait for lines after them.
    open: VecDeque<(u64, Vec<(u64, String)>)>,
    found: F,
}

impl<F: FnMut(u64, Vec<(u64, String)>)> FileSink<'_, F> {
    /// Takes one line; false when no more are wanted.
    fn line(&mut self, number: u64, bytes: &[u8], is_match: bool) -> bool {
        self.flush(number);
        if self.left == 0 && self.open.is_empty() {
            return false;
        }
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_KEPT)]).replace(['\n', '\r'], "");
        for (_, lines) in &mut self.open {
            lines.push((number, text.clone()));
        }
        if is_match && self.left > 0 {
            self.left -= 1;
            let mut lines: Vec<(u64, String)> =
                self.before.iter().filter(|(before, _)| before + self.context >= number).cloned().collect();
            lines.push((number, text.clone()));
            self.open.push_back((number, lines));
        }
        if self.context == 0 {
            self.flush(u64::MAX);
        } else {
            self.before.push_back((number, text));
            if self.before.len() as u64 > self.context {
                self.before.pop_front();
            }
        }
        self.left > 0 || !self.open.is_empty()
    }

    /// Hands over the matches that want no line as far down as `number`.
    fn flush(&mut self, number: u64) {
        while let Some((line, _)) = self.open.front()
            && line.saturating_add(self.context) < number
        {
            if let Some((line, lines)) = self.open.pop_front() {
                (self.found)(line, lines);
            }
        }
    }
}

impl<F: FnMut(u64, Vec<(u64, String)>)> Sink for FileSink<'_, F> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, matched: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if self.cancel.is_cancelled() {
            return Ok(false);
        }
        Ok(self.line(matched.line_number().unwrap_or_default(), matched.bytes(), true))
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        Ok(self.line(context.line_number().unwrap_or_default(), context.bytes(), false))
    }
}
