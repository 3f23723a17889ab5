//! What dialects differ in where only extensions in a scripting language notice.

/// The part of a row that is about scripts.
#[derive(Debug)]
pub struct ScriptRules {
    /// What is wrong with a module that exports no factory; `{path}` stands for its file.
    pub no_factory: &'static str,
    /// What stands before the error of a module or factory that threw.
    pub load_failure: &'static str,
    /// What is wrong with an action that is asked for too early, behind its name; `None` for the usual error.
    pub not_ready: Option<&'static str>,
    /// Whether `pi.send` does nothing before the session is ready, rather than throw.
    pub sends_early: bool,
    /// Whether programs that were run tell whether they were killed.
    pub tells_killed: bool,
    /// Whether scripts find a `Bun`, which the program they were written for ran in.
    pub bun: bool,
}

/// Current extensions.
pub static EXTENSIONS: ScriptRules = ScriptRules {
    no_factory: "Extension does not export a valid factory function: {path}",
    load_failure: "",
    not_ready: None,
    sends_early: false,
    tells_killed: true,
    bun: false,
};

/// Hooks of oh-my-pi.
pub static OMP_HOOKS: ScriptRules = ScriptRules {
    no_factory: "Hook must export a default function",
    load_failure: "Failed to load hook: ",
    not_ready: Some(" handler not initialized"),
    sends_early: false,
    tells_killed: true,
    bun: true,
};

/// The original hooks.
pub static ORIGINAL_HOOKS: ScriptRules = ScriptRules {
    no_factory: "Hook must export a default function",
    load_failure: "Failed to load hook: ",
    not_ready: None,
    sends_early: true,
    tells_killed: false,
    bun: false,
};
