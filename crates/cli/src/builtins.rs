//! The table of extensions that are part of tau and that the user can switch.

use std::sync::Arc;

use tau_agent::extensions::BuiltinExtension;
use tau_codemode::{Codemode, ToolSearch};
use tau_orchestrator::MODULES;

/// All of them, in the order in which they work. Their names are those that `tau_agent` knows.
pub(crate) fn all() -> Arc<[BuiltinExtension]> {
    let alone = [
        BuiltinExtension {
            name: "builtin:codemode",
            about: "the tool codemode: scripts that call other tools",
            in_children: true,
            extension: Box::new(Codemode::new()),
        },
        BuiltinExtension {
            name: "builtin:tool-search",
            about: "the tool tool_search: finds tools that are not declared",
            in_children: true,
            extension: Box::new(ToolSearch),
        },
        BuiltinExtension {
            name: tau_mcp::extension::NAME,
            about: "MCP servers: their tools, and the command /mcp",
            in_children: true,
            extension: Box::new(tau_mcp::extension::of_session()),
        },
    ];
    let of_suite = MODULES.iter().map(|module| BuiltinExtension {
        name: module.name,
        about: module.about,
        in_children: module.in_children,
        extension: (module.make)(),
    });
    alone.into_iter().chain(of_suite).collect()
}

#[cfg(test)]
mod tests {
    use tau_agent::extensions::BUILTIN_PACKAGES;
    use tau_orchestrator::PACKAGE;

    use super::*;

    #[test]
    fn the_agent_knows_the_modules_of_the_suite_in_their_order() {
        let known = BUILTIN_PACKAGES.iter().find(|package| package.name == PACKAGE).expect("the suite");
        let modules: Vec<&str> = MODULES.iter().map(|module| module.name).collect();
        assert_eq!(known.modules, modules);
    }
}
