//! The tools by which models list and read the resources of all servers.

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tau_tools::{Invocation, Reach, Tool, ToolAnnotations, ToolFailure, ToolOutput, ToolSpec};

use super::options::Options;
use super::tool::{failure, shaped};
use crate::config::Exposure;
use crate::connection::Call;
use crate::manager::{Manager, Server};
use crate::names::namespace;
use crate::result::{Origin, of_json, of_resource};

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    List,
    Templates,
    Read,
}

/// One of the three.
pub(super) struct ResourceTool {
    kind: Kind,
    spec: ToolSpec,
    manager: Manager,
    options: Arc<Options>,
}

/// The servers that have resources and may be reached.
pub(super) fn servers(manager: &Manager) -> Vec<Arc<Server>> {
    let reachable = |server: &Arc<Server>| {
        let config = server.entry().config;
        config.enabled && config.exposure != Exposure::Hidden && server.status().has_resources
    };
    let mut all: Vec<Arc<Server>> = manager.servers().into_iter().filter(reachable).collect();
    all.sort_by_key(|server| server.name());
    all
}

impl Kind {
    const ALL: [Self; 3] = [Self::List, Self::Templates, Self::Read];

    fn name(self) -> &'static str {
        match self {
            Self::List => "list_mcp_resources",
            Self::Templates => "list_mcp_resource_templates",
            Self::Read => "read_mcp_resource",
        }
    }

    /// Where a list stands in an answer.
    fn key(self) -> &'static str {
        if self == Self::Templates { "resourceTemplates" } else { "resources" }
    }

    fn description(self) -> &'static str {
        match self {
            Self::List => {
                "List the resources that MCP servers offer, such as files, schemas and documents. One of them may answer a \
                 question better than a search of the web."
            }
            Self::Templates => {
                "List the templates of resources that MCP servers offer. A template is an address with places to fill in."
            }
            Self::Read => {
                "Read a resource of an MCP server, by the name of the server and the address of the resource."
            }
        }
    }

    fn parameters(self) -> Value {
        let text = |about: &str| json!({ "type": "string", "description": about });
        match self {
            Self::List | Self::Templates => json!({
                "type": "object",
                "properties": {
                    "server": text("The name of a server; all servers when it is left out."),
                    "cursor": text("The nextCursor of the previous answer for the same server, to get the next page."),
                },
                "additionalProperties": false
            }),
            Self::Read => json!({
                "type": "object",
                "properties": {
                    "server": text("The name of the server, as list_mcp_resources gives it."),
                    "uri": text("The address of the resource, as list_mcp_resources gives it."),
                },
                "required": ["server", "uri"],
                "additionalProperties": false
            }),
        }
    }

    fn output_schema(self) -> Value {
        let text = json!({ "type": "string" });
        match self {
            Self::List | Self::Templates => {
                let address = if self == Self::List { "uri" } else { "uriTemplate" };
                json!({
                    "type": "object",
                    "properties": {
                        "server": text,
                        self.key(): { "type": "array", "items": {
                            "type": "object",
                            "properties": { "server": text, address: text, "name": text, "title": text,
                                "description": text, "mimeType": text },
                            "required": ["server", address, "name"]
                        } },
                        "nextCursor": text,
                        "errors": { "type": "array", "items": {
                            "type": "object",
                            "properties": { "server": text, "error": text },
                            "required": ["server", "error"]
                        } }
                    },
                    "required": [self.key()]
                })
            }
            Self::Read => json!({
                "type": "object",
                "properties": { "server": text, "uri": text, "contents": { "type": "array", "items": {
                    "type": "object",
                    "properties": { "uri": text, "mimeType": text, "text": text, "blob": text },
                    "required": ["uri"]
                } } },
                "required": ["server", "uri", "contents"]
            }),
        }
    }
}

impl ResourceTool {
    /// All three, reached in this way.
    pub(super) fn all(exposure: Exposure, manager: &Manager, options: &Arc<Options>) -> Vec<Arc<dyn Tool>> {
        let one = |kind: Kind| -> Arc<dyn Tool> {
            let spec = ToolSpec {
                name: kind.name().to_owned(),
                label: kind.name().to_owned(),
                description: kind.description().to_owned(),
                parameters: kind.parameters(),
                exposure: exposure.of_tool(),
                annotations: Some(ToolAnnotations { read_only_hint: Some(true), ..ToolAnnotations::default() }),
                output_schema: Some(kind.output_schema()),
                ..ToolSpec::default()
            };
            Arc::new(Self { kind, spec, manager: manager.clone(), options: Arc::clone(options) })
        };
        Kind::ALL.map(one).into()
    }

    fn origin(&self, server: &str) -> Origin {
        Origin {
            server: server.to_owned(),
            tool: self.kind.name().to_owned(),
            reads_resources: true,
            folder: self.options.temp_dir.clone(),
        }
    }

    fn server(&self, name: &str) -> Result<Arc<Server>, ToolFailure> {
        let all = servers(&self.manager);
        if let Some(server) = all.iter().find(|server| server.name() == name) {
            return Ok(Arc::clone(server));
        }
        if let Some(server) = self.manager.server(name).filter(|server| server.current().is_none()) {
            return Err(ToolFailure::new(server.absence()));
        }
        let names: Vec<String> = all.iter().map(|server| server.name()).collect();
        let rest = if names.is_empty() { String::new() } else { format!("; these have: {}", names.join(", ")) };
        Err(ToolFailure::new(format!("MCP server \"{name}\" has no resources{rest}")))
    }

    async fn page(&self, server: &Server, cursor: Option<String>, call: &Call) -> Result<Value, ToolFailure> {
        let name = server.name();
        let client = server.client(&call.cancel).await.map_err(ToolFailure::new)?;
        let page = client.resources(self.kind == Kind::Templates, cursor).await;
        let page = page.map_err(|error| failure(server, error))?;
        let items: Vec<Value> = page.items.into_iter().filter_map(|item| listed(&name, item)).collect();
        let mut answer = json!({ "server": name, self.kind.key(): items });
        if let Some(next) = page.next {
            answer["nextCursor"] = json!(next);
        }
        Ok(answer)
    }

    /// All pages of all servers; what cannot be listed is named.
    async fn everything(&self, call: &Call) -> Value {
        let lists = join_all(servers(&self.manager).into_iter().map(|server| async move {
            let name = server.name();
            let items = match server.client(&call.cancel).await {
                Ok(client) => {
                    let items = client.all_resources(self.kind == Kind::Templates).await;
                    items.map_err(|error| failure(&server, error).message)
                }
                Err(error) => Err(error),
            };
            (name, items)
        }));
        let (mut all, mut errors) = (Vec::new(), Vec::new());
        for (name, items) in lists.await {
            match items {
                Ok(items) => all.extend(items.into_iter().filter_map(|item| listed(&name, item))),
                Err(error) => errors.push(json!({ "server": name, "error": error })),
            }
        }
        let mut answer = json!({ self.kind.key(): all });
        if !errors.is_empty() {
            answer["errors"] = errors.into();
        }
        answer
    }

    async fn answer(&self, args: &Value, call: &Call) -> Result<ToolOutput, ToolFailure> {
        let text = |key: &str| {
            let text = args.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
            text.map(str::to_owned)
        };
        let (server, cursor) = (text("server"), text("cursor"));
        match (self.kind, server) {
            (Kind::Read, server) => {
                let name = server.ok_or_else(|| ToolFailure::new("server must be given"))?;
                let uri = text("uri").ok_or_else(|| ToolFailure::new("uri must be given"))?;
                let server = self.server(&name)?;
                let client = server.client(&call.cancel).await.map_err(ToolFailure::new)?;
                let contents = client.read_resource(&uri, call).await.map_err(|error| failure(&server, error))?;
                let origin = self.origin(&name);
                shaped(move || of_resource(&origin, &uri, contents)).await
            }
            (_, Some(name)) => {
                let server = self.server(&name)?;
                let (data, origin) = (self.page(&server, cursor, call).await?, self.origin(&name));
                shaped(move || of_json(&origin, data)).await
            }
            (_, None) if cursor.is_some() => Err(ToolFailure::new("a cursor needs the server that it is of")),
            (_, None) => {
                let (data, origin) = (self.everything(call).await, self.origin(""));
                shaped(move || of_json(&origin, data)).await
            }
        }
    }
}

/// A resource in a list, without what only hosts with windows use.
fn listed(server: &str, item: Value) -> Option<Value> {
    let Value::Object(item) = item else { return None };
    let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
    let kind = text("mimeType").to_ascii_lowercase().replace([' ', '"'], "");
    if text("uri").starts_with("ui://") || text("uriTemplate").starts_with("ui://") || kind.contains(";profile=mcp-app")
    {
        return None;
    }
    let mut listed = json!({ "server": server });
    for (key, value) in item {
        if !matches!(key.as_str(), "_meta" | "icons" | "server") {
            listed[key] = value;
        }
    }
    Some(listed)
}

#[async_trait]
impl Tool for ResourceTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn reaches(&self, args: &Value) -> Option<Reach> {
        let server = args["server"].as_str();
        Some(server.map_or(Reach::All, |server| Reach::Words(vec![namespace(server)])))
    }

    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        let call = Call { cancel: invocation.cancel.clone(), progress: None };
        tokio::select! {
            biased;
            () = invocation.cancel.cancelled() => Err(ToolFailure::aborted()),
            answer = self.answer(&invocation.args, &call) => answer,
        }
    }
}
