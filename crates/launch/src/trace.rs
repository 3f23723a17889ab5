//! Where the trace of the hooks goes.

use tau_agent::settings::{Environment, TraceTarget};
use tau_hooks::Hooks;

use crate::args::Args;
use crate::voice::Voice;

/// Begins to write the trace, if the command line or the settings want it.
pub(crate) fn begin(args: &Args, env: &Environment, hooks: &Hooks, target: &TraceTarget, voice: &Voice) {
    let path = match (&args.trace, target) {
        (Some(path), _) => env.resolve(&path.to_string_lossy(), &env.cwd),
        (None, TraceTarget::File(path)) => path.clone(),
        (None, TraceTarget::Standard) => env.agent_dir().join("tau-trace.jsonl"),
        (None, TraceTarget::Off) => return,
    };
    if let Err(error) = hooks.dispatcher.trace.write_to(&path) {
        voice.warning(format!("{}: the trace cannot be written: {error}", path.display()));
    }
}
