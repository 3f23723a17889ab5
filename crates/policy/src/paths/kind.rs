//! What a class of paths is.

/// A class of paths.
#[derive(Debug)]
pub struct Class {
    /// Its name, as rules have it behind `class:`.
    pub name: &'static str,
    /// What it holds, for people.
    pub description: &'static str,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// Files that match one of these, and what is below them: from `~`, `$agent`, `$project`, `/` or, with `**/`, anywhere.
    Patterns(&'static [&'static str]),
    /// What is below the folders for temporary files and is no part of the project.
    Scratch,
    /// The folder for temporary files of the project.
    ProjectTmp,
    /// Devices that hold data.
    Device,
    /// What is neither in the project nor temporary.
    Outside,
}

impl PartialEq for Class {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
