//! Files that shape what the model is told: context files, skills, prompt templates and system prompt files; and colour
//! themes, which are found the same way.
//!
//! [`Resources::load`] finds and reads them; [`expand_skill`] and [`expand_template`] turn `/skill:name` and `/name` into
//! their text. A broken file never stops anything: it becomes a [`Diagnostic`] with its place.

mod context;
mod load;
mod options;
mod prompt_text;
mod scan;
mod skill;
mod sources;
mod template;
mod theme;
mod watch;
mod worktree;

pub(crate) use crate::diagnostic::Diagnostic;
pub(crate) use crate::path_filter::PathFilter;
pub(crate) use context::{ContextFile, load_context_files};
pub use load::Resources;
pub(crate) use options::DiscoveredPath;
pub use options::{Given, LoadOptions};
pub(crate) use prompt_text::{PromptText, TextSource};
pub(crate) use scan::{Wanted, ignore_rules, scan};
pub use skill::Skill;
pub(crate) use skill::expand_skill;
pub(crate) use template::{PromptTemplate, expand_template};
pub use theme::{Theme, theme_wanted};
pub(crate) use watch::ContextWatch;

use std::path::PathBuf;

/// Who brought a resource.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Provenance {
    /// The user's folders or settings.
    User,
    /// The project's folders or settings.
    Project,
    /// A package, by its root.
    Package(PathBuf),
    /// The command line.
    Flag,
    /// An extension, by its file or its name in angle brackets.
    Extension(String),
}

/// What an expansion came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expansion {
    /// The text names nothing that can be expanded and stays as it is.
    Unchanged,
    /// The text to use instead.
    Expanded {
        /// The new text.
        text: String,
        /// The file it came from.
        source: PathBuf,
    },
    /// The file could not be read: report it and keep the text.
    Failed {
        /// The file.
        path: PathBuf,
        /// What the system says.
        message: String,
    },
}

#[cfg(test)]
mod tests;
