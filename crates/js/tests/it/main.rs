//! TypeScript extensions in real sessions, and the runtime's own tests in the engine.

mod ahead;
mod bus;
mod child_sessions;
mod children;
#[expect(dead_code, reason = "shared with the agent's tests, which use all of it")]
#[path = "../../../agent/tests/it/common/mod.rs"]
mod common;
mod deep;
mod exit;
mod faults;
mod gates;
mod held_contexts;
mod hooks;
mod hostile;
mod isolation;
mod late;
mod limits;
mod loading;
mod logins;
mod loose;
mod many;
mod memory;
mod nested;
mod nothing;
mod phases;
mod registrations;
mod routing;
mod rules;
mod runtime;
mod sent;
mod servers;
mod sessions;
mod stops;
mod support;
mod themes;
mod tool_fields;
#[expect(dead_code, reason = "shared with the agent's tests, which use all of it")]
#[path = "../../../agent/tests/it/events/tour.rs"]
mod tour;
mod untouchable;
mod visits;
