//! What `ctx` answers.

use std::rc::Rc;
use std::sync::Arc;

use rquickjs::{Ctx, Function, IntoJs, Value};
use serde_json::json;
use tau_hooks::{ActionError, Ctx as HookCtx, Mode};
use tokio_util::sync::CancellationToken;

use super::extract::{Bridged, InCall};
use super::{Bridge, refused};
use crate::ops::table::{Promised, ops};
use crate::ops::{Json, OpError};

ops! {
    /// What `ctx` answers.
    pub(crate) static OPS: always;

    /// Asks something about the session of a context.
    fn ctxGet(id, call, name) = ctx_get, Recorded;
    /// The session of the context when it is another one than the extension's own, as for a gate that is asked about a child: its number, its working directory, its folder.
    fn ctxSession(id, call) = ctx_session, Recorded;
    /// Acts on the session of a context.
    fn ctxDo(id, call, name) = ctx_do, Refused;
    /// An `AbortSignal` of the run the call belongs to.
    fn ctxSignal(id, call) = ctx_signal, Pure;
    /// Waits for the session, or acts on all of it: for commands, because a handler would wait for itself.
    fn ctxCommand(id, call, name, args, handler) = ctx_command, Refused;
    /// A function that gives what it gets. As long as it is there, a script holds the context of a command.
    fn ctxHold() = ctx_hold, Pure;
}

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

/// Waits or acts on the whole session: for commands, because a handler would wait for itself. `handler` is the number of the
/// handler that the running code runs for, where that is known.
fn command<'js>(
    js: &Ctx<'js>,
    bridge: &Rc<Bridge>,
    (id, call): (u32, u32),
    name: String,
    args: Json,
    handler: Option<u32>,
) -> rquickjs::Result<Promised<'js, Json>> {
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

fn ctx_get<'js>(js: Ctx<'js>, InCall { ctx, .. }: InCall, name: String) -> rquickjs::Result<Value<'js>> {
    answer(&js, &ctx, &name)
}

fn ctx_session<'js>(js: Ctx<'js>, InCall { bridge, extension, ctx, .. }: InCall) -> rquickjs::Result<Value<'js>> {
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
}

fn ctx_do<'js>(js: Ctx<'js>, InCall { ctx, .. }: InCall, name: String) -> rquickjs::Result<()> {
    match name.as_str() {
        "abort" => ctx.host().abort(),
        "shutdown" => ctx.host().shutdown(),
        "check" => {}
        _ => return Err(OpError::message(format!("`{name}` is not a member of ctx")).throw(&js)),
    }
    Ok(())
}

fn ctx_signal<'js>(js: Ctx<'js>, InCall { bridge, ctx, call, .. }: InCall) -> rquickjs::Result<Value<'js>> {
    let core = bridge.core(&js)?;
    super::signal::watch(&js, &core, call, ctx.signal().clone())
}

fn ctx_command<'js>(
    js: Ctx<'js>,
    Bridged(bridge): Bridged,
    id: u32,
    call: u32,
    name: String,
    args: Json,
    handler: Option<u32>,
) -> rquickjs::Result<Promised<'js, Json>> {
    command(&js, &bridge, (id, call), name, args, handler)
}

fn ctx_hold<'js>(js: Ctx<'js>, Bridged(bridge): Bridged) -> rquickjs::Result<Function<'js>> {
    let held = bridge.hold_command();
    let holds = move |handler: Option<u32>| {
        let _held = &held;
        handler
    };
    Function::new(js, holds)
}
