//! The MCP servers that an editor hands over with a session.

use std::collections::BTreeSet;
use std::sync::Arc;

use agent_client_protocol::v1::schema::McpServer;
use serde_json::{Map, Value, json};
use tau_hooks::HostedMcpServer;

/// Who hands them over, for people.
const EDITOR: &str = "the editor";

/// What of them can be used.
#[derive(Clone, Default)]
pub(super) struct Handed {
    /// In the form of `mcp.json`.
    pub(super) servers: Vec<HostedMcpServer>,
    /// The names of those that are reached in a way that tau does not have.
    pub(super) unreachable: Vec<String>,
}

impl Handed {
    pub(super) fn new(all: &[McpServer]) -> Self {
        let (mut handed, mut taken) = (Self::default(), BTreeSet::new());
        for server in all {
            let (name, config) = match server {
                McpServer::Stdio(server) => {
                    let env = server.env.iter().map(|one| (one.name.clone(), json!(one.value)));
                    let command = server.command.to_str();
                    let config = command
                        .map(|command| json!({"command": command, "args": server.args, "env": Map::from_iter(env)}));
                    (server.name.as_str(), config)
                }
                McpServer::Http(server) => {
                    let headers = server.headers.iter().map(|one| (one.name.clone(), json!(one.value)));
                    (server.name.as_str(), Some(json!({"url": server.url, "headers": Map::from_iter(headers)})))
                }
                McpServer::Sse(server) => (server.name.as_str(), None),
                _ => ("of an unknown kind", None),
            };
            match config {
                Some(config) => handed.take(name, config, &mut taken),
                None => handed.unreachable.push(name.to_owned()),
            }
        }
        handed
    }

    fn take(&mut self, name: &str, config: Value, taken: &mut BTreeSet<String>) {
        let plain = plain(name);
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let free = std::iter::once(plain.clone()).chain(numbered).find(|name| taken.insert(name.replace('-', "_")));
        self.servers.push(HostedMcpServer { name: free.unwrap_or(plain), config, host: Arc::from(EDITOR) });
    }
}

/// A name as tools can have it in theirs: editors name servers for people.
fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let name: String = name.trim().chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    if name.is_empty() { "server".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{McpServerHttp, McpServerStdio};

    use super::*;

    #[test]
    fn every_server_has_a_name_of_its_own_that_tools_can_have() {
        let names = ["My files", "My-files", "", "ümlaut"];
        let servers: Vec<McpServer> =
            names.iter().map(|name| McpServer::Stdio(McpServerStdio::new(*name, "x"))).collect();
        let handed = Handed::new(&servers);
        let names: Vec<&str> = handed.servers.iter().map(|server| server.name.as_str()).collect();
        assert_eq!(names, ["My_files", "My-files_2", "server", "_mlaut"]);
    }

    #[test]
    fn what_a_server_is_reached_by_stands_in_its_entry() {
        let web = McpServer::Http(McpServerHttp::new("web", "https://x.org/mcp"));
        let handed = Handed::new(&[web]);
        assert_eq!(handed.servers[0].config, json!({"url": "https://x.org/mcp", "headers": {}}));
        assert!(handed.unreachable.is_empty());
    }
}
