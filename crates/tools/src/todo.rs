//! The todo_write tool: the model keeps a list of what it has to do.
//!
//! The tool holds nothing. Each call brings the whole list, and the result carries it in its details, so that the list of
//! a conversation is in its messages and goes with every branch.

use std::collections::HashSet;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{parse_args, tool_spec};
use crate::{Invocation, Tool, ToolFailure, ToolOutput, ToolSpec};

/// The tool's name.
pub const TODO_WRITE: &str = "todo_write";
/// The status of an item nobody works on yet.
pub const PENDING: &str = "pending";
/// The status of the item that is worked on.
pub const IN_PROGRESS: &str = "in_progress";
/// The status of an item that is done.
pub const COMPLETED: &str = "completed";

/// Keeps a list of what is to be done.
pub struct TodoWriteTool {
    spec: ToolSpec,
}

#[derive(Deserialize)]
struct Args {
    todos: Vec<Given>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Given {
    id: Option<String>,
    content: String,
    status: Status,
    active_form: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    id: String,
    content: String,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    active_form: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Pending,
    InProgress,
    Completed,
}

impl Default for TodoWriteTool {
    fn default() -> Self {
        Self { spec: spec() }
    }
}

#[async_trait]
impl Tool for TodoWriteTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        let args: Args = parse_args(TODO_WRITE, invocation.args)?;
        let items = items(args.todos)?;
        Ok(ToolOutput::text(shown(&items)).with_details(json!({ "todos": items })))
    }
}

/// The items with an id each: their own, or a number that no other has.
fn items(given: Vec<Given>) -> Result<Vec<Item>, ToolFailure> {
    let mut taken: HashSet<String> = given.iter().filter_map(|item| item.id.clone()).collect();
    let mut seen = HashSet::new();
    let mut next = 1_usize;
    let mut items = Vec::with_capacity(given.len());
    for (place, item) in given.into_iter().enumerate() {
        let content = item.content.trim().to_owned();
        if content.is_empty() {
            return Err(ToolFailure::new(format_args!("Item {} says nothing; give it a content", place + 1)));
        }
        let own = item.id.filter(|id| !id.is_empty() && seen.insert(id.clone()));
        let id = own.unwrap_or_else(|| {
            while !taken.insert(next.to_string()) {
                next += 1;
            }
            next.to_string()
        });
        items.push(Item { id, content, status: item.status, active_form: item.active_form });
    }
    Ok(items)
}

fn shown(items: &[Item]) -> String {
    if items.is_empty() {
        return "The to-do list is empty.".to_owned();
    }
    let done = items.iter().filter(|item| item.status == Status::Completed).count();
    let line = |item: &Item| {
        let mark = match item.status {
            Status::Pending => ' ',
            Status::InProgress => '>',
            Status::Completed => 'x',
        };
        format!("[{mark}] {}. {}", item.id, item.content)
    };
    let lines: Vec<String> = items.iter().map(line).collect();
    format!("{done} of {} done\n{}", items.len(), lines.join("\n"))
}

fn spec() -> ToolSpec {
    let spec = tool_spec(
        TODO_WRITE,
        "Keeps your to-do list for longer work. Every call brings the whole list and replaces the one before. Write it \
         when a task has several steps, keep exactly one item in progress while you work, mark an item as completed as \
         soon as it is done, and leave out what is not wanted any more. Not for questions and single steps.",
        json!({
            "type": "object",
            "properties": {
                "todos": {
                    "type": "array",
                    "description": "The whole list, in the order of the work",
                    "items": {
                        "type": "object",
                        "properties": {
                            "id": { "type": "string", "description": "Names the item; given by the tool when absent" },
                            "content": { "type": "string", "description": "What is to be done, as an order" },
                            "status": { "type": "string", "enum": [PENDING, IN_PROGRESS, COMPLETED] },
                            "activeForm": {
                                "type": "string",
                                "description": "The same as it is called while you do it"
                            }
                        },
                        "required": ["content", "status"]
                    }
                }
            },
            "required": ["todos"]
        }),
        "Keep a to-do list for work of several steps",
        &[],
    );
    ToolSpec { label: "Todo Write".to_owned(), ..spec }
}
