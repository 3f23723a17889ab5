//! Scripts of the model that call tools: the source, the calls, and what the script put out.

use serde_json::Value;
use tau_view::truncate::truncate_to_width;

use super::Renderer;
use super::call::Call;
use super::result;
use super::view::State;
use crate::blocks::paint::{self, Rows, seconds, visible_line};

/// How many rows of the source show, how many calls, and how many lines of the output.
const SOURCE: usize = 10;
const CALLS: usize = 8;
const OUTPUT: usize = 5;

pub(super) struct Codemode;

impl Renderer for Codemode {
    fn title(&self, call: &Call<'_>) -> String {
        call.name(call.view.label.as_deref().unwrap_or(&call.view.name))
    }

    fn body(&self, call: &Call<'_>) -> Vec<String> {
        let mut rows = source(call);
        rows.extend(calls(call));
        let state = call.view.state();
        if state != State::Blocked
            && let Some(value) = call.view.result.as_deref()
        {
            let text = output(value);
            let text = text.trim_end();
            if !text.is_empty() {
                rows.extend(call.output(text, Rows::First(OUTPUT)));
            }
            rows.extend(call.notes(&result::shown(value, false, true)));
        }
        match call.view.duration {
            Some(took) => rows.extend(call.wrapped("muted", &format!("Took {}", seconds(took)))),
            None if state == State::Running => {
                rows.extend(call.wrapped("muted", &format!("Elapsed {}", seconds(call.view.elapsed))));
            }
            None => {}
        }
        rows
    }
}

/// The source, as far as it has arrived. Only what shows is coloured.
fn source(call: &Call<'_>) -> Vec<String> {
    let Some(source) = call.text("code") else { return Vec::new() };
    let source = source.trim_end_matches(['\n', '\r']);
    if source.is_empty() {
        return Vec::new();
    }
    let limit = if call.view.expanded { usize::MAX } else { SOURCE };
    let mut code = call.code("script.js");
    let (mut rows, mut lines) = (Vec::new(), source.split('\n'));
    while rows.len() < limit {
        let Some(line) = lines.next() else { break };
        rows.extend(call.code_line(&mut code, line));
    }
    let cut = rows.len().saturating_sub(limit);
    rows.truncate(limit);
    rows.extend(call.more(cut + lines.count(), "more"));
    rows
}

/// The calls of the script, the last ones, and what its questions to models cost.
fn calls(call: &Call<'_>) -> Vec<String> {
    let Some(value) = call.view.result.as_deref().or(call.view.partial.as_deref()) else { return Vec::new() };
    let details = &value["details"];
    let Some(all) = details["calls"].as_array() else { return Vec::new() };
    let count = details["callCount"].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(all.len());
    let shown = if call.view.expanded { all.len() } else { CALLS.min(all.len()) };
    // Of very many only the first ones are reported.
    let (earlier, later) = (all.len() - shown, count.saturating_sub(all.len()));
    let noun = |count: usize| paint::plural(count, "call", "calls");
    let mut rows = Vec::new();
    if earlier > 0 {
        rows.extend(call.wrapped("muted", &format!("... ({earlier} earlier {})", noun(earlier))));
    }
    rows.extend(all[earlier..].iter().map(|one| row(call, one)));
    if later > 0 {
        rows.extend(call.wrapped("muted", &format!("... ({later} more {})", noun(later))));
    }
    let cost: f64 = all.iter().filter_map(|one| one["cost"].as_f64()).sum();
    if cost > 0.0 {
        rows.extend(call.wrapped("muted", &format!("Model calls: {}", dollars(cost))));
    }
    rows
}

fn row(call: &Call<'_>, one: &Value) -> String {
    let (sign, color) = match one["status"].as_str() {
        Some("ok") => ("✓", "success"),
        Some("error") => ("✗", "error"),
        Some("cancelled") => ("⊘", "muted"),
        _ => ("…", "muted"),
    };
    let text = |name: &str| visible_line(one[name].as_str().unwrap_or_default());
    let took = one["durationMs"].as_f64().map(|took| format!(" {took:.0}ms")).unwrap_or_default();
    let cost = one["cost"].as_f64().map(|cost| format!(" {}", dollars(cost))).unwrap_or_default();
    let args = match one["error"].as_str() {
        Some(error) => visible_line(error),
        None => text("args"),
    };
    let tail = format!("{took}{cost}");
    let room = call.width.saturating_sub(2 + tail.chars().count()).max(1);
    let what = truncate_to_width(&format!("{} {args}", text("name")), room, "…", false);
    let line = format!("{} {}{}", call.fg(color, sign), call.fg("toolOutput", &what), call.fg("muted", &tail));
    truncate_to_width(&line, call.width, "…", false)
}

fn dollars(cost: f64) -> String {
    format!("${cost:.4}")
}

/// What the script put out: its result without the heading, which is for the model.
fn output(value: &Value) -> String {
    let Some(blocks) = value["content"].as_array() else { return result::texts(value) };
    let is_heading = |text: &str| text.starts_with("Script ") && text.ends_with("Output:\n");
    let skip = usize::from(blocks.first().and_then(|block| block["text"].as_str()).is_some_and(is_heading));
    result::texts(&serde_json::json!({ "content": blocks[skip..] }))
}
