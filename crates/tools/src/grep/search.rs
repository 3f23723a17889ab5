//! Searching files of this machine with ripgrep's own parts.

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
    /// Which files to search, relative to `root`.
    pub(super) glob: Option<String>,
    pub(super) root: PathBuf,
    pub(super) root_is_directory: bool,
    /// Lines around a match.
    pub(super) context: usize,
    /// How many matches to report; at least 1.
    pub(super) limit: usize,
}

/// A line to show.
pub(super) struct Line<'a> {
    /// The path to show.
    pub(super) path: &'a str,
    /// The line's number, counted from 1.
    pub(super) number: u64,
    pub(super) text: &'a str,
    /// Whether it is reported as a match; else it only surrounds one.
    pub(super) is_match: bool,
}

/// How a search ended.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Matches that were reported.
    pub(super) matches: usize,
    /// There is at least one match more than were reported.
    pub(super) more: bool,
    /// Why a part of the tree could not be searched.
    pub(super) unreadable: Option<String>,
}

/// Searches files in the order of their paths and hands over line after line, each once: the matches with the lines
/// around them. Past the limit the search goes on until one more match shows that the limit cut something.
pub(super) fn search(
    search: &Search,
    cancel: &CancellationToken,
    mut show: impl FnMut(Line<'_>),
) -> Result<Outcome, ToolFailure> {
    let matcher = matcher(search)?;
    // A file that is named is searched whatever it holds.
    let binary = if search.root_is_directory { BinaryDetection::quit(b'\0') } else { BinaryDetection::none() };
    let mut searcher = SearcherBuilder::new()
        .line_number(true)
        .before_context(search.context)
        .after_context(search.context)
        .binary_detection(binary)
        .heap_limit(Some(MAX_LINE))
        .build();
    let mut builder = walk(&search.root);
    builder.add_custom_ignore_filename(".rgignore");
    if let Some(glob) = &search.glob {
        let overrides = OverrideBuilder::new(&search.root).add(&plain_glob(glob)).and_then(|builder| builder.build());
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
            last_shown: None,
            more: false,
            show: |number, text: &str, is_match| show(Line { path: &shown, number, text, is_match }),
        };
        let result = searcher.search_file(&matcher, &file, &mut sink);
        outcome.matches = search.limit - sink.left;
        outcome.more = sink.more;
        cancel.check()?;
        if let Err(error) = result {
            outcome.unreadable.get_or_insert_with(|| format!("{}: {error}", path.display()));
        }
        if outcome.more {
            break;
        }
    }
    Ok(outcome)
}

/// The glob without a `./` in front, which would match nothing.
fn plain_glob(glob: &str) -> String {
    let (not, mut rest) = glob.strip_prefix('!').map_or(("", glob), |rest| ("!", rest));
    while let Some(shorter) = rest.strip_prefix("./") {
        rest = shorter;
    }
    format!("{not}{rest}")
}

fn matcher(search: &Search) -> Result<RegexMatcher, ToolFailure> {
    RegexMatcherBuilder::new()
        .case_insensitive(search.ignore_case)
        .fixed_strings(search.literal)
        .multi_line(true)
        .line_terminator(Some(b'\n'))
        .build(&search.pattern)
        .map_err(|error| {
            // The matcher wraps the pattern in a group, which its errors show; the model knows only what it wrote.
            let own = if search.literal { None } else { regex_syntax::parse(&search.pattern).err() };
            own.map_or_else(|| ToolFailure::new(error), ToolFailure::new)
        })
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

/// Picks the lines of one file to show.
struct FileSink<'s, F> {
    cancel: &'s CancellationToken,
    context: u64,
    /// How many matches may still be reported.
    left: usize,
    /// Once nothing is left: the last line that belongs to the last match of this file.
    last_shown: Option<u64>,
    /// A match came after the last that could be reported.
    more: bool,
    show: F,
}

impl<F: FnMut(u64, &str, bool)> FileSink<'_, F> {
    /// Takes one line; false when no more are wanted.
    fn line(&mut self, number: u64, bytes: &[u8], is_match: bool) -> bool {
        if self.cancel.is_cancelled() {
            return false;
        }
        if self.left > 0 {
            self.show(number, bytes, is_match);
            if is_match {
                self.left -= 1;
                if self.left == 0 {
                    self.last_shown = Some(number.saturating_add(self.context));
                }
            }
            return true;
        }
        self.more |= is_match;
        if self.last_shown.is_some_and(|last| number <= last) {
            // A match here is no more than a line around the last one.
            self.show(number, bytes, false);
        }
        !self.more || self.last_shown.is_some_and(|last| number < last)
    }

    fn show(&mut self, number: u64, bytes: &[u8], is_match: bool) {
        let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        (self.show)(number, &String::from_utf8_lossy(&line[..line.len().min(MAX_KEPT)]), is_match);
    }
}

impl<F: FnMut(u64, &str, bool)> Sink for FileSink<'_, F> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, matched: &SinkMatch<'_>) -> Result<bool, io::Error> {
        Ok(self.line(matched.line_number().unwrap_or_default(), matched.bytes(), true))
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        Ok(self.line(context.line_number().unwrap_or_default(), context.bytes(), false))
    }
}
