//! What extensions do through `pi`: messages, entries, names, tools, models.

use std::sync::Arc;
use std::time::Duration;

use rquickjs::{Ctx, Value};
use serde_json::{Value as Json, json};
use tau_ai::{MessageContent, ThinkingLevel};
use tau_hooks::payload::{CustomDraft, StreamingBehavior};
use tau_hooks::{ActionError, Api, Mode, Report, SendOptions, UserMessageOptions};
use tau_tools::{ExecCommand, exec_process};

use super::{Area, refused};
use crate::convert::Asked;
use crate::ops::{Account, Json as JsJson, List, OpError, Text};

pub(super) fn install<'js>(area: &Area<'js>) -> rquickjs::Result<()> {
    messages(area)?;
    session(area)?;
    tools(area)?;
    models(area)?;
    exit_code(area)?;
    exec(area)
}

/// `process.exitCode`, for the end of the program when nothing else went wrong.
fn exit_code<'js>(area: &Area<'js>) -> rquickjs::Result<()> {
    let bridge = area.bridge();
    area.function("exitCode", move |ctx: Ctx<'js>, code: Option<i32>| -> rquickjs::Result<()> {
        let current = bridge.core(&ctx)?.host().current();
        if let Some(hooks) = bridge.get(current.0).and_then(|extension| extension.hooks().ok()) {
            hooks.exit.set_otherwise(code);
        }
        Ok(())
    })
}

/// Adds an op that acts for an extension and is refused while it loads and once it is gone. What it is given may stay with
/// the session, so it counts from then on.
macro_rules! action {
    ($area:ident, $name:literal, |$api:ident $(, $arg:ident: $ty:ty)*| -> $out:ty $body:block) => {{
        let bridge = $area.bridge();
        $area.function($name, move |ctx: Ctx<'js>, id: u32 $(, $arg: $ty)*| -> rquickjs::Result<$out> {
            let extension = bridge.extension(&ctx, id)?;
            let act = |$api: &Api| -> Result<$out, ActionError> { $body };
            give(&ctx, || act(&extension.api))?
                .map_err(|error| OpError::message(extension.refusal($name, &error)).throw(&ctx))
        })?;
    }};
}

/// Hands arguments to the session, which keeps them.
fn give<T>(ctx: &Ctx<'_>, act: impl FnOnce() -> Result<T, ActionError>) -> rquickjs::Result<Result<T, ActionError>> {
    Account::of(ctx)?.giving(act).map_err(|error| error.throw(ctx))
}

fn parse<T: serde::de::DeserializeOwned>(what: &str, value: Json) -> Result<T, ActionError> {
    serde_json::from_value(value).map_err(|error| ActionError::Refused(format!("{what}: {error}")))
}

fn messages<'js>(area: &Area<'js>) -> rquickjs::Result<()> {
    // Whether anything can be done is said before what is wrong with the arguments.
    action!(area, "sendMessage", |api, message: JsJson, options: JsJson| -> () {
        api.host()?;
        let message: CustomDraft = parse("the message", message.0)?;
        let options: SendOptions =
            if options.0.is_null() { SendOptions::default() } else { parse("the options", options.0)? };
        api.send_message(message, options)
    });
    action!(area, "sendUserMessage", |api, content: JsJson, deliver_as: Option<String>, expand: bool| -> () {
        api.host()?;
        let content: MessageContent = parse("the content", content.0)?;
        let deliver_as: Option<StreamingBehavior> =
            deliver_as.map(|name| parse("deliverAs", Json::from(name))).transpose()?;
        api.send_user_message(content, UserMessageOptions { deliver_as, expand_prompt_templates: expand })
    });
    send(area)
}

/// `pi.send`: text as the user would send it, which waits in the queue while a run is under way.
fn send<'js>(area: &Area<'js>) -> rquickjs::Result<()> {
    let bridge = area.bridge();
    area.function("send", move |ctx: Ctx<'js>, id: u32, content: JsJson| -> rquickjs::Result<()> {
        let extension = bridge.extension(&ctx, id)?;
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
    })
}

fn session<'js>(area: &Area<'js>) -> rquickjs::Result<()> {
    let bridge = area.bridge();
    // Data is read before the check for a live session: cyclic data throws to the caller either way.
    area.function(
        "appendEntry",
        move |ctx: Ctx<'js>, id: u32, kind: Text, data: Value<'js>| -> rquickjs::Result<String> {
            let extension = bridge.extension(&ctx, id)?;
            let (data, bytes) = crate::convert::from_js_counted(&ctx, &data, Asked::Whatever)?;
            Account::add_argument(&ctx, bytes);
            let refused = |error| OpError::message(extension.refusal("appendEntry", &error)).throw(&ctx);
            give(&ctx, || extension.api.append_entry(&kind.0, data))?.map_err(refused)
        },
    )?;
    action!(area, "setSessionName", |api, name: Text| -> () { api.set_session_name(&name.0) });
    action!(area, "getSessionName", |api| -> Option<String> { api.session_name() });
    action!(area, "setLabel", |api, entry: Text, label: Option<Text>| -> () {
        api.set_label(&entry.0, label.as_ref().map(|label| label.0.as_str()))
    });
    Ok(())
}

fn tools<'js>(area: &Area<'js>) -> rquickjs::Result<()> {
    action!(area, "getActiveTools", |api| -> List<String> { api.active_tools().map(List) });
    action!(area, "setActiveTools", |api, names: Vec<String>| -> () { api.set_active_tools(&names) });
    action!(area, "getAllTools", |api| -> JsJson {
        let (tools, host) = (api.all_tools()?, api.host()?);
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
            tool
        };
        Ok(JsJson(tools.iter().map(describe).collect()))
    });
    action!(area, "getSettings", |api| -> JsJson { api.settings().map(JsJson) });
    action!(area, "getCommands", |api| -> JsJson { Ok(JsJson(tau_ai::to_json(api.commands()?))) });
    Ok(())
}

fn models<'js>(area: &Area<'js>) -> rquickjs::Result<()> {
    action!(area, "getThinkingLevel", |api| -> JsJson { Ok(JsJson(tau_ai::to_json(api.thinking_level()?))) });
    action!(area, "setThinkingLevel", |api, level: String| -> () {
        api.host()?;
        let level: ThinkingLevel = parse("the thinking level", Json::from(level))?;
        api.set_thinking_level(level)
    });
    let bridge = area.bridge();
    area.function("setModel", move |ctx: Ctx<'js>, id: u32, model: JsJson| -> rquickjs::Result<Value<'js>> {
        let extension = bridge.extension(&ctx, id)?;
        let api = extension.api.clone();
        let model = super::models::known(&api, &model.0).map_err(|error| match error {
            ActionError::Loading => OpError::message("Extension runtime not initialized").throw(&ctx),
            error => refused(&ctx, &error),
        })?;
        bridge
            .core(&ctx)?
            .host()
            .spawn(&ctx, async move { api.set_model(model).await.map_err(|error| OpError::message(error.to_string())) })
    })
}

fn exec<'js>(area: &Area<'js>) -> rquickjs::Result<()> {
    let bridge = area.bridge();
    let run = move |ctx: Ctx<'js>,
                    id: u32,
                    program: String,
                    args: Vec<String>,
                    options: JsJson|
          -> rquickjs::Result<Value<'js>> {
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
    };
    area.function("exec", run)?;
    let bridge = area.bridge();
    // For what needs nothing of the session, and still is over when the session is.
    area.function("extCheck", move |ctx: Ctx<'js>, id: u32| -> rquickjs::Result<()> {
        bridge.extension(&ctx, id)?.owner.check().map_err(|error| refused(&ctx, &error))
    })
}
