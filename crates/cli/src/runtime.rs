//! What everything runs on.

use tokio::runtime::{Builder, Runtime};

/// The stack of each thread, in bytes; the system provides what is used of it. The functions that copy, write and drop a
/// value of JSON call themselves once a level: the deepest value that extensions and session files bring in
/// ([`tau_ai::json::MAX_DEPTH`] levels) takes a quarter of this in a debug build.
const STACK: usize = 16 << 20;

/// Starts the threads that the program works on.
///
/// # Errors
/// When the system gives none.
pub(crate) fn start() -> std::io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(2).thread_stack_size(STACK).enable_all().build()
}
