//! What a session and what runs its scripts share: the seam between them, in neither of which the other is known.

mod front_matter;
mod host;
mod patterns;
mod yaml;

pub use front_matter::{FrontMatter, FrontMatterError, RULE_CONDITIONS, without_leading_comments};
pub use host::{
    DialectEvidence, HookFinder, LoadContext, LoadFailure, LoadOutcome, LoadedScript, Script, ScriptHost, ScriptLimits,
    Surroundings,
};
pub use patterns::{Expression, Found, PatternEngine, Patterns, PatternsGone, Search, Seen, Started, Try};
pub use yaml::{CostError, check_cost};

/// The environment variable by which a session in a child process finds the gates of the session above it.
pub const PARENT_GATES: &str = "TAU_PARENT_GATES";
