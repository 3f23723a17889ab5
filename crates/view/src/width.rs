//! How many terminal columns text takes.

use std::sync::OnceLock;

use unicode_segmentation::UnicodeSegmentation as _;

use crate::ansi::{self, Piece};
use crate::characters::{cell_width, is_cell_mark, is_emoji, is_mark, is_non_printing, is_zero_width};

/// Columns a tab takes; layout never depends on terminal tab stops.
pub const TAB_WIDTH: usize = 3;

/// The user-perceived characters of `text`, which has no escape sequences.
pub fn graphemes(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.graphemes(true)
}

/// Whether every byte is a printable ASCII character, so that bytes, characters and columns are the same.
pub(crate) fn is_printable_ascii(text: &str) -> bool {
    text.bytes().all(|byte| (0x20..=0x7e).contains(&byte))
}

/// Columns of `text`: escape sequences take none, a tab takes [`TAB_WIDTH`], wide characters and emoji two.
pub fn visible_width(text: &str) -> usize {
    if is_printable_ascii(text) {
        return text.len();
    }
    if text.contains('\x1b') {
        // What an escape sequence separates may belong to one grapheme cluster once it is gone.
        return plain_width(&ansi::strip(text));
    }
    plain_width(text)
}

fn plain_width(text: &str) -> usize {
    if is_printable_ascii(text) { text.len() } else { graphemes(text).map(grapheme_width).sum() }
}

/// Columns of one grapheme cluster.
pub fn grapheme_width(cluster: &str) -> usize {
    let mut chars = cluster.chars();
    let (Some(first), single) = (chars.next(), chars.next().is_none()) else { return 0 };
    if single && first.is_ascii() {
        return match first {
            '\t' => TAB_WIDTH,
            first if first.is_ascii_control() => 0,
            _ => 1,
        };
    }
    if single { single_width(first) } else { looked_up(cluster) }
}

/// Columns of a character that stands alone. Unicode's tables are asked once for a block of characters, since text and rules
/// on the screen are measured all the time.
fn single_width(ch: char) -> usize {
    const BLOCK: usize = 256;
    static BLOCKS: [OnceLock<[u8; BLOCK]>; 256] = [const { OnceLock::new() }; 256];
    let width = |ch: char| looked_up(ch.encode_utf8(&mut [0; 4]));
    let (block, at) = (ch as usize / BLOCK, ch as usize % BLOCK);
    let Some(widths) = BLOCKS.get(block) else { return width(ch) };
    let widths = widths.get_or_init(|| {
        std::array::from_fn(|at| {
            let ch = u32::try_from(block * BLOCK + at).ok().and_then(char::from_u32);
            ch.map_or(0, |ch| u8::try_from(width(ch)).expect("a character has at most two columns"))
        })
    });
    usize::from(widths[at])
}

/// Columns of one grapheme cluster, from Unicode's tables.
fn looked_up(cluster: &str) -> usize {
    if cluster.chars().all(is_cell_mark) {
        return cluster.chars().count();
    }
    if cluster.chars().all(is_zero_width) {
        return 0;
    }
    if is_emoji(cluster) {
        return 2;
    }
    let mut visible = cluster.trim_start_matches(is_non_printing).chars();
    let Some(base) = visible.next() else { return 0 };
    if is_regional_indicator(base) {
        return 2;
    }
    // Terminals give cells to some characters that Unicode joins to the one before them.
    let mut width = cell_width(base);
    let mut after_mark = false;
    for ch in visible {
        if is_cell_mark(ch) {
            width += 1;
            after_mark = false;
        } else if is_mark(ch) {
            after_mark = true;
        } else if !is_non_printing(ch) {
            if after_mark || ('\u{ff00}'..='\u{ffef}').contains(&ch) {
                width += cell_width(ch);
            } else if matches!(ch, '\u{e33}' | '\u{eb3}') {
                width += 1;
            }
            after_mark = false;
        }
    }
    width
}

/// Half of a flag. Two columns even alone: a flag arrives in halves while it is streamed.
fn is_regional_indicator(ch: char) -> bool {
    ('\u{1f1e6}'..='\u{1f1ff}').contains(&ch)
}

/// Each grapheme cluster of the text of `line` with its width, and each escape sequence between them.
pub(crate) fn cells(line: &str) -> impl Iterator<Item = Cell<'_>> {
    ansi::pieces(line).flat_map(|piece| {
        let (escape, text) = match piece {
            Piece::Escape(escape) => (Some(Cell::Escape(escape)), ""),
            Piece::Text(text) => (None, text),
        };
        escape.into_iter().chain(graphemes(text).map(|cluster| Cell::Grapheme(cluster, grapheme_width(cluster))))
    })
}

/// What [`cells`] yields.
pub(crate) enum Cell<'a> {
    Escape(&'a str),
    Grapheme(&'a str, usize),
}

/// Shortens `text` to the grapheme clusters that fit into `width` columns, without an ellipsis, and gives what
/// is left and its width. Sequences between the kept clusters are kept.
pub(crate) fn clip(text: &str, width: usize) -> (String, usize) {
    let mut kept = String::new();
    let mut pending = String::new();
    let mut used = 0;
    for cell in cells(text) {
        match cell {
            Cell::Escape(escape) => pending.push_str(escape),
            Cell::Grapheme(_, columns) if used + columns > width => break,
            Cell::Grapheme(cluster, columns) => {
                kept.push_str(&std::mem::take(&mut pending));
                kept.push_str(cluster);
                used += columns;
            }
        }
    }
    (kept, used)
}

/// Whether `ch` is drawn onto the character before it. Terminals differ in how many columns such a character takes.
pub fn is_combining(ch: char) -> bool {
    is_mark(ch)
}
