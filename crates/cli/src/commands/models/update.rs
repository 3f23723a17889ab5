//! `tau models update`: newer names, prices and limits, when the user asks for them.

use std::path::Path;
use std::process::ExitCode;

use tau_agent::state::{StateDir, StateFile};
use tau_ai::HttpClient;
use tau_ai::models_dev::{ADDRESS, MOST_BYTES, StoredLists, Update, update as newer};

use super::super::context::Context;
use crate::diagnostics;
use crate::output::say;

/// Most models that are named as refused; the others are counted.
const MOST_NAMED: usize = 5;

pub(super) async fn update(context: &Context, from: Option<&str>, force: bool) -> ExitCode {
    match try_update(context, from.unwrap_or(ADDRESS), force).await {
        Ok(text) => say(&text),
        Err(error) => diagnostics::fail(&error),
    }
}

async fn try_update(context: &Context, from: &str, force: bool) -> Result<String, String> {
    let text = read(context, from).await?;
    let file: StateFile<StoredLists> = StateDir::of_user(&context.env.agent_dir()).file("catalogue");
    let before = file.read().map_err(|error| format!("{error}\nRemove the file to begin anew."))?;
    let update = newer(&text, &before, tau_ai::now_ms(), force).map_err(|error| format!("{from}: {error}"))?;
    let kept = update.lists.clone();
    file.update(|lists| *lists = kept).map_err(|error| error.to_string())?;
    warn(&update);
    Ok(told(&update, file.path()))
}

/// The text of the list: of an address, or of a file.
async fn read(context: &Context, from: &str) -> Result<String, String> {
    if !from.contains("://") {
        let path = context.env.resolve(from, &context.env.cwd);
        let bytes = tau_tools::read_bounded(&path, MOST_BYTES as u64)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        return String::from_utf8(bytes).map_err(|_| format!("{}: not a text file", path.display()));
    }
    if context.offline {
        return Err(format!("{from} is not read because tau is offline; name a file to read it instead"));
    }
    let client = HttpClient::new(context.settings.snapshot().http());
    client.text(from, MOST_BYTES).await.map_err(|error| error.to_string())
}

fn warn(update: &Update) {
    for (provider, before, now) in &update.shrunk {
        diagnostics::warning(&format!(
            "{provider}: only {now} of {before} models are in the list, so it stays as it was (--force takes it over)"
        ));
    }
    for (model, why) in update.refused.iter().take(MOST_NAMED) {
        diagnostics::warning(&format!("{model} is not taken over: {why}"));
    }
    if let Some(more) = update.refused.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
        diagnostics::warning(&format!("{more} more models are not taken over"));
    }
}

fn told(update: &Update, path: &Path) -> String {
    if update.changes.is_empty() {
        return "Nothing has changed.\n".to_owned();
    }
    let changes: String = update.changes.iter().map(|changes| format!("{changes}\n")).collect();
    format!("{changes}Written to {}\n", path.display())
}
