//! Gives the model a to-do list, and the user `/todos` to look at it.
//!
//! The list lives in the session and nowhere else: each change is recorded as details of the tool's result or, when
//! the user made it, as an entry of its own. What counts is the latest record on the current branch, so the list is
//! right after a restart, in a fork, and after a move in the tree.

use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tau_ai::Message;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::events::{SessionStart, SessionTree};
use tau_hooks::{Ctx, Extension, HandlerError, Registrar};
use tau_session::{Entry, EntryBody, Session};
use tau_tools::{ExecutionMode, ToolFailure, ToolOutput, ToolSpec};

/// Names the tool and the entries.
const TODO: &str = "todo";

/// The extension.
#[derive(Debug, Clone, Copy, Default)]
pub struct Todo;

/// The list, in the form in which the session keeps it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoList {
    /// In the order in which they were added.
    pub todos: Vec<TodoItem>,
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoItem {
    /// Counts from 1.
    pub id: u64,
    /// What is to be done.
    pub text: String,
    /// It is done.
    pub done: bool,
}

#[derive(Deserialize)]
#[serde(tag = "action", rename_all = "lowercase")]
enum Action {
    List,
    Add { text: String },
    Done { id: u64 },
    Open { id: u64 },
    Remove { id: u64 },
    Clear,
}

impl Extension for Todo {
    fn name(&self) -> &str {
        TODO
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let list = Arc::new(Mutex::new(TodoList::default()));
        let [started, moved, called, asked] = std::array::from_fn(|_| Arc::clone(&list));
        registrar.on::<SessionStart>(move |_, ctx| {
            show(&ctx, &restore(&started, &ctx.session()));
            async {}
        });
        registrar.on::<SessionTree>(move |_, ctx| {
            show(&ctx, &restore(&moved, &ctx.session()));
            async {}
        });
        registrar.tool(spec(), move |invocation, ctx| {
            let answer = call(&called, invocation.args);
            show(&ctx, &called.lock());
            async move { answer }
        });
        registrar.command("todos", "Shows the to-do list; `/todos clear` empties it", move |args, ctx| {
            let answer = command(&asked, &args, &ctx);
            async move { answer }
        });
        Ok(())
    }
}

fn spec() -> ToolSpec {
    ToolSpec {
        name: TODO.to_owned(),
        label: "To-do list".to_owned(),
        description: "Keeps a to-do list for work of several steps: list, add {text}, done {id}, open {id}, remove \
                      {id}, clear."
            .to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "action": { "type": "string", "enum": ["list", "add", "done", "open", "remove", "clear"] },
                "text": { "type": "string", "description": "What is to be done, for `add`" },
                "id": { "type": "integer", "description": "The item, for `done`, `open` and `remove`" }
            },
            "required": ["action"]
        }),
        prompt_snippet: Some("Keep a to-do list".to_owned()),
        prompt_guidelines: vec!["Keep a to-do list for tasks of more than three steps.".to_owned()],
        // Two changes at once could each be recorded without the other.
        execution_mode: ExecutionMode::Sequential,
        ..ToolSpec::default()
    }
}

fn call(list: &Mutex<TodoList>, args: Value) -> Result<ToolOutput, ToolFailure> {
    let action = serde_json::from_value(args).map_err(ToolFailure::new)?;
    let mut list = list.lock();
    list.apply(action)?;
    Ok(ToolOutput::text(list.to_text()).with_details(serde_json::to_value(&*list).map_err(ToolFailure::new)?))
}

fn command(list: &Mutex<TodoList>, args: &str, ctx: &Ctx) -> Result<(), HandlerError> {
    if args.trim() == "clear" {
        let empty = TodoList::default();
        ctx.host().append_entry(TODO, Some(serde_json::to_value(&empty)?))?;
        *list.lock() = empty;
    }
    let list = list.lock();
    show(ctx, &list);
    ctx.ui().notify(&list.to_text(), NotifyLevel::Info);
    Ok(())
}

/// Takes over the latest list of the branch.
fn restore(list: &Mutex<TodoList>, session: &Session) -> TodoList {
    let branch = session.branch_path(None);
    let latest = branch.iter().rev().find_map(|entry| recorded(entry)).unwrap_or_default();
    list.lock().clone_from(&latest);
    latest
}

/// The list that an entry records, if it does.
fn recorded(entry: &Entry) -> Option<TodoList> {
    let body = entry.body();
    let data = match &*body {
        EntryBody::Custom(custom) if custom.custom_type == TODO => custom.data.as_ref()?,
        EntryBody::Message(message) => match &*message.message {
            Message::ToolResult(result) if result.tool_name == TODO => result.details.as_ref()?,
            _ => return None,
        },
        _ => return None,
    };
    TodoList::deserialize(data).ok()
}

fn show(ctx: &Ctx, list: &TodoList) {
    let done = list.todos.iter().filter(|item| item.done).count();
    let text = (!list.todos.is_empty()).then(|| format!("{done}/{} done", list.todos.len()));
    ctx.ui().set_status(TODO, text.as_deref());
}

impl TodoList {
    fn apply(&mut self, action: Action) -> Result<(), ToolFailure> {
        match action {
            Action::List => {}
            Action::Add { text } if text.trim().is_empty() => return Err(ToolFailure::new("`text` is empty")),
            Action::Add { text } => {
                let id = self.todos.iter().map(|item| item.id).max().unwrap_or(0) + 1;
                self.todos.push(TodoItem { id, text, done: false });
            }
            Action::Done { id } => self.item(id)?.done = true,
            Action::Open { id } => self.item(id)?.done = false,
            Action::Remove { id } => {
                self.item(id)?;
                self.todos.retain(|item| item.id != id);
            }
            Action::Clear => self.todos.clear(),
        }
        Ok(())
    }

    fn item(&mut self, id: u64) -> Result<&mut TodoItem, ToolFailure> {
        let found = self.todos.iter_mut().find(|item| item.id == id);
        found.ok_or_else(|| ToolFailure::new(format!("there is no item {id}")))
    }

    /// The list as people and models read it.
    pub fn to_text(&self) -> String {
        if self.todos.is_empty() {
            return "Nothing to do.".to_owned();
        }
        let line = |item: &TodoItem| format!("[{}] {}. {}", if item.done { "x" } else { " " }, item.id, item.text);
        self.todos.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}
