//! What a forge says about branches.

use serde::Deserialize;
use tau_hooks::Api;
use tokio_util::sync::CancellationToken;

use super::run::{LONGEST, refused, run};
use super::{ForgeError, Place};

/// The most merged pull requests of one branch that are looked at.
const MOST: &str = "20";

/// A pull request that was merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// Its number.
    pub number: u64,
    /// The last commit of its branch.
    pub head: String,
}

/// The branches that the forge protects, by name.
///
/// # Errors
/// When `gh` is not there, has no login, takes too long or fails, and for a host whose name only ssh knows.
pub async fn protected(api: &Api, place: &Place, cancel: &CancellationToken) -> Result<Vec<String>, ForgeError> {
    let what = "api".to_owned();
    known(place, &what)?;
    let path = format!("repos/{}/branches?protected=true&per_page=100", place.slug);
    let args = ["api", "--hostname", &place.host, "--paginate", &path, "--jq", ".[].name"];
    let done = run(api, &args, &what, cancel).await?;
    if done.code != 0 || done.stdout.len() > LONGEST {
        return Err(refused(&done, place, what));
    }
    Ok(done.stdout.lines().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// The pull requests by which a branch of the repository itself was merged.
///
/// # Errors
/// As [`protected`].
pub async fn merged(
    api: &Api,
    place: &Place,
    branch: &str,
    cancel: &CancellationToken,
) -> Result<Vec<Merged>, ForgeError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Raw {
        number: u64,
        head_ref_oid: String,
        #[serde(default)]
        is_cross_repository: bool,
    }
    let what = "pr list".to_owned();
    let repository = known(place, &what)?;
    // The name of a branch may begin with a dash, so it stands in one argument with its option.
    let head = format!("--head={branch}");
    let fields = "number,headRefOid,isCrossRepository";
    let args = ["pr", "list", "--repo", &repository, "--state", "merged", &head, "--limit", MOST, "--json", fields];
    let done = run(api, &args, &what, cancel).await?;
    if done.code != 0 || done.stdout.len() > LONGEST {
        return Err(refused(&done, place, what));
    }
    let all: Vec<Raw> =
        serde_json::from_str(&done.stdout).map_err(|error| ForgeError::Unreadable { what, why: error.to_string() })?;
    let own = all.into_iter().filter(|one| !one.is_cross_repository);
    Ok(own.map(|Raw { number, head_ref_oid, .. }| Merged { number, head: head_ref_oid }).collect())
}

/// The repository as `gh` takes it.
fn known(place: &Place, what: &str) -> Result<String, ForgeError> {
    let why = || format!("{} is a name of ssh, and no host", place.host);
    place.argument().ok_or_else(|| ForgeError::Failed { what: what.to_owned(), why: why() })
}
