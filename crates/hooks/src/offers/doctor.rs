//! Checks of whether everything that an extension needs is there.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use serde::Serialize;

use crate::api::Api;
use crate::dispatch::panicked;
use crate::error::HandlerError;
use crate::extension::Registrar;
use crate::future::BoxFuture;
use crate::owner::Owner;
use crate::registry::Hooks;

/// How long one check may take.
const LIMIT: Duration = Duration::from_secs(30);

/// How good or bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum FindingLevel {
    /// As it should be.
    Fine,
    /// Works, but the user may want to know.
    Note,
    /// Does not work.
    Problem,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// How good or bad it is.
    pub level: FindingLevel,
    /// What was found.
    pub what: String,
    /// Where: a file, a setting, a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step: Option<String>,
}

impl Finding {
    /// Something is as it should be.
    pub fn fine(what: impl Into<String>) -> Self {
        Self { level: FindingLevel::Fine, what: what.into(), place: None, next_step: None }
    }

    /// Something the user may want to know.
    pub fn note(what: impl Into<String>) -> Self {
        Self { level: FindingLevel::Note, ..Self::fine(what) }
    }

    /// Something does not work, with what to do about it.
    pub fn problem(what: impl Into<String>, next_step: impl Into<String>) -> Self {
        Self { level: FindingLevel::Problem, next_step: Some(next_step.into()), ..Self::fine(what) }
    }

    /// The same, with its place.
    #[must_use]
    pub fn at(self, place: impl Into<String>) -> Self {
        Self { place: Some(place.into()), ..self }
    }
}

/// Looks at something and says what it found.
pub type CheckHandler = Arc<dyn Fn(Api) -> BoxFuture<Result<Vec<Finding>, HandlerError>> + Send + Sync>;

/// A check of an extension.
#[derive(Clone)]
pub struct Check {
    /// Its name within the extension.
    pub name: String,
    /// Looks. There may be no session: only settings, state and flags can be asked for in any case.
    pub run: CheckHandler,
}

impl Registrar {
    /// Adds a check of whether everything is there that this extension needs. An earlier one with the same name is
    /// replaced.
    pub fn check<F, Fut>(&mut self, name: &str, run: F) -> &mut Self
    where
        F: Fn(Api) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<Finding>, HandlerError>> + Send + 'static,
    {
        let run: CheckHandler = Arc::new(move |api| -> BoxFuture<_> { Box::pin(run(api)) });
        super::put(&mut self.staged.offers.checks, Check { name: name.to_owned(), run }, |check| &check.name);
        self
    }
}

impl Hooks {
    /// The checks of extensions, in load order.
    pub fn checks(&self) -> Vec<(Arc<Owner>, Check)> {
        self.all_of(|registered| &registered.offers.checks)
    }

    /// Runs all checks, one after the other. One that fails, panics or does not end is a finding itself.
    pub async fn run_checks(self: &Arc<Self>) -> Vec<(Arc<Owner>, String, Vec<Finding>)> {
        let mut found = Vec::new();
        for (owner, check) in self.checks() {
            let api = self.api(&owner);
            let run = AssertUnwindSafe(async { (check.run)(api).await }).catch_unwind();
            let done = match tokio::time::timeout(LIMIT, run).await {
                Ok(done) => done.map_err(panicked).and_then(|done| done),
                Err(_) => Err(HandlerError::msg(format!("did not end within {LIMIT:?}"))),
            };
            let findings = done.unwrap_or_else(|error| {
                let what = format!("the check `{}` of {} failed: {error}", check.name, owner.path);
                vec![Finding::problem(what, "Tell the author of the extension.")]
            });
            found.push((owner, check.name, findings));
        }
        found
    }
}
