//! Tools that a tool written in JavaScript calls: `ctx.tools` and `ctx.executeTool`.

use rquickjs::{Ctx, Function, Persistent, Value};
use tau_tools::{NestedCall, NestedOutcome, Progress, ToolFailure};
use tokio::sync::mpsc::unbounded_channel;

use super::{Area, refused};
use crate::ops::{Json, OpError};

/// Why a handler cannot call tools.
const IN_A_HANDLER: &str = "a tool cannot be called in an event handler: a call waits for the handlers before it, so it \
                            would wait for itself";

pub(super) fn install<'js>(area: &Area<'js>) -> rquickjs::Result<()> {
    let bridge = area.bridge();
    area.function("callableTools", move |js: Ctx<'js>, id: u32, call: u32| -> rquickjs::Result<Json> {
        let extension = bridge.extension(&js, id)?;
        let ctx = bridge.context(&extension, call, false).map_err(|error| refused(&js, &error))?;
        let tools =
            serde_json::to_value(ctx.tools()).map_err(|error| OpError::message(error.to_string()).throw(&js))?;
        Ok(Json(tools))
    })?;
    let bridge = area.bridge();
    // Calls a tool for the call that is under way; `token` ends it early and `update` takes what there is so far.
    let execute = move |js: Ctx<'js>,
                        id: u32,
                        call: u32,
                        name: String,
                        args: Json,
                        token: Option<u32>,
                        update: Option<Function<'js>>|
          -> rquickjs::Result<Value<'js>> {
        let extension = bridge.extension(&js, id)?;
        let core = bridge.core(&js)?;
        let ctx = bridge.context(&extension, call, false).map_err(|error| refused(&js, &error))?;
        let (partials, mut progress) = unbounded_channel();
        let sink = match update {
            // Nobody listens any more once the call is over.
            Some(_) => Progress::new(move |partial| drop(partials.send(partial))),
            None => Progress::ignore(),
        };
        let nested = NestedCall { name, args: args.0, cancel: bridge.tokens.get(token), progress: sink };
        let mut answer = match core.is_handling() {
            false => ctx.execute_tool(nested),
            true => {
                let refused = NestedOutcome::refused(nested, ToolFailure::new(IN_A_HANDLER));
                Box::pin(std::future::ready(refused))
            }
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
                // The engine is gone when this fails, and with it whoever listened.
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
    };
    area.function("executeTool", execute)
}
