//! `tau hooks list`: every extension and hook, with the rules it works by and where that comes from.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use serde::Serialize;
use tau_agent::extensions::{Extensions, Form, LoadRecord, Skipped, builtin_package_of};
use tau_agent::hook_folders::HookMoment;
use tau_agent::shell_hooks::{Calls, Moment, ShellHook, Tools};
use tau_hooks::dialect::DIALECTS;
use tau_hooks::events::{EventId, TABLE};
use tau_hooks::{HandlerError, Hooks, Mode, Owner};

use super::context::Context;
use super::options::Options;
use crate::diagnostics;
use crate::exit::PATIENCE;
use crate::output::say;

/// What there is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listing {
    /// Gates that stay shut because a guard is missing.
    shut: Vec<ShutGate>,
    loaded: Vec<Loaded>,
    /// Modules of packages that are part of tau.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    built_in: Vec<BuiltIn>,
    failed: Vec<Failed>,
    skipped: Vec<Skipped>,
    warnings: Vec<String>,
    /// Whether files of the project are looked at.
    trusted: bool,
    /// Those that are not, because the project is not trusted.
    untrusted: Vec<PathBuf>,
}

#[derive(Serialize)]
struct ShutGate {
    /// The extension, or what was to name it.
    guard: String,
    gates: Vec<&'static str>,
    reason: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Loaded {
    path: PathBuf,
    name: String,
    /// What the setting `discovery.disabledExtensions` calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    dialect: &'static str,
    because: String,
    source: String,
    /// How many handlers each event has.
    handlers: BTreeMap<&'static str, usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<String>,
}

#[derive(Serialize)]
struct BuiltIn {
    name: String,
    package: &'static str,
    /// How many handlers each event has.
    handlers: BTreeMap<&'static str, usize>,
}

#[derive(Serialize)]
struct Failed {
    path: String,
    source: String,
    reason: String,
}

pub(super) async fn hooks(context: &Context, options: &Options) -> ExitCode {
    match options.words.first().map(String::as_str) {
        None | Some("list") => {}
        Some(other) => {
            return diagnostics::fail(&format!("there is no `tau hooks {other}`; did you mean `tau hooks list`?"));
        }
    }
    context.warn();
    let hooks = Hooks::new();
    let (env, scripts) = (context.env.clone(), context.scripts.clone());
    let extensions = Extensions::new(env, Arc::clone(&hooks), options.discovery.clone(), scripts, Vec::new());
    let extensions = extensions.with_builtins(Arc::clone(&context.builtins));
    let trusted = context.is_trusted();
    if let Err(error) = extensions.start(&context.settings, Some(trusted), Mode::Print).await {
        return diagnostics::fail(&error.to_string());
    }
    let untrusted = if trusted { Vec::new() } else { tau_agent::trust::resources_needing_trust(&context.env) };
    let listing = Listing { trusted, untrusted, ..listing(&extensions, &hooks) };
    extensions.shut_down(PATIENCE).await;
    if options.json {
        return match serde_json::to_string_pretty(&listing) {
            Ok(text) => say(&format!("{text}\n")),
            Err(error) => diagnostics::fail(&error.to_string()),
        };
    }
    say(&text(&listing))
}

fn listing(extensions: &Extensions, hooks: &Hooks) -> Listing {
    let found = extensions.found();
    let owners = hooks.extensions();
    let mut loaded = Vec::new();
    let mut failed: Vec<Failed> = Vec::new();
    for record in extensions.loads() {
        let path = record.extension.path.display().to_string();
        let source = source_of(&record);
        if let Some(reason) = record.error {
            failed.push(Failed { path, source, reason });
            continue;
        }
        let owner = owners.iter().find(|owner| *owner.path == *path);
        loaded.push(Loaded {
            name: record.extension.name.clone(),
            id: record.extension.hook.as_ref().map(|hook| hook.id()),
            dialect: record.loaded_as.unwrap_or_default(),
            because: record.detected.unwrap_or_default(),
            source,
            handlers: owner.map(|owner| handlers(hooks, owner)).unwrap_or_default(),
            runs: match &record.extension.form {
                Form::Shell(hook) => Some(runs(hook, hooks)),
                Form::Module | Form::Unusable(_) => None,
            },
            path: record.extension.path,
        });
    }
    let built_in = owners.iter().filter_map(|owner| {
        let package = builtin_package_of(&owner.path)?.name;
        Some(BuiltIn { name: owner.path.to_string(), package, handlers: handlers(hooks, owner) })
    });
    failed.extend(found.absent.iter().map(|absent| Failed {
        path: absent.path.display().to_string(),
        source: absent.origin.to_string(),
        reason: absent.reason.clone(),
    }));
    let shut = hooks.dispatcher.absent_guards().into_iter().map(|(shut, gates)| ShutGate {
        guard: shut.extension.to_string(),
        gates: gates.into_iter().map(EventId::name).collect(),
        reason: why(&shut.error),
    });
    Listing {
        shut: shut.collect(),
        loaded,
        built_in: built_in.collect(),
        failed,
        skipped: found.skipped.clone(),
        warnings: found.diagnostics.iter().map(ToString::to_string).collect(),
        trusted: false,
        untrusted: Vec::new(),
    }
}

/// Why a gate is shut, behind the name of its guard.
fn why(error: &HandlerError) -> String {
    match error {
        HandlerError::Absent(why) => why.clone(),
        error => error.to_string().trim_start_matches("Blocked: ").to_owned(),
    }
}

fn source_of(record: &LoadRecord) -> String {
    let extension = &record.extension;
    match (&extension.hook, &extension.package) {
        (Some(hook), _) => hook.source(),
        (None, Some(package)) => format!("{}, {package}", extension.origin),
        (None, None) => extension.origin.to_string(),
    }
}

fn handlers(hooks: &Hooks, owner: &Arc<Owner>) -> BTreeMap<&'static str, usize> {
    let count = |row: &tau_hooks::EventRow| {
        let handlers = hooks.dispatcher.handlers(row.id);
        let own = handlers.iter().filter(|handler| Arc::ptr_eq(&handler.owner, owner)).count();
        (own > 0).then(|| (owner.dialect.name_of(row.id), own))
    };
    TABLE.iter().filter_map(count).collect()
}

/// When a script runs, in words.
fn runs(hook: &ShellHook, hooks: &Hooks) -> String {
    let behind = if hook.background { ", in the background" } else { "" };
    let moment = match hook.moment {
        Moment::Tool(moment) => moment,
        Moment::Session(moment) => {
            let of = match &hook.tools {
                Tools::Matching(pattern) if !matches!(pattern.trim(), "" | "*") => format!(" that matches {pattern}"),
                Tools::Matching(_) | Tools::Named(_) => String::new(),
            };
            return format!("at {}{of}{behind}", moment.name);
        }
    };
    let tools = hooks.tools();
    if let Some(tool) = hook.unknown_tool(tools.iter().map(|(_, tool)| tool.spec().name.as_str())) {
        return format!("never, because there is no tool `{tool}`");
    }
    let tools = match &hook.tools {
        Tools::Named(name) if name == "*" => "every tool".to_owned(),
        Tools::Matching(pattern) if matches!(pattern.trim(), "" | "*") => "every tool".to_owned(),
        Tools::Named(name) => name.clone(),
        Tools::Matching(pattern) => format!("what matches {pattern}"),
    };
    let calls = match hook.calls {
        Calls::All => "",
        Calls::Succeeded => " that succeeded",
        Calls::Failed => " that failed",
    };
    let condition = hook.condition.as_ref().map(|rule| format!(", if {}", rule.as_str())).unwrap_or_default();
    match moment {
        HookMoment::Pre => format!("before {tools}{condition}{behind}"),
        HookMoment::Post => format!("after {tools}{calls}{condition}{behind}"),
    }
}

fn text(listing: &Listing) -> String {
    let mut text = String::new();
    if !listing.shut.is_empty() {
        heading(&mut text, "Tool calls are blocked until you fix this");
    }
    for ShutGate { guard, gates, reason } in &listing.shut {
        let _ = writeln!(text, "  {guard}\n    gates    {}\n    why      {reason}", gates.join(", "));
    }
    for dialect in DIALECTS {
        let group: Vec<&Loaded> = listing.loaded.iter().filter(|loaded| loaded.dialect == dialect.id).collect();
        if !group.is_empty() {
            heading(&mut text, dialect.title);
            group.into_iter().for_each(|loaded| add(&mut text, loaded));
        }
    }
    if !listing.built_in.is_empty() {
        heading(&mut text, "Part of tau");
    }
    for BuiltIn { name, package, handlers } in &listing.built_in {
        let _ = writeln!(text, "  {name}\n    source   {package}\n    handles  {}", handled(handlers));
    }
    if !listing.failed.is_empty() {
        heading(&mut text, "Not loaded");
    }
    for Failed { path, source, reason } in &listing.failed {
        let _ = writeln!(text, "  {path}\n    source   {source}\n    why      {reason}");
    }
    if !listing.skipped.is_empty() {
        heading(&mut text, "Not used");
    }
    for Skipped { path, source, reason, shadowed_by } in &listing.skipped {
        let _ = writeln!(text, "  {}\n    source   {source}\n    why      {reason}", path.display());
        if let Some(other) = shadowed_by {
            let _ = writeln!(text, "    instead  {}", other.display());
        }
    }
    if !listing.warnings.is_empty() {
        heading(&mut text, "Warnings");
        listing.warnings.iter().for_each(|warning| text.push_str(&format!("  {warning}\n")));
    }
    if !listing.untrusted.is_empty() {
        heading(&mut text, "Not looked at: the project is not trusted (see --approve)");
        listing.untrusted.iter().for_each(|path| text.push_str(&format!("  {}\n", path.display())));
    }
    if text.is_empty() {
        text.push_str("There are no extensions and no hooks.\n");
    }
    text
}

fn heading(text: &mut String, title: &str) {
    let gap = if text.is_empty() { "" } else { "\n" };
    let _ = writeln!(text, "{gap}{title}");
}

fn add(text: &mut String, loaded: &Loaded) {
    let Loaded { path, id, dialect, because, source, handlers, runs, .. } = loaded;
    let _ = writeln!(text, "  {}\n    source   {source}\n    dialect  {dialect}, because {because}", path.display());
    if let Some(id) = id {
        let _ = writeln!(text, "    id       {id}");
    }
    if let Some(runs) = runs {
        let _ = writeln!(text, "    runs     {runs}");
        return;
    }
    let _ = writeln!(text, "    handles  {}", handled(handlers));
}

/// The events that an extension handles, in words.
fn handled(handlers: &BTreeMap<&'static str, usize>) -> String {
    let times = |(event, count): (&&str, &usize)| match count {
        1 => (*event).to_owned(),
        count => format!("{event} ({count} times)"),
    };
    let handlers: Vec<String> = handlers.iter().map(times).collect();
    if handlers.is_empty() { "nothing".to_owned() } else { handlers.join(", ") }
}
