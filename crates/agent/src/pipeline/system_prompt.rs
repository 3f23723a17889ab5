//! The system prompt of a session and of a run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;
use tau_hooks::PromptSight;

use crate::crash::Crash;
use crate::parts::Parts;
use crate::parts::tools::ToolEntry;
use crate::prompt::{Author, ExtraSection, PromptInputs, PromptTool, apply_options, build, to_options};

/// The prompt of the run that is under way: an extension's, or the standard one.
pub(crate) fn run_prompt(parts: &Parts) -> Arc<str> {
    parts.activity.run_prompt().unwrap_or_else(|| parts.prompting.text())
}

/// The prompt of the run that is under way, or of the one that was: as long as the standard prompt is the same, the next run
/// is likely to have the same one.
pub(crate) fn last_run_prompt(parts: &Parts) -> Arc<str> {
    let standard = parts.prompting.text();
    let last = || parts.activity.last_prompt(parts.conversation.number(), &standard);
    parts.activity.run_prompt().or_else(last).unwrap_or(standard)
}

/// Builds the standard prompt again, after tools or resources changed.
pub(crate) fn rebuild_prompt(parts: &Parts) {
    parts.prompting.set_prompt(build(&prompt_inputs(parts)));
}

/// What the standard prompt is built from, for handlers of `before_agent_start`.
pub(crate) fn system_prompt_options(parts: &Parts) -> Value {
    to_options(&prompt_inputs(parts))
}

/// The standard prompt with what handlers of `before_agent_start` changed in its options.
pub(crate) fn prompt_from(parts: &Parts, options: &Value) -> String {
    let author = Author::Extension("before_agent_start".to_owned());
    let (inputs, refused) = apply_options(&prompt_inputs(parts), options, &author);
    for text in refused {
        parts.report("systemPromptOptions", "before_agent_start", text);
    }
    build(&inputs).text().to_owned()
}

fn prompt_inputs(parts: &Parts) -> PromptInputs {
    let resources = parts.prompting.resources();
    let mut inputs = PromptInputs::new(today(parts.services.now_ms()), parts.conversation.cwd());
    inputs.custom_prompt = resources.system_prompt.clone();
    inputs.append = resources.append_system_prompt.clone();
    inputs.context_files = resources.context_files.clone();
    inputs.skills = resources.skills.clone();
    inputs.docs_dir = parts.prompting.docs_dir.get().cloned();
    let described = parts.choices.tools.descriptions();
    let tool = |entry: ToolEntry| {
        let spec = entry.tool.spec();
        PromptTool {
            name: spec.name.clone(),
            snippet: spec.prompt_snippet.clone(),
            description: described.get(&spec.name).unwrap_or(&spec.description).clone(),
            guidelines: spec.prompt_guidelines.clone(),
            author: entry.extension.map_or(Author::Core, |path| Author::Extension(path.to_string())),
        }
    };
    inputs.tools = parts.choices.tools.active_entries().into_iter().map(tool).collect();
    inputs.hidden = parts.choices.tools.hidden();
    inputs.segments = segments(parts, &inputs);
    inputs
}

/// The pieces that extensions add. Asks nobody when there are none.
fn segments(parts: &Parts, inputs: &PromptInputs) -> Vec<ExtraSection> {
    let all = parts.hooks.prompt_segments();
    if all.is_empty() {
        return Vec::new();
    }
    let tools = inputs.tools.iter().map(|tool| tool.name.clone()).collect();
    let sight = PromptSight { cwd: inputs.cwd.clone(), tools };
    let mut sections = Vec::new();
    for (owner, segment) in all {
        let text = catch_unwind(AssertUnwindSafe(|| (segment.text)(&sight))).unwrap_or_else(|panic| {
            let what = Crash::of(&*panic).of_extension();
            let text = format!("the piece `{}` of the system prompt {what}", segment.name);
            parts.report(Arc::clone(&owner.path), "prompt", text);
            None
        });
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { continue };
        match ExtraSection::new(&segment.name, text, Author::Extension(owner.path.to_string())) {
            Ok(section) => sections.push(section),
            Err(error) => tau_ai::broken(&error.to_string()),
        }
    }
    sections
}

/// The date where the user is.
fn today(now_ms: i64) -> jiff::civil::Date {
    let zone = match tau_tools::variable("TZ") {
        None => std::fs::read("/etc/localtime").ok().and_then(|rules| TimeZone::tzif("", &rules).ok()),
        Some(_) => None,
    };
    // The system's own zone by name takes looking through all zones there are, which is much for a date.
    timestamp(now_ms).to_zoned(zone.unwrap_or_else(TimeZone::system)).date()
}

/// A time of a clock that may be wrong: beyond the years that the calendar has, it is the first or the last of them.
pub(crate) fn timestamp(ms: i64) -> Timestamp {
    let farthest = if ms < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_millisecond(ms).unwrap_or(farthest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_wrong_has_a_date_too() {
        let zones = [TimeZone::UTC, TimeZone::fixed(jiff::tz::offset(14)), TimeZone::fixed(jiff::tz::offset(-12))];
        for zone in zones {
            let year = |ms| timestamp(ms).to_zoned(zone.clone()).date().year();
            assert_eq!((year(i64::MIN), year(i64::MAX)), (-9999, 9999));
            assert!((1969..=1970).contains(&year(-1)));
        }
    }
}
