//! A tool of a server as a tool of the session.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tau_tools::{Invocation, Tool, ToolAnnotations, ToolFailure, ToolNamespace, ToolOutput, ToolSpec};
use tau_view::untrusted::plain;

use super::options::Options;
use crate::config::{Entry, Exposure};
use crate::connection::{Call, CallError, Progress, ServerTool};
use crate::manager::{Manager, Server, State};
use crate::names::namespace;
use crate::result::{Origin, of_call, result_schema};
use crate::summary::one_line;

/// Most bytes of a description.
const DESCRIPTION: usize = 16 * 1024;

/// Most characters of what a call says about its progress.
const MESSAGE: usize = 500;

/// A tool of a server.
pub(super) struct McpTool {
    pub(super) spec: ToolSpec,
    pub(super) server: String,
    pub(super) tool: String,
    pub(super) manager: Manager,
    pub(super) options: Arc<Options>,
}

/// The tool as models and people see it. What the server says is foreign: characters that nobody sees are left out.
pub(super) fn spec(name: String, server: &Server, entry: &Entry, tool: &ServerTool) -> ToolSpec {
    let about = tool.description.as_deref().or(tool.title.as_deref()).map(plain).unwrap_or_default();
    let about = about.trim();
    let about = if about.is_empty() {
        format!("MCP tool {} of server {}", plain(&tool.name), entry.name)
    } else {
        about[..about.floor_char_boundary(DESCRIPTION)].to_owned()
    };
    let hint = |key: &str| tool.annotations.get(key).and_then(Value::as_bool);
    let annotations = ToolAnnotations {
        read_only_hint: hint("readOnlyHint"),
        destructive_hint: hint("destructiveHint"),
        idempotent_hint: hint("idempotentHint"),
        open_world_hint: hint("openWorldHint"),
    };
    ToolSpec {
        name,
        label: format!("{}/{}", entry.name, plain(&tool.name)),
        description: about,
        parameters: tool.input_schema.clone(),
        exposure: entry.config.exposure_of(&tool.name).of_tool(),
        namespace: Some(ToolNamespace {
            name: namespace(&entry.name),
            // People write the name as it stands in the file.
            aliases: vec![entry.name.clone()],
            description: entry.config.description.clone(),
            instructions: server.instructions().map(|text| plain(&text)),
        }),
        annotations: Some(annotations).filter(|annotations| *annotations != ToolAnnotations::default()),
        output_schema: Some(result_schema(tool.output_schema.as_ref())),
        ..ToolSpec::default()
    }
}

impl McpTool {
    /// The server, as long as it has the tool.
    fn found(&self) -> Result<Arc<Server>, ToolFailure> {
        let gone = || ToolFailure::new(format!("MCP tool \"{}/{}\" is no longer available", self.server, self.tool));
        let server = self.manager.server(&self.server).ok_or_else(gone)?;
        let is_offered = || server.tools().iter().any(|tool| tool.name == self.tool);
        let is_hidden = server.entry().config.exposure_of(&self.tool) == Exposure::Hidden;
        if is_hidden || (server.status().state == State::Connected && !is_offered()) { Err(gone()) } else { Ok(server) }
    }
}

/// What a call that is under way shows.
pub(super) fn progress_text(progress: &Progress) -> String {
    let message = progress.message.as_deref().map(|message| one_line(message, MESSAGE)).unwrap_or_default();
    let done = number(progress.progress);
    match (message.as_str(), progress.total.filter(|total| *total > 0.0).map(number)) {
        ("", Some(total)) => format!("Progress {done}/{total}"),
        ("", None) => format!("Progress {done}"),
        (message, Some(total)) => format!("{message} ({done}/{total})"),
        (message, None) => message.to_owned(),
    }
}

/// A number of a server in few characters, whatever it is.
fn number(number: f64) -> String {
    match number.abs() {
        ..1e15 => ((number * 100.0).round() / 100.0).to_string(),
        _ => format!("{number:e}"),
    }
}

#[async_trait]
impl Tool for McpTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// The gates have agreed by now, so this is where a server that is still being connected is waited for.
    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        let server = self.found()?;
        let client = server.client(&invocation.cancel).await.map_err(ToolFailure::new)?;
        let details = json!({ "server": self.server, "tool": self.tool });
        let progress = invocation.progress.clone();
        let call = Call {
            cancel: invocation.cancel.clone(),
            progress: Some(Arc::new(move |now| {
                progress.report(ToolOutput::text(progress_text(&now)).with_details(details.clone()));
            })),
        };
        let args = match invocation.args {
            Value::Object(args) => args,
            _ => Map::new(),
        };
        // A server that was lost has its tools listed anew, and this one may be gone.
        self.found()?;
        let answer = client.call_tool(&self.tool, args, &call).await.map_err(|error| failure(&server, error))?;
        let origin = Origin {
            server: self.server.clone(),
            tool: self.tool.clone(),
            reads_resources: server.status().has_resources,
            folder: self.options.temp_dir.clone(),
        };
        shaped(move || of_call(&origin, answer)).await
    }
}

/// Why a call failed, for the model.
pub(super) fn failure(server: &Server, error: CallError) -> ToolFailure {
    match error {
        CallError::Cancelled => ToolFailure::aborted(),
        CallError::NeedsSignIn(_) => {
            let name = server.name();
            ToolFailure::new(format!("MCP server \"{name}\" needs a sign-in; the user can run `tau mcp login {name}`"))
        }
        error => ToolFailure::new(server.without_secrets(error.to_string())),
    }
}

/// Makes an output where pictures and files hold up nobody.
pub(super) async fn shaped(work: impl FnOnce() -> ToolOutput + Send + 'static) -> Result<ToolOutput, ToolFailure> {
    tokio::task::spawn_blocking(work).await.map_err(ToolFailure::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_short_whatever_a_server_says() {
        let text = |progress, total, message: Option<&str>| {
            progress_text(&Progress { progress, total, message: message.map(str::to_owned) })
        };
        assert_eq!(text(2.0, Some(3.0), Some("Step\u{1b}[31m\ntwo")), "Step two (2/3)");
        assert_eq!(text(0.333_333, Some(1.0), None), "Progress 0.33/1");
        assert_eq!(text(7.0, None, None), "Progress 7");
        assert_eq!(text(7.0, Some(0.0), Some("Step")), "Step");
        assert_eq!(text(1e300, Some(-1.0), Some(" ")), "Progress 1e300");
        assert!(text(1.0, None, Some(&"x".repeat(100_000))).chars().count() <= MESSAGE);
    }
}
