//! A single issue or pull request.

use tau_hooks::Api;
use tokio_util::sync::CancellationToken;

use super::item::read_one;
use super::run::{refused, run};
use super::{ForgeError, Item, Place};

/// The issue or pull request of a number; nothing if there is none, and for a host whose name only ssh knows.
///
/// # Errors
/// When `gh` is not there, has no login, takes too long or fails.
pub async fn one(
    api: &Api,
    place: &Place,
    number: u64,
    cancel: &CancellationToken,
) -> Result<Option<Item>, ForgeError> {
    if place.argument().is_none() {
        return Ok(None);
    }
    let path = format!("repos/{}/issues/{number}", place.slug);
    let done = run(api, &["api", "--hostname", &place.host, &path], "api", cancel).await?;
    match done.code {
        0 => read_one(place, &done.stdout, "api").map(Some),
        _ if done.stderr.contains("HTTP 404") || done.stderr.contains("HTTP 410") => Ok(None),
        _ => Err(refused(&done, place, "api".to_owned())),
    }
}
