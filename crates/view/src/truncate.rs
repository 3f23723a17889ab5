//! Cutting a line to a width, with an ellipsis.

use crate::ansi::StyleState;
use crate::width::{Cell, cells, clip, is_printable_ascii, visible_width};

const RESET: &str = "\x1b[0m";

/// The ellipsis used when a caller has no other.
pub const ELLIPSIS: &str = "...";

/// `text` in at most `width` columns: unchanged if it fits, else its beginning and `ellipsis`. With `pad`, filled
/// with spaces to exactly `width`.
///
/// What is cut off may have switched styles on, so a cut line is reset before and after the ellipsis and an open
/// link is closed. An ellipsis that alone is wider than `width` is cut itself. `width` 0 gives an empty line.
pub fn truncate_to_width(text: &str, width: usize, ellipsis: &str, pad: bool) -> String {
    if width == 0 {
        return String::new();
    }
    if text.is_empty() {
        return padding(pad, width, 0);
    }
    let ellipsis_width = visible_width(ellipsis);
    if ellipsis_width >= width {
        let text_width = visible_width(text);
        if text_width <= width {
            return format!("{text}{}", padding(pad, width, text_width));
        }
        return match clip(ellipsis, width) {
            (_, 0) => padding(pad, width, 0),
            (ellipsis, used) => finish("", &ellipsis, width, used, pad),
        };
    }
    let room = width - ellipsis_width;
    if is_printable_ascii(text) {
        return if text.len() > width {
            finish(&text[..room], ellipsis, width, width, pad)
        } else {
            format!("{text}{}", padding(pad, width, text.len()))
        };
    }
    match beginning(text, room, width) {
        Beginning::Whole(used) => format!("{text}{}", padding(pad, width, used)),
        Beginning::Part(kept, used) => finish(&kept, ellipsis, width, used + ellipsis_width, pad),
    }
}

/// Plain `text` in at most `width` columns: unchanged if it fits, else its beginning, `…` and its end, which gets two thirds
/// of the room: the end of a path says most.
pub fn truncate_middle(text: &str, width: usize) -> String {
    if visible_width(text) <= width {
        return text.to_owned();
    }
    let Some(room) = width.checked_sub(1) else { return String::new() };
    let (before, _) = clip(text, room / 3);
    let mut left = room - visible_width(&before);
    let mut start = text.len();
    for cluster in crate::width::graphemes(text).collect::<Vec<_>>().into_iter().rev() {
        let columns = visible_width(cluster);
        if columns > left || start - cluster.len() < before.len() {
            break;
        }
        left -= columns;
        start -= cluster.len();
    }
    format!("{before}…{}", &text[start..])
}

enum Beginning {
    Whole(usize),
    Part(String, usize),
}

/// The clusters of `text` that fit into `room`, unless all of it fits into `width`.
fn beginning(text: &str, room: usize, width: usize) -> Beginning {
    let mut kept = String::new();
    let mut pending = String::new();
    let (mut kept_width, mut seen, mut keeping) = (0, 0, true);
    for cell in cells(text) {
        match cell {
            Cell::Escape(escape) => pending.push_str(escape),
            Cell::Grapheme(cluster, columns) => {
                keeping = keeping && kept_width + columns <= room;
                let escapes = std::mem::take(&mut pending);
                if keeping {
                    kept.push_str(&escapes);
                    kept.push_str(cluster);
                    kept_width += columns;
                }
                seen += columns;
                if seen > width {
                    return Beginning::Part(kept, kept_width);
                }
            }
        }
    }
    Beginning::Whole(seen)
}

fn finish(kept: &str, ellipsis: &str, width: usize, used: usize, pad: bool) -> String {
    let mut state = StyleState::default();
    if kept.contains("\x1b]8;") {
        state.process_text(kept);
    }
    let close = state.link_close();
    let tail = if ellipsis.is_empty() { String::new() } else { format!("{ellipsis}{RESET}") };
    format!("{kept}{close}{RESET}{tail}{}", padding(pad, width, used))
}

fn padding(pad: bool, width: usize, used: usize) -> String {
    if pad { " ".repeat(width.saturating_sub(used)) } else { String::new() }
}
