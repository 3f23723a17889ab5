//! Runs `gh`.

use std::time::Duration;

use tau_hooks::{Api, ExecOptions, ExecResult};
use tokio_util::sync::CancellationToken;

use super::item::read;
use super::{ForgeError, Item, Kind, Place};
use crate::shared::programs;

/// How long it may take.
const LIMIT: Duration = Duration::from_secs(10);
/// The longest answer that is read, in bytes.
pub(super) const LONGEST: usize = 8 << 20;
/// The longest reason that is shown, in characters.
const REASON: usize = 200;
/// The exit code for want of a login.
const NO_LOGIN: i32 = 4;

/// Which items of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ask {
    /// What they are.
    pub kind: Kind,
    /// `open` or `all`.
    pub state: &'static str,
    /// The most.
    pub most: u32,
}

/// Lists issues or pull requests, the newest first. `cancel` ends the program.
///
/// # Errors
/// When `gh` is not there, has no login, takes too long or fails.
pub async fn list(api: &Api, place: &Place, ask: Ask, cancel: &CancellationToken) -> Result<Vec<Item>, ForgeError> {
    let what = format!("{} list", ask.kind.command());
    let most = ask.most.to_string();
    let mut args =
        vec![ask.kind.command(), "list", "--state", ask.state, "--limit", &most, "--json", ask.kind.fields()];
    let repository = place.argument();
    args.extend(repository.iter().flat_map(|repository| ["--repo", repository]));
    let done = run(api, &args, &what, cancel).await?;
    if done.code == 0 && done.stdout.len() <= LONGEST {
        let mut items = read(ask.kind, place, &done.stdout, &what)?;
        items.sort_by_key(|item| std::cmp::Reverse(item.number));
        return Ok(items);
    }
    Err(refused(&done, place, what))
}

/// Runs it within the limit.
pub(super) async fn run(
    api: &Api,
    args: &[&str],
    what: &str,
    cancel: &CancellationToken,
) -> Result<ExecResult, ForgeError> {
    let program = programs::find(api, "gh")?.ok_or(ForgeError::Missing)?;
    let program = program.to_str().ok_or(ForgeError::Missing)?;
    let clock = api.sources()?.clock;
    let ends = cancel.child_token();
    let options = ExecOptions { cancel: Some(ends.clone()), ..ExecOptions::default() };
    let run = api.exec(program, args, options);
    tokio::pin!(run);
    let limit = i64::try_from(LIMIT.as_millis()).unwrap_or(i64::MAX);
    tokio::select! {
        biased;
        done = &mut run => return Ok(done?),
        () = clock.reached(clock.now_ms().saturating_add(limit)) => ends.cancel(),
    }
    // It ends now; what it says still is late.
    run.await?;
    Err(ForgeError::TimedOut { what: what.to_owned(), limit: LIMIT })
}

/// Why it failed, by its code and what it said.
pub(super) fn refused(done: &ExecResult, place: &Place, what: String) -> ForgeError {
    let said = tau_view::untrusted::plain(&done.stderr);
    if done.code == 0 {
        return ForgeError::Failed { what, why: format!("it answered more than {} MiB", LONGEST >> 20) };
    }
    if done.code == NO_LOGIN || said.contains("gh auth login") {
        return ForgeError::SignedOut { host: place.host.clone() };
    }
    if said.contains("has disabled") {
        return ForgeError::Disabled { repository: place.slug.clone() };
    }
    let reason = said.lines().map(str::trim).find(|line| !line.is_empty());
    let why = reason.map_or_else(|| format!("it ended with {}", done.code), |line| line.chars().take(REASON).collect());
    ForgeError::Failed { what, why }
}
