//! What the command line, packages and extensions say about resources.

use std::path::{Path, PathBuf};

use super::{ContextFile, PromptTemplate, Skill};
use crate::origin::PackageResource;
use crate::settings::Environment;

/// What the command line and the extensions add or switch off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// The folder that relative paths of the command line start at; the working directory when absent. A session that goes
    /// on in another directory must not find other files by them.
    pub base: Option<PathBuf>,
    /// `--no-context-files`.
    pub no_context_files: bool,
    /// `--no-skills`: only those of `--skill` and of extensions.
    pub no_skills: bool,
    /// `--no-prompt-templates`: only those of `--prompt-template` and of extensions.
    pub no_prompt_templates: bool,
    /// `--no-themes`: only those of `--theme`, of extensions, and the built-in ones.
    pub no_themes: bool,
    /// `--skill`: files or folders.
    pub skill_paths: Vec<String>,
    /// `--prompt-template`: files or folders.
    pub prompt_template_paths: Vec<String>,
    /// `--theme`: files or folders.
    pub theme_paths: Vec<String>,
    /// `--use-theme`: what counts in place of the setting `theme`.
    pub use_theme: Option<String>,
    /// Skills that extensions named in `resources_discover`.
    pub discovered_skills: Vec<DiscoveredPath>,
    /// Prompt templates that extensions named in `resources_discover`.
    pub discovered_prompts: Vec<DiscoveredPath>,
    /// Themes that extensions named in `resources_discover`.
    pub discovered_themes: Vec<DiscoveredPath>,
    /// What packages bring.
    pub packages: Vec<PackageResource>,
    /// What the one who opens the session gives it.
    pub given: Given,
    /// `--system-prompt`: a file or the text itself.
    pub system_prompt: Option<String>,
    /// `--append-system-prompt`: files or texts.
    pub append_system_prompt: Vec<String>,
}

impl LoadOptions {
    /// The folder that relative paths of the command line start at.
    pub(super) fn base<'a>(&'a self, env: &'a Environment) -> &'a Path {
        self.base.as_deref().unwrap_or(&env.cwd)
    }
}

/// Resources of a session that come from no file that is looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// The context files, in place of those that are found.
    pub context_files: Option<Vec<ContextFile>>,
    /// Skills behind those that are found.
    pub skills: Vec<Skill>,
    /// Prompt templates behind those that are found.
    pub prompt_templates: Vec<PromptTemplate>,
}

/// A file or folder that an extension named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscoveredPath {
    /// Absolute, or relative to the working directory.
    pub path: String,
    /// The file of the extension, or its name in angle brackets.
    pub extension: String,
}
