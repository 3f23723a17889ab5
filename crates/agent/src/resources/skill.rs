//! Skills: instructions that the model reads when a task calls for them.

use std::path::{Path, PathBuf};

use tau_script::FrontMatter;

use super::{Expansion, Provenance};
use crate::diagnostic::Diagnostic;
use crate::path_filter::SKILL_FILE;
use crate::text;

const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 1024;

/// A skill.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Skill {
    /// The field `name`, or the name of the folder.
    pub name: String,
    /// What it is for; the model decides by this.
    pub description: String,
    /// The file with the instructions.
    pub file_path: PathBuf,
    /// The folder that paths in the instructions start at.
    pub base_dir: PathBuf,
    /// Only for use by name: not listed in the system prompt.
    pub disable_model_invocation: bool,
    /// Who brought it.
    pub provenance: Provenance,
}

impl Skill {
    /// Reads one file. A Markdown file that does not claim to be a skill (another name and no description) is passed
    /// over in silence.
    pub(super) fn read(path: &Path, provenance: Provenance, diagnostics: &mut Vec<Diagnostic>) -> Option<Self> {
        let is_declared = path.file_name().is_some_and(|name| name == SKILL_FILE);
        let content = match text::read(path) {
            Ok(content) => content,
            Err(error) => {
                diagnostics.push(Diagnostic::error(path, error.to_string()));
                return None;
            }
        };
        let matter = match FrontMatter::parse(&content) {
            Ok(matter) => matter,
            Err(error) => {
                if is_declared {
                    diagnostics.push(Diagnostic::error(path, error.message).at_line(error.line));
                }
                return None;
            }
        };
        let description = matter.text("description").filter(|description| !text::trim(description).is_empty());
        if description.is_none() && !is_declared {
            return None;
        }
        let base_dir = path.parent().unwrap_or(Path::new("/")).to_path_buf();
        let folder = base_dir.file_name().unwrap_or_default().to_string_lossy();
        let name = matter.text("name").filter(|name| !name.is_empty()).unwrap_or(&folder).to_owned();
        diagnostics.extend(name_problems(&name).into_iter().map(|problem| Diagnostic::warning(path, problem)));
        let Some(description) = description else {
            diagnostics.push(Diagnostic::error(path, "the skill has no description"));
            return None;
        };
        let length = description.encode_utf16().count();
        if length > MAX_DESCRIPTION {
            let message = format!("the description has {length} characters, more than {MAX_DESCRIPTION}");
            diagnostics.push(Diagnostic::warning(path, message));
        }
        Some(Self {
            name,
            description: description.to_owned(),
            file_path: path.to_path_buf(),
            base_dir,
            disable_model_invocation: matter.is_true("disable-model-invocation"),
            provenance,
        })
    }
}

fn name_problems(name: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let length = name.encode_utf16().count();
    if length > MAX_NAME {
        problems.push(format!("the name has {length} characters, more than {MAX_NAME}"));
    }
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') {
        problems.push(format!("the name {name:?} has characters other than a-z, 0-9 and hyphens"));
    }
    if name.starts_with('-') || name.ends_with('-') {
        problems.push(format!("the name {name:?} starts or ends with a hyphen"));
    }
    if name.contains("--") {
        problems.push(format!("the name {name:?} has two hyphens in a row"));
    }
    problems
}

/// Expands `/skill:name arguments` into the instructions of the skill. The name ends at the first space.
pub(crate) fn expand_skill(text: &str, skills: &[Skill]) -> Expansion {
    let Some(rest) = text.strip_prefix("/skill:") else { return Expansion::Unchanged };
    let (name, arguments) = rest.split_once(' ').unwrap_or((rest, ""));
    let Some(skill) = skills.iter().find(|skill| skill.name == name) else { return Expansion::Unchanged };
    let content = match text::read(&skill.file_path) {
        Ok(content) => content,
        Err(error) => return Expansion::Failed { path: skill.file_path.clone(), message: error.to_string() },
    };
    let body = FrontMatter::body_of(&content);
    let mut expanded = format!(
        "<skill name=\"{}\" location=\"{}\">\nReferences are relative to {}.\n\n{}\n</skill>",
        skill.name,
        skill.file_path.display(),
        skill.base_dir.display(),
        text::trim(&body),
    );
    let arguments = text::trim(arguments);
    if !arguments.is_empty() {
        expanded.push_str("\n\n");
        expanded.push_str(arguments);
    }
    Expansion::Expanded { text: expanded, source: skill.file_path.clone() }
}
