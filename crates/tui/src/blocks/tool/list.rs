//! Tools that list what they find.

use super::Renderer;
use super::call::Call;
use super::view::State;
use crate::blocks::paint::{Rows, visible_line};

/// A tool that lists what it finds.
pub(super) struct List {
    name: &'static str,
    /// The argument that says what is looked for, and what stands around it.
    wanted: Option<(&'static str, &'static str)>,
    /// How many lines show.
    lines: usize,
}

pub(super) static GREP: List = List { name: "grep", wanted: Some(("pattern", "/")), lines: 15 };
pub(super) static FIND: List = List { name: "find", wanted: Some(("pattern", "")), lines: 20 };
pub(super) static LS: List = List { name: "ls", wanted: None, lines: 20 };

impl Renderer for List {
    fn title(&self, call: &Call<'_>) -> String {
        let mut title = call.name(self.name);
        if let Some((wanted, around)) = self.wanted {
            let wanted = call.given("accent", wanted, |text| format!("{around}{}{around}", visible_line(text)));
            title = format!("{title} {wanted}");
        }
        let path = call.text("path").filter(|path| !path.is_empty()).unwrap_or(".");
        let path = visible_line(&call.view.places.short(path));
        title += &match self.wanted {
            Some(_) => call.fg("toolOutput", &format!(" in {path}")),
            None => format!(" {}", call.fg("accent", &path)),
        };
        if let Some(glob) = call.text("glob").filter(|glob| !glob.is_empty()) {
            title += &call.fg("toolOutput", &format!(" ({})", visible_line(glob)));
        }
        if let Some(limit) = call.number("limit") {
            title += &call.fg("toolOutput", &format!(" (limit {limit})"));
        }
        title
    }

    fn body(&self, call: &Call<'_>) -> Vec<String> {
        if call.view.is_error || call.view.state() == State::Blocked {
            return call.error();
        }
        let Some(shown) = call.shown() else { return Vec::new() };
        let mut rows = call.output(&shown.output, Rows::First(self.lines));
        rows.extend(call.notes(&shown));
        rows
    }
}
