//! What commands do, what rules say about them, and what is shown of that, as a caller of the crate sees it.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod claude;
mod dangerous;
mod dice;
mod differential;
mod evasions;
mod files;
mod fuzz;
mod git_rules;
mod layers;
mod narrow;
mod paths;
mod predicates;
mod random;
mod shell;
mod shipped;
mod show;
mod support;
mod whole;
mod world;
