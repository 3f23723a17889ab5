//! `tau mcp list`: tries every server, and says what it has.

use std::process::ExitCode;

use serde_json::{Map, Value, json};
use tau_mcp::manager::{Reach, Server};
use tau_mcp::{Entry, State};
use tokio_util::sync::CancellationToken;

use super::Mcp;
use crate::output::say;

/// What is known of a server.
struct Found {
    entry: Entry,
    state: State,
    tools: Vec<String>,
    /// The commands of its prompts.
    prompts: Vec<String>,
    has_resources: bool,
    /// Why some of its tools cannot be called.
    left_out: Option<String>,
    error: Option<String>,
}

impl Found {
    async fn of(server: &Server) -> Self {
        let (entry, status) = (server.entry(), server.status());
        Self {
            entry,
            state: status.state,
            tools: server.tools().iter().map(|tool| tool.name.clone()).collect(),
            prompts: match status.state {
                State::Connected => tau_mcp::prompt_commands(server).await,
                _ => Vec::new(),
            },
            has_resources: status.has_resources,
            left_out: server.current().and_then(|connection| connection.left_out()),
            error: status.error.filter(|_| status.state == State::Failed),
        }
    }

    fn is_wrong(&self) -> bool {
        !matches!(self.state, State::Connected | State::Disabled)
    }

    /// Tools that are reached in another way than the others.
    fn exceptions(&self) -> Map<String, Value> {
        let config = &self.entry.config;
        let other = self.tools.iter().map(|tool| (tool, config.exposure_of(tool)));
        let other = other.filter(|(_, exposure)| *exposure != config.exposure);
        other.map(|(tool, exposure)| (tool.clone(), json!(exposure.as_str()))).collect()
    }

    fn to_json(&self) -> Value {
        let config = &self.entry.config;
        let mut found = json!({
            "name": self.entry.name,
            "scope": self.entry.scope.as_str(),
            "source": self.entry.source,
            "enabled": config.enabled,
            "exposure": config.exposure.as_str(),
            "transport": config.target(),
            "state": self.state.as_str(),
            "tools": self.tools,
        });
        if let Some(file) = &self.entry.changed_by {
            found["override"] = json!(file);
        }
        let exceptions = self.exceptions();
        if !exceptions.is_empty() {
            found["toolExposure"] = Value::Object(exceptions);
        }
        if !self.prompts.is_empty() {
            found["prompts"] = json!(self.prompts);
        }
        if let Some(why) = &self.left_out {
            found["leftOut"] = json!(why);
        }
        if self.has_resources {
            found["resources"] = json!(true);
        }
        if let Some(error) = &self.error {
            found["error"] = json!(error);
        }
        found
    }

    fn to_text(&self) -> String {
        let (entry, count) = (&self.entry, self.tools.len());
        let state = match self.state {
            State::Connected if count == 1 => "connected, 1 tool".to_owned(),
            State::Connected => format!("connected, {count} tools"),
            State::NeedsSignIn => "needs sign-in".to_owned(),
            state => state.as_str().to_owned(),
        };
        let (exposure, scope) = (entry.config.exposure, entry.scope.as_str());
        let mut lines =
            vec![format!("{}: {state} ({exposure}, {scope})", entry.name), format!("  {}", entry.config.target())];
        if let Some(file) = &entry.changed_by {
            lines.push(format!("  project override: {}", file.display()));
        }
        if self.state == State::NeedsSignIn {
            lines.push(format!("  sign in with: tau mcp login {}", entry.name));
        }
        if count > 0 {
            let exceptions = self.exceptions();
            let tools = self.tools.iter().map(|tool| match exceptions.get(tool).and_then(Value::as_str) {
                Some(exposure) => format!("{} [{exposure}]", shown(tool)),
                None => shown(tool),
            });
            lines.push(format!("  tools: {}", tools.collect::<Vec<_>>().join(", ")));
        }
        if !self.prompts.is_empty() {
            lines.push(format!("  prompts: /{}", self.prompts.join(", /")));
        }
        if let Some(why) = &self.left_out {
            lines.push(format!("  tools left out: {}", shown(why)));
        }
        if self.has_resources {
            lines.push("  offers resources".to_owned());
        }
        if let Some(error) = &self.error {
            lines.extend(error.lines().map(|line| format!("  {}", shown(line))));
        }
        lines.join("\n")
    }
}

/// Foreign text, as a terminal may get it.
fn shown(text: &str) -> String {
    tau_mcp::summary::one_line(text, 2000)
}

pub(super) async fn list(mcp: &Mcp<'_>) -> ExitCode {
    let config = mcp.load();
    let manager = mcp.manager(config.servers.clone());
    manager.settled(&Reach::All, &CancellationToken::new()).await;
    let servers = manager.servers();
    let all = futures_util::future::join_all(servers.iter().map(|server| Found::of(server))).await;
    manager.close().await;
    let errors: Vec<String> = config.errors.iter().map(ToString::to_string).collect();
    let warnings: Vec<String> = config.warnings.iter().map(ToString::to_string).collect();
    let is_wrong = !errors.is_empty() || all.iter().any(Found::is_wrong);
    let ignored = mcp.ignored();
    let text = if mcp.options.json {
        let servers: Vec<Value> = all.iter().map(Found::to_json).collect();
        let mut list = json!({ "servers": servers, "errors": errors });
        if !warnings.is_empty() {
            list["warnings"] = json!(warnings);
        }
        if let Some(ignored) = ignored {
            list["note"] = json!(ignored);
        }
        format!("{list:#}\n")
    } else {
        let mut lines: Vec<String> = all.iter().map(Found::to_text).collect();
        if lines.is_empty() && errors.is_empty() {
            lines.push("There are no MCP servers. `tau mcp add` adds one.".to_owned());
        }
        lines.extend(errors.iter().map(|error| format!("config error: {error}")));
        lines.extend(warnings.iter().map(|warning| format!("config warning: {warning}")));
        lines.extend(ignored);
        lines.join("\n") + "\n"
    };
    let said = say(&text);
    if is_wrong { ExitCode::FAILURE } else { said }
}
