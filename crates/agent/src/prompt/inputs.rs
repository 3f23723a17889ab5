//! What a system prompt is built from.

use std::path::PathBuf;

use super::part::Author;
use crate::resources::{ContextFile, PromptText, Skill};

/// An active tool as the prompt shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PromptTool {
    /// The name the model calls.
    pub name: String,
    /// One line for the list.
    pub snippet: Option<String>,
    /// Used when there is no snippet.
    pub description: String,
    /// Rules that hold while the tool is active.
    pub guidelines: Vec<String>,
    /// Who brought the tool.
    pub author: Author,
}

/// A rule that belongs to no tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Guideline {
    /// The rule.
    pub text: String,
    /// Who wrote it.
    pub author: Author,
}

/// A section that an extension adds, or puts in place of a built-in one of the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExtraSection {
    name: String,
    text: String,
    author: Author,
}

/// A name that cannot be the name of a section.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} cannot name a section of the system prompt: use a-z, 0-9, _ and -, starting with a letter")]
pub(crate) struct InvalidSectionName(pub String);

/// Everything that shapes the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PromptInputs {
    /// Replaces tau's own opening, tool list, rules and documentation.
    pub custom_prompt: Option<PromptText>,
    /// The active tools in their order.
    pub tools: Vec<PromptTool>,
    /// The names of those among them that requests do not declare.
    pub hidden: Vec<String>,
    /// Rules besides those of the tools.
    pub guidelines: Vec<Guideline>,
    /// Where tau's documentation lies, see [`unpack_docs`](super::unpack_docs); `None` leaves it unmentioned.
    pub docs_dir: Option<PathBuf>,
    /// Texts to append.
    pub append: Vec<PromptText>,
    /// Context files in their order.
    pub context_files: Vec<ContextFile>,
    /// Skills; listed only while a tool is active that can read them.
    pub skills: Vec<Skill>,
    /// Sections of extensions.
    pub sections: Vec<ExtraSection>,
    /// Pieces that extensions registered, in their order. They add to what is there, and replace nothing.
    pub segments: Vec<ExtraSection>,
    /// Today.
    pub date: jiff::civil::Date,
    /// The working directory.
    pub cwd: PathBuf,
}

impl ExtraSection {
    /// A section `name` with `text`.
    ///
    /// # Errors
    /// When the name is not made of `a-z`, `0-9`, `_` and `-` with a letter first, or is `preamble`, which has no marks.
    pub(crate) fn new(
        name: impl Into<String>,
        text: impl Into<String>,
        author: Author,
    ) -> Result<Self, InvalidSectionName> {
        let name = name.into();
        let rest_is_fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
        let is_valid = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(rest_is_fine);
        if !is_valid || name == "preamble" {
            return Err(InvalidSectionName(name));
        }
        Ok(Self { name, text: text.into(), author })
    }

    /// The name, which is also the tag around the text.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Who wrote it.
    pub(crate) fn author(&self) -> &Author {
        &self.author
    }
}

impl PromptInputs {
    /// Nothing but date and place.
    pub(crate) fn new(date: jiff::civil::Date, cwd: impl Into<PathBuf>) -> Self {
        Self {
            custom_prompt: None,
            tools: Vec::new(),
            hidden: Vec::new(),
            guidelines: Vec::new(),
            docs_dir: None,
            append: Vec::new(),
            context_files: Vec::new(),
            skills: Vec::new(),
            sections: Vec::new(),
            segments: Vec::new(),
            date,
            cwd: cwd.into(),
        }
    }

    /// The tools that requests declare.
    pub(crate) fn declared(&self) -> impl Iterator<Item = &PromptTool> {
        self.tools.iter().filter(|tool| !self.hidden.contains(&tool.name))
    }

    /// Whether requests declare a tool of this name.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.declared().any(|tool| tool.name == name)
    }

    /// Whether a tool of this name is active.
    pub(crate) fn has_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }
}

/// How the names of tools of MCP servers begin.
const OF_SERVERS: &str = "mcp__";

impl PromptTool {
    /// Whether the list names the tool. A server may have hundreds, and their descriptions are foreign; requests declare them.
    pub(crate) fn is_listed(&self) -> bool {
        !self.name.starts_with(OF_SERVERS) || self.snippet.as_deref().is_some_and(|text| !text.trim().is_empty())
    }

    /// The one line of the tool list: the snippet, or else the description, on one line.
    pub(crate) fn line(&self) -> String {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let snippet = self.snippet.as_deref().map(one_line).filter(|line| !line.is_empty());
        snippet.unwrap_or_else(|| one_line(&self.description))
    }
}
