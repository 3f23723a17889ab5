//! Prompt templates: `/name arguments` becomes the text of a file.

use std::path::{Path, PathBuf};

use tau_hooks::{split_arguments, substitute_arguments};
use tau_script::FrontMatter;

use super::{Expansion, Provenance};
use crate::diagnostic::Diagnostic;
use crate::text::{self, is_space};

/// Longest description taken from the text itself, in characters.
const DERIVED_DESCRIPTION: usize = 60;

/// A prompt template.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptTemplate {
    /// The name after the slash: the file name without `.md`.
    pub name: String,
    /// For completion: the field `description`, or the first line of the text.
    pub description: String,
    /// The field `argument-hint`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument_hint: Option<String>,
    /// The text, without front matter.
    pub content: String,
    /// The file.
    pub file_path: PathBuf,
    /// Who brought it.
    pub provenance: Provenance,
}

impl PromptTemplate {
    /// Reads one file.
    pub(super) fn read(path: &Path, provenance: Provenance) -> Result<Self, Diagnostic> {
        let content = text::read(path).map_err(|error| Diagnostic::error(path, error.to_string()))?;
        let matter = FrontMatter::parse(&content)
            .map_err(|error| Diagnostic::error(path, error.message.clone()).at_line(error.line))?;
        let file_name = path.file_name().unwrap_or_default().to_string_lossy();
        let description = match matter.text("description") {
            Some(description) if !description.is_empty() => description.to_owned(),
            _ => derived_description(&matter.body),
        };
        Ok(Self {
            name: file_name.strip_suffix(".md").unwrap_or(&file_name).to_owned(),
            description,
            argument_hint: matter.text("argument-hint").filter(|hint| !hint.is_empty()).map(str::to_owned),
            content: matter.body,
            file_path: path.to_path_buf(),
            provenance,
        })
    }
}

fn derived_description(body: &str) -> String {
    let Some(line) = body.lines().find(|line| !text::trim(line).is_empty()) else { return String::new() };
    let mut description: String = line.chars().take(DERIVED_DESCRIPTION).collect();
    if description.len() < line.len() {
        description.push_str("...");
    }
    description
}

/// Expands `/name arguments`. The name ends at the first white space, line ends included.
pub(crate) fn expand_template(text: &str, templates: &[PromptTemplate]) -> Expansion {
    let Some(rest) = text.strip_prefix('/') else { return Expansion::Unchanged };
    let (name, arguments) = rest.split_once(is_space).unwrap_or((rest, ""));
    match templates.iter().find(|template| template.name == name) {
        Some(template) => Expansion::Expanded {
            text: substitute_arguments(&template.content, &split_arguments(arguments)),
            source: template.file_path.clone(),
        },
        None => Expansion::Unchanged,
    }
}
