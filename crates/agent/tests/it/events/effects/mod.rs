//! What the results of handlers do to a session.

mod begin;
mod results;
mod room;
mod session;
mod turn;
mod warming;

pub use begin::{before_agent_start, input, project_trust, resources_discover, session_directory};
pub use results::{before_provider_headers, before_provider_request, message_end, tool_call, tool_result};
pub use room::{session_before_compact, session_compacting, user_bash};
pub use session::{session_before_fork, session_before_switch, session_before_tree};
pub use turn::{agent_before_settle, context, context_with_system, turn_end};
pub use warming::cache_warming_decision;
