//! What a script is told: a JSON object on its standard input, and variables.

use std::path::Path;

use serde_json::{Map, Value, json};
use tau_ai::ContentBlock;
use tau_hooks::Ctx;

use crate::found::Facts;
use crate::found::{Program, ShellHook};
use crate::found::{in_both, name_for};

/// A tool call as handlers know it.
pub(super) struct Call {
    pub tool: String,
    pub id: String,
    /// The id of the call that made this one, when a tool called a tool.
    pub parent: Option<String>,
    /// The arguments as the dialect shows them.
    pub input: Value,
}

/// What came of a call.
pub(super) struct Outcome {
    pub content: Vec<ContentBlock>,
    pub details: Option<Value>,
    pub is_error: bool,
}

impl Outcome {
    /// The texts of it.
    pub(super) fn text(&self) -> String {
        self.content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n")
    }
}

/// The name of the moment, as Claude Code calls it.
pub(super) fn event_name(outcome: Option<&Outcome>) -> &'static str {
    match outcome {
        None => "PreToolUse",
        Some(Outcome { is_error: false, .. }) => "PostToolUse",
        Some(Outcome { is_error: true, .. }) => "PostToolUseFailure",
    }
}

/// The arguments in both spellings.
pub(super) fn shown_input(hook: &ShellHook, call: &Call, ctx: &Ctx) -> Value {
    in_both(&call.tool, &call.input, hook.names, &ctx.cwd())
}

/// The object on standard input. `shown` are the arguments in both spellings.
pub(super) fn input(hook: &ShellHook, call: &Call, shown: &Value, outcome: Option<&Outcome>, ctx: &Ctx) -> Vec<u8> {
    let mut fields = fields_of(hook, event_name(outcome), ctx);
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("tool_name", name_for(&call.tool, hook.names).into());
    put("tool_name_native", call.tool.as_str().into());
    put("tool_input", shown.clone());
    put("tool_use_id", call.id.as_str().into());
    if let Some(parent) = &call.parent {
        put("parent_tool_use_id", parent.as_str().into());
    }
    if let Some(outcome) = outcome {
        let text = outcome.text();
        let response = json!({
            "content": outcome.content,
            "text": text,
            "isError": outcome.is_error,
            "details": outcome.details,
        });
        put("tool_response", response);
        if outcome.is_error {
            put("error", text.as_str().into());
        }
        put("tool_output", text.into());
    }
    Value::Object(fields).to_string().into_bytes()
}

/// The object for a moment of a session.
pub(super) fn session_input(hook: &ShellHook, facts: &Facts, ctx: &Ctx) -> Vec<u8> {
    let mut fields = fields_of(hook, hook.moment.as_str(), ctx);
    fields.extend(facts.fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    Value::Object(fields).to_string().into_bytes()
}

/// The input that every script gets.
fn fields_of(hook: &ShellHook, event: &str, ctx: &Ctx) -> Map<String, Value> {
    let session = ctx.session();
    let transcript = session.file().map(|file| file.display().to_string()).unwrap_or_default();
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("session_id", session.id().into());
    put("transcript_path", transcript.into());
    put("cwd", ctx.cwd().display().to_string().into());
    put("permission_mode", "default".into());
    put("hook_event_name", event.into());
    put("hook_type", hook.moment.as_str().into());
    if let Program::File(path) = &hook.program {
        put("hook_path", path.display().to_string().into());
    }
    fields
}

/// The variables that are set for a script of the folder `project`. `tool` is the one that a call is of.
pub(super) fn variables(hook: &ShellHook, event: &str, tool: &str, project: &Path, ctx: &Ctx) -> Vec<(String, String)> {
    let session = ctx.session();
    let transcript = session.file().map(|file| file.display().to_string()).unwrap_or_default();
    let mut variables = vec![
        ("CLAUDE_PROJECT_DIR".to_owned(), project.display().to_string()),
        ("PI_HOOK_EVENT".to_owned(), event.to_owned()),
        ("PI_HOOK_TOOL".to_owned(), tool.to_owned()),
        ("PI_SESSION_FILE".to_owned(), transcript),
    ];
    if let Some(plugin) = &hook.plugin {
        variables.push(("CLAUDE_PLUGIN_ROOT".to_owned(), plugin.display().to_string()));
    }
    variables
}
