//! Lines of extensions beside the editor, and what they say in the footer.

use std::ops::Range;
use std::sync::Arc;

use tau_hooks::dialogs::WidgetPlacement;
use tau_tui::screen::Size;
use tau_view::untrusted::output;
use tau_view::wrap::wrap_text;

use crate::mounts::Slot;
use crate::paths::short_owner;

/// How many lines of a widget are shown.
const LINES: usize = 10;
/// How much of a line is looked at, in bytes: more than any screen shows of it.
const LONGEST: usize = 16 * 1024;
/// How much of a status is looked at, in bytes.
const STATUS: usize = 4 * 1024;

/// The beginning of a text.
fn beginning(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// A widget.
struct Widget {
    owner: Arc<str>,
    key: String,
    shows: Shows,
    placement: WidgetPlacement,
}

/// What a widget shows.
enum Shows {
    Lines(Vec<String>),
    Component(Slot),
}

/// What an extension says in the footer.
struct Status {
    key: String,
    owner: Arc<str>,
    text: String,
}

/// What extensions have put beside the editor.
#[derive(Default)]
pub(super) struct Widgets {
    widgets: Vec<Widget>,
    statuses: Vec<Status>,
}

impl Widgets {
    pub(super) fn set(&mut self, owner: &Arc<str>, key: &str, lines: &[String], placement: WidgetPlacement) {
        // One more than is shown, so that it is known that there are more.
        let lines = lines.iter().take(LINES + 1).map(|line| output(beginning(line, LONGEST))).collect();
        self.widgets.push(Widget {
            owner: Arc::clone(owner),
            key: key.to_owned(),
            shows: Shows::Lines(lines),
            placement,
        });
    }

    pub(super) fn set_component(&mut self, owner: &Arc<str>, key: &str, slot: Slot, placement: WidgetPlacement) {
        let shows = Shows::Component(slot);
        self.widgets.push(Widget { owner: Arc::clone(owner), key: key.to_owned(), shows, placement });
    }

    /// Removes a widget; the component that it was.
    pub(super) fn remove(&mut self, key: &str) -> Option<Slot> {
        let at = self.widgets.iter().position(|widget| widget.key == key)?;
        match self.widgets.remove(at).shows {
            Shows::Lines(_) => None,
            Shows::Component(slot) => Some(slot),
        }
    }

    /// Removes the widget that a component is.
    pub(super) fn remove_slot(&mut self, id: u64) {
        self.widgets.retain(|widget| !matches!(&widget.shows, Shows::Component(slot) if slot.id() == id));
    }

    pub(super) fn set_status(&mut self, owner: &Arc<str>, key: &str, text: Option<&str>) {
        match text {
            Some(text) => {
                let (owner, text) = (Arc::clone(owner), beginning(text, STATUS).to_owned());
                match self.statuses.iter_mut().find(|status| status.key == key) {
                    Some(status) => (status.owner, status.text) = (owner, text),
                    None => self.statuses.push(Status { key: key.to_owned(), owner, text }),
                }
            }
            None => self.statuses.retain(|status| status.key != key),
        }
    }

    pub(super) fn remove_owner(&mut self, owner: &Arc<str>) {
        self.widgets.retain(|widget| widget.owner != *owner);
        self.statuses.retain(|status| status.owner != *owner);
    }

    /// The statuses with their keys, in the order in which they were set first.
    pub(super) fn statuses(&self) -> Vec<(String, String)> {
        self.statuses.iter().map(|status| (status.key.clone(), status.text.clone())).collect()
    }

    /// The lines of the widgets at a place, at most `most` of them, and which are those of components.
    pub(super) fn lines(
        &self,
        placement: WidgetPlacement,
        size: Size,
        most: usize,
    ) -> (Vec<String>, Vec<(Slot, Range<usize>)>) {
        let width = size.columns;
        let (mut lines, mut components) = (Vec::new(), Vec::new());
        for widget in self.widgets.iter().filter(|widget| widget.placement == placement) {
            let room = width.saturating_sub(2).max(1);
            let before = lines.len();
            if before > most {
                break;
            }
            match &widget.shows {
                Shows::Component(slot) => {
                    slot.stands(width, size);
                    lines.extend(slot.start_rows(most - before).lines);
                    if slot.is_failing() {
                        lines.push(format!(" {} failed; this is what it showed before", short_owner(&widget.owner)));
                    }
                }
                Shows::Lines(all) => {
                    let shown = all.iter().filter(|line| !line.trim().is_empty()).take(LINES);
                    let mut wrapped = shown.flat_map(|line| wrap_text(line, room)).map(|line| format!(" {line}"));
                    lines.extend(wrapped.by_ref().take(LINES));
                    if wrapped.next().is_some() || all.len() > LINES {
                        lines.push(" ... (widget truncated)".to_owned());
                    }
                }
            }
            if placement == WidgetPlacement::AboveEditor && lines.len() > before {
                lines.insert(before, String::new());
            }
            if let Shows::Component(slot) = &widget.shows {
                let first = before + usize::from(placement == WidgetPlacement::AboveEditor);
                components.push((slot.clone(), first..lines.len().max(first)));
            }
        }
        if lines.len() > most {
            lines.truncate(most.saturating_sub(1));
            lines.push(" ... (more widgets)".to_owned());
            let end = lines.len() - 1;
            components.iter_mut().for_each(|(_, rows)| *rows = rows.start.min(end)..rows.end.min(end));
        }
        (lines, components)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(widgets: &[&[String]]) -> Widgets {
        let mut all = Widgets::default();
        for (number, lines) in widgets.iter().enumerate() {
            all.set(&"owner".into(), &number.to_string(), lines, WidgetPlacement::BelowEditor);
        }
        all
    }

    fn rows(widgets: &Widgets) -> Vec<String> {
        widgets.lines(WidgetPlacement::BelowEditor, Size::new(40, 30), 18).0
    }

    #[test]
    fn a_widget_takes_ten_rows_however_long_its_lines_are() {
        let ten: Vec<String> = (0..10).map(|line| format!("line {line}")).collect();
        assert_eq!(rows(&with(&[&ten])).len(), 10);
        for lines in [vec!["W".repeat(1_000_000)], (0..10_000).map(|line| line.to_string()).collect()] {
            let rows = rows(&with(&[&lines]));
            assert_eq!((rows.len(), rows.last().map(String::as_str)), (11, Some(" ... (widget truncated)")));
        }
    }

    #[test]
    fn many_widgets_leave_room_for_the_editor() {
        let line = ["one".to_owned()];
        let all: Vec<&[String]> = vec![&line; 1000];
        let rows = rows(&with(&all));
        assert_eq!((rows.len(), rows.last().map(String::as_str)), (18, Some(" ... (more widgets)")));
    }

    #[test]
    fn the_beginning_of_a_text_ends_between_characters() {
        assert_eq!(beginning("éé", 3), "é");
        assert_eq!(beginning("short", STATUS), "short");
    }
}
