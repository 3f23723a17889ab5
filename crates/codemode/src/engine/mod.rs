//! Scripts, each in a runtime of its own on a thread of its own.
//!
//! A script has the language and nothing else: no modules, no timers, no files, no network. Its only ways out are
//! questions to a [`ScriptHost`], output, and a store of small values. The thread runs the script and waits for answers;
//! the task that called [`run`] asks the host. When time is up or the caller stops it, the runtime is interrupted. A
//! built-in function that does not look at the interrupt keeps its thread, which is then left behind: nobody waits for it,
//! and what it asks for is not heard.

mod drive;
mod host;
mod output;
mod pool;
mod report;
mod script;
mod store;
mod surface;
mod worker;

pub use drive::{Unfinished, run};
pub use host::{Answer, Ask, Helper, ScriptHost, Target};
pub use output::{Output, OutputItem};
pub use pool::Pool;
pub use report::{CallRecord, CallStatus, Ended, Failure, Report};
pub use script::{Script, SourceError};
pub use store::{Store, StoreWrites};
pub use surface::{Describe, LostGroup, Surface, ToolMember};
