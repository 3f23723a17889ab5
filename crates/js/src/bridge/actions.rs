//! What extensions do through `pi`: messages, entries, names, tools, models.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use rquickjs::{Ctx, Value};
use serde_json::{Value as Json, json};
use tau_ai::{MessageContent, ThinkingLevel};
use tau_hooks::payload::{CustomDraft, StreamingBehavior};
use tau_hooks::{ActionError, Api, Mode, Report, SendOptions, UserMessageOptions};
use tau_tools::{ExecCommand, Reach, exec_process};

use super::extract::{Bridged, Caller};
use super::refused;
use crate::convert::Asked;
use crate::ops::table::{Promised, ops};
use crate::ops::{Account, Json as JsJson, List, OpError, Text};

ops! {
    /// What extensions do through `pi`.
    pub(crate) static OPS: always;

    /// Sends a message of the extension.
    fn sendMessage(id, message, options) = send_message, Refused;
    /// Sends a message as the user would.
    fn sendUserMessage(id, content, deliverAs, expand) = send_user_message, Refused;
    /// Sends text as the user would, which waits in the queue while a run is under way.
    fn send(id, content) = send, Refused;
    /// Appends an entry to the session.
    fn appendEntry(id, kind, data) = append_entry, Refused;
    /// Names the session.
    fn setSessionName(id, name) = set_session_name, Refused;
    /// The name of the session.
    fn getSessionName(id) = get_session_name, Recorded;
    /// Labels an entry.
    fn setLabel(id, entry, label) = set_label, Refused;
    /// The tools that the model may call.
    fn getActiveTools(id) = get_active_tools, Recorded;
    /// Chooses the tools that the model may call.
    fn setActiveTools(id, names) = set_active_tools, Refused;
    /// All tools, as they present themselves.
    fn getAllTools(id) -> "(ToolInfo & { reaches?: true })[]" = get_all_tools, Recorded;
    /// Which tools a call of a tool may reach that is not written in JavaScript.
    fn toolReaches(id, name, input) -> "\"all\" | string[]" = tool_reaches, Recorded;
    /// All settings.
    fn getSettings(id) = get_settings, Recorded;
    /// All commands.
    fn getCommands(id) -> "CommandInfo[]" = get_commands, Recorded;
    /// The thinking level.
    fn getThinkingLevel(id) -> "ThinkingLevel" = get_thinking_level, Recorded;
    /// Chooses the thinking level.
    fn setThinkingLevel(id, level) = set_thinking_level, Refused;
    /// Chooses the model; whether it could.
    fn setModel(id, model) = set_model, Refused;
    /// Runs a program to its end.
    fn exec(id, program, args, options: "ExecOptions") -> "ExecOutput" = exec, Refused;
    /// Throws when the session of the extension is over.
    fn extCheck(id) = ext_check, Pure;
}

/// Acts for an extension: refused while it loads and once it is gone. What it is given may stay with the session, so it
/// counts from then on.
fn act<T>(
    ctx: &Ctx<'_>,
    Caller { extension, .. }: &Caller,
    action: &str,
    act: impl FnOnce(&Api) -> Result<T, ActionError>,
) -> rquickjs::Result<T> {
    give(ctx, || act(&extension.api))?.map_err(|error| OpError::message(extension.refusal(action, &error)).throw(ctx))
}

/// Hands arguments to the session, which keeps them.
fn give<T>(ctx: &Ctx<'_>, act: impl FnOnce() -> Result<T, ActionError>) -> rquickjs::Result<Result<T, ActionError>> {
    Account::of(ctx)?.giving(act).map_err(|error| error.throw(ctx))
}

fn parse<T: serde::de::DeserializeOwned>(what: &str, value: Json) -> Result<T, ActionError> {
    serde_json::from_value(value).map_err(|error| ActionError::Refused(format!("{what}: {error}")))
}

fn send_message(ctx: Ctx<'_>, caller: Caller, message: JsJson, options: JsJson) -> rquickjs::Result<()> {
    act(&ctx, &caller, "sendMessage", |api| {
        api.host()?;
        let message: CustomDraft = parse("the message", message.0)?;
        let options: SendOptions =
            if options.0.is_null() { SendOptions::default() } else { parse("the options", options.0)? };
        api.send_message(message, options)
    })
}

fn send_user_message(
    ctx: Ctx<'_>,
    caller: Caller,
    content: JsJson,
    deliver_as: Option<String>,
    expand: bool,
) -> rquickjs::Result<()> {
    act(&ctx, &caller, "sendUserMessage", |api| {
        api.host()?;
        let content: MessageContent = parse("the content", content.0)?;
        let deliver_as: Option<StreamingBehavior> =
            deliver_as.map(|name| parse("deliverAs", Json::from(name))).transpose()?;
        api.send_user_message(content, UserMessageOptions { deliver_as, expand_prompt_templates: expand })
    })
}

fn send<'js>(ctx: Ctx<'js>, Caller { extension, .. }: Caller, content: JsJson) -> rquickjs::Result<()> {
    let act = || -> Result<(), ActionError> {
        let host = match extension.api.host() {
            Err(ActionError::Loading) if extension.owner.dialect.script.sends_early => return Ok(()),
            host => host?,
        };
        if matches!(host.mode(), Mode::Print | Mode::Json) {
            let path = Arc::clone(&extension.owner.path);
            extension.report(&Report::diagnostic(path, "send", "pi.send() is not supported in print mode"));
            return Ok(());
        }
        let content: MessageContent = parse("the text", content.0)?;
        match host.send_user_message(content, Some(StreamingBehavior::Steer).into()) {
            Err(ActionError::Loading) if extension.owner.dialect.script.sends_early => Ok(()),
            sent => sent,
        }
    };
    give(&ctx, act)?.map_err(|error| refused(&ctx, &error))
}

fn append_entry<'js>(
    ctx: Ctx<'js>,
    Caller { extension, .. }: Caller,
    kind: Text,
    data: Value<'js>,
) -> rquickjs::Result<String> {
    let (data, bytes) = crate::convert::from_js_counted(&ctx, &data, Asked::Whatever)?;
    Account::add_argument(&ctx, bytes);
    let refused = |error| OpError::message(extension.refusal("appendEntry", &error)).throw(&ctx);
    give(&ctx, || extension.api.append_entry(&kind.0, data))?.map_err(refused)
}

fn set_session_name(ctx: Ctx<'_>, caller: Caller, name: Text) -> rquickjs::Result<()> {
    act(&ctx, &caller, "setSessionName", |api| api.set_session_name(&name.0))
}

fn get_session_name(ctx: Ctx<'_>, caller: Caller) -> rquickjs::Result<Option<String>> {
    act(&ctx, &caller, "getSessionName", |api| api.session_name())
}

fn set_label(ctx: Ctx<'_>, caller: Caller, entry: Text, label: Option<Text>) -> rquickjs::Result<()> {
    act(&ctx, &caller, "setLabel", |api| api.set_label(&entry.0, label.as_ref().map(|label| label.0.as_str())))
}

fn get_active_tools(ctx: Ctx<'_>, caller: Caller) -> rquickjs::Result<List<String>> {
    act(&ctx, &caller, "getActiveTools", |api| api.active_tools().map(List))
}

fn set_active_tools(ctx: Ctx<'_>, caller: Caller, names: Vec<String>) -> rquickjs::Result<()> {
    act(&ctx, &caller, "setActiveTools", |api| api.set_active_tools(&names))
}

fn get_all_tools(ctx: Ctx<'_>, caller: Caller) -> rquickjs::Result<JsJson> {
    act(&ctx, &caller, "getAllTools", |api| {
        let (tools, host) = (api.all_tools()?, api.host()?);
        let natives = natives_that_reach(&caller)?;
        let describe = |spec: &tau_tools::ToolSpec| {
            let mut tool = json!({
                "name": spec.name,
                "description": spec.description,
                "parameters": spec.parameters,
                "promptGuidelines": spec.prompt_guidelines,
                "exposure": spec.exposure,
            });
            if let Some(namespace) = &spec.namespace {
                tool["namespace"] = json!(namespace);
            }
            if let Some(annotations) = &spec.annotations {
                tool["annotations"] = json!(annotations);
            }
            tool["sourceInfo"] = json!(host.tool_source(&spec.name));
            if natives.contains(&spec.name) {
                tool["reaches"] = json!(true);
            }
            tool
        };
        Ok(JsJson(tools.iter().map(describe).collect()))
    })
}

/// The names of the tools that say by themselves which others they reach.
fn natives_that_reach(caller: &Caller) -> Result<BTreeSet<String>, ActionError> {
    let tools = caller.extension.hooks()?.tools().into_iter().map(|(_, tool)| tool);
    let reaching = tools.filter(|tool| tool.reaches(&serde_json::Value::Null).is_some());
    Ok(reaching.map(|tool| tool.spec().name.clone()).collect())
}

fn tool_reaches(ctx: Ctx<'_>, caller: Caller, name: String, input: JsJson) -> rquickjs::Result<JsJson> {
    act(&ctx, &caller, "getAllTools", |_| {
        let tools = caller.extension.hooks()?.tools();
        let found = tools.iter().rev().find(|(_, tool)| tool.spec().name == name);
        Ok(JsJson(match found.and_then(|(_, tool)| tool.reaches(&input.0)) {
            Some(Reach::All) => json!("all"),
            Some(Reach::Words(words)) => json!(words),
            // It is gone.
            None => json!([]),
        }))
    })
}

fn get_settings(ctx: Ctx<'_>, caller: Caller) -> rquickjs::Result<JsJson> {
    act(&ctx, &caller, "getSettings", |api| api.settings().map(JsJson))
}

fn get_commands(ctx: Ctx<'_>, caller: Caller) -> rquickjs::Result<JsJson> {
    act(&ctx, &caller, "getCommands", |api| Ok(JsJson(tau_ai::to_json(api.commands()?))))
}

fn get_thinking_level(ctx: Ctx<'_>, caller: Caller) -> rquickjs::Result<JsJson> {
    act(&ctx, &caller, "getThinkingLevel", |api| Ok(JsJson(tau_ai::to_json(api.thinking_level()?))))
}

fn set_thinking_level(ctx: Ctx<'_>, caller: Caller, level: String) -> rquickjs::Result<()> {
    act(&ctx, &caller, "setThinkingLevel", |api| {
        api.host()?;
        let level: ThinkingLevel = parse("the thinking level", Json::from(level))?;
        api.set_thinking_level(level)
    })
}

fn set_model<'js>(
    ctx: Ctx<'js>,
    Caller { bridge, extension, .. }: Caller,
    model: JsJson,
) -> rquickjs::Result<Promised<'js, bool>> {
    let api = extension.api.clone();
    let model = super::models::known(&api, &model.0).map_err(|error| match error {
        ActionError::Loading => OpError::message("Extension runtime not initialized").throw(&ctx),
        error => refused(&ctx, &error),
    })?;
    bridge
        .core(&ctx)?
        .host()
        .spawn(&ctx, async move { api.set_model(model).await.map_err(|error| OpError::message(error.to_string())) })
}

fn exec<'js>(
    ctx: Ctx<'js>,
    Bridged(bridge): Bridged,
    id: u32,
    program: String,
    args: Vec<String>,
    options: JsJson,
) -> rquickjs::Result<Promised<'js, JsJson>> {
    bridge.extension(&ctx, id)?.owner.check().map_err(|error| refused(&ctx, &error))?;
    let core = bridge.core(&ctx)?;
    let number = |name: &str| options.0[name].as_u64();
    let cancel = bridge.tokens.get(number("token").and_then(|token| u32::try_from(token).ok()));
    let timeout = number("timeout").filter(|timeout| *timeout > 0).map(Duration::from_millis);
    let cwd = match options.0["cwd"].as_str() {
        Some(cwd) => core.host().resolve(cwd),
        None => core.host().cwd(),
    };
    let max_buffer = number("maxBuffer").and_then(|most| usize::try_from(most).ok());
    let command = ExecCommand { timeout, max_buffer, ..core.host().program_in(cwd, program, args) };
    core.host().spawn(&ctx, async move {
        let done = exec_process(command, cancel).await;
        Ok(JsJson(json!({
            "stdout": done.stdout, "stderr": done.stderr, "code": done.code, "killed": done.killed,
            "truncated": done.truncated,
        })))
    })
}

fn ext_check<'js>(ctx: Ctx<'js>, Bridged(bridge): Bridged, id: u32) -> rquickjs::Result<()> {
    bridge.extension(&ctx, id)?.owner.check().map_err(|error| refused(&ctx, &error))
}
