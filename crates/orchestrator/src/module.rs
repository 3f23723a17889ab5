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
    /// The programs that it starts. Without them a part of it does nothing.
    pub programs: &'static [Needed],
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

/// A program that a module starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needed {
    /// Its name on the path.
    pub program: &'static str,
    /// What it is for, as the end of a sentence: `lists issues and pull requests`.
    pub what_for: &'static str,
    /// How to get it, as a sentence.
    pub get: &'static str,
    /// It is needed only where the working directory has a file of this name.
    pub only_if: Option<&'static str>,
}

/// How to get `gh`, which several modules start.
pub(crate) const GET_GH: &str = "Install the GitHub CLI (https://cli.github.com) and run `gh auth login`.";
