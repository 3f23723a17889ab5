//! What is begun before it is known to be needed, because it takes as long as everything else before it.

use std::sync::Arc;

use parking_lot::Mutex;
use tau_agent::extensions::{ScriptHost, ScriptHostMaker};
use tau_agent::settings::Environment;

use crate::args::Args;

/// Lets what runs scripts come up on a thread of its own, if there seem to be some: a wrong guess costs a little of
/// another processor. Gives the host with what makes it: the first who asks for one gets this one.
pub(super) fn scripts(
    args: &Args,
    env: &Environment,
    maker: ScriptHostMaker,
) -> (ScriptHostMaker, Option<Arc<dyn ScriptHost>>) {
    let installed = || env.agent_dir().join("extensions").is_dir();
    if args.extensions.is_empty() && (args.no_extensions || !installed()) {
        return (maker, None);
    }
    // With a single heap this thread and the engine's, which both make much now, would wait for each other.
    tau_js::share_heaps(2);
    let host = maker(env);
    host.prepare(env);
    let first = Mutex::new(Some(Arc::clone(&host)));
    let maker: ScriptHostMaker = Arc::new(move |env| first.lock().take().unwrap_or_else(|| maker(env)));
    (maker, Some(host))
}
