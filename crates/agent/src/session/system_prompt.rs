//! The system prompt of a session and of a run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;
use tau_hooks::{PromptSight, Report};

use super::AgentSession;
use super::tools::ToolEntry;
use crate::crash::Crash;
use crate::prompt::{Author, ExtraSection, PromptInputs, PromptTool, SystemPrompt, apply_options, build, to_options};

impl AgentSession {
    /// The standard system prompt, in named parts with their authors.
    pub fn system_prompt_parts(&self) -> SystemPrompt {
        self.prompt.read().base.clone()
    }

    pub(crate) fn base_system_prompt(&self) -> Arc<str> {
        Arc::clone(&self.prompt.read().text)
    }

    /// The prompt of the run that is under way: an extension's, or the standard one.
    pub(crate) fn run_prompt(&self) -> Arc<str> {
        let prompt = self.prompt.read();
        prompt.run.clone().unwrap_or_else(|| Arc::clone(&prompt.text))
    }

    /// Sets the prompt of the run that is under way; without one it is the standard one, as it is when the run is over.
    pub(crate) fn set_run_prompt(&self, text: Option<String>) {
        self.prompt.write().run = text.map(Into::into);
    }

    /// Builds the standard prompt again, after tools or resources changed.
    pub(crate) fn rebuild_prompt(&self) {
        let base = build(&self.prompt_inputs());
        let text = base.text().into();
        let mut prompt = self.prompt.write();
        prompt.base = base;
        prompt.text = text;
    }

    /// What the standard prompt is built from, for handlers of `before_agent_start`.
    pub(crate) fn system_prompt_options(&self) -> Value {
        to_options(&self.prompt_inputs())
    }

    /// The standard prompt with what handlers of `before_agent_start` changed in its options.
    pub(crate) fn prompt_from(&self, options: &Value) -> String {
        let author = Author::Extension("before_agent_start".to_owned());
        let (inputs, refused) = apply_options(&self.prompt_inputs(), options, &author);
        for text in refused {
            self.hooks().dispatcher.reports.send(&Report::diagnostic(
                "systemPromptOptions",
                "before_agent_start",
                text,
            ));
        }
        build(&inputs).text().to_owned()
    }

    fn prompt_inputs(&self) -> PromptInputs {
        let resources = self.resources();
        let mut inputs = PromptInputs::new(today(self.now_ms()), self.cwd());
        inputs.custom_prompt = resources.system_prompt.clone();
        inputs.append = resources.append_system_prompt.clone();
        inputs.context_files = resources.context_files.clone();
        inputs.skills = resources.skills.clone();
        inputs.docs_dir = self.docs_dir.get().cloned();
        let described = self.tools.descriptions();
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
        inputs.tools = self.tools.active_entries().into_iter().map(tool).collect();
        inputs.hidden = self.tools.hidden();
        inputs.segments = self.prompt_segments(&inputs);
        inputs
    }
}

impl AgentSession {
    /// The pieces that extensions add. Asks nobody when there are none.
    fn prompt_segments(&self, inputs: &PromptInputs) -> Vec<ExtraSection> {
        let all = self.hooks().prompt_segments();
        if all.is_empty() {
            return Vec::new();
        }
        let tools = inputs.tools.iter().map(|tool| tool.name.clone()).collect();
        let sight = PromptSight { cwd: inputs.cwd.clone(), tools };
        let mut sections = Vec::new();
        for (owner, segment) in all {
            let text = catch_unwind(AssertUnwindSafe(|| (segment.text)(&sight))).unwrap_or_else(|panic| {
                let text =
                    format!("the piece `{}` of the system prompt {}", segment.name, Crash::of(&*panic).of_extension());
                self.hooks().dispatcher.reports.send(&Report::diagnostic(Arc::clone(&owner.path), "prompt", text));
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
