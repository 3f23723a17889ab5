//! Reminds the model of open items on its list when it stops.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_ai::{CustomMessage, JsonMap, Message};
use tau_hooks::events::TodoReminder;
use tau_hooks::payload::{Outcome, TodoItem, TodoReminderEvent};
use tau_session::{EntryBody, EntryKind, Session};
use tau_tools::todo::{COMPLETED, IN_PROGRESS, PENDING};

use super::last::Last;
use crate::parts::{Parts, SessionEvent};
use crate::pipeline::tell::tell;
use crate::pipeline::turn::Turn;

/// The kind of the message.
const REMINDER: &str = "todo-reminder";

/// The message that reminds the model, if it stopped of its own accord with open items.
pub(super) async fn todo_reminder(turn: &Turn<'_>, outcome: Outcome, last: Option<&Last>) -> Option<Arc<Message>> {
    if outcome != Outcome::Completed || turn.is_cancelled() {
        return None;
    }
    let answer = last?.answer.message().as_assistant()?;
    if answer.tool_calls().next().is_some() {
        return None;
    }
    let (attempt, max_attempts, todos) = count_reminder(turn)?;
    let event = || TodoReminderEvent { todos: todos.clone(), attempt, max_attempts };
    tell::<TodoReminder>(turn, &turn.scope(), event).await;
    turn.events.send(|| SessionEvent::TodoReminder { todos: todos.clone(), attempt, max_attempts });
    (!turn.is_cancelled()).then(|| Arc::new(reminder(&todos, attempt, max_attempts, turn.services.now_ms())))
}

/// The next reminder, if there is to be one: its number, how many there are at most, and the open items. Only a run asks,
/// so nobody counts meanwhile.
fn count_reminder(parts: &Parts) -> Option<(u32, u32, Vec<TodoItem>)> {
    let Some(max) = parts.settings().todo().reminders else {
        parts.conversation.set_reminders(0);
        return None;
    };
    let count = parts.conversation.reminders();
    if count >= max {
        return None;
    }
    let open = open_items(&parts.conversation.session());
    if open.is_empty() {
        parts.conversation.set_reminders(0);
        return None;
    }
    parts.conversation.set_reminders(count + 1);
    Some((count + 1, max, open))
}

/// The open items of the latest list on the branch.
fn open_items(session: &Session) -> Vec<TodoItem> {
    let path = session.branch_path(None);
    let latest = path.iter().rev().filter(|entry| entry.kind() == EntryKind::Message).find_map(|entry| {
        let body = entry.body();
        let EntryBody::Message(body) = &*body else { return None };
        match &*body.message {
            Message::ToolResult(result) if !result.is_error => list_of(result.details.as_ref()?),
            _ => None,
        }
    });
    let is_open = |item: &TodoItem| item.status == PENDING || item.status == IN_PROGRESS;
    latest.unwrap_or_default().into_iter().filter(is_open).collect()
}

/// The list in the details of a tool's result, whichever tool that is. An item has at least a content and a status.
fn list_of(details: &Value) -> Option<Vec<TodoItem>> {
    let list = details.get("todos")?.as_array()?;
    list.iter().enumerate().map(|(place, item)| item_of(place, item)).collect()
}

fn item_of(place: usize, item: &Value) -> Option<TodoItem> {
    let text = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
    let id = match item.get("id") {
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => text("id"),
    };
    Some(TodoItem {
        id: id.unwrap_or_else(|| (place + 1).to_string()),
        content: text("content")?,
        status: text("status")?,
        active_form: text("activeForm"),
        notes: text("notes"),
        details: text("details"),
    })
}

fn reminder(todos: &[TodoItem], attempt: u32, max: u32, now: i64) -> Message {
    let mark = |item: &TodoItem| if item.status == IN_PROGRESS { "in progress" } else { "open" };
    let lines: String = todos.iter().map(|item| format!("- {} ({})\n", item.content, mark(item))).collect();
    let content = format!(
        "<system-reminder>\nYou stopped, but your to-do list still has open items:\n{lines}\nGo on with them. If an item is \
         done or not wanted any more, bring the list up to date (status `{COMPLETED}`, or leave it out); if you need \
         something from the user, say what.\n(Reminder {attempt} of {max})\n</system-reminder>"
    );
    Message::Custom(CustomMessage {
        custom_type: REMINDER.to_owned(),
        content: content.into(),
        display: false,
        details: Some(json!({ "todos": todos, "attempt": attempt, "maxAttempts": max })),
        timestamp: now,
        extra: JsonMap::new(),
    })
}
