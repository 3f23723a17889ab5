//! The MCP servers of extensions: `registerMcpServer`, `unregisterMcpServer`, `getMcpServers`.

use rquickjs::Ctx;
use tau_hooks::McpServer;

use super::extract::Caller;
use super::refused;
use super::register::register;
use crate::ops::table::ops;
use crate::ops::{Json, OpError};

ops! {
    /// The MCP servers of extensions.
    pub(crate) static OPS: always;

    /// Registers an MCP server.
    fn extMcpServer(id, name, config) = ext_mcp_server, Pure;
    /// Removes an MCP server.
    fn extUnregisterMcpServer(id, name) = ext_unregister_mcp_server, Pure;
    /// All MCP servers that are registered.
    fn getMcpServers(id) -> "McpServer[]" = get_mcp_servers, Recorded;
}

fn ext_mcp_server<'js>(
    ctx: Ctx<'js>,
    Caller { bridge, extension, .. }: Caller,
    name: String,
    config: Json,
) -> rquickjs::Result<()> {
    bridge.count(&ctx, &extension, "MCP server", &name)?;
    let loading = extension.is_loading();
    register(&ctx, &extension, |registrar| {
        registrar.mcp_server(&name, config.0)?;
        Ok(())
    })?;
    if !loading && let Ok(host) = extension.api.host() {
        host.mcp_servers_changed();
    }
    Ok(())
}

fn ext_unregister_mcp_server<'js>(
    ctx: Ctx<'js>,
    Caller { bridge, extension, .. }: Caller,
    name: String,
) -> rquickjs::Result<()> {
    bridge.forget(&extension, "MCP server", &name);
    if let Some(registrar) = &mut *extension.registrar.borrow_mut() {
        registrar.remove_mcp_server(&name);
        return Ok(());
    }
    let hooks = extension.hooks().map_err(|error| refused(&ctx, &error))?;
    if hooks.remove_mcp_server(&extension.owner, &name)
        && let Ok(host) = extension.api.host()
    {
        host.mcp_servers_changed();
    }
    Ok(())
}

fn get_mcp_servers<'js>(ctx: Ctx<'js>, Caller { extension, .. }: Caller) -> rquickjs::Result<Json> {
    let hooks = extension.hooks().map_err(|error| refused(&ctx, &error))?;
    let mut all: Vec<McpServer> = hooks.mcp_servers();
    if let Some(registrar) = &*extension.registrar.borrow() {
        all.extend(registrar.mcp_servers().iter().cloned());
    }
    let all = serde_json::to_value(&all).map_err(|error| OpError::message(error.to_string()).throw(&ctx))?;
    Ok(Json(all))
}
