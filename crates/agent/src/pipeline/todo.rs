//! Reminds the model of open items on its list when it stops.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_ai::{CustomMessage, JsonMap, Message};
use tau_hooks::events::TodoReminder;
use tau_hooks::payload::{Outcome, TodoItem, TodoReminderEvent};
use tau_session::{EntryBody, EntryKind, Session};
use tau_tools::todo::{COMPLETED, IN_PROGRESS, PENDING};

use super::run::Ran;
use crate::session::{AgentSession, Run, SessionEvent};

/// The kind of the message.
const REMINDER: &str = "todo-reminder";

/// How often the model was reminded since the user's last prompt.
#[derive(Debug, Default)]
pub(crate) struct Reminders {
    /// Which of the sessions that were open this is about.
    session: u64,
    count: u32,
}

impl AgentSession {
    /// The user sent a prompt: reminders count from the beginning.
    pub(crate) fn forget_reminders(&self) {
        self.reminders().lock().count = 0;
    }

    /// The message that reminds the model, if it stopped of its own accord with open items.
    pub(super) async fn todo_reminder(self: &Arc<Self>, run: &Run, ran: &Ran) -> Option<Arc<Message>> {
        if ran.outcome != Outcome::Completed || run.cancel.is_cancelled() {
            return None;
        }
        let answer = ran.last.as_ref()?.answer.message().as_assistant()?;
        if answer.tool_calls().next().is_some() {
            return None;
        }
        let (attempt, max_attempts, todos) = self.count_reminder()?;
        let event = || TodoReminderEvent { todos: todos.clone(), attempt, max_attempts };
        self.tell::<TodoReminder>(&run.scope(self), event).await;
        self.events().send(|| SessionEvent::TodoReminder { todos: todos.clone(), attempt, max_attempts });
        (!run.cancel.is_cancelled()).then(|| Arc::new(reminder(&todos, attempt, max_attempts, self.now_ms())))
    }

    /// The next reminder, if there is to be one: its number, how many there are at most, and the open items.
    fn count_reminder(&self) -> Option<(u32, u32, Vec<TodoItem>)> {
        let max = self.settings().snapshot().todo().reminders;
        let mut reminders = self.reminders().lock();
        if reminders.session != self.session_number() {
            *reminders = Reminders { session: self.session_number(), count: 0 };
        }
        let Some(max) = max else {
            reminders.count = 0;
            return None;
        };
        if reminders.count >= max {
            return None;
        }
        let open = open_items(&self.session());
        if open.is_empty() {
            reminders.count = 0;
            return None;
        }
        reminders.count += 1;
        Some((reminders.count, max, open))
    }
}

/// The open items of the latest list on the branch.
fn open_items(session: &Session) -> Vec<TodoItem> {
    let path = session.branch_path(None);
    let latest = path.iter().rev().filter(|entry| entry.kind() == EntryKind::Message).find_map(|entry| {
        let EntryBody::Message(body) = entry.body() else { return None };
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

fn reminder(todos: &[TodoItem], attempt: u32, max: u32, timestamp: i64) -> Message {
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
        timestamp,
        extra: JsonMap::new(),
    })
}
