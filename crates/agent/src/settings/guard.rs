//! What the settings of a project may not do, even when the project is trusted: how the guards of the table are kept.

use std::fmt;

use serde_json::Value;

use super::key::{KeyPath, look_up};
use super::table::{self, DefaultValue, GUARDS, Rule};

impl fmt::Display for IgnoredKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "project setting `{}` ignored: {}", self.key, self.reason)
    }
}

/// A value of a project that was not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredKey {
    /// The key, dotted.
    pub key: &'static str,
    /// Why it was not used.
    pub reason: &'static str,
}

/// Puts the guarded keys of `merged` right and lists what of `project` was not used.
pub(super) fn enforce(merged: &mut Value, user: &Value, project: &Value) -> Vec<IgnoredKey> {
    let mut ignored = Vec::new();
    for guard in GUARDS.iter() {
        let of_user = look_up(guard.key, user);
        let of_project = look_up(guard.key, project);
        let allowed = allow(guard.rule, of_user, of_project);
        if look_up(guard.key, merged) != allowed.as_ref() {
            KeyPath::dotted(guard.key).set(merged, allowed.clone());
        }
        let fully_used = match (guard.rule, of_project) {
            (_, None) => true,
            (Rule::AddOnly, Some(value)) => value.is_array(),
            // What is off already stays off.
            (Rule::OnlyOn, Some(Value::Bool(false))) if of_user.is_none() && is_off(guard.key) => true,
            (_, Some(value)) => allowed.as_ref() == Some(value),
        };
        if !fully_used {
            ignored.push(IgnoredKey { key: guard.key, reason: guard.reason });
        }
    }
    ignored
}

/// Whether the value of a switch is on.
pub(super) fn is_on(value: &Value) -> bool {
    *value == Value::Bool(true)
}

/// Whether a switch is off without any setting.
pub(super) fn is_off(key: &str) -> bool {
    table::setting(key).is_some_and(|row| row.default == DefaultValue::Bool(false))
}

fn allow(rule: Rule, user: Option<&Value>, project: Option<&Value>) -> Option<Value> {
    let value = match rule {
        Rule::UserOnly => user,
        Rule::UserFirst => user.or(project),
        Rule::OnlyOn => project.filter(|value| **value == Value::Bool(true)).or(user),
        Rule::AddOnly => return add(user, project),
    };
    value.cloned()
}

pub(super) fn add(user: Option<&Value>, project: Option<&Value>) -> Option<Value> {
    let (Some(Value::Array(more)), user) = (project, user) else { return user.cloned() };
    let mut all = match user {
        Some(Value::Array(entries)) => entries.clone(),
        _ => Vec::new(),
    };
    for entry in more {
        if !all.contains(entry) {
            all.push(entry.clone());
        }
    }
    Some(Value::Array(all))
}
