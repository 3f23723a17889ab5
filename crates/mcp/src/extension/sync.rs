//! Keeps the tools of the session those of the servers. Tools cannot be taken back, so one that is withdrawn is hidden.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;
use tau_hooks::{Api, Report};
use tau_tools::{Exposure as ToolExposure, Tool, ToolSpec};

use super::options::Options;
use super::resource_tools::{self, ResourceTool};
use super::tool::{McpTool, spec};
use crate::config::Exposure;
use crate::manager::{Manager, Server, State};
use crate::names::names_of;

/// What a name stands for, as it was registered last.
struct Owner {
    server: String,
    tool: String,
    spec: ToolSpec,
    /// It was registered in this session.
    is_current: bool,
}

/// Whose tools are registered, and where.
#[derive(Clone, Copy)]
pub(super) struct Home<'h> {
    pub(super) manager: &'h Manager,
    pub(super) options: &'h Arc<Options>,
    pub(super) api: &'h Api,
}

/// The tools that are registered. They outlive a session, as when the user loads everything anew.
#[derive(Default)]
pub(super) struct Registered(Mutex<Names>);

#[derive(Default)]
struct Names {
    tools: BTreeMap<String, Owner>,
    /// How the tools for resources are reached, once there were any.
    resources: Option<Exposure>,
    /// They were registered in this session.
    has_current_resources: bool,
    /// So many changes of the servers are taken in.
    seen: Option<u64>,
}

impl Registered {
    /// Registers what is new or another one, and hides what is gone.
    pub(super) fn sync(&self, home: &Home<'_>) {
        let mut names = self.0.lock();
        let changes = *home.manager.changes().borrow();
        if names.seen.replace(changes) == Some(changes) {
            return;
        }
        let mut new: Vec<Arc<dyn Tool>> = Vec::new();
        let mut current = Vec::new();
        for server in home.manager.servers() {
            if server.status().state != State::Disabled {
                names.offered(home, &server, &mut current);
            }
        }
        let mut gone: BTreeSet<String> = names.tools.keys().cloned().collect();
        // In the order of the files and of the lists, so that requests are the same whichever server was there first.
        for (name, spec) in current {
            gone.remove(&name);
            if let Some(owner) = names.tools.get_mut(&name).filter(|owner| !owner.is_current || owner.spec != spec) {
                (owner.spec, owner.is_current) = (spec, true);
                new.push(tool(home, owner));
            }
        }
        for name in gone {
            let offered = names.tools.get_mut(&name).filter(|owner| owner.spec.exposure != ToolExposure::Hidden);
            if let Some(owner) = offered {
                owner.spec.exposure = ToolExposure::Hidden;
                new.push(tool(home, owner));
            }
        }
        let servers = resource_tools::servers(home.manager);
        let widest = servers.iter().map(|server| server.entry().config.exposure).min();
        new.extend(names.resource_tools(home, widest.unwrap_or(Exposure::Hidden)));
        add(home, new);
        // Until they are registered nobody else may find that nothing is new, and build a request without them.
        drop(names);
    }

    /// Whether somebody can call something that is registered.
    pub(super) fn has_any(&self) -> bool {
        let names = self.0.lock();
        let is_shown = |owner: &Owner| owner.spec.exposure != ToolExposure::Hidden;
        names.tools.values().any(is_shown) || names.resources.is_some_and(|reach| reach != Exposure::Hidden)
    }

    /// A session begins: what is registered belongs to the one before.
    pub(super) fn begin_anew(&self) {
        let mut names = self.0.lock();
        names.tools.values_mut().for_each(|owner| owner.is_current = false);
        (names.seen, names.has_current_resources) = (None, false);
    }
}

fn add(home: &Home<'_>, new: Vec<Arc<dyn Tool>>) {
    if new.is_empty() {
        return;
    }
    match home.api.add_tools(new) {
        Ok(refused) => {
            for (_, error) in refused {
                home.api.report(&Report::diagnostic(Arc::clone(&home.api.owner().path), "mcp", error.to_string()));
            }
        }
        // The session has ended.
        Err(error) => tracing::debug!(%error, "tools of MCP servers are not registered"),
    }
}

fn tool(home: &Home<'_>, owner: &Owner) -> Arc<dyn Tool> {
    Arc::new(McpTool {
        spec: owner.spec.clone(),
        server: owner.server.clone(),
        tool: owner.tool.clone(),
        manager: home.manager.clone(),
        options: Arc::clone(home.options),
    })
}

impl Names {
    /// The tools of a server by name. A name stays with the tool that had it first.
    fn offered(&mut self, home: &Home<'_>, server: &Server, current: &mut Vec<(String, ToolSpec)>) {
        let (entry, tools) = (server.entry(), server.tools());
        let all: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        let is_taken = |name: &str| self.tools.get(name).is_some_and(|owner| owner.server != entry.name);
        let names = names_of(&entry.name, &all, is_taken);
        for (tool, name) in tools.iter().zip(names) {
            let new = spec(name.clone(), server, &entry, tool);
            let owner = self.tools.entry(name.clone()).or_insert_with(|| Owner {
                server: entry.name.clone(),
                tool: tool.name.clone(),
                // Another one than any that is registered.
                spec: ToolSpec::default(),
                is_current: false,
            });
            if owner.server == entry.name {
                owner.tool.clone_from(&tool.name);
                current.push((name, new));
            } else {
                let text = format!("the tool {} of MCP server \"{}\" has no name of its own", tool.name, entry.name);
                home.api.report(&Report::diagnostic(Arc::clone(&home.api.owner().path), "mcp", text));
            }
        }
    }

    /// The tools for resources, when they are reached in another way than before.
    fn resource_tools(&mut self, home: &Home<'_>, exposure: Exposure) -> Vec<Arc<dyn Tool>> {
        let is_same = self.resources == Some(exposure) && self.has_current_resources;
        if is_same || (self.resources.is_none() && exposure == Exposure::Hidden) {
            return Vec::new();
        }
        (self.resources, self.has_current_resources) = (Some(exposure), true);
        ResourceTool::all(exposure, home.manager, home.options)
    }
}
