//! How codemode has the tools of a session shown.

use std::collections::HashSet;

use tau_tools::{Exposure, Loadout, LoadoutChanges, ToolSpec};

use crate::declarations::{Listing, Mode, script_line};

/// The name of the tool and of the extension.
pub const CODEMODE: &str = "codemode";

/// How tools are shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown {
    pub(super) mode: Mode,
    /// How many tokens of declarations the description has.
    pub(super) budget: usize,
    /// Where the functions for models are described.
    pub(super) models: Option<&'static str>,
}

/// The descriptions, and the tools that requests leave out.
///
/// What is listed depends on the exposure of tools and not on which ones are active: it stays the same when a search
/// activates one, and while servers are connected.
pub(super) fn changes(loadout: &Loadout, shown: Shown) -> LoadoutChanges {
    let callable: HashSet<&str> = loadout.callable.iter().map(String::as_str).collect();
    let declared: HashSet<&str> = loadout.declared.iter().map(String::as_str).collect();
    let tools: Vec<&ToolSpec> = loadout
        .registered
        .iter()
        .filter(|tool| callable.contains(tool.name.as_str()) && tool.name != CODEMODE)
        .collect();
    let mut changes = LoadoutChanges::default();
    let only = shown.mode == Mode::Only;
    for tool in tools.iter().filter(|tool| declared.contains(tool.name.as_str())) {
        if only {
            if tool.exposure == Exposure::Direct {
                changes.hidden_declarations.push(tool.name.clone());
            }
        } else {
            let text = format!("{}\n\n{}", tool.description.trim(), script_line(tool));
            changes.descriptions.insert(tool.name.clone(), text);
        }
    }
    let listed = tools.into_iter().filter(|tool| match tool.exposure {
        Exposure::Codemode => !is_late(tool),
        Exposure::Direct => only,
        Exposure::Deferred | Exposure::ModelOnly | Exposure::Hidden => false,
    });
    let listing = Listing { tools: listed.collect(), budget: shown.budget, models: shown.models };
    changes.descriptions.insert(CODEMODE.to_owned(), listing.text());
    changes
}

/// Whether a tool comes when its server is there: listing it would change the description in the middle of a session.
fn is_late(tool: &ToolSpec) -> bool {
    tau_tools::is_mcp_tool(&tool.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, exposure: Exposure) -> ToolSpec {
        ToolSpec { name: name.to_owned(), description: format!("About {name}."), exposure, ..ToolSpec::default() }
    }

    fn loadout() -> Loadout {
        let registered = vec![
            tool("read", Exposure::Direct),
            tool("ask", Exposure::ModelOnly),
            tool("helper", Exposure::Codemode),
            tool("rare", Exposure::Deferred),
            tool("mcp__a__b", Exposure::Codemode),
            tool(CODEMODE, Exposure::ModelOnly),
        ];
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Loadout {
            declared: names(&["read", "ask", CODEMODE]),
            callable: names(&["read", "helper", "rare", "mcp__a__b"]),
            registered,
        }
    }

    #[test]
    fn declared_tools_say_how_scripts_call_them() {
        let shown = Shown { mode: Mode::On, budget: 3000, models: None };
        let changes = changes(&loadout(), shown);
        assert!(changes.hidden_declarations.is_empty());
        assert_eq!(changes.descriptions.keys().collect::<Vec<_>>(), [CODEMODE, "read"]);
        let expected = "About read.\n\nIn a codemode script: `tools.read(args)`, which resolves to a string.";
        assert_eq!(changes.descriptions["read"], expected);
        let listed: Vec<&str> = changes.descriptions[CODEMODE].lines().filter(|line| line.starts_with("###")).collect();
        assert_eq!(listed, ["### `helper`"]);
    }

    #[test]
    fn only_codemode_is_declared() {
        let shown = Shown { mode: Mode::Only, budget: 3000, models: None };
        let changes = changes(&loadout(), shown);
        assert_eq!(changes.hidden_declarations, ["read"]);
        assert_eq!(changes.descriptions.keys().collect::<Vec<_>>(), [CODEMODE]);
        let listed: Vec<&str> = changes.descriptions[CODEMODE].lines().filter(|line| line.starts_with("###")).collect();
        assert_eq!(listed, ["### `read`", "### `helper`"]);
    }
}
