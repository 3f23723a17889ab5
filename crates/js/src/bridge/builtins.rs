//! Extensions that are part of tau, brought along by an extension of a session: those of a program that uses pi's SDK.

use rquickjs::Ctx;
use tau_codemode::extension::by_name;
use tau_hooks::Extension as _;
use tau_mcp::extension::for_program;

use super::extract::Caller;
use super::register::register;
use crate::ops::table::ops;
use crate::ops::{Json, OpError};

ops! {
    /// Extensions that are part of tau.
    pub(crate) static OPS: always;

    /// Registers what an extension of tau has, in the name of this one.
    fn extBuiltin(id, name, options) = ext_builtin, Pure;
    /// The MCP servers of a session, in place of those in files; for an extension that brought `mcp` along.
    fn extMcpConfig(id, config) = ext_mcp_config, Pure;
}

fn ext_builtin<'js>(
    ctx: Ctx<'js>,
    Caller { extension, .. }: Caller,
    name: String,
    options: Json,
) -> rquickjs::Result<()> {
    let failed = |text: String| OpError::message(text).throw(&ctx);
    if name == "mcp" {
        let found = for_program(&options.0, &extension.mcp_config).map_err(|error| failed(error.to_string()))?;
        return register(&ctx, &extension, |registrar| found.register(registrar));
    }
    let found = by_name(&name, &options.0).map_err(|error| failed(error.to_string()))?;
    register(&ctx, &extension, |registrar| found.register(registrar))
}

fn ext_mcp_config(Caller { extension, .. }: Caller, config: Json) {
    *extension.mcp_config.lock() = Some(config.0);
}
