//! What the suite is made of.

use tau_hooks::Extension;

/// A module of the suite.
#[derive(Clone, Copy)]
pub struct Module {
    /// Its name: `builtin:NAME`.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// What it does without another module that it uses.
    pub needs: &'static [Alone],
    /// Whether a child session has it.
    pub in_children: bool,
    /// Makes it. All sessions of a program have one value.
    pub make: fn() -> Box<dyn Extension>,
}

/// What a module does without another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alone {
    /// The other module.
    pub without: &'static str,
    /// What is different then.
    pub then: &'static str,
}
