//! What `ctx` answers.

use std::rc::Rc;
use std::sync::Arc;

use rquickjs::{Ctx, Function, IntoJs, Value};
use serde_json::json;
use tau_hooks::{ActionError, Ctx as HookCtx, Mode};
use tokio_util::sync::CancellationToken;

use super::{Area, Bridge, refused};
use crate::ops::{Json, OpError};

/// Answers a question about the session; the questions are few and their names are those of `ctx`.
fn answer<'js>(js: &Ctx<'js>, ctx: &HookCtx, name: &str) -> rquickjs::Result<Value<'js>> {
    let host = ctx.host();
    match name {
        "mode" => mode(host.mode()).into_js(js),
        "hasUI" => ctx.has_ui().into_js(js),
        "child" => match host.child() {
            Some(child) => Json(json!({"name": child.name, "depth": child.depth})).into_js(js),
            None => Ok(Value::new_undefined(js.clone())),
        },
        "cwd" => host.cwd().to_string_lossy().into_owned().into_js(js),
        "isIdle" => host.is_idle().into_js(js),
        "hasPendingMessages" => host.has_pending_messages().into_js(js),
        "isProjectTrusted" => host.is_project_trusted().into_js(js),
        "systemPrompt" => host.system_prompt().into_js(js),
        "thinkingLevel" => Json(tau_ai::to_json(host.thinking_level())).into_js(js),
        "systemPromptOptions" => Json(host.system_prompt_options()).into_js(js),
        "contextUsage" => match host.context_usage() {
            Some(usage) => Json(tau_ai::to_json(usage)).into_js(js),
            None => Ok(Value::new_undefined(js.clone())),
        },
        "model" => match host.model() {
            Some(model) => Json(tau_ai::to_json(&*model)).into_js(js),
            None => Ok(Value::new_undefined(js.clone())),
        },
        "scopedModels" => Json(tau_ai::to_json(&*host.scoped_models())).into_js(js),
        "running" => (!host.is_idle()).into_js(js),
        _ => Err(OpError::message(format!("`{name}` is not a member of ctx")).throw(js)),
    }
}

/// Compacts and waits for what came of it.
async fn compact(ctx: &HookCtx, args: &serde_json::Value) -> Result<serde_json::Value, ActionError> {
    let instructions = args.get("customInstructions").and_then(serde_json::Value::as_str).map(str::to_owned);
    let (sender, result) = tokio::sync::oneshot::channel();
    ctx.compact(instructions, move |done| {
        // The engine ended meanwhile, and with it the code that waits.
        drop(sender.send(done));
    })?;
    let done = result.await.map_err(|_| ActionError::Stale)?.map_err(ActionError::Refused)?;
    Ok(tau_ai::to_json(done))
}

fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Tui => "tui",
        Mode::Rpc => "rpc",
        Mode::Json => "json",
        Mode::Print => "print",
    }
}

pub(super) fn install<'js>(area: &Area<'js>) -> rquickjs::Result<()> {
    let bridge = area.bridge();
    area.function("ctxGet", move |js: Ctx<'js>, id: u32, call: u32, name: String| -> rquickjs::Result<Value<'js>> {
        let extension = bridge.extension(&js, id)?;
        let ctx = bridge.context(&extension, call, false).map_err(|error| refused(&js, &error))?;
        answer(&js, &ctx, &name)
    })?;
    let bridge = area.bridge();
    // The session of the context when it is another one than the extension's own, as for a gate that is asked about a
    // child: its number, its working directory, its folder.
    area.function("ctxSession", move |js: Ctx<'js>, id: u32, call: u32| -> rquickjs::Result<Value<'js>> {
        let extension = bridge.extension(&js, id)?;
        let ctx = bridge.context(&extension, call, false).map_err(|error| refused(&js, &error))?;
        let own = extension.api.host().map_err(|error| refused(&js, &error))?;
        if std::ptr::addr_eq(Arc::as_ptr(&own), Arc::as_ptr(ctx.host())) {
            return Ok(Value::new_undefined(js));
        }
        let session = ctx.session();
        let dir = session.file().and_then(std::path::Path::parent).map(|dir| dir.to_string_lossy().into_owned());
        let cwd = session.cwd().to_string_lossy().into_owned();
        let rid = bridge.core(&js)?.host().resources().add(crate::ops::session_handle(session));
        let list = rquickjs::Array::new(js.clone())?;
        list.set(0, rid)?;
        list.set(1, cwd)?;
        list.set(2, dir.unwrap_or_default())?;
        Ok(list.into_value())
    })?;
    let bridge = area.bridge();
    area.function("ctxDo", move |js: Ctx<'js>, id: u32, call: u32, name: String| -> rquickjs::Result<()> {
        let extension = bridge.extension(&js, id)?;
        let ctx = bridge.context(&extension, call, false).map_err(|error| refused(&js, &error))?;
        match name.as_str() {
            "abort" => ctx.host().abort(),
            "shutdown" => ctx.host().shutdown(),
            "check" => {}
            _ => return Err(OpError::message(format!("`{name}` is not a member of ctx")).throw(&js)),
        }
        Ok(())
    })?;
    let bridge = area.bridge();
    // An `AbortSignal` of the run the call belongs to.
    area.function("ctxSignal", move |js: Ctx<'js>, id: u32, call: u32| -> rquickjs::Result<Value<'js>> {
        let extension = bridge.extension(&js, id)?;
        let ctx = bridge.context(&extension, call, false).map_err(|error| refused(&js, &error))?;
        let core = bridge.core(&js)?;
        super::signal::watch(&js, &core, call, ctx.signal().clone())
    })?;
    let bridge = area.bridge();
    area.function(
        "ctxCommand",
        move |js: Ctx<'js>, id: u32, call: u32, name: String, args: Json, handler: Option<u32>| {
            command(&js, &bridge, (id, call), name, args, handler)
        },
    )?;
    let bridge = area.bridge();
    // A function that gives what it gets. As long as it is there, a script holds the context of a command.
    area.function("ctxHold", move |js: Ctx<'js>| -> rquickjs::Result<Function<'js>> {
        let held = bridge.hold_command();
        let holds = move |handler: Option<u32>| {
            let _held = &held;
            handler
        };
        Function::new(js, holds)
    })
}

/// Waits or acts on the whole session: for commands, because a handler would wait for itself. `handler` is the number of the
/// handler that the running code runs for, where that is known.
fn command<'js>(
    js: &Ctx<'js>,
    bridge: &Rc<Bridge>,
    (id, call): (u32, u32),
    name: String,
    args: Json,
    handler: Option<u32>,
) -> rquickjs::Result<Value<'js>> {
    let extension = bridge.extension(js, id)?;
    let core = bridge.core(js)?;
    let ctx = match core.is_handling() || handler.is_some_and(|handler| core.is_handler_at_work(handler)) {
        false => bridge.context(&extension, call, true),
        // Whoever asks is a handler, whatever call the context is of.
        true => extension.api.ctx(CancellationToken::new(), false),
    };
    let ctx = ctx.map_err(|error| refused(js, &error))?;
    let fill = super::replace::setup_of(bridge, id, &args.0);
    // On the session's own threads: what replaces the engine must not end with it.
    let session = extension.runtime.clone();
    let act = async move {
        let done = match name.as_str() {
            "waitForIdle" => ctx.wait_for_idle().await.map(|()| json!(null)),
            "reload" => ctx.reload().await.map(|()| json!(null)),
            "compact" => compact(&ctx, &args.0).await,
            name => {
                let unknown = || Err(ActionError::Refused(format!("`{name}` is not available yet")));
                super::replace::act(&ctx, name, args.0, fill).await.unwrap_or_else(unknown)
            }
        };
        done.map(Json).map_err(|error| OpError::message(error.to_string()))
    };
    core.host().spawn(js, async move {
        let done = session.spawn(act).await;
        done.unwrap_or_else(|_| Err(OpError::message("the session ended")))
    })
}
