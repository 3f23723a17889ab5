//! Picking lines out of a file without holding the file.

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::truncate::{HeadTruncator, Limits, TruncationResult};
use crate::utf8::Utf8Stream;

/// Bytes read at once.
const CHUNK: usize = 256 * 1024;

/// The lines that were asked for, cut to what may be shown.
#[derive(Debug)]
pub(super) struct Selection {
    /// The lines `start..end` of the file, cut.
    pub(super) truncation: TruncationResult,
    /// Lines of the whole file. What follows the last newline is a line too, even when it is empty.
    pub(super) total_lines: usize,
    /// Bytes of the first line that was asked for.
    pub(super) first_line_bytes: usize,
}

/// Reads `stream` to its end and picks the lines `start..end`, counted from 0.
pub(super) async fn select(mut stream: impl AsyncRead + Unpin, start: usize, end: usize) -> std::io::Result<Selection> {
    let mut picker = Picker { start, end, line: 0, kept: HeadTruncator::new(Limits::default()) };
    let mut decoder = Utf8Stream::default();
    let mut chunk = Vec::with_capacity(CHUNK);
    while stream.read_buf(&mut chunk).await? > 0 {
        decoder.push(&chunk, |text| picker.push(text));
        chunk.clear();
    }
    decoder.finish(|text| picker.push(text));
    Ok(Selection {
        total_lines: picker.line + 1,
        first_line_bytes: picker.kept.first_line_bytes(),
        truncation: picker.kept.finish(),
    })
}

struct Picker {
    start: usize,
    end: usize,
    line: usize,
    kept: HeadTruncator,
}

impl Picker {
    fn push(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            if self.line >= self.end {
                self.line += rest.bytes().filter(|byte| *byte == b'\n').count();
                return;
            }
            let newline = rest.find('\n');
            let (piece, after) = rest.split_at(newline.unwrap_or(rest.len()));
            if self.line >= self.start {
                self.kept.push(piece);
            }
            if newline.is_none() {
                return;
            }
            // A newline separates two lines, so it is shown when both are.
            if self.line >= self.start && self.line + 1 < self.end {
                self.kept.push("\n");
            }
            self.line += 1;
            rest = &after[1..];
        }
    }
}
