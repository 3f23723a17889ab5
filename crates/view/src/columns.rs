//! Cutting lines at columns, and laying one line over another.

use crate::ansi::{self, StyleState};
use crate::width::{Cell, cells, visible_width};

/// What a line is reset to on both sides of an overlay: no style, no link.
const SEGMENT_RESET: &str = "\x1b[0m\x1b]8;;\x07";

/// The part of `line` from column `start` on, `length` columns long, with the styles that were on before it.
///
/// A cluster belongs to the part if it starts in it; with `strict`, one that reaches over its end is left out.
pub fn slice_by_column(line: &str, start: usize, length: usize, strict: bool) -> String {
    slice_with_width(line, start, length, strict).0
}

/// Like [`slice_by_column`], with the width of the result.
pub fn slice_with_width(line: &str, start: usize, length: usize, strict: bool) -> (String, usize) {
    let end = start.saturating_add(length);
    let mut slice = String::new();
    let mut pending = String::new();
    let (mut width, mut column) = (0, 0);
    for cell in cells(line) {
        // Sequences right after the last cluster are of no use to it.
        if column >= end {
            break;
        }
        match cell {
            Cell::Escape(escape) if column >= start => slice.push_str(escape),
            Cell::Escape(escape) => pending.push_str(escape),
            Cell::Grapheme(cluster, columns) => {
                if column >= start && (!strict || column + columns <= end) {
                    slice.push_str(&std::mem::take(&mut pending));
                    slice.push_str(cluster);
                    width += columns;
                }
                column += columns;
            }
        }
    }
    (slice, width)
}

/// The address of the OSC 8 link over `column` of `line`.
pub fn link_at_column(line: &str, column: usize) -> Option<String> {
    let mut url = None;
    let mut start = 0;
    for cell in cells(line) {
        match cell {
            Cell::Escape(escape) => url = ansi::link_target(escape).unwrap_or(url),
            Cell::Grapheme(_, columns) => {
                if (start..start + columns).contains(&column) {
                    return url;
                }
                start += columns;
            }
        }
    }
    None
}

/// Lays `overlay` over columns `start` to `start + overlay_width` of `base`, in a line of `total_width` columns.
/// Style changes do not leak from one into the other.
pub fn composite_line(base: &str, overlay: &str, start: usize, overlay_width: usize, total_width: usize) -> String {
    let after_start = start + overlay_width;
    let around = Around::of(base, start, after_start, total_width.saturating_sub(after_start));
    let (overlay, width) = slice_with_width(overlay, 0, overlay_width, true);
    let fill = |target: usize, used: usize| " ".repeat(target.saturating_sub(used));
    let after_target =
        total_width.saturating_sub(start.max(around.before_width)).saturating_sub(overlay_width.max(width));
    let line = [
        around.before.as_str(),
        &fill(start, around.before_width),
        SEGMENT_RESET,
        &overlay,
        &fill(overlay_width, width),
        SEGMENT_RESET,
        &around.after,
        &fill(after_target, around.after_width),
    ]
    .concat();
    if visible_width(&line) <= total_width { line } else { slice_by_column(&line, 0, total_width, true) }
}

/// What of a line stays visible around an overlay.
#[derive(Default)]
struct Around {
    before: String,
    before_width: usize,
    after: String,
    after_width: usize,
}

impl Around {
    fn of(line: &str, before_end: usize, after_start: usize, after_length: usize) -> Self {
        let after_end = after_start + after_length;
        let last = if after_length == 0 { before_end } else { after_end };
        let mut around = Self::default();
        let mut state = StyleState::default();
        let mut pending = String::new();
        let (mut column, mut started) = (0, false);
        for cell in cells(line) {
            if column >= last {
                break;
            }
            match cell {
                Cell::Escape(escape) => {
                    state.process(escape);
                    if column < before_end {
                        pending.push_str(escape);
                    } else if started && (after_start..after_end).contains(&column) {
                        around.after.push_str(escape);
                    }
                }
                Cell::Grapheme(cluster, columns) => {
                    if column < before_end && column + columns <= before_end {
                        around.before.push_str(&std::mem::take(&mut pending));
                        around.before.push_str(cluster);
                        around.before_width += columns;
                    } else if (after_start..after_end).contains(&column) && column + columns <= after_end {
                        if !started {
                            around.after.push_str(&state.active_codes());
                            started = true;
                        }
                        around.after.push_str(cluster);
                        around.after_width += columns;
                    }
                    column += columns;
                }
            }
        }
        around
    }
}
