//! What the subcommands of this program say about it to the client of MCP servers.

use std::ffi::OsString;

use tau_agent::settings::Environment;
use tau_ai::HttpSettings;
use tau_mcp::extension::Options as McpOptions;

/// What the program says about itself.
pub(crate) fn of(env: &Environment, http: HttpSettings) -> McpOptions {
    let variables = env.vars.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    McpOptions { environment: variables.collect(), home: Some(env.home.clone()), ..McpOptions::new(env.agent_dir()) }
        .with_http(http.proxy, http.authorities)
}
