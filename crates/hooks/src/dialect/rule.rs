//! What a dialect says about one event.

use serde_json::Value;
use tau_ai::JsonMap;

use super::{Dialect, Reader, ToolInput};
use crate::events::EventId;
use crate::occasion::Occasion;
use crate::table::{Deadline, Failure, Fold};

/// The rules of one dialect for one event.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// What handlers call the event: the name they register for, and the `type` of their payload.
    pub name: &'static str,
    /// How results add up within the group.
    pub fold: Fold,
    /// What a failing handler means.
    pub failure: Failure,
    /// How long a handler may take.
    pub deadline: Deadline,
    /// What handlers are told, and what their results are worth, when the event is about something that failed.
    pub on_failure: Part,
    /// The same when a session ends or starts because another one takes its place.
    pub on_renewal: Part,
    /// The same when a message of an extension, rather than a prompt, starts a run.
    pub on_trigger: Part,
    /// The fields of a result that count.
    pub counts: Counts,
    /// Fields of a result that do not count and that nobody is told about: the dialect has them without an effect.
    pub idle: &'static [&'static str],
    /// Fields of the payload that handlers do not see.
    pub hidden: &'static [&'static str],
    /// Fields of the payload that handlers also see under another name.
    pub copied: &'static [(&'static str, &'static str)],
    /// Makes another payload of the JSON one.
    pub project: Option<Project>,
    /// Brings a JSON result of an older form into the present one.
    pub accept: Option<fn(JsonMap) -> JsonMap>,
}

/// Shows a JSON payload, with its `type`, as handlers know it.
pub type Project = fn(Value, &dyn Reader) -> Value;

/// How handlers take part in an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// They are called and their results count.
    Full,
    /// They are called and their results do not count.
    Observe,
    /// They are not called.
    Skip,
}

/// Which fields of a result count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// All of them.
    All,
    /// These.
    Only(&'static [&'static str]),
}

/// An event of a dialect.
pub(super) struct Row {
    /// Its name there.
    pub(super) name: &'static str,
    pub(super) event: EventId,
    /// What differs from the event table.
    pub(super) differs: fn(Rule) -> Rule,
}

/// The events of a dialect by its own names, each with what differs from the event table: columns by the names of fields of
/// [`Rule`]. A fold is named as in the event table, and has to fit the result of the event as there.
macro_rules! dialect_rows {
    ($($name:literal = $event:ident $({ $($column:ident: $value:tt),* $(,)? })?;)*) => {
        &[$($crate::dialect::rule::Row {
            name: $name,
            event: $crate::events::EventId::$event,
            differs: |mut rule| {
                rule.name = $name;
                $($($crate::dialect::rule::dialect_column!(rule, $event, $column: $value);)*)?
                rule
            },
        }),*]
    };
}

/// Puts a column of a row of a dialect into a [`Rule`].
macro_rules! dialect_column {
    ($rule:ident, $event:ident, fold: $fold:ident) => {
        $rule.fold = $crate::table::fold::$fold::<$crate::events::$event>();
    };
    ($rule:ident, $event:ident, failure: $failure:ident) => {
        $rule.failure = $crate::table::Failure::$failure;
    };
    ($rule:ident, $event:ident, deadline: $deadline:ident) => {
        $rule.deadline = $crate::table::Deadline::$deadline;
    };
    ($rule:ident, $event:ident, on_failure: $part:ident) => {
        $rule.on_failure = $crate::dialect::Part::$part;
    };
    ($rule:ident, $event:ident, on_renewal: $part:ident) => {
        $rule.on_renewal = $crate::dialect::Part::$part;
    };
    ($rule:ident, $event:ident, on_trigger: $part:ident) => {
        $rule.on_trigger = $crate::dialect::Part::$part;
    };
    ($rule:ident, $event:ident, counts: [$($field:literal),+]) => {
        $rule.counts = $crate::dialect::Counts::Only(&[$($field),+]);
    };
    ($rule:ident, $event:ident, idle: [$($field:literal),+]) => {
        $rule.idle = &[$($field),+];
    };
    ($rule:ident, $event:ident, hidden: $fields:expr) => {
        $rule.hidden = &$fields;
    };
    ($rule:ident, $event:ident, copied: $fields:expr) => {
        $rule.copied = &$fields;
    };
    ($rule:ident, $event:ident, project: $project:ident) => {
        $rule.project = Some($project);
    };
    ($rule:ident, $event:ident, accept: $accept:ident) => {
        $rule.accept = Some($accept);
    };
    ($rule:ident, $event:ident, $column:ident: $value:tt) => {
        compile_error!(concat!(
            "unknown column `", stringify!($column), ": ", stringify!($value), "` in the row of `", stringify!($event), "`"
        ));
    };
}

pub(super) use {dialect_column, dialect_rows};

/// What a group of handlers is called under.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// Their dialect.
    pub dialect: &'static Dialect,
    /// Its rules for the event.
    pub rule: Rule,
}

impl Terms {
    /// The terms of a dialect for an event; `None` when it does not know it.
    pub fn of(dialect: &'static Dialect, event: EventId) -> Option<Self> {
        Some(Self { dialect, rule: (dialect.rule)(event)? })
    }

    /// Whether a change of a field of the payload in place counts.
    pub(crate) fn takes_change(&self, field: &str) -> bool {
        field != "input" || self.dialect.tool_input == ToolInput::Live
    }
}

impl Rule {
    /// The event table's own rules.
    pub fn of(event: EventId) -> Self {
        let row = event.row();
        Self {
            name: row.name,
            fold: row.fold,
            failure: row.failure,
            deadline: row.deadline,
            on_failure: Part::Full,
            on_renewal: Part::Full,
            on_trigger: Part::Full,
            counts: Counts::All,
            idle: &[],
            hidden: &[],
            copied: &[],
            project: None,
            accept: None,
        }
    }

    /// How handlers take part on an occasion.
    pub fn part(&self, occasion: Occasion) -> Part {
        match occasion {
            Occasion::Ordinary | Occasion::Beginning => Part::Full,
            Occasion::Failure => self.on_failure,
            Occasion::Replacement | Occasion::Renewal => self.on_renewal,
            Occasion::Triggered => self.on_trigger,
        }
    }

    /// Whether a field of a result counts.
    pub fn counts(&self, field: &str) -> bool {
        match self.counts {
            Counts::All => true,
            Counts::Only(fields) => fields.contains(&field),
        }
    }

    /// Whether a result may have a field, be it one without an effect.
    pub fn knows(&self, field: &str) -> bool {
        self.counts(field) || self.idle.contains(&field)
    }

    /// Whether handlers see the JSON payload in another form than the event table's.
    pub fn reshapes(&self) -> bool {
        self.project.is_some() || !self.hidden.is_empty() || !self.copied.is_empty()
    }

    /// The JSON payload as handlers know it.
    pub(crate) fn show(&self, mut shown: JsonMap, reader: &dyn Reader) -> Value {
        if !self.hidden.is_empty() {
            shown.retain(|name, _| !self.hidden.contains(&name.as_str()));
        }
        let own = shown.shift_remove("type");
        shown.shift_insert(0, "type".to_owned(), own.unwrap_or_else(|| self.name.into()));
        for (from, to) in self.copied {
            if let Some(value) = shown.get(*from).cloned() {
                shown.insert((*to).to_owned(), value);
            }
        }
        match self.project {
            Some(project) => project(Value::Object(shown), reader),
            None => Value::Object(shown),
        }
    }
}

/// The event of a name among those of a dialect.
pub(super) fn event_of(rows: &[Row], name: &str) -> Option<EventId> {
    rows.iter().find(|row| row.name == name).map(|row| row.event)
}

/// The rules for an event among those of a dialect.
pub(super) fn rule_of(rows: &[Row], event: EventId) -> Option<Rule> {
    let row = rows.iter().find(|row| row.event == event)?;
    Some((row.differs)(Rule::of(event)))
}
