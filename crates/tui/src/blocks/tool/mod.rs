//! A call of a tool, from its first argument to its result.
//!
//! A block has a title that says what is called, with a sign for how far it is, and below it what the renderer of the tool
//! shows: built-in tools have one each, all others share one. What hooks did to the call stands where they did it.

mod bash;
mod call;
mod edit;
mod list;
mod other;
mod read;
mod result;
mod view;
mod write;

use tau_view::wrap::wrap_text;

use self::call::Call;
use self::view::State;
pub use self::view::{Blocked, Edited, EditedPart, FailedHandler, Places, Slow, ToolView};
use super::paint::{self, backed, one_line, seconds};
use crate::look::SharedLook;
use crate::screen::{Content, Line};

/// Shows the calls of a tool.
trait Renderer: Sync {
    /// The title, styled.
    fn title(&self, call: &Call<'_>) -> String;

    /// What stands below, styled and wrapped.
    fn body(&self, call: &Call<'_>) -> Vec<String>;
}

/// The renderers of built-in tools.
static RENDERERS: &[(&str, &dyn Renderer)] = &[
    ("bash", &bash::Bash),
    ("edit", &edit::Edit),
    ("find", &list::FIND),
    ("grep", &list::GREP),
    ("ls", &list::LS),
    ("read", &read::Read),
    ("write", &write::Write),
];

fn renderer(name: &str) -> &'static dyn Renderer {
    RENDERERS.iter().find(|(known, _)| *known == name).map_or(&other::Other, |(_, renderer)| *renderer)
}

/// A call of a tool as content.
#[derive(Clone)]
pub struct Tool {
    look: SharedLook,
    view: ToolView,
}

impl Tool {
    /// Shows what is known of a call.
    pub fn new(look: SharedLook, view: ToolView) -> Self {
        Self { look, view }
    }
}

impl Content for Tool {
    fn lines(&self, width: usize) -> Vec<Line> {
        let width = width.max(1);
        let look = self.look.get();
        let call = Call { view: &self.view, look: &look, width };
        let renderer = renderer(&self.view.name);
        let mut rows = title(&call, &renderer.title(&call));
        rows.extend(before(&call));
        rows.extend(renderer.body(&call));
        rows.extend(after(&call));
        let mut lines = vec![Line::empty()];
        lines.extend(rows.iter().map(|row| Line::new(row, width)));
        lines
    }

    fn estimate(&self, width: usize) -> usize {
        let shown = self.view.result.as_ref().or(self.view.partial.as_ref());
        let text = shown.map(|value| result::texts(value)).unwrap_or_default();
        let lines = paint::estimate(&text, width);
        2 + if self.view.expanded { lines } else { lines.min(10) }
    }
}

/// The rows of the title. The background is behind the text only, so that copying it copies nothing else.
fn title(call: &Call<'_>, title: &str) -> Vec<String> {
    let (sign, color, background) = match call.view.state() {
        State::Announced => ("·", "muted", "toolPendingBg"),
        State::Running => ("▸", "muted", "toolPendingBg"),
        State::Done => ("✓", "success", "toolSuccessBg"),
        State::Failed => ("✗", "error", "toolErrorBg"),
        State::Blocked => ("⊘", "error", "toolErrorBg"),
    };
    let text = format!("{} {title}", call.look.styles.fg(color, sign));
    wrap_text(&text, call.width).iter().map(|row| backed(call.look, background, row)).collect()
}

/// What hooks did before the tool ran.
fn before(call: &Call<'_>) -> Vec<String> {
    let mut rows = edited(call, EditedPart::Arguments);
    if let Some(slow) = &call.view.slow {
        let (name, time) = (one_line(&slow.handler), seconds(slow.waited));
        let text = if slow.waiting { format!("Waiting for {name} ({time})") } else { format!("{name} took {time}") };
        rows.extend(call.wrapped("warning", &text));
    }
    if let Some(blocked) = &call.view.blocked {
        // The model reads the reason too.
        let told = call.view.result.as_deref().map(result::texts).unwrap_or_default();
        let reason = if blocked.reason.trim().is_empty() { &told } else { &blocked.reason };
        let reason = paint::clean(reason.trim());
        let colon = if reason.is_empty() { "" } else { ": " };
        rows.extend(call.wrapped("error", &format!("Blocked by {}{colon}{reason}", one_line(&blocked.by))));
    }
    rows
}

/// What hooks did to the result, and which of them failed.
fn after(call: &Call<'_>) -> Vec<String> {
    let mut rows = edited(call, EditedPart::Result);
    for failed in &call.view.failed {
        let reason = paint::clean(failed.reason.trim());
        let colon = if reason.is_empty() { "" } else { ": " };
        rows.extend(call.wrapped("warning", &format!("{} failed{colon}{reason}", one_line(&failed.handler))));
    }
    rows
}

fn edited(call: &Call<'_>, part: EditedPart) -> Vec<String> {
    let what = match part {
        EditedPart::Arguments => "Arguments",
        EditedPart::Result => "Result",
    };
    let mut names: Vec<String> =
        call.view.edited.iter().filter(|edit| edit.part == part).map(|edit| one_line(&edit.by)).collect();
    names.dedup();
    if names.is_empty() {
        return Vec::new();
    }
    call.wrapped("warning", &format!("{what} changed by {}", names.join(", ")))
}
