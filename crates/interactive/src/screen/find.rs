//! The box that searches the transcript.

use std::ops::Range;

use tau_tui::keymap::Keymap;
use tau_tui::screen::{Cursor, Found, Full, Line, Overlay, Size, Transcript};
use tau_view::truncate::truncate_to_width;
use tau_view::width::visible_width;

use super::Ways;
use crate::dialogs::LineInput;

/// How many lines are searched in one frame at most.
const SEARCHED: usize = 5_000;
/// The least that the box is wide, and its share of the screen.
const LEAST: usize = 32;
const SHARE: usize = 40;
const TITLE: &str = "Find in transcript";

/// An open search.
#[derive(Default)]
pub(super) struct Find {
    input: LineInput,
    found: Option<Found>,
    is_searching: bool,
    /// The columns of the box that go to the match before and to the next one, in its last row.
    arrows: [Range<usize>; 2],
}

impl Find {
    /// Takes a key; whether the search is over.
    pub(super) fn key(&mut self, full: &mut Full, transcript: &mut Transcript, data: &str, keys: &Keymap) -> bool {
        if keys.is(data, "tui.altScreen.searchClose") || keys.is(data, "tui.select.cancel") {
            return true;
        }
        for (action, down) in [("tui.altScreen.searchNext", true), ("tui.altScreen.searchPrevious", false)] {
            if keys.is(data, action) {
                self.found = Some(full.search_go(transcript, down));
                return false;
            }
        }
        let before = self.input.value().to_owned();
        self.input.key(data, keys);
        self.typed(full, transcript, &before);
        false
    }

    /// Takes a paste.
    pub(super) fn paste(&mut self, full: &mut Full, transcript: &mut Transcript, text: &str) {
        let before = self.input.value().to_owned();
        self.input.paste(text);
        self.typed(full, transcript, &before);
    }

    fn typed(&mut self, full: &mut Full, transcript: &mut Transcript, before: &str) {
        if self.input.value() != before {
            full.search(transcript, self.input.value());
            (self.is_searching, self.found) = (true, None);
        }
    }

    /// Takes a click on the box.
    pub(super) fn click(&mut self, full: &mut Full, transcript: &mut Transcript, row: usize, column: usize) {
        let at = self.arrows.iter().position(|arrow| row == 2 && arrow.contains(&column));
        if let Some(at) = at {
            self.found = Some(full.search_go(transcript, at == 1));
        }
    }

    /// Searches on; whether there is more to search.
    pub(super) fn go_on(&mut self, full: &mut Full, transcript: &mut Transcript) -> bool {
        if self.is_searching {
            let found = full.search_on(transcript, SEARCHED);
            self.is_searching = !found.complete;
            self.found = Some(found);
        }
        self.is_searching
    }

    fn count(&self) -> String {
        match self.found {
            _ if self.input.value().trim().is_empty() => String::new(),
            Some(found) if found.hits == 0 && found.complete => "No matches".to_owned(),
            Some(found) => format!("{}/{}", found.current, found.hits),
            None => String::new(),
        }
    }

    /// The box, at the top right beside the scrollbar.
    pub(super) fn draw(&mut self, size: Size, ways: &Ways) -> Overlay {
        let width = (size.columns * SHARE / 100).max(LEAST).min(size.columns.saturating_sub(1).max(4));
        let inner = width.saturating_sub(4);
        let rule = |text: &str, ends: [&str; 2]| {
            let text = truncate_to_width(text, width.saturating_sub(3), "", false);
            let rest = "─".repeat(width.saturating_sub(3 + visible_width(&text)));
            Line::new(&format!("{}─{text}{rest}{}", ends[0], ends[1]), width)
        };
        let count = self.count();
        let gap = if count.is_empty() { 0 } else { 1 };
        let room = inner.saturating_sub(visible_width(&count) + gap).max(1);
        let (text, column) = self.input.draw(room);
        let is_empty = text.is_empty();
        let shown = if is_empty { truncate_to_width("type to search", room, "", false) } else { text };
        let fill = " ".repeat(inner.saturating_sub(visible_width(&shown) + visible_width(&count)));
        let shown = if is_empty { format!("\x1b[2m{shown}\x1b[22m") } else { shown };
        let row = Line::new(&format!("│ {shown}{fill}{count} │"), width);
        let arrow =
            |sign: &str, key: &str| if key.is_empty() { format!(" {sign} ") } else { format!(" {sign} {key} ") };
        let (previous, next) = (arrow("↑", &ways.previous_key), arrow("↓", &ways.next_key));
        let (first, second) = (visible_width(&previous), visible_width(&next));
        self.arrows = [2..2 + first, 3 + first..3 + first + second];
        let lines = vec![rule(&format!(" {TITLE} "), ["┌", "┐"]), row, rule(&format!("{previous}·{next}"), ["└", "┘"])];
        let cursor = Cursor { row: 1, column: 2 + column, visible: true };
        let column = size.columns.saturating_sub(width + 1);
        Overlay { lines, row: 0, column, width, cursor: Some(cursor) }
    }
}
