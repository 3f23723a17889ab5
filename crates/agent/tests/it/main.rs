//! Behaviour of sessions through the public API: a real `AgentSession`, with only the model played by a script or by
//! a server on the loopback interface.

mod builtins;
mod children;
mod common;
mod compaction;
mod dialects;
mod events;
mod export;
mod extensions;
mod gates;
mod golden;
mod nested;
mod pipeline;
mod resources;
mod rules;
mod sessions;
mod shell_hooks;
