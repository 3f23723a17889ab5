//! The output of a running command in bounded memory.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::ends::{BothEnds, Ends};
use crate::truncate::{Limits, TruncatedBy, TruncationResult, format_size, truncate_tail};
use crate::utf8::Utf8Stream;

/// Takes output chunk by chunk, keeps its tail, and writes all of it to a file once it is over the limits.
/// The cost of a chunk depends on its own size only.
#[derive(Debug)]
pub struct OutputAccumulator {
    limits: Limits,
    directory: PathBuf,
    decoder: Utf8Stream,
    /// Both ends of all of it, when somebody wants them.
    ends: Option<BothEnds>,
    /// Everything so far, until it goes to a file.
    head: Vec<u8>,
    spill: Spill,
    tail: String,
    tail_starts_line: bool,
    raw_bytes: usize,
    decoded_bytes: usize,
    completed_lines: usize,
    open_line_bytes: usize,
    last_completed_line_bytes: usize,
}

#[derive(Debug)]
enum Spill {
    NotNeeded,
    Writing { path: PathBuf, file: File },
    Failed(String),
}

/// What a command has put out so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputSnapshot {
    /// The tail, and how much of the whole it is.
    pub truncation: TruncationResult,
    /// The file with the whole output; there when the output is over the limits and could be saved.
    pub full_output_path: Option<PathBuf>,
    /// Why the whole output could not be saved.
    pub save_error: Option<String>,
    last_line_bytes: usize,
}

impl OutputAccumulator {
    /// Starts with nothing; a file, if one is needed, goes to `directory`.
    pub fn new(directory: &Path, limits: Limits) -> Self {
        Self {
            limits,
            directory: directory.to_owned(),
            decoder: Utf8Stream::default(),
            ends: None,
            head: Vec::new(),
            spill: Spill::NotNeeded,
            tail: String::new(),
            tail_starts_line: true,
            raw_bytes: 0,
            decoded_bytes: 0,
            completed_lines: 0,
            open_line_bytes: 0,
            last_completed_line_bytes: 0,
        }
    }

    /// Also keeps the first and the last 512 KiB.
    #[must_use]
    pub(crate) fn with_ends(mut self) -> Self {
        self.ends = Some(BothEnds::default());
        self
    }

    /// The output, or both ends of it; once.
    pub(super) fn take_ends(&mut self) -> Ends {
        self.ends.take().unwrap_or_default().finish()
    }

    /// Adds a chunk as it came from the command.
    pub fn append(&mut self, chunk: &[u8]) {
        self.raw_bytes += chunk.len();
        let mut decoder = std::mem::take(&mut self.decoder);
        decoder.push(chunk, |text| self.append_text(text));
        self.decoder = decoder;
        match &self.spill {
            Spill::NotNeeded => self.head.extend_from_slice(chunk),
            Spill::Writing { .. } => self.save(chunk),
            Spill::Failed(_) => {}
        }
        self.start_saving_if_over();
    }

    /// Ends the output.
    pub fn finish(&mut self) {
        let mut decoder = std::mem::take(&mut self.decoder);
        decoder.finish(|text| self.append_text(text));
        self.start_saving_if_over();
    }

    /// The tail now.
    pub fn snapshot(&self) -> OutputSnapshot {
        let mut tail = truncate_tail(self.whole_lines_of_tail(), self.limits);
        let total_lines = self.total_lines();
        let over_bytes = self.decoded_bytes > self.limits.max_bytes;
        let truncated = total_lines > self.limits.max_lines || over_bytes;
        let by = if over_bytes { TruncatedBy::Bytes } else { TruncatedBy::Lines };
        if truncated && !tail.truncated && tail.content.ends_with('\n') {
            // What was cut had left the tail already; cut text never ends in a newline.
            tail.content.pop();
            tail.output_bytes -= 1;
        }
        let truncation = TruncationResult {
            truncated,
            truncated_by: truncated.then(|| tail.truncated_by.unwrap_or(by)),
            total_lines,
            total_bytes: self.decoded_bytes,
            ..tail
        };
        let (full_output_path, save_error) = match &self.spill {
            Spill::NotNeeded => (None, None),
            Spill::Writing { path, .. } => (Some(path.clone()), None),
            Spill::Failed(reason) => (None, Some(reason.clone())),
        };
        let last_line_bytes =
            if self.open_line_bytes > 0 { self.open_line_bytes } else { self.last_completed_line_bytes };
        OutputSnapshot { truncation, full_output_path, save_error, last_line_bytes }
    }

    fn append_text(&mut self, text: &str) {
        self.decoded_bytes += text.len();
        if let Some(ends) = &mut self.ends {
            ends.push(text);
        }
        self.tail.push_str(text);
        // Trimming only when twice over keeps the cost of a byte constant.
        let keep = self.limits.max_bytes.max(1) * 2;
        if self.tail.len() > keep * 2 {
            self.trim_tail(keep);
        }
        let mut lines = text.split('\n');
        self.open_line_bytes += lines.next().map_or(0, str::len);
        for line in lines {
            self.completed_lines += 1;
            self.last_completed_line_bytes = std::mem::replace(&mut self.open_line_bytes, line.len());
        }
    }

    fn trim_tail(&mut self, keep: usize) {
        let mut start = self.tail.len() - keep;
        while !self.tail.is_char_boundary(start) {
            start += 1;
        }
        self.tail_starts_line = self.tail.as_bytes()[start - 1] == b'\n';
        self.tail.drain(..start);
    }

    fn whole_lines_of_tail(&self) -> &str {
        match self.tail.split_once('\n') {
            // Without anything after it, the part of a line is all there is.
            Some((_, after)) if !self.tail_starts_line && !after.is_empty() => after,
            _ => &self.tail,
        }
    }

    fn total_lines(&self) -> usize {
        self.completed_lines + usize::from(self.open_line_bytes > 0)
    }

    fn start_saving_if_over(&mut self) {
        let over = self.raw_bytes.max(self.decoded_bytes) > self.limits.max_bytes
            || self.total_lines() > self.limits.max_lines;
        if !over || !matches!(self.spill, Spill::NotNeeded) {
            return;
        }
        self.spill = match create(&self.directory) {
            Ok((path, file)) => Spill::Writing { path, file },
            Err(error) => Spill::Failed(error.to_string()),
        };
        let head = std::mem::take(&mut self.head);
        self.save(&head);
    }

    fn save(&mut self, bytes: &[u8]) {
        if let Spill::Writing { file, .. } = &mut self.spill
            && let Err(error) = file.write_all(bytes)
        {
            self.spill = Spill::Failed(error.to_string());
        }
    }
}

impl OutputSnapshot {
    /// Says what part of the output is shown and where the rest is; empty when all of it is shown.
    pub fn notice(&self) -> String {
        let shown = &self.truncation;
        if !shown.truncated {
            return String::new();
        }
        let last = shown.total_lines;
        let first = (last + 1).saturating_sub(shown.output_lines);
        let what = if shown.last_line_partial {
            let part = format_size(shown.output_bytes as u64);
            format!("last {part} of line {last} (line is {})", format_size(self.last_line_bytes as u64))
        } else {
            let limit = match shown.truncated_by {
                Some(TruncatedBy::Bytes) => format!(" ({} limit)", format_size(shown.max_bytes as u64)),
                _ => String::new(),
            };
            format!("lines {first}-{last} of {last}{limit}")
        };
        let place = match (&self.full_output_path, &self.save_error) {
            (Some(path), _) => format!("Full output: {}", path.display()),
            (None, Some(reason)) => format!("The full output could not be saved: {reason}"),
            (None, None) => "The full output was not saved".to_owned(),
        };
        format!("\n\n[Showing {what}. {place}]")
    }
}

/// Only the user may read the file: output can hold secrets.
fn create(directory: &Path) -> io::Result<(PathBuf, File)> {
    let id = tau_ai::random_id().as_u128() as u64;
    let path = directory.join(format!("pi-bash-{id:016x}.log"));
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    Ok((path, file))
}
