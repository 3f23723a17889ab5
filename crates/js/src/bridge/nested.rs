//! Tools that a tool written in JavaScript calls: `ctx.tools` and `ctx.executeTool`.

use rquickjs::{Ctx, Function, Persistent};
use tau_tools::{NestedCall, NestedOutcome, Progress, ToolFailure};
use tokio::sync::mpsc::unbounded_channel;

use super::extract::{Caller, InCall};
use super::refused;
use crate::ops::table::{Promised, ops};
use crate::ops::{Json, OpError};

ops! {
    /// Tools that a tool written in JavaScript calls.
    pub(crate) static OPS: always;

    /// The tools that a call may call.
    fn callableTools(id, call) -> "ToolSpec[]" = callable_tools, Recorded;
    /// Calls a tool, through every gate.
    fn executeTool(id, call, name, args, token, update) -> "NestedOutcome" = execute_tool, Refused;
}

/// Why a handler cannot call tools.
const IN_A_HANDLER: &str = "a tool cannot be called in an event handler: a call waits for the handlers before it, so it \
                            would wait for itself";

fn callable_tools<'js>(js: Ctx<'js>, InCall { ctx, .. }: InCall) -> rquickjs::Result<Json> {
    let tools = serde_json::to_value(ctx.tools()).map_err(|error| OpError::message(error.to_string()).throw(&js))?;
    Ok(Json(tools))
}

fn execute_tool<'js>(
    js: Ctx<'js>,
    Caller { bridge, extension, .. }: Caller,
    call: u32,
    name: String,
    args: Json,
    token: Option<u32>,
    update: Option<Function<'js>>,
) -> rquickjs::Result<Promised<'js, Json>> {
    let core = bridge.core(&js)?;
    let ctx = bridge.context(&extension, call, false).map_err(|error| refused(&js, &error))?;
    let (partials, mut progress) = unbounded_channel();
    let sink = match update {
        // Nobody listens any more once the call is over.
        Some(_) => Progress::new(move |partial| drop(partials.send(partial))),
        None => Progress::ignore(),
    };
    let nested = NestedCall { name, args: args.0, cancel: bridge.tokens.get(token), progress: sink, own: None };
    let mut answer = if core.is_handling() {
        let refused = NestedOutcome::refused(nested, ToolFailure::new(IN_A_HANDLER));
        Box::pin(std::future::ready(refused))
    } else {
        ctx.execute_tool(nested)
    };
    let update = update.map(|update| Persistent::save(&js, update));
    let (completions, owner) = (core.host().completions(), core.host().asking(&js));
    core.host().spawn(&js, async move {
        let report = move |partial: tau_tools::ToolOutput| {
            let Some(update) = update.clone() else { return };
            let tell = move |js: &Ctx<'_>| {
                let partial = partial.to_json().map_err(|error| OpError::message(error.to_string()));
                let partial = crate::convert::to_js(js, &partial.map_err(|error| error.throw(js))?)?;
                update.restore(js)?.call::<_, ()>((partial,))
            };
            // This fails only when the engine is gone, and then nothing listens.
            let _ = completions.send((owner, Box::new(tell)));
        };
        let outcome = loop {
            tokio::select! {
                biased;
                Some(partial) = progress.recv() => report(partial),
                outcome = &mut answer => break outcome,
            }
        };
        while let Ok(partial) = progress.try_recv() {
            report(partial);
        }
        outcome.to_json().map(Json).map_err(|error| OpError::message(error.to_string()))
    })
}
