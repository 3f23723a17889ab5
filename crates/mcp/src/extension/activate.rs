//! Switches the tools on by which the tools of servers are reached.

use tau_hooks::Ctx;

use super::report::Reporter;
use crate::config::{Entry, Exposure};

/// The tool that runs scripts.
const SCRIPTS: &str = "codemode";
/// The tool that searches.
const SEARCH: &str = "tool_search";

/// Switches on what the entries need, before any server is connected: the first request has to know.
pub(super) fn activate(ctx: &Ctx, reporter: &Reporter, may_script: bool, entries: &[Entry]) {
    let needs =
        |exposure: Exposure| entries.iter().any(|entry| entry.config.enabled && entry.config.may_expose(exposure));
    let (scripts, search) = (needs(Exposure::Codemode), needs(Exposure::Deferred));
    if !scripts && !search {
        return;
    }
    let host = ctx.host();
    let (mut active, known) = (host.active_tools(), host.all_tools());
    let is_there = |name: &str| known.iter().any(|tool| tool.name == name) && host.allows_tool(name);
    let before = active.len();
    for (name, wanted) in [(SCRIPTS, scripts && may_script), (SEARCH, search)] {
        if wanted && is_there(name) && !active.iter().any(|other| other == name) {
            active.push(name.to_owned());
        }
    }
    if active.len() > before {
        host.set_active_tools(&active);
    }
    let active = host.active_tools();
    if !active.iter().any(|name| name == SCRIPTS || name == SEARCH) {
        let why = if scripts && !may_script { ", because autoEnableCodemode is false" } else { "" };
        let unreached = |entry: &&Entry| entry.config.enabled && entry.indirect().is_some();
        let names: Vec<&str> = entries.iter().filter(unreached).map(|entry| entry.name.as_str()).collect();
        reporter.say_once(
            ctx,
            &format!(
                "tools of {} cannot be called: codemode and tool_search are off{why}; add --tools +codemode, or set \
                 \"exposure\" to \"direct\"",
                names.join(", ")
            ),
        );
    }
}
