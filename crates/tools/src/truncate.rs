//! Cutting output down to what a model should read.
//!
//! Two limits hold at once, lines and bytes; whichever is met first cuts. Only whole lines are kept, except
//! when the last line alone is over the byte limit and the tail is wanted.

use serde::{Deserialize, Serialize};

/// Lines kept by default.
pub const DEFAULT_MAX_LINES: usize = 2000;
/// Bytes kept by default.
pub const DEFAULT_MAX_BYTES: usize = 50 * 1024;
/// UTF-16 code units of a line that grep shows.
pub const GREP_MAX_LINE_LENGTH: usize = 500;

/// How much may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Lines.
    pub max_lines: usize,
    /// Bytes of UTF-8.
    pub max_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_lines: DEFAULT_MAX_LINES, max_bytes: DEFAULT_MAX_BYTES }
    }
}

impl Limits {
    /// Only the byte limit, for output whose number of lines is bounded already. The line limit is then the
    /// largest integer that JavaScript holds exactly, as it shows up in details that extensions read.
    pub const BYTES_ONLY: Self = Self { max_lines: (1 << 53) - 1, max_bytes: DEFAULT_MAX_BYTES };
}

/// Which limit cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TruncatedBy {
    /// Too many lines.
    Lines,
    /// Too many bytes.
    Bytes,
}

/// Text that met the limits, and what was cut. A final newline ends the last line; it starts no new one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TruncationResult {
    /// What was kept.
    pub content: String,
    /// Whether anything was cut.
    pub truncated: bool,
    /// Which limit cut; `None` when nothing was.
    pub truncated_by: Option<TruncatedBy>,
    /// Lines of the whole text.
    pub total_lines: usize,
    /// Bytes of the whole text.
    pub total_bytes: usize,
    /// Lines kept.
    pub output_lines: usize,
    /// Bytes kept.
    pub output_bytes: usize,
    /// The only line kept is the end of a longer one.
    pub last_line_partial: bool,
    /// Nothing was kept, because the first line alone is over the byte limit.
    pub first_line_exceeds_limit: bool,
    /// The line limit.
    pub max_lines: usize,
    /// The byte limit.
    pub max_bytes: usize,
}

/// Keeps the beginning of `content`.
pub fn truncate_head(content: &str, limits: Limits) -> TruncationResult {
    let mut truncator = HeadTruncator::new(limits);
    truncator.push(content);
    truncator.finish()
}

/// Keeps the end of `content`.
pub fn truncate_tail(content: &str, limits: Limits) -> TruncationResult {
    let total_bytes = content.len();
    let total_lines = count_lines(content);
    if total_lines <= limits.max_lines && total_bytes <= limits.max_bytes {
        return TruncationResult::whole(content.to_owned(), total_lines, limits);
    }
    let mut kept = 0;
    let mut kept_lines = 0;
    let mut by = TruncatedBy::Lines;
    let body = content.strip_suffix('\n').unwrap_or(content);
    for line in body.rsplit('\n').take(limits.max_lines) {
        let cost = line.len() + usize::from(kept_lines > 0);
        if kept + cost > limits.max_bytes {
            by = TruncatedBy::Bytes;
            break;
        }
        kept += cost;
        kept_lines += 1;
    }
    let partial = kept_lines == 0 && by == TruncatedBy::Bytes;
    let start = if partial { ceil_char_boundary(body, body.len() - limits.max_bytes) } else { body.len() - kept };
    let output = &body[start..];
    TruncationResult {
        truncated: true,
        truncated_by: Some(by),
        total_lines,
        total_bytes,
        output_lines: if partial { 1 } else { kept_lines },
        output_bytes: output.len(),
        last_line_partial: partial,
        ..TruncationResult::whole(output.to_owned(), 0, limits)
    }
}

/// Cuts one line to `max_units` UTF-16 code units, the length that JavaScript knows, and says so in the text; the flag
/// tells whether it was cut. A character is kept whole or left out.
pub fn truncate_line(line: &str, max_units: usize) -> (String, bool) {
    let mut units = 0;
    for (end, character) in line.char_indices() {
        units += character.len_utf16();
        if units > max_units {
            return (format!("{}... [truncated]", &line[..end]), true);
        }
    }
    (line.to_owned(), false)
}

/// Shows a number of bytes as `12B`, `3.4KB` or `5.6MB`.
pub fn format_size(bytes: u64) -> String {
    let tenths = |unit: u64| {
        // Halves round up.
        let tenths = (u128::from(bytes) * 20 + u128::from(unit)) / (2 * u128::from(unit));
        format!("{}.{}", tenths / 10, tenths % 10)
    };
    match bytes {
        0..1024 => format!("{bytes}B"),
        1024..0x10_0000 => format!("{}KB", tenths(1024)),
        _ => format!("{}MB", tenths(1024 * 1024)),
    }
}

/// [`truncate_head`] over text that arrives in pieces; holds no more than the byte limit and a little.
#[derive(Debug)]
pub struct HeadTruncator {
    limits: Limits,
    kept: String,
    total_bytes: usize,
    newlines: usize,
    ends_with_newline: bool,
    first_line_bytes: usize,
}

impl HeadTruncator {
    /// Starts with nothing.
    pub fn new(limits: Limits) -> Self {
        Self { limits, kept: String::new(), total_bytes: 0, newlines: 0, ends_with_newline: false, first_line_bytes: 0 }
    }

    /// Adds text.
    pub fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.newlines == 0 {
            self.first_line_bytes += text.find('\n').unwrap_or(text.len());
        }
        self.newlines += text.bytes().filter(|byte| *byte == b'\n').count();
        self.total_bytes += text.len();
        self.ends_with_newline = text.ends_with('\n');
        // One byte over the limit shows whether the last line that fits ends there.
        let wanted = (self.limits.max_bytes + 1).saturating_sub(self.kept.len());
        if wanted > 0 {
            self.kept.push_str(&text[..ceil_char_boundary(text, wanted.min(text.len()))]);
        }
    }

    /// Bytes of the first line so far, without its newline.
    pub(crate) fn first_line_bytes(&self) -> usize {
        self.first_line_bytes
    }

    /// Ends the text.
    pub fn finish(self) -> TruncationResult {
        let Self { limits, mut kept, total_bytes, .. } = self;
        let unterminated = total_bytes > 0 && !self.ends_with_newline;
        let total_lines = self.newlines + usize::from(unterminated);
        if total_lines <= limits.max_lines && total_bytes <= limits.max_bytes {
            return TruncationResult::whole(kept, total_lines, limits);
        }
        let mut output_bytes = 0;
        let mut output_lines = 0;
        let mut by = TruncatedBy::Lines;
        for line in kept.split('\n').take(limits.max_lines.min(total_lines)) {
            let cost = line.len() + usize::from(output_lines > 0);
            if output_bytes + cost > limits.max_bytes {
                by = TruncatedBy::Bytes;
                break;
            }
            output_bytes += cost;
            output_lines += 1;
        }
        kept.truncate(output_bytes);
        TruncationResult {
            truncated: true,
            truncated_by: Some(by),
            total_lines,
            total_bytes,
            output_lines,
            first_line_exceeds_limit: self.first_line_bytes > limits.max_bytes,
            ..TruncationResult::whole(kept, 0, limits)
        }
    }
}

impl TruncationResult {
    fn whole(content: String, lines: usize, limits: Limits) -> Self {
        let bytes = content.len();
        Self {
            content,
            truncated: false,
            truncated_by: None,
            total_lines: lines,
            total_bytes: bytes,
            output_lines: lines,
            output_bytes: bytes,
            last_line_partial: false,
            first_line_exceeds_limit: false,
            max_lines: limits.max_lines,
            max_bytes: limits.max_bytes,
        }
    }
}

fn count_lines(content: &str) -> usize {
    let newlines = content.bytes().filter(|byte| *byte == b'\n').count();
    newlines + usize::from(!content.is_empty() && !content.ends_with('\n'))
}

fn ceil_char_boundary(text: &str, mut index: usize) -> usize {
    while !text.is_char_boundary(index) {
        index += 1;
    }
    index
}
