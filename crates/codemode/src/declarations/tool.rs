//! A tool as a script reads of it.

use tau_tools::{ToolNamespace, ToolSpec};

use super::identifier::identifier;
use super::types::{input_type, output_type};

/// A tool as a script reads of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// The name.
    pub name: String,
    /// The name as a member of `tools`.
    pub identifier: String,
    /// The description, with the guidelines of the tool behind it: the system prompt has those of declared tools only.
    pub description: String,
    /// The member, in TypeScript.
    pub signature: String,
}

impl Declaration {
    /// Of a tool. One without a schema of its results gives text.
    pub fn of(spec: &ToolSpec) -> Self {
        let mut description = spec.description.trim().to_owned();
        let guidelines = spec.prompt_guidelines.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
        for (at, line) in guidelines.enumerate() {
            description.push_str(if at == 0 { "\n\n- " } else { "\n- " });
            description.push_str(line);
        }
        let identifier = identifier(&spec.name);
        let given = spec.output_schema.as_ref().map_or_else(|| "string".to_owned(), output_type);
        let signature = format!("{identifier}(args: {}): Promise<{given}>;", input_type(&spec.parameters));
        Self { name: spec.name.clone(), identifier, description, signature }
    }

    /// Description and declaration, as `describeTool()` gives them.
    pub fn text(&self) -> String {
        let declaration = format!("```ts\ndeclare const tools: {{ {} }};\n```", self.signature);
        if self.description.is_empty() { declaration } else { format!("{}\n\n{declaration}", self.description) }
    }

    /// The same with a heading.
    pub fn section(&self) -> String {
        let heading = if self.identifier == self.name {
            format!("### `{}`", self.identifier)
        } else {
            format!("### `{}` (`{}`)", self.identifier, self.name)
        };
        format!("{heading}\n{}", self.text())
    }
}

/// Whether a name means a namespace: its own or another one that it has, as it is or as an identifier.
pub fn is_namespace_name(namespace: &ToolNamespace, wanted: &str) -> bool {
    let names = std::iter::once(&namespace.name).chain(&namespace.aliases);
    let wanted_identifier = identifier(wanted);
    names.into_iter().any(|name| name == wanted || identifier(name) == wanted_identifier)
}
