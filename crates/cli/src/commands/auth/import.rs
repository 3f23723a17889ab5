//! `tau auth import`: takes keys over from a file of another program. Keys are never shown.

use std::process::ExitCode;

use tau_agent::{FoundKeys, StoredKind, find_keys};

use super::terminal::Terminal;
use super::{Asked, Open};
use crate::diagnostics;
use crate::output::say;

pub(super) async fn import(asked: &Asked<'_>, file: &str) -> ExitCode {
    let open = asked.open();
    let done = take_over(asked, &open, file).await;
    open.close().await;
    match done {
        Ok(done) => say(&format!("{done}\n")),
        Err(error) => diagnostics::fail(&error),
    }
}

async fn take_over(asked: &Asked<'_>, open: &Open, file: &str) -> Result<String, String> {
    let path = asked.context.env.resolve(file, &asked.context.env.cwd);
    let about = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = tau_tools::read_small_text(&path).map_err(|error| about(&error))?;
    let found = find_keys(&text).map_err(|error| about(&error))?;
    let stored = open.logins.stored().await.map_err(|error| error.to_string())?;
    let into = asked.auth_file();
    let list = list(&found, &stored);
    if found.keys.is_empty() {
        return Err(about(&format!("there is no API key that tau can use\n{list}").trim_end()));
    }
    let question = format!("{} has:\n{list}Store this in {}? [y/N]", path.display(), into.display());
    match Terminal::open(false) {
        _ if asked.has("--yes") => diagnostics::line(list.trim_end()),
        Some(terminal) if terminal.confirm(&question).await => {}
        Some(_) => return Err("Nothing was stored.".to_owned()),
        None => {
            return Err(format!(
                "Import asks before it stores something and needs a terminal; --yes stores everything. {} has:\n{}",
                path.display(),
                list.trim_end()
            ));
        }
    }
    let count = found.keys.len();
    for key in found.keys {
        open.logins.take_over(key).await.map_err(|error| error.to_string())?;
    }
    let keys = if count == 1 { "1 key is".to_owned() } else { format!("{count} keys are") };
    Ok(format!("{keys} stored in {}.", into.display()))
}

fn list(found: &FoundKeys, stored: &[(String, StoredKind)]) -> String {
    let key = |key: &tau_agent::FoundKey| {
        let before = stored.iter().find(|(provider, _)| tau_ai::provider_name(provider) == key.provider);
        let before = before.map(|(_, kind)| format!(", in place of what is stored ({kind})")).unwrap_or_default();
        format!("  {}: {}{before}\n", key.provider, key.what)
    };
    let skipped = found.skipped.iter().map(|line| format!("  not {line}\n"));
    found.keys.iter().map(key).chain(skipped).collect()
}
