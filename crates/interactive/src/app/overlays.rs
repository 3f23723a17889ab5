//! Components over the screen: where each lies in a frame.

use tau_tui::screen::{Cursor, Line, Overlay, Size};

use super::App;
use crate::mounts::Laid;
use crate::paths::short_owner;

impl App {
    /// The overlays of a frame, the lowest first.
    pub(super) fn lay_overlays(&mut self, size: Size) -> Vec<Overlay> {
        if self.overlays.is_empty() {
            self.laid.clear();
            return Vec::new();
        }
        self.laid = self.overlays.lay(size, |slot, opened| self.panels.covers(slot, opened));
        let focused = self.focused_component().map(|slot| slot.id());
        self.laid.iter().map(|laid| self.overlay(laid, focused)).collect()
    }

    fn overlay(&self, Laid { slot, rect }: &Laid, focused: Option<u64>) -> Overlay {
        let drawn = slot.start_lines(rect.height);
        let mut lines: Vec<Line> = drawn.lines.iter().map(|line| Line::new(line, rect.width)).collect();
        if slot.is_failing() {
            let text = format!(" {} failed; this is what it showed before", short_owner(&slot.owner()));
            if let Some(last) = lines.last_mut() {
                *last = Line::new(&self.look.get().styles.fg("dim", &text), rect.width);
            }
        }
        let has_keys = focused == Some(slot.id());
        let cursor = drawn.cursor.filter(|_| has_keys);
        let cursor = cursor.map(|(row, column)| Cursor { row, column, visible: self.hardware_cursor });
        Overlay { lines, row: rect.row, column: rect.column, width: rect.width, cursor }
    }
}
