//! TypeScript extensions in real sessions, and the runtime's own tests in the engine.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod ahead;
mod bus;
mod child_servers;
mod child_sessions;
mod children;
mod deep;
mod exit;
mod faults;
mod gates;
mod held_contexts;
mod hooks;
mod hostile;
mod isolation;
mod late;
mod lists;
mod loading;
mod logins;
mod loose;
mod many;
mod memory;
mod nested;
mod nothing;
mod phases;
mod provider_faults;
mod providers;
mod registrations;
mod repeated;
mod routing;
mod rules;
mod runtime;
mod sent;
mod servers;
mod sessions;
mod settings;
mod stops;
mod support;
mod themes;
mod tool_fields;
mod visits;
mod warming;

use tau_agent_testkit::{self as common, tour};
