//! Files that are changed.

use serde_json::Value;
use tau_view::diff::{Diff, Kind, Part, Row, Style};

use super::Renderer;
use super::call::Call;
use crate::style::inverse;

/// Lines around a change.
const CONTEXT: usize = 3;

pub(super) struct Edit;

impl Renderer for Edit {
    fn title(&self, call: &Call<'_>) -> String {
        let details = call.view.result.as_deref().and_then(|result| result.get("details"));
        let line = details.and_then(|details| details.get("firstChangedLine")).and_then(Value::as_u64);
        let line = line.map(|line| call.fg("warning", &format!(":{line}"))).unwrap_or_default();
        format!("{} {}{line}", call.name("edit"), call.path())
    }

    fn body(&self, call: &Call<'_>) -> Vec<String> {
        let mut rows = Vec::new();
        if let Some(diff) = diff(call) {
            rows = diff.lines(call.width, |style, text| paint(call, style, text));
        }
        rows.extend(call.error());
        rows
    }
}

fn paint(call: &Call<'_>, style: Style, text: &str) -> String {
    match style {
        Style::Added => call.fg("toolDiffAdded", text),
        Style::Removed => call.fg("toolDiffRemoved", text),
        Style::Context => call.fg("toolDiffContext", text),
        Style::AddedWords => call.fg("toolDiffAdded", &inverse(text)),
        Style::RemovedWords => call.fg("toolDiffRemoved", &inverse(text)),
    }
}

/// What is changed: as the tool reported it, else as it will be, else what the arguments say.
fn diff(call: &Call<'_>) -> Option<Diff> {
    let reported = call.view.result.as_deref().and_then(|result| result.get("details")?.get("diff")?.as_str());
    if let Some(numbered) = reported.or(call.view.preview.as_deref()) {
        return Some(Diff::from_numbered(numbered));
    }
    if !call.view.args_complete {
        return None;
    }
    let mut all = Diff::default();
    for (old, new) in edits(&call.view.args) {
        let found = Diff::between(&old, &new, CONTEXT);
        if !all.rows.is_empty() {
            let text = Part { text: "...".to_owned(), changed: false };
            all.rows.push(Row { kind: Kind::Gap, number: None, parts: vec![text] });
        }
        // Where the text is in the file is not known.
        all.rows.extend(found.rows.into_iter().map(|row| Row { number: None, ..row }));
        all.left_out += found.left_out;
        all.added += found.added;
        all.removed += found.removed;
    }
    (!all.rows.is_empty()).then_some(all)
}

/// The old and new texts, in all the shapes that the tool takes.
fn edits(args: &Value) -> Vec<(String, String)> {
    let parsed = match args.get("edits") {
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        Some(value) => value.clone(),
        None => Value::Null,
    };
    let mut edits: Vec<(String, String)> = match &parsed {
        Value::Array(list) => list.iter().filter_map(edit).collect(),
        single => edit(single).into_iter().collect(),
    };
    edits.extend(edit(args));
    edits
}

fn edit(value: &Value) -> Option<(String, String)> {
    Some((value.get("oldText")?.as_str()?.to_owned(), value.get("newText")?.as_str()?.to_owned()))
}
