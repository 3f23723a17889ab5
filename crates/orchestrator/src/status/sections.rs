//! The sections of `/status`, in the order in which they are shown. A module that knows more adds one.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tau_git::{Changes, Facts, Found, Head};
use tau_hooks::{BoxFuture, Ctx, HandlerError};

use crate::shared::container::is_container;
use crate::shared::repository::facts_of;
use crate::status_line::shown_git;

/// A section.
pub(crate) struct Section {
    /// Its name for programs.
    pub(crate) key: &'static str,
    /// Its name for people.
    pub(crate) title: &'static str,
    /// Finds out what is in it.
    pub(crate) look: fn(Ctx) -> BoxFuture<Result<Part, HandlerError>>,
}

/// What is in a section.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// For people. Without lines the section is left out.
    pub(crate) lines: Vec<String>,
    /// For programs.
    pub(crate) data: Value,
}

impl Part {
    /// It cannot be found out.
    pub(super) fn failed(error: &HandlerError) -> Self {
        Self { lines: vec![format!("not known: {error}")], data: json!({"error": error.to_string()}) }
    }
}

/// All of them.
pub(crate) const SECTIONS: &[Section] = &[
    Section { key: "model", title: "Model", look: |ctx| Box::pin(async move { Ok(model(&ctx)) }) },
    Section { key: "git", title: "Git", look: |ctx| Box::pin(git(ctx)) },
    Section { key: "container", title: "Container", look: |_| Box::pin(async { Ok(container()) }) },
    Section { key: "tasks", title: "Running tasks", look: |ctx| Box::pin(async move { tasks(&ctx) }) },
    Section { key: "extensions", title: "Extensions", look: |ctx| Box::pin(async move { extensions(&ctx) }) },
    Section { key: "tools", title: "Tools", look: |ctx| Box::pin(async move { Ok(tools(&ctx)) }) },
    Section { key: "skills", title: "Skills", look: |ctx| Box::pin(async move { Ok(commands(&ctx, "skill")) }) },
    Section {
        key: "promptTemplates",
        title: "Prompt templates",
        look: |ctx| Box::pin(async move { Ok(commands(&ctx, "prompt")) }),
    },
    Section {
        key: "contextFiles",
        title: "Context files",
        look: |ctx| Box::pin(async move { Ok(context_files(&ctx)) }),
    },
];

fn model(ctx: &Ctx) -> Part {
    let host = ctx.host();
    let Some(model) = host.model() else {
        return Part { lines: vec!["none; choose one with /model".to_owned()], data: Value::Null };
    };
    let level = host.thinking_level().as_str();
    let mut line = format!("{}/{}, thinking {level}", model.provider, model.id);
    let usage = host.context_usage();
    if let Some(usage) = &usage {
        line.push_str(&match usage.tokens {
            Some(tokens) => format!(", {tokens} of {} tokens in the context", usage.context_window),
            None => format!(", {} tokens fit into the context", usage.context_window),
        });
    }
    let data = json!({"provider": model.provider, "id": model.id, "thinking": level, "context": usage});
    Part { lines: vec![line], data }
}

async fn git(ctx: Ctx) -> Result<Part, HandlerError> {
    let view = facts_of(&ctx.cwd()).look().await;
    let lines = shown_git(&view).into_iter().collect();
    let data = match &view.found {
        Found::Unknown | Found::Nothing => Value::Null,
        Found::Failed(error) => return Err(HandlerError::msg(error)),
        Found::Repository(facts) => of_repository(facts),
    };
    Ok(Part { lines, data })
}

fn of_repository(facts: &Facts) -> Value {
    let counts = |changes: &Changes| {
        let Changes { added, modified, deleted, renamed } = changes;
        json!({"added": added, "modified": modified, "deleted": deleted, "renamed": renamed})
    };
    let status = facts.status.map(|status| {
        json!({
            "staged": counts(&status.staged),
            "unstaged": counts(&status.unstaged),
            "untracked": status.untracked,
            "conflicted": status.conflicted,
            "complete": status.is_complete,
        })
    });
    let upstream = facts.upstream.as_ref().map(|upstream| {
        let apart = upstream.distance.map(|apart| json!({"ahead": apart.ahead, "behind": apart.behind}));
        json!({"remote": upstream.remote, "branch": upstream.branch, "distance": apart})
    });
    json!({
        "branch": facts.head.branch(),
        "detached": matches!(facts.head, Head::Detached(_)),
        "commit": facts.commit,
        "upstream": upstream,
        "status": status,
    })
}

fn container() -> Part {
    let is_inside = is_container();
    let lines = is_inside.then(|| "tau runs in a container".to_owned()).into_iter().collect();
    Part { lines, data: json!(is_inside) }
}

fn tasks(ctx: &Ctx) -> Result<Part, HandlerError> {
    let running = ctx.api()?.running_tasks()?;
    let lines = running.iter().map(|task| format!("{} ({})", task.name, task.extension)).collect();
    let data = running.iter().map(|task| json!({"name": task.name, "extension": task.extension})).collect();
    Ok(Part { lines, data })
}

fn extensions(ctx: &Ctx) -> Result<Part, HandlerError> {
    let loaded = ctx.api()?.extensions()?;
    let lines = loaded.iter().map(|owner| owner.path.to_string()).collect();
    let data = loaded.iter().map(|owner| json!({"name": owner.name, "path": owner.path})).collect();
    Ok(Part { lines, data })
}

/// By where they come from.
fn tools(ctx: &Ctx) -> Part {
    let (host, mut sources) = (ctx.host(), BTreeMap::<String, Vec<String>>::new());
    let active = host.active_tools();
    let mut data = Vec::new();
    for tool in host.all_tools() {
        let source = host.tool_source(&tool.name).map(|source| source.path);
        let is_active = active.contains(&tool.name);
        data.push(json!({"name": tool.name, "active": is_active, "source": source}));
        // tau's own tools name themselves.
        let source = source.filter(|path| *path != format!("builtin:{}", tool.name));
        let source = source.unwrap_or_else(|| "tau".to_owned());
        let mark = if is_active { "" } else { " (off)" };
        sources.entry(source).or_default().push(format!("{}{mark}", tool.name));
    }
    let lines = sources.iter().map(|(source, tools)| format!("{source}: {}", tools.join(", "))).collect();
    Part { lines, data: Value::Array(data) }
}

/// What can be typed behind a slash and is of this kind.
fn commands(ctx: &Ctx, kind: &str) -> Part {
    let found: Vec<_> = ctx.host().commands().into_iter().filter(|command| command.source == kind).collect();
    let names: Vec<&str> = found.iter().map(|command| command.name.as_str()).collect();
    let lines = if names.is_empty() { Vec::new() } else { vec![names.join(", ")] };
    let data = found.iter().map(|command| json!({"name": command.name, "path": command.path})).collect();
    Part { lines, data }
}

fn context_files(ctx: &Ctx) -> Part {
    let options = ctx.host().system_prompt_options();
    let files = options["contextFiles"].as_array().into_iter().flatten();
    let paths: Vec<String> = files.filter_map(|file| Some(file["path"].as_str()?.to_owned())).collect();
    Part { data: json!(paths), lines: paths }
}
