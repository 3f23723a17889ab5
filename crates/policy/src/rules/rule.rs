//! One rule.

use super::condition::{Condition, facts};
use super::document::{Field, Node, Value, one_of, strings};
use super::problem::{Fault, unknown};
use super::scope::Scope;
use super::verdict::Action;
use crate::arguments::Takes;

/// A rule.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) description: String,
    pub(crate) action: Action,
    pub(crate) message: String,
    pub(crate) instead: Option<String>,
    /// What must be there for the action; without it the rule asks.
    pub(crate) needs: Vec<String>,
    pub(crate) scope: Scope,
    /// `None` if the session applies the rule itself.
    pub(crate) when: Option<Condition>,
    /// Whether it asks where the condition may hold and may not.
    pub(crate) asks_when_unknown: bool,
    pub(crate) rewrite: Option<Rewrite>,
    /// The rules whose questions it answers, if it allows; all if there are none.
    pub(crate) answers: Vec<String>,
    pub(crate) group: Option<String>,
    pub(crate) catches: String,
    pub(crate) misses: String,
    /// Where it begins in its file.
    pub(crate) at: usize,
}

/// How a rule changes a command.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Rewrite {
    /// Inserts the trailer of the session after the subcommand.
    Trailer(Otherwise),
    /// Removes the timeout of the call.
    DropTimeout,
}

/// What happens where the command cannot be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Otherwise {
    Warn,
    Ask,
}

const ACTIONS: &[(&str, Action)] = &[
    ("allow", Action::Allow),
    ("warn", Action::Warn),
    ("rewrite", Action::Rewrite),
    ("ask", Action::Ask),
    ("block", Action::Block),
];

const OTHERWISE: &[(&str, Otherwise)] = &[("warn", Otherwise::Warn), ("ask", Otherwise::Ask)];

const KEYS: &[&str] = &[
    "id",
    "description",
    "when",
    "action",
    "message",
    "instead",
    "needs",
    "scope",
    "unknown",
    "rewrite",
    "otherwise",
    "group",
    "catches",
    "misses",
    "answers",
];

/// What a message can name.
pub(crate) const PLACEHOLDERS: &[&str] =
    &["branch", "base", "file", "path", "number", "count", "seconds", "program", "reason"];

impl Rule {
    /// A rule without anything but an action.
    pub(crate) fn plain(at: usize, action: Action) -> Self {
        Self {
            id: String::new(),
            description: String::new(),
            action,
            message: String::new(),
            instead: None,
            needs: Vec::new(),
            scope: Scope::default(),
            when: None,
            asks_when_unknown: action >= Action::Ask,
            rewrite: None,
            answers: Vec::new(),
            group: None,
            catches: String::new(),
            misses: String::new(),
            at,
        }
    }

    /// Reads a rule.
    pub(crate) fn read(node: &Node, is_shipped: bool) -> Result<Self, Fault> {
        let fields = node.object("a rule")?;
        if let Some(field) = fields.iter().find(|field| !KEYS.contains(&field.key.as_str())) {
            return Err(Fault::new(field.at, unknown("key of a rule", &field.key, KEYS.iter().copied())));
        }
        let get = |key: &str| fields.iter().find(|field| field.key == key);
        let need = |key: &str| get(key).ok_or_else(|| node.fault(format!("the rule needs the key \"{key}\"")));
        let text = |key: &str| get(key).map(string).transpose();
        let id = string(need("id")?)?;
        if id.is_empty() || !id.chars().all(|ch| ch.is_ascii_alphanumeric() || ch == '-') {
            return Err(need("id")?.node.fault("an id consists of letters, digits and -"));
        }
        let action = one_of(&need("action")?.node, "action", ACTIONS)?;
        let message = match get("message") {
            Some(field) => message(field)?,
            None if action == Action::Allow => String::new(),
            None => need("message").and_then(string)?,
        };
        let when = need("when")?;
        let when = match &when.node.value {
            Value::Text(text) if text == "session" && is_shipped => None,
            _ => Some(Condition::read(&when.node, &Takes::default())?),
        };
        let asks_when_unknown = match get("unknown") {
            Some(field) => one_of(&field.node, "value of \"unknown\"", &[("ask", true), ("ignore", false)])?,
            None => action >= Action::Ask,
        };
        let otherwise = match get("otherwise") {
            Some(field) => one_of(&field.node, "value of \"otherwise\"", OTHERWISE)?,
            None => Otherwise::Warn,
        };
        let rewrite = match (get("rewrite"), action) {
            (Some(field), Action::Rewrite) => Some(one_of(
                &field.node,
                "rewrite",
                &[("trailer", Rewrite::Trailer(otherwise)), ("drop-timeout", Rewrite::DropTimeout)],
            )?),
            (None, Action::Rewrite) => Some(need("rewrite").map(|_| Rewrite::DropTimeout)?),
            (Some(field), _) => return Err(Fault::new(field.at, "\"rewrite\" needs the action \"rewrite\"")),
            (None, _) => None,
        };
        Ok(Self {
            description: text("description")?.unwrap_or_default(),
            instead: text("instead")?,
            needs: get("needs").map(|field| facts(&field.node)).transpose()?.unwrap_or_default(),
            scope: get("scope").map(|field| Scope::read(&field.node)).transpose()?.unwrap_or_default(),
            answers: get("answers").map(|field| strings(&field.node, "answers")).transpose()?.unwrap_or_default(),
            group: text("group")?,
            catches: text("catches")?.unwrap_or_default(),
            misses: text("misses")?.unwrap_or_default(),
            at: node.span.start,
            id,
            action,
            message,
            when,
            asks_when_unknown,
            rewrite,
        })
    }
}

fn string(field: &Field) -> Result<String, Fault> {
    field.node.text(&format!("\"{}\"", field.key)).map(str::to_owned)
}

/// A text with placeholders that exist.
fn message(field: &Field) -> Result<String, Fault> {
    let text = string(field)?;
    for part in text.split('{').skip(1) {
        let name = part.split('}').next().unwrap_or_default();
        let is_name = part.contains('}') && !name.is_empty() && name.chars().all(|ch| ch.is_ascii_lowercase());
        if is_name && !PLACEHOLDERS.contains(&name) {
            return Err(field.node.fault(unknown("placeholder", name, PLACEHOLDERS.iter().copied())));
        }
    }
    Ok(text)
}
