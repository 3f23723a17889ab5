//! Results with live objects in them: operations that an extension wrote in JavaScript.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rquickjs::IntoJs;
use rquickjs::function::Func;
use serde_json::{Value as Json, json};
use tau_hooks::events::EventId;
use tau_hooks::{AnyOutput, Handle, HandlerError};
use tau_tools::OpError;
use tau_tools::bash::{BashExec, BashExecError, BashOperations};

use super::Callback;
use super::callback::{making, reading};
use super::events::JsHandler;
use super::signal::watch;
use crate::ops::Bytes;

/// How long a command that was stopped may still have output.
const DRAIN: Duration = Duration::from_millis(500);

/// Puts live objects into a result that has them: JavaScript puts the number of a function in their place.
///
/// # Errors
/// When the result is malformed.
pub(super) fn attach(event: EventId, handler: &JsHandler, output: AnyOutput) -> Result<AnyOutput, HandlerError> {
    let row = event.row();
    let mut fields = match output {
        AnyOutput::Json(Json::Object(fields)) if !row.live.is_empty() => fields,
        other => return Ok(other),
    };
    let mut objects = Vec::new();
    for name in row.live {
        let Some(value) = fields.remove(*name) else { continue };
        let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
        let number = number.ok_or_else(|| HandlerError::Malformed(format!("`{name}` has no usable function")))?;
        let callback = Callback::new(handler.engine.clone(), handler.extension, number, None);
        let operations: Arc<dyn BashOperations> =
            Arc::new(JsBash { callback, location: Arc::clone(&handler.location) });
        objects.push((*name, Handle::new(operations)));
    }
    if objects.is_empty() {
        return Ok(AnyOutput::Json(Json::Object(fields)));
    }
    (row.with_live)(Json::Object(fields), objects).map(AnyOutput::Typed)
}

/// Runs commands the way an extension wants.
struct JsBash {
    callback: Arc<Callback>,
    /// Where the handler was registered, for errors.
    location: Arc<str>,
}

#[async_trait]
impl BashOperations for JsBash {
    async fn exec(&self, command: &str, cwd: &Path, exec: BashExec) -> Result<Option<i32>, BashExecError> {
        // A command that runs elsewhere is not slowed down.
        let BashExec { on_data, cancel, timeout, env, pace: _ } = exec;
        let (command, cwd) = (command.to_owned(), cwd.to_string_lossy().into_owned());
        let (token, location) = (cancel.clone(), Arc::clone(&self.location));
        let args = making(move |js, core, call| {
            let signal = watch(js, core, call, token)?;
            let send = move |data: Bytes| on_data(&data.0);
            Ok(vec![
                command.as_str().into_js(js)?,
                cwd.as_str().into_js(js)?,
                crate::convert::to_js(js, &json!({"timeout": timeout, "env": env}))?,
                signal,
                Func::from(send).into_js(js)?,
                (*location).into_js(js)?,
            ])
        });
        let read = reading(|js, _, value, _| crate::convert::from_js(js, &value));
        let run = self.callback.call(args, read);
        let stopped = async {
            cancel.cancelled().await;
            tokio::time::sleep(DRAIN).await;
        };
        let done = tokio::select! {
            done = run => done,
            () = stopped => return Err(BashExecError::Aborted),
        };
        match done {
            Ok(code) => Ok(code.and_then(|code| code.as_i64()).and_then(|code| i32::try_from(code).ok())),
            Err(_) if cancel.is_cancelled() => Err(BashExecError::Aborted),
            Err(error) => Err(failed(&error, &self.location)),
        }
    }
}

/// The error's message says why a command has no exit code. `place` is where the handler was registered.
fn failed(error: &HandlerError, place: &str) -> BashExecError {
    let message = error.to_string();
    match message.strip_prefix("timeout:").and_then(|seconds| seconds.parse().ok()) {
        Some(seconds) => BashExecError::TimedOut(seconds),
        None if message == "aborted" => BashExecError::Aborted,
        None if message.contains(place) => BashExecError::Failed(OpError::new(message)),
        None => BashExecError::Failed(OpError::new(format!("{message} (operations of {place})"))),
    }
}
