//! A call of a tool, from its first argument to its result.
//!
//! A block has a title that says what is called, with a sign for how far it is, and below it what the renderer of the tool
//! shows: built-in tools have one each, all others share one. What hooks did to the call stands where they did it.

mod bash;
mod call;
mod codemode;
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
pub use self::view::{Blocked, Edited, EditedPart, FailedHandler, OwnRows, Places, Slow, ToolView};
use super::own::OwnPart;
use super::paint::{self, backed, one_line, seconds};
use super::picture;
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
    ("codemode", &codemode::Codemode),
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
        let own = &self.view.own;
        let result = own.result.as_deref();
        // One that draws all of it with the result has the sign there.
        let is_in_result = own.call.as_ref().is_some_and(|rows| rows.is_empty()) && result.is_some();
        let rows = |rows: Vec<String>| rows.into_iter().map(|row| Line::new(&row, width)).collect::<Vec<_>>();
        let mut lines = vec![Line::empty()];
        lines.extend(match (&own.call, result) {
            (Some(_), Some(result)) if is_in_result => own_title(&call, result),
            (Some(own), _) => own_title(&call, own),
            (None, _) => rows(title(&call, &renderer.title(&call))),
        });
        lines.extend(rows(before(&call)));
        match result {
            Some(_) if is_in_result => {}
            Some(own) => lines.extend(own.iter().flat_map(|part| part.lines(&look, "  ", width))),
            None => lines.extend(rows(renderer.body(&call))),
        }
        lines.extend(rows(after(&call)));
        for image in self.view.images.iter().filter(|_| self.view.blocked.is_none()) {
            lines.extend(picture::lines(&look, image, width, 0));
        }
        lines
    }

    fn estimate(&self, width: usize) -> usize {
        let shown = self.view.result.as_ref().or(self.view.partial.as_ref());
        let text = shown.map(|value| result::texts(value)).unwrap_or_default();
        let lines = paint::estimate(&text, width);
        let images = self.view.images.len() * picture::ROWS;
        2 + images + if self.view.expanded { lines } else { lines.min(10) }
    }
}

/// The title that an extension draws, behind the sign that says how far the call is.
fn own_title(call: &Call<'_>, parts: &[OwnPart]) -> Vec<Line> {
    let (sign, color, _) = sign(call.view.state());
    let sign = call.look.styles.fg(color, sign);
    let lines = |part: &OwnPart, before: &str| part.lines(call.look, before, call.width);
    match parts.split_first() {
        Some((first @ OwnPart::Row(_), others)) => {
            let title = lines(first, &format!("{sign} "));
            title.into_iter().chain(others.iter().flat_map(|part| lines(part, "  "))).collect()
        }
        // An image stands below the sign.
        _ => {
            let title = vec![Line::new(&sign, call.width)];
            title.into_iter().chain(parts.iter().flat_map(|part| lines(part, "  "))).collect()
        }
    }
}

/// What says how far a call is: a sign, its colour, and the background of the title.
fn sign(state: State) -> (&'static str, &'static str, &'static str) {
    match state {
        State::Announced => ("·", "muted", "toolPendingBg"),
        State::Running => ("▸", "muted", "toolPendingBg"),
        State::Done => ("✓", "success", "toolSuccessBg"),
        State::Failed => ("✗", "error", "toolErrorBg"),
        State::Blocked => ("⊘", "error", "toolErrorBg"),
    }
}

/// The rows of the title. The background is behind the text only, so that copying it copies nothing else.
fn title(call: &Call<'_>, title: &str) -> Vec<String> {
    let (sign, color, background) = sign(call.view.state());
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
