//! When a program runs: before or after a tool, or at another moment of a session.

use serde::{Serialize, Serializer};
use serde_json::Value;
use tau_hooks::dialect::SHELL;
use tau_hooks::events::EventId;
use tau_hooks::payload::{
    AgentBeforeSettleEvent, CompactReason, InputEvent, InputSource, Outcome, SessionBeforeCompactEvent,
    SessionCompactEvent, SessionShutdownEvent, SessionShutdownReason, SessionStartEvent, SessionStartReason,
};
use tau_hooks::{AnyPayload, Ctx};

use super::item::HookMoment;
use super::told::last_words;
use crate::builtins::find_builtin;

/// What the moment of a script is called where such scripts come from.
const PRE_EVENTS: &[&str] = &["PreToolUse", "BeforeTool"];
const POST_EVENTS: &[&str] = &["PostToolUse", "PostToolUseFailure", "AfterTool"];

/// When a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before or after a tool.
    Tool(HookMoment),
    /// At another moment of a session.
    Session(&'static SessionMoment),
}

/// A moment of a session, by the name that Claude Code has for it.
#[derive(Debug)]
pub struct SessionMoment {
    /// The name.
    pub name: &'static str,
    /// The events at which it comes.
    pub(crate) events: &'static [EventId],
    /// What an answer does.
    pub(crate) effect: Effect,
    /// The further input of a program; `None` when the event is no such moment.
    pub(crate) facts: fn(&dyn AnyPayload, &Ctx) -> Option<Facts>,
}

/// What the answer of a program does at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// A block keeps a prompt from the model, and plain text is for the model.
    Prompt,
    /// Plain text is for the model.
    Context,
    /// A block makes the model go on.
    GoOn,
    /// A block cancels what is about to happen.
    Cancel,
    /// Nothing.
    Nothing,
}

/// The input of a program at a moment.
pub(crate) struct Facts {
    /// What a `matcher` is compared with.
    pub subject: Option<&'static str>,
    /// Further fields of its input.
    pub fields: Vec<(&'static str, Value)>,
}

/// The moments of sessions that tau has.
const SESSION: &[SessionMoment] = &[
    SessionMoment {
        name: "UserPromptSubmit",
        events: &[EventId::Input],
        effect: Effect::Prompt,
        facts: |payload, _| {
            let event = payload.as_any().downcast_ref::<InputEvent>()?;
            // It never reaches a model.
            if event.source != InputSource::Extension && find_builtin(&event.text).is_some() {
                return None;
            }
            Some(Facts { subject: None, fields: vec![("prompt", event.text.as_str().into())] })
        },
    },
    SessionMoment {
        name: "SessionStart",
        events: &[EventId::SessionStart, EventId::SessionCompact],
        effect: Effect::Context,
        facts: |payload, _| {
            let source = match payload.as_any().downcast_ref::<SessionStartEvent>() {
                None => payload.as_any().downcast_ref::<SessionCompactEvent>().map(|_| "compact")?,
                Some(event) => match event.reason {
                    SessionStartReason::Startup => "startup",
                    SessionStartReason::New => "clear",
                    SessionStartReason::Resume | SessionStartReason::Fork => "resume",
                    SessionStartReason::Reload => return None,
                },
            };
            Some(Facts { subject: Some(source), fields: vec![("source", source.into())] })
        },
    },
    SessionMoment {
        name: "SessionEnd",
        events: &[EventId::SessionShutdown],
        effect: Effect::Nothing,
        facts: |payload, _| {
            let reason = match payload.as_any().downcast_ref::<SessionShutdownEvent>()?.reason {
                SessionShutdownReason::Quit => "other",
                SessionShutdownReason::New => "clear",
                SessionShutdownReason::Resume | SessionShutdownReason::Fork => "resume",
                SessionShutdownReason::Reload => return None,
            };
            Some(Facts { subject: Some(reason), fields: vec![("reason", reason.into())] })
        },
    },
    SessionMoment {
        name: "Stop",
        events: &[EventId::AgentBeforeSettle],
        effect: Effect::GoOn,
        facts: |payload, ctx| {
            let event = payload.as_any().downcast_ref::<AgentBeforeSettleEvent>()?;
            if event.boundary.outcome != Outcome::Completed {
                return None;
            }
            let (again, text) = last_words(&ctx.session());
            let fields = vec![("stop_hook_active", again.into()), ("last_assistant_message", text.into())];
            Some(Facts { subject: None, fields })
        },
    },
    SessionMoment {
        name: "PreCompact",
        events: &[EventId::SessionBeforeCompact],
        effect: Effect::Cancel,
        facts: |payload, _| {
            let event = payload.as_any().downcast_ref::<SessionBeforeCompactEvent>()?;
            let trigger = trigger(event.reason);
            let wanted = event.custom_instructions.clone().unwrap_or_default();
            let fields = vec![("trigger", trigger.into()), ("custom_instructions", wanted.into())];
            Some(Facts { subject: Some(trigger), fields })
        },
    },
    SessionMoment {
        name: "PostCompact",
        events: &[EventId::SessionCompact],
        effect: Effect::Nothing,
        facts: |payload, _| {
            let event = payload.as_any().downcast_ref::<SessionCompactEvent>()?;
            let trigger = trigger(event.reason);
            let summary = event.compaction_entry["summary"].clone();
            Some(Facts {
                subject: Some(trigger),
                fields: vec![("trigger", trigger.into()), ("compact_summary", summary)],
            })
        },
    },
];

/// Moments of Claude Code that tau does not have.
const ELSEWHERE: &[&str] = &[
    "Notification",
    "SubagentStart",
    "SubagentStop",
    "PermissionRequest",
    "PermissionDenied",
    "StopFailure",
    "PostToolBatch",
    "UserPromptExpansion",
    "Setup",
    "InstructionsLoaded",
    "ConfigChange",
    "CwdChanged",
    "FileChanged",
    "TaskCreated",
    "TaskCompleted",
    "TeammateIdle",
    "WorktreeCreate",
    "WorktreeRemove",
    "Elicitation",
    "ElicitationResult",
];

fn trigger(reason: CompactReason) -> &'static str {
    match reason {
        CompactReason::Manual => "manual",
        CompactReason::Threshold | CompactReason::Overflow => "auto",
    }
}

impl PartialEq for SessionMoment {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for SessionMoment {}

impl From<HookMoment> for Moment {
    fn from(moment: HookMoment) -> Self {
        Self::Tool(moment)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Moment {
    /// `pre`, `post`, or the name of a moment of sessions.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool(moment) => moment.as_str(),
            Self::Session(moment) => moment.name,
        }
    }

    /// The events at which it comes.
    pub(crate) fn events(self) -> &'static [EventId] {
        match self {
            Self::Tool(HookMoment::Pre) => &[EventId::ToolCall],
            Self::Tool(HookMoment::Post) => &[EventId::ToolResult],
            Self::Session(moment) => moment.events,
        }
    }

    /// What an answer may call the event it is for.
    pub(crate) fn is_called(self, name: &str) -> bool {
        let is = |known: &&str| known.eq_ignore_ascii_case(name);
        match self {
            Self::Tool(HookMoment::Pre) => PRE_EVENTS.iter().any(is),
            Self::Tool(HookMoment::Post) => POST_EVENTS.iter().any(is),
            Self::Session(moment) => is(&moment.name),
        }
    }

    /// Whether a program that cannot decide keeps something from happening.
    pub(crate) fn is_gate(self) -> bool {
        use tau_hooks::table::Failure;
        let blocks = |event: &EventId| (SHELL.rule)(*event).is_some_and(|rule| rule.failure == Failure::Block);
        self.events().iter().any(blocks)
    }
}

/// The moment of sessions of a name.
pub(crate) fn session_moment(name: &str) -> Option<&'static SessionMoment> {
    SESSION.iter().find(|moment| moment.name == name)
}

/// The moments of sessions, by their names.
pub(crate) fn session_moments() -> impl Iterator<Item = &'static str> {
    SESSION.iter().map(|moment| moment.name)
}

/// Whether it is a moment that only Claude Code has.
pub(crate) fn is_elsewhere(name: &str) -> bool {
    ELSEWHERE.contains(&name)
}
