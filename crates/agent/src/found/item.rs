//! What a provider of hooks finds: a file with a moment and a tool.

use std::path::PathBuf;

use serde::Serialize;

/// Whether a hook works before a tool or after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HookMoment {
    /// Before it: the hook may keep it from running.
    Pre,
    /// After it: the hook may change what the model sees.
    Post,
}

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HookLevel {
    /// The user's, for all projects.
    User,
    /// The project's.
    Project,
}

/// The names that a script has for tools and their arguments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolNames {
    /// Those of tau.
    #[default]
    Native,
    /// Those of Claude Code.
    Claude,
}

/// A hook of the registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HookItem {
    /// The whole name of the file, so that `bash.ts` and `bash.sh` are two hooks.
    pub name: String,
    /// The file, absolute.
    pub path: PathBuf,
    /// When it works.
    #[serde(rename = "type")]
    pub moment: HookMoment,
    /// The tool that its name stands for, as its provider reads it; `*` for all.
    pub tool: String,
    /// Whose it is.
    pub level: HookLevel,
    /// The id of the provider that found it. The registry writes it.
    pub provider: String,
    /// What people call the provider. The registry writes it.
    pub provider_name: String,
    /// How a script expects tools to be called.
    #[serde(skip)]
    pub names: ToolNames,
    /// The plugin it came with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<PathBuf>,
}

impl HookMoment {
    /// The name of folders for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pre => "pre",
            Self::Post => "post",
        }
    }
}

impl HookItem {
    /// What two items share of which only one is used.
    pub fn key(&self) -> String {
        format!("{}:{}:{}", self.moment.as_str(), self.tool, self.name)
    }

    /// What the setting `discovery.disabledExtensions` calls it.
    pub fn id(&self) -> String {
        format!("hook:{}", self.key())
    }

    /// Where it was found, in words.
    pub fn source(&self) -> String {
        let level = match self.level {
            HookLevel::User => "user",
            HookLevel::Project => "project",
        };
        format!("{}, {level}", self.provider_name)
    }

    /// What is wrong with it.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        match () {
            () if self.name.is_empty() => Some("it has no name"),
            () if self.tool.is_empty() => Some("its name stands for no tool"),
            () => None,
        }
    }
}
