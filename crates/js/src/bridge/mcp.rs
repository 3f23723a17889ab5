//! The MCP servers of extensions: `registerMcpServer`, `unregisterMcpServer`, `getMcpServers`.

use rquickjs::Ctx;
use tau_hooks::McpServer;

use super::register::register;
use super::{Area, refused};
use crate::ops::{Json, OpError};

pub(super) fn install<'js>(area: &Area<'js>) -> rquickjs::Result<()> {
    let bridge = area.bridge();
    let add = move |ctx: Ctx<'js>, id: u32, name: String, config: Json| -> rquickjs::Result<()> {
        let extension = bridge.extension(&ctx, id)?;
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
    };
    area.function("extMcpServer", add)?;

    let bridge = area.bridge();
    let remove = move |ctx: Ctx<'js>, id: u32, name: String| -> rquickjs::Result<()> {
        let extension = bridge.extension(&ctx, id)?;
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
    };
    area.function("extUnregisterMcpServer", remove)?;

    let bridge = area.bridge();
    let list = move |ctx: Ctx<'js>, id: u32| -> rquickjs::Result<Json> {
        let extension = bridge.extension(&ctx, id)?;
        let hooks = extension.hooks().map_err(|error| refused(&ctx, &error))?;
        let mut all: Vec<McpServer> = hooks.mcp_servers();
        if let Some(registrar) = &*extension.registrar.borrow() {
            all.extend(registrar.mcp_servers().iter().cloned());
        }
        let all = serde_json::to_value(&all).map_err(|error| OpError::message(error.to_string()).throw(&ctx))?;
        Ok(Json(all))
    };
    area.function("getMcpServers", list)
}
