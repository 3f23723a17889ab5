//! What the settings of a project may not do, even when the project is trusted.

use std::fmt;

use serde_json::Value;

use super::key::{Address, KeyPath};

/// How far a project's value of a guarded key counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Not at all.
    UserOnly,
    /// Only while the user has no value of their own.
    UserFirst,
    /// Its list entries are added to the user's; nothing is removed.
    AddOnly,
    /// It can turn the switch on, not off.
    OnlyOn,
}

/// One guarded key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// The key, dotted; everything below it is guarded too.
    pub key: &'static str,
    /// What a project may still do.
    pub rule: Rule,
    /// Why, as shown to the user.
    pub reason: &'static str,
}

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

const fn guard(key: &'static str, rule: Rule, reason: &'static str) -> Guard {
    Guard { key, rule, reason }
}

/// Every guarded key with its rule and reason.
pub const GUARDS: &[Guard] = &[
    guard("defaultProjectTrust", Rule::UserOnly, "a project may not decide whether projects are trusted"),
    guard("httpProxy", Rule::UserOnly, "a project may not redirect requests that carry credentials"),
    guard("cacheWarming", Rule::UserOnly, "a project may not spend money while the agent is idle"),
    guard("hookTimeout", Rule::UserOnly, "a project may not cut off the user's hooks"),
    guard("disabledProviders", Rule::UserOnly, "a project may not switch the user's hooks off"),
    guard("discovery.disabledExtensions", Rule::UserOnly, "a project may not switch the user's hooks off"),
    guard("tau.limits", Rule::UserOnly, "a project may not cut off the user's handlers or let its own hang"),
    guard("tau.shellHooks", Rule::UserOnly, "a project may not switch the user's shell hooks off or add commands"),
    guard("tau.isolate", Rule::UserOnly, "a project may not move extensions out of their isolation"),
    guard("tau.trace", Rule::UserOnly, "a project may not choose where records of a session are written"),
    guard("tau.log", Rule::UserOnly, "a project may not choose what is logged"),
    guard("tau.trust", Rule::UserOnly, "a project may not decide when the question of trust is asked again"),
    guard("tau.required", Rule::AddOnly, "a project may require more extensions, not fewer"),
    guard("shellPath", Rule::UserFirst, "a project may not replace the shell that the user chose"),
    guard("shellCommandPrefix", Rule::UserFirst, "a project may not replace the prefix that the user chose"),
    guard("ttsr.enabled", Rule::OnlyOn, "a project may not switch the user's stream rules off"),
    guard("images.blockImages", Rule::OnlyOn, "a project may not send images that the user holds back"),
];

/// Puts the guarded keys of `merged` right and lists what of `project` was not used.
pub(super) fn enforce(merged: &mut Value, user: &Value, project: &Value) -> Vec<IgnoredKey> {
    let mut ignored = Vec::new();
    for guard in GUARDS {
        let of_user = guard.key.look_up(user);
        let of_project = guard.key.look_up(project);
        let allowed = allow(guard.rule, of_user, of_project);
        if guard.key.look_up(merged) != allowed.as_ref() {
            KeyPath::from(guard.key).set(merged, allowed.clone());
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
    super::defaults::default_of(key) == Some("false")
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
