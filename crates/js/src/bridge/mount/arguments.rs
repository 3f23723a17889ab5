//! Functions of extensions that complete the argument of a command.

use std::sync::Arc;

use rquickjs::IntoJs as _;
use tau_hooks::{Completer, Completion, Failing, HandlerError, InARow};

use super::super::callback::{Callback, making, reading};
use super::LIMIT;

/// Such a function, for the front end. It is asked for each key; one that fails three times in a row is asked no more.
pub(in crate::bridge) fn completer(complete: Arc<Callback>) -> Completer {
    let failures = InARow::default();
    Arc::new(move |prefix: String| {
        let (complete, failures) = (Arc::clone(&complete), failures.clone());
        Box::pin(async move {
            if failures.is_over() {
                return Ok(Vec::new());
            }
            let error = match ask(&complete, prefix).await {
                Ok(found) => {
                    failures.worked();
                    return Ok(found);
                }
                Err(error) => error,
            };
            match failures.failed() {
                Failing::First => Err(error),
                Failing::Again => Ok(Vec::new()),
                Failing::Last => {
                    Err(HandlerError::msg(format!("it is asked no more, as it failed three times: {error}")))
                }
            }
        })
    })
}

async fn ask(complete: &Callback, prefix: String) -> Result<Vec<Completion>, HandlerError> {
    let args = making(move |js, _, _| Ok(vec![prefix.into_js(js)?]));
    let read = reading(|js, _, value, _| crate::convert::from_js(js, &value));
    let found = complete.call_within(LIMIT, args, read).await?.filter(|found| !found.is_null());
    let found = found.map(serde_json::from_value).transpose();
    Ok(found.map_err(|error| HandlerError::Malformed(error.to_string()))?.unwrap_or_default())
}
