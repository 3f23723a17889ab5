//! The extension `builtin:tool-search` and its tool: finds tools that requests do not declare, and has them declared.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use tau_hooks::{Api, Extension, HandlerError, MissingTools, Reach, Registrar};
use tau_tools::{Exposure, Invocation, Tool, ToolFailure, ToolOutput, ToolSpec};

use super::undeclared;
use crate::search::{Document, LIMIT, rank};

/// The name of the tool.
pub const TOOL_SEARCH: &str = "tool_search";

/// Gives the model the tool `tool_search`, once somebody wants it.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolSearch;

impl Extension for ToolSearch {
    fn name(&self) -> &str {
        "tool-search"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let api = registrar.api();
        registrar.tool_hint(move |name| {
            undeclared(&api, TOOL_SEARCH, name).map(|tool| format!("{TOOL_SEARCH} loads it: search for {}", tool.name))
        });
        registrar.add_tool(Arc::new(SearchTool { spec: spec(), api: registrar.api() }));
        Ok(())
    }
}

fn spec() -> ToolSpec {
    ToolSpec {
        name: TOOL_SEARCH.to_owned(),
        label: TOOL_SEARCH.to_owned(),
        description: "Finds tools and makes them available from the next call on. Not all tools are declared from the start: those of MCP servers, for example, may have to be found first. Describe what the tool is to do, or name it.".to_owned(),
        prompt_snippet: Some("Find tools that are not declared yet, and load them".to_owned()),
        parameters: json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What the tools are to do, or the name of one."},
                "limit": {"type": "number", "description": format!("How many tools to load at most; {LIMIT} if not given.")},
            },
            "required": ["query"],
        }),
        // It changes what the model sees, which is nothing that a script needs.
        exposure: Exposure::ModelOnly,
        default_active: false,
        ..ToolSpec::default()
    }
}

struct SearchTool {
    spec: ToolSpec,
    api: Api,
}

#[async_trait]
impl Tool for SearchTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn reaches(&self, _: &Value) -> Option<Reach> {
        Some(Reach::All)
    }

    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        let query = invocation.args["query"].as_str().unwrap_or_default();
        if query.trim().is_empty() {
            return Err(ToolFailure::new("query must not be empty"));
        }
        let limit = limit(&invocation.args["limit"])?;
        let missing = self.api.late_tools(Reach::All, invocation.cancel.clone()).await.map_err(ToolFailure::new)?;
        if invocation.cancel.is_cancelled() {
            return Err(ToolFailure::aborted());
        }
        let loaded = self.load(query, limit)?;
        let names: Vec<&str> = loaded.iter().map(|tool| tool.name.as_str()).collect();
        let details = json!({"loaded": names});
        Ok(ToolOutput::text(text(&loaded, &missing)).with_details(details))
    }
}

impl SearchTool {
    /// Activates what fits.
    fn load(&self, query: &str, limit: usize) -> Result<Vec<ToolSpec>, ToolFailure> {
        let host = self.api.host().map_err(ToolFailure::new)?;
        let mut active = host.active_tools();
        let is_found = |tool: &ToolSpec| {
            matches!(tool.exposure, Exposure::Codemode | Exposure::Deferred) && !active.contains(&tool.name)
        };
        let candidates: Vec<ToolSpec> = host.all_tools().into_iter().filter(is_found).collect();
        let documents: Vec<Document> = candidates.iter().map(Document::of).collect();
        let found = rank(query, &documents, limit);
        let of_name = |name: &str| candidates.iter().find(|tool| tool.name == name).cloned();
        let found: Vec<ToolSpec> = found.iter().filter_map(|found| of_name(&found.name)).collect();
        if found.is_empty() {
            return Ok(found);
        }
        active.extend(found.iter().map(|tool| tool.name.clone()));
        host.set_active_tools(&active);
        // The user may have excluded some.
        let active = host.active_tools();
        Ok(found.into_iter().filter(|tool| active.contains(&tool.name)).collect())
    }
}

fn limit(value: &Value) -> Result<usize, ToolFailure> {
    if value.is_null() {
        return Ok(LIMIT);
    }
    let whole = value.as_f64().filter(|limit| limit.fract() == 0.0 && *limit >= 1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is whole, positive and small")]
    whole.map(|limit| limit.min(1e6) as usize).ok_or_else(|| ToolFailure::new("limit must be a positive integer"))
}

/// What the model reads.
fn text(loaded: &[ToolSpec], missing: &[MissingTools]) -> String {
    let mut text = match loaded.len() {
        0 => "No matching tools found.".to_owned(),
        count => {
            let first_line = |tool: &ToolSpec| {
                let line = tool.description.trim().lines().next().unwrap_or_default();
                format!("\n- {}: {line}", tool.name)
            };
            let plural = if count == 1 { "" } else { "s" };
            let lines: String = loaded.iter().map(first_line).collect();
            format!("Loaded {count} tool{plural}. They are available from your next call:{lines}")
        }
    };
    for group in missing.iter().filter(|group| !group.is_off) {
        text.push_str(&format!("\nNot searched: {}.", group.problem));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_whole_and_positive() {
        assert_eq!(limit(&Value::Null), Ok(8));
        assert_eq!(limit(&json!(3)), Ok(3));
        assert_eq!(limit(&json!(3.0)), Ok(3));
        for wrong in [json!(0), json!(-1), json!(1.5), json!("x")] {
            assert!(limit(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_was_loaded_is_named_with_its_first_line() {
        let tool = |name: &str, text: &str| ToolSpec {
            name: name.to_owned(),
            description: text.to_owned(),
            ..ToolSpec::default()
        };
        let missing = [("x", false), ("off", true)].map(|(name, is_off)| MissingTools {
            prefix: format!("mcp__{name}"),
            problem: format!("the server \"{name}\" does not answer"),
            is_off,
        });
        assert_eq!(text(&[], &missing), "No matching tools found.\nNot searched: the server \"x\" does not answer.");
        let expected = "Loaded 2 tools. They are available from your next call:\n- a: One.\n- b: ";
        assert_eq!(text(&[tool("a", " One.\nTwo."), tool("b", "")], &[]), expected);
        assert!(text(&[tool("a", "")], &[]).starts_with("Loaded 1 tool. They"));
    }
}
