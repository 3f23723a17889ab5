//! The original hooks of pi.

use super::moments::{branch, older_result, session};
use super::omp::BOUNDARY;
use super::rule::{Row, dialect_rows, event_of, rule_of};
use super::{ClosedDialog, Commands, Dialect, Failures, OLDER_EDIT, SkipRestore, ToolInput, script};

/// The events of this dialect by its own names, with what differs from the event table.
const EVENTS: &[Row] = dialect_rows! {
    "session" = SessionStart { deadline: Hook, project: session };
    "branch" = SessionBeforeFork { deadline: Hook, counts: ["skipConversationRestore"], project: branch };
    "agent_start" = AgentStart { deadline: Hook };
    "agent_end" = AgentEnd { deadline: Hook };
    "turn_start" = TurnStart { deadline: Hook };
    "turn_end" = TurnEnd { fold: ignore, deadline: Hook, hidden: BOUNDARY };
    // The one event without a time limit: its handlers ask the user.
    "tool_call" = ToolCall { deadline: Unlimited, counts: ["block", "reason"] };
    "tool_result" = ToolResult {
        fold: last_whole,
        deadline: Hook,
        on_failure: Skip,
        counts: ["content", "details"],
        idle: ["isError"],
        accept: older_result,
    };
    // Hooks of some weeks were told of these by `session` too, with such a reason. The host of scripts calls those that
    // know it.
    "session before_switch" = SessionBeforeSwitch { deadline: Hook, counts: ["cancel"] };
    "session before_compact" = SessionBeforeCompact { deadline: Hook, counts: ["cancel", "compaction"] };
    "session compact" = SessionCompact { deadline: Hook };
    "session shutdown" = SessionShutdown { deadline: Hook, on_renewal: Skip };
};

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
    older_input: Some(&OLDER_EDIT),
    skip_restore: SkipRestore::Abort,
    closed_dialog: ClosedDialog::Null,
    ui_in_rpc: false,
    stays: true,
    failures: Failures::Hook,
    commands: Commands::First,
    keybindings_if_asked: true,
    modules: true,
    default_export_only: true,
    script: &script::ORIGINAL_HOOKS,
};
