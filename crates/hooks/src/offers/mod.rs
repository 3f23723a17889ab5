//! What an extension can offer beside handlers, tools and commands: pieces of the system prompt, checks, subcommands of the
//! program, completions of commands that are not its own, another way to start the commands of the bash tool, tools that come
//! late, hints about tools that the model cannot call by name, and prompt templates that are no files.

mod arguments;
mod bash;
mod cli;
mod completion;
mod doctor;
mod hints;
mod late;
mod prompt;
mod templates;

pub use arguments::{is_argument_space, split_arguments, substitute_arguments};
pub(crate) use bash::GATE as BASH_GATE;
pub use bash::{BashWrapper, wrap_bash};
pub use cli::{CliCall, Subcommand, SubcommandHandler};
pub use doctor::{Check, CheckHandler, Finding, FindingLevel};
pub use hints::ToolHint;
pub(crate) use late::Late;
pub use late::{LateTools, MissingTools, Reach};
pub use prompt::{PromptSegment, PromptSight, SegmentText};
pub use templates::{TemplateContent, TemplateInfo, Templates};

use std::sync::Arc;

use crate::extension::Completer;

/// Everything of this kind that an extension registered.
#[derive(Default)]
pub(crate) struct Offers {
    pub(crate) segments: Vec<PromptSegment>,
    pub(crate) checks: Vec<Check>,
    pub(crate) subcommands: Vec<Subcommand>,
    pub(crate) completers: Vec<(String, Completer)>,
    pub(crate) bash_wrappers: Vec<BashWrapper>,
    pub(crate) late_tools: Option<Late>,
    pub(crate) tool_hint: Option<ToolHint>,
    pub(crate) templates: Option<Arc<dyn Templates>>,
}

impl Offers {
    /// Adds what was registered later; of things with a name the new one counts.
    pub(crate) fn add(&mut self, new: Self) {
        let Self { segments, checks, subcommands, completers, bash_wrappers, late_tools, tool_hint, templates } = new;
        put_all(&mut self.segments, segments, |segment| &segment.name);
        put_all(&mut self.checks, checks, |check| &check.name);
        put_all(&mut self.subcommands, subcommands, |subcommand| &subcommand.name);
        put_all(&mut self.completers, completers, |(name, _)| name);
        self.bash_wrappers.extend(bash_wrappers);
        self.late_tools = late_tools.or(self.late_tools.take());
        self.tool_hint = tool_hint.or(self.tool_hint.take());
        self.templates = templates.or(self.templates.take());
    }
}

fn put_all<T>(list: &mut Vec<T>, new: Vec<T>, name: impl Fn(&T) -> &String) {
    for one in new {
        put(list, one, &name);
    }
}

/// Adds something at the end, in place of what has its name.
fn put<T>(list: &mut Vec<T>, one: T, name: impl Fn(&T) -> &String) {
    list.retain(|other| name(other) != name(&one));
    list.push(one);
}
