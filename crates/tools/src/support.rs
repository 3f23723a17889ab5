//! What every tool needs: its arguments as a type, and a way out when the call is stopped.
#![expect(clippy::disallowed_methods, reason = "a change of a file that has begun stays on the runtime of its call")]

use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tau_ai::{ConstrainedSampling, Strictness};
use tokio_util::sync::CancellationToken;

use crate::mutation_queue::MutationQueue;
use crate::{OpError, ToolFailure, ToolSpec};

/// The arguments as a type. They were validated before, so a failure here means that a hook changed them.
pub(crate) fn parse_args<T: DeserializeOwned>(tool: &str, args: Value) -> Result<T, ToolFailure> {
    serde_json::from_value(args)
        .map_err(|error| ToolFailure::new(format_args!("Invalid arguments for tool \"{tool}\": {error}")))
}

/// Awaits `work`, but no longer than until `cancel` fires. What `work` started is dropped then.
pub(crate) async fn unless_aborted<T>(
    cancel: &CancellationToken,
    work: impl Future<Output = Result<T, ToolFailure>>,
) -> Result<T, ToolFailure> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(ToolFailure::aborted()),
        result = work => result,
    }
}

/// Runs `work` on a thread that may block.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolFailure> + Send + 'static,
) -> Result<T, ToolFailure> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(ToolFailure::new(format_args!("The tool stopped unexpectedly: {error}"))))
}

/// [`blocking`] for operations.
pub(crate) async fn blocking_op<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, OpError> + Send + 'static,
) -> Result<T, OpError> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(OpError::new(format!("The operation stopped unexpectedly: {error}"))))
}

/// Runs `work` when it is its turn to change `path`. The call returns as soon as `cancel` fires, but the turn
/// ends only when `work` has: a write that is under way must not overlap with the next one.
pub(crate) async fn mutate<T: Send + 'static>(
    path: &Path,
    cancel: &CancellationToken,
    work: impl Future<Output = Result<T, ToolFailure>> + Send + 'static,
) -> Result<T, ToolFailure> {
    unless_aborted(cancel, async {
        let turn = MutationQueue::shared().lock(path).await;
        cancel.check()?;
        let task = tokio::spawn(async move {
            let result = work.await;
            drop(turn);
            result
        });
        task.await.unwrap_or_else(|error| Err(ToolFailure::new(format_args!("The tool stopped unexpectedly: {error}"))))
    })
    .await
}

/// Looks at a token between two steps.
pub(crate) trait Aborts {
    /// Fails when the token has fired.
    fn check(&self) -> Result<(), ToolFailure>;
}

impl Aborts for CancellationToken {
    fn check(&self) -> Result<(), ToolFailure> {
        if self.is_cancelled() { Err(ToolFailure::aborted()) } else { Ok(()) }
    }
}

/// A count the model gave: fractions are cut, and less than `least` means `least`.
pub(crate) fn count(number: f64, least: usize) -> usize {
    // The cast saturates, and turns NaN into zero.
    (number as usize).max(least)
}

/// A number as JavaScript prints it, so that `5.0` reads `5`.
pub(crate) fn js_number(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    if (1e-6..1e21).contains(&number.abs()) {
        return format!("{number}");
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

/// What tools ask for whose calls fail when a name of an argument is wrong.
pub(crate) const PREFERS_STRICT: Option<ConstrainedSampling> =
    Some(ConstrainedSampling::JsonSchema { strict: Strictness::Prefer });

/// What a built-in tool tells about itself.
pub(crate) fn tool_spec(
    name: &str,
    description: &str,
    parameters: Value,
    snippet: &str,
    guidelines: &[&str],
) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        label: name.to_owned(),
        description: description.to_owned(),
        parameters,
        prompt_snippet: Some(snippet.to_owned()),
        prompt_guidelines: guidelines.iter().map(|&line| line.to_owned()).collect(),
        ..ToolSpec::default()
    }
}
