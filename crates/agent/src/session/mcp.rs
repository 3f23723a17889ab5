//! The MCP servers that extensions register: who connects them, and what the user reads when nobody does.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;
use tau_hooks::Report;
use tau_hooks::events::{EventId, McpServersChange};
use tau_hooks::payload::{McpServersChangeEvent, RegisteredMcpServer};

use super::AgentSession;

/// Servers that nobody connects.
#[derive(Default)]
pub(super) struct Unconnected(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// Names of those that the user has read about.
    reported: HashSet<String>,
    /// Extensions are starting: who connects servers is not known yet.
    is_early: bool,
}

impl AgentSession {
    /// Calls the handlers of `mcp_servers_change` with all servers; they are not waited for.
    pub(super) fn tell_servers(self: &Arc<Self>) {
        let servers = self.hooks.mcp_servers().into_iter().map(|server| RegisteredMcpServer {
            name: server.name,
            config: server.config,
            extension_path: server.extension_path.to_string(),
        });
        let event = McpServersChangeEvent { servers: servers.collect() };
        self.tell_later::<McpServersChange>(&self.lanes.servers, event);
        self.report_unconnected();
    }

    /// Waits with reports until [`Self::report_servers`], because extensions are about to start. Earlier reports were about
    /// earlier extensions.
    pub(super) fn expect_servers(&self) {
        *self.unconnected.0.lock() = Known { reported: HashSet::new(), is_early: true };
    }

    /// Reports the servers of extensions that have started.
    pub(super) fn report_servers(&self) {
        self.unconnected.0.lock().is_early = false;
        self.report_unconnected();
    }

    /// Reports each server once when no extension connects servers. Such an extension handles `mcp_servers_change`.
    fn report_unconnected(&self) {
        if self.hooks.dispatcher.has_handlers(EventId::McpServersChange) {
            return;
        }
        for server in self.hooks.mcp_servers() {
            let is_new = {
                let mut known = self.unconnected.0.lock();
                !known.is_early && known.reported.insert(server.name.clone())
            };
            if !is_new {
                continue;
            }
            let text =
                format!("nothing connects the MCP server \"{}\": no extension handles mcp_servers_change", server.name);
            let report = Report::diagnostic(server.extension_path, "register_mcp_server", text);
            self.hooks.dispatcher.reports.send(&report);
        }
    }
}
