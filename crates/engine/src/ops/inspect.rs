//! What JavaScript itself cannot see of a value: behind a proxy, in a promise.

use rquickjs::promise::PromiseState;
use rquickjs::{Array, Ctx, Value};

use crate::ops::table::ops;

ops! {
    /// What JavaScript itself cannot see of a value.
    pub static OPS: watched;

    /// The target and the handler of a proxy; nothing when it is none.
    fn proxyDetails(value) -> "[target: object | null, handler: object | null] | undefined" = proxy_details, Pure;
    /// The state and the result of a promise.
    fn promiseDetails(value) -> "[state: string, value: unknown] | undefined" = promise_details, Pure;
}

/// `[target, handler]` of a proxy (`[null, null]` when revoked), `undefined` for anything else.
fn proxy_details<'js>(ctx: Ctx<'js>, value: Value<'js>) -> rquickjs::Result<Option<Array<'js>>> {
    let Some(proxy) = value.into_proxy() else { return Ok(None) };
    let details = Array::new(ctx.clone())?;
    match (proxy.target(), proxy.handler()) {
        (Ok(target), Ok(handler)) => {
            details.set(0, target)?;
            details.set(1, handler)?;
        }
        _ => {
            // A revoked proxy throws; that is the answer, not an error.
            ctx.catch();
            details.set(0, Value::new_null(ctx.clone()))?;
            details.set(1, Value::new_null(ctx))?;
        }
    }
    Ok(Some(details))
}

/// `["pending"]`, `["fulfilled", value]` or `["rejected", reason]`; `undefined` for what is no promise.
fn promise_details<'js>(ctx: Ctx<'js>, value: Value<'js>) -> rquickjs::Result<Option<Array<'js>>> {
    let Some(promise) = value.into_promise() else { return Ok(None) };
    let details = Array::new(ctx.clone())?;
    match promise.state() {
        PromiseState::Pending => details.set(0, "pending")?,
        PromiseState::Resolved => {
            details.set(0, "fulfilled")?;
            details.set(1, promise.result::<Value<'js>>().transpose()?)?;
        }
        PromiseState::Rejected => {
            // Reading the reason throws it.
            let _ = promise.result::<Value<'js>>();
            details.set(0, "rejected")?;
            details.set(1, ctx.catch())?;
        }
    }
    Ok(Some(details))
}
