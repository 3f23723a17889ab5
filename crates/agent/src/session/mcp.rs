//! The MCP servers that extensions register: who connects them, and what the user reads when nobody does.

use tau_hooks::events::{EventId, McpServersChange};
use tau_hooks::payload::{McpServersChangeEvent, RegisteredMcpServer};

use crate::parts::{Live, Parts};
use crate::pipeline::tell::tell_later;

/// Calls the handlers of `mcp_servers_change` with all servers; they are not waited for.
pub(super) fn tell_servers(live: &Live) {
    let servers = live.hooks.mcp_servers().into_iter().map(|server| RegisteredMcpServer {
        name: server.name,
        config: server.config,
        extension_path: server.extension_path.to_string(),
    });
    let event = McpServersChangeEvent { servers: servers.collect() };
    tell_later::<McpServersChange>(live, &live.lifecycle.lanes.servers, event);
    report_unconnected(live);
}

/// Reports the servers of extensions that have started.
pub(super) fn report_servers(parts: &Parts) {
    parts.lifecycle.servers_are_known();
    report_unconnected(parts);
}

/// Reports each server once when no extension connects servers. Such an extension handles `mcp_servers_change`.
fn report_unconnected(parts: &Parts) {
    if parts.hooks.dispatcher.has_handlers(EventId::McpServersChange) {
        return;
    }
    for server in parts.hooks.mcp_servers() {
        if parts.lifecycle.note_unconnected(&server.name) {
            let text =
                format!("nothing connects the MCP server \"{}\": no extension handles mcp_servers_change", server.name);
            parts.report(server.extension_path, "register_mcp_server", text);
        }
    }
}
