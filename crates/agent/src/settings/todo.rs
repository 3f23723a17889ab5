//! The settings of the to-do list and of reminders of it.

use serde_json::Value;

use super::key::KeyPath;
use super::layers::Settings;
use super::table::keys;

/// The settings of the to-do list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TodoSettings {
    /// Whether the model has the tool `todo_write` without anybody naming it on the command line.
    pub tool: bool,
    /// How often the model is reminded of open items after a prompt, when it is at all.
    pub reminders: Option<u32>,
}

impl Settings {
    /// What holds for the to-do list. `todo.reminders` is a switch or an object with `enabled` and `max`; the names below
    /// `todoCompletion` say the same and count when it is absent.
    pub fn todo(&self) -> TodoSettings {
        let switch = self.get(keys::TODO_REMINDERS);
        let enabled = match switch {
            Some(Value::Bool(on)) => Some(*on),
            Some(Value::Object(fields)) => Some(fields.get("enabled").and_then(Value::as_bool).unwrap_or(true)),
            _ => self.given(keys::TODO_COMPLETION_ENABLED),
        };
        let flat = || self.get(KeyPath::of(["todo", "reminders.max"])).and_then(Value::as_u64);
        let max = self.given(keys::TODO_REMINDERS_MAX).or_else(flat);
        let max = max.unwrap_or_else(|| self.of(keys::TODO_COMPLETION_MAX));
        let max = u32::try_from(max).unwrap_or(u32::MAX);
        let reminders = enabled.unwrap_or(false).then_some(max);
        TodoSettings { tool: self.of(keys::TODO_ENABLED).unwrap_or(reminders.is_some()), reminders }
    }
}
