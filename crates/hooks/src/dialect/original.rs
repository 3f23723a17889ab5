//! The original hooks of pi.

use super::moments::{branch, older_result, session};
use super::omp::BOUNDARY;
use super::rule::{Row, event_of, observed, rule_of, same};
use super::{ClosedDialog, Commands, Counts, Dialect, Failures, Part, Rule, SkipRestore, ToolInput, script};
use crate::events::EventId;
use crate::table::{Deadline, Fold};

/// The events of this dialect by its own names, with what differs from the event table.
const EVENTS: &[Row] = &[
    ("session", EventId::SessionStart, |rule| Rule { project: Some(session), ..timed(rule) }),
    ("branch", EventId::SessionBeforeFork, |rule| Rule {
        fold: Fold::LastObject,
        counts: Counts::Only(&["skipConversationRestore"]),
        project: Some(branch),
        ..timed(rule)
    }),
    ("agent_start", EventId::AgentStart, timed),
    ("agent_end", EventId::AgentEnd, timed),
    ("turn_start", EventId::TurnStart, timed),
    ("turn_end", EventId::TurnEnd, |rule| Rule { hidden: BOUNDARY, ..timed(observed(rule)) }),
    // The one event without a time limit: its handlers ask the user.
    ("tool_call", EventId::ToolCall, |rule| Rule {
        deadline: Deadline::Unlimited,
        counts: Counts::Only(&["block", "reason"]),
        ..same(rule)
    }),
    ("tool_result", EventId::ToolResult, |rule| Rule {
        fold: Fold::LastObject,
        on_failure: Part::Skip,
        counts: Counts::Only(&["content", "details"]),
        idle: &["isError"],
        accept: Some(older_result),
        ..timed(rule)
    }),
    // Hooks of some weeks were told of these by `session` too, with such a reason. The host of scripts calls those that
    // know it.
    ("session before_switch", EventId::SessionBeforeSwitch, |rule| Rule {
        counts: Counts::Only(&["cancel"]),
        ..timed(rule)
    }),
    ("session before_compact", EventId::SessionBeforeCompact, |rule| Rule {
        counts: Counts::Only(&["cancel", "compaction"]),
        ..timed(rule)
    }),
    ("session compact", EventId::SessionCompact, timed),
    ("session shutdown", EventId::SessionShutdown, |rule| Rule { on_renewal: Part::Skip, ..timed(rule) }),
];

fn timed(rule: Rule) -> Rule {
    Rule { deadline: Deadline::Hook, ..rule }
}

/// The original hooks of pi.
pub static ORIGINAL: Dialect = Dialect {
    id: "original",
    aliases: &["comono"],
    name: "original pi",
    title: "original pi hooks",
    layer: 2,
    event: |name| event_of(EVENTS, name),
    any_event: true,
    rule: |event| rule_of(EVENTS, event),
    default_block_reason: "Tool execution was blocked by a hook",
    tool_input: ToolInput::Live,
    older_edit: true,
    skip_restore: SkipRestore::Abort,
    closed_dialog: ClosedDialog::Null,
    ui_in_rpc: false,
    stays: true,
    failures: Failures::Hook,
    commands: Commands::First,
    keybindings_if_asked: true,
    default_export_only: true,
    script: &script::ORIGINAL_HOOKS,
};
