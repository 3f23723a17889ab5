//! Behaviour of sessions through the public API: a real `AgentSession`, with only the model played by a script or by
//! a server on the loopback interface.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod builtins;
mod children;
mod compaction;
mod dialects;
mod events;
mod export;
mod extensions;
mod gates;
mod golden;
mod long_histories;
mod nested;
mod offers;
mod pipeline;
mod resources;
mod rules;
mod sessions;
mod shell_hooks;
mod trace;
mod warming;

use tau_agent_testkit as common;
