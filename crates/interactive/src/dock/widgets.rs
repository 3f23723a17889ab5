//! Lines of extensions beside the editor, and what they say in the footer.

use std::collections::BTreeMap;
use std::sync::Arc;

use tau_hooks::dialogs::WidgetPlacement;
use tau_view::untrusted::output;
use tau_view::wrap::wrap_text;

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
    lines: Vec<String>,
    placement: WidgetPlacement,
}

/// What extensions have put beside the editor.
#[derive(Default)]
pub(super) struct Widgets {
    widgets: Vec<Widget>,
    statuses: BTreeMap<String, (Arc<str>, String)>,
}

impl Widgets {
    pub(super) fn set(&mut self, owner: &Arc<str>, key: &str, lines: &[String], placement: WidgetPlacement) {
        self.remove(key);
        // One more than is shown, so that it is known that there are more.
        let lines = lines.iter().take(LINES + 1).map(|line| output(beginning(line, LONGEST))).collect();
        self.widgets.push(Widget { owner: Arc::clone(owner), key: key.to_owned(), lines, placement });
    }

    pub(super) fn remove(&mut self, key: &str) {
        self.widgets.retain(|widget| widget.key != key);
    }

    pub(super) fn set_status(&mut self, owner: &Arc<str>, key: &str, text: Option<&str>) {
        match text {
            Some(text) => {
                drop(self.statuses.insert(key.to_owned(), (Arc::clone(owner), beginning(text, STATUS).to_owned())))
            }
            None => drop(self.statuses.remove(key)),
        }
    }

    pub(super) fn remove_owner(&mut self, owner: &Arc<str>) {
        self.widgets.retain(|widget| widget.owner != *owner);
        self.statuses.retain(|_, (other, _)| other != owner);
    }

    /// The statuses by their keys.
    pub(super) fn statuses(&self) -> Vec<(String, String)> {
        self.statuses.iter().map(|(key, (_, text))| (key.clone(), text.clone())).collect()
    }

    /// The lines of the widgets at a place, about `most` of them.
    pub(super) fn lines(&self, placement: WidgetPlacement, width: usize, most: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for widget in self.widgets.iter().filter(|widget| widget.placement == placement) {
            let room = width.saturating_sub(2).max(1);
            let before = lines.len();
            if before >= most {
                lines.push(" ... (more widgets)".to_owned());
                break;
            }
            let shown = widget.lines.iter().filter(|line| !line.trim().is_empty()).take(LINES);
            let mut wrapped = shown.flat_map(|line| wrap_text(line, room)).map(|line| format!(" {line}"));
            lines.extend(wrapped.by_ref().take(LINES));
            if wrapped.next().is_some() || widget.lines.len() > LINES {
                lines.push(" ... (widget truncated)".to_owned());
            }
            if placement == WidgetPlacement::AboveEditor && lines.len() > before {
                lines.insert(before, String::new());
            }
        }
        lines
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
        widgets.lines(WidgetPlacement::BelowEditor, 40, 18)
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
        assert_eq!((rows.len(), rows.last().map(String::as_str)), (19, Some(" ... (more widgets)")));
    }

    #[test]
    fn the_beginning_of_a_text_ends_between_characters() {
        assert_eq!(beginning("éé", 3), "é");
        assert_eq!(beginning("short", STATUS), "short");
    }
}
