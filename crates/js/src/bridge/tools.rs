//! Tools written in JavaScript.

use std::sync::Arc;

use async_trait::async_trait;
use rquickjs::IntoJs;
use rquickjs::function::Func;
use serde_json::Value as Json;
use tau_ai::ContentBlock;
use tau_hooks::{Api, HandlerError, Report};
use tau_tools::{Invocation, Loadout, LoadoutChanges, Tool, ToolFailure, ToolOutput, ToolSpec};

use super::Callback;
use super::callback::{making, reading};
use super::guest::HasBridge as _;
use super::signal::watch;
use crate::engine::is_mistake;

/// The functions of a tool.
#[derive(Clone)]
pub(super) struct ToolFunctions {
    pub(super) execute: Arc<Callback>,
    pub(super) prepare: Option<Arc<Callback>>,
    pub(super) loadout: Option<Arc<Callback>>,
}

/// A tool written in JavaScript.
pub(super) struct JsTool {
    spec: ToolSpec,
    functions: ToolFunctions,
    api: Api,
    /// The session that it works in, when that is another one than its extension's.
    elsewhere: Option<Api>,
}

impl JsTool {
    pub(super) fn new(spec: ToolSpec, functions: ToolFunctions, api: Api) -> Self {
        Self { spec, functions, api, elsewhere: None }
    }

    /// The same tool at work in another session.
    pub(super) fn in_session(&self, session: Api) -> Self {
        let (spec, functions, api) = (self.spec.clone(), self.functions.clone(), self.api.clone());
        Self { spec, functions, api, elsewhere: Some(session) }
    }
}

#[async_trait]
impl Tool for JsTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn prepare_arguments(&self, raw: Json) -> Result<Json, ToolFailure> {
        match &self.functions.prepare {
            Some(prepare) => {
                let prepared = prepare.call_json(vec![raw.clone()]).await.map_err(failure)?;
                Ok(prepared.unwrap_or(raw))
            }
            None => Ok(raw),
        }
    }

    fn prepares_loadout(&self) -> bool {
        self.functions.loadout.is_some()
    }

    async fn prepare_loadout(&self, loadout: &Loadout) -> Result<LoadoutChanges, ToolFailure> {
        let Some(prepare) = &self.functions.loadout else { return Ok(LoadoutChanges::default()) };
        let loadout = serde_json::to_value(loadout).map_err(ToolFailure::new)?;
        match prepare.call_json(vec![loadout]).await.map_err(failure)? {
            Some(changes) => serde_json::from_value(changes).map_err(ToolFailure::new),
            None => Ok(LoadoutChanges::default()),
        }
    }

    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        let ctx = match &self.elsewhere {
            Some(session) => session.host().and_then(|host| self.api.tool_ctx_in(host, &invocation)),
            None => self.api.tool_ctx(&invocation),
        };
        let ctx = ctx.map_err(ToolFailure::new)?;
        let Invocation { id, args, cancel, progress, nested: _ } = invocation;
        let arguments = making(move |js, core, call| {
            core.add_context(call, ctx);
            let signal = watch(js, core, call, cancel)?;
            let update = move |partial: crate::ops::Json| progress.report(output(partial.0));
            Ok(vec![
                call.into_js(js)?,
                id.as_str().into_js(js)?,
                crate::convert::to_js(js, &args)?,
                signal,
                Func::from(update).into_js(js)?,
            ])
        });
        let read = reading(|js, _, value, _| crate::convert::from_js(js, &value));
        let result = self.functions.execute.call(arguments, read).await;
        let result = result.map_err(|error| {
            self.report_mistake(&error);
            failure(error)
        })?;
        let name = &self.spec.name;
        let path = &self.api.owner().path;
        match result.unwrap_or_default() {
            Json::Null => {
                self.report(format!("the tool {name} returned no result"));
                Err(ToolFailure::new(format!("The tool {name} returned no result ({path})")))
            }
            value => {
                if let Some(kind) = not_a_result(&value) {
                    self.report(format!(
                        "the tool {name} returned {kind}, which the model does not see; a result is {{ content: […] }}"
                    ));
                }
                Ok(output(value))
            }
        }
    }
}

impl JsTool {
    /// Tells the user where the source of the tool is wrong. What a tool throws on purpose is for the model alone.
    fn report_mistake(&self, error: &HandlerError) {
        if let HandlerError::Failed { message, stack: Some(stack), location: Some(place), .. } = error
            && is_mistake(message, stack)
        {
            let text = format!("the tool {} failed: {message} ({place})", self.spec.name);
            self.report(text);
        }
    }

    fn report(&self, text: String) {
        self.api.report(&Report::diagnostic(Arc::clone(&self.api.owner().path), "tool", text));
    }
}

/// What a tool returned that has nothing in it for the model.
fn not_a_result(value: &Json) -> Option<&'static str> {
    match value {
        Json::Array(_) => Some("an array"),
        Json::Bool(_) => Some("a boolean"),
        Json::Number(_) => Some("a number"),
        Json::Null | Json::String(_) | Json::Object(_) => None,
    }
}

/// What a tool of an extension returned. Extensions are loose here: content may be missing, a text, or one block.
fn output(value: Json) -> ToolOutput {
    let Json::Object(mut fields) = value else {
        return match value {
            Json::String(text) => ToolOutput::text(text),
            _ => ToolOutput::default(),
        };
    };
    let block = |value: Json| match value {
        Json::String(text) => Some(ContentBlock::text(text)),
        value => serde_json::from_value(value).ok(),
    };
    let content = match fields.shift_remove("content") {
        Some(Json::Array(items)) => items.into_iter().filter_map(block).collect(),
        Some(value @ (Json::String(_) | Json::Object(_))) => block(value).into_iter().collect(),
        _ => Vec::new(),
    };
    ToolOutput {
        content,
        details: fields.shift_remove("details"),
        structured_content: fields.shift_remove("structuredContent"),
        is_error: fields.get("isError") == Some(&Json::Bool(true)),
        usage: fields.get("usage").and_then(|usage| serde_json::from_value(usage.clone()).ok()),
        terminate: fields.get("terminate") == Some(&Json::Bool(true)),
        further: fields,
    }
}

/// A throw is an error result: the model reads its message.
fn failure(error: HandlerError) -> ToolFailure {
    match error {
        HandlerError::Failed { message, .. } => ToolFailure::new(message),
        other => ToolFailure::new(other),
    }
}
