//! oh-my-pi's hooks.

use super::moments::lenient;
use super::rule::{Row, event_of, observed, rule_of, same};
use super::{ClosedDialog, Commands, Counts, Dialect, Failures, Part, Rule, SkipRestore, ToolInput, script};
use crate::events::EventId;
use crate::table::Fold;

/// The events of this dialect by its own names, with what differs from the event table.
const EVENTS: &[Row] = &[
    ("session_start", EventId::SessionStart, |rule| Rule { on_renewal: Part::Skip, ..rule }),
    ("session_before_switch", EventId::SessionBeforeSwitch, same),
    ("session_switch", EventId::SessionSwitch, same),
    ("session_before_branch", EventId::SessionBeforeFork, same),
    ("session_branch", EventId::SessionFork, same),
    ("session_before_compact", EventId::SessionBeforeCompact, same),
    ("session.compacting", EventId::SessionCompacting, same),
    ("session_compact", EventId::SessionCompact, |rule| Rule { copied: FROM_HOOK, ..rule }),
    ("session_before_tree", EventId::SessionBeforeTree, |rule| Rule {
        counts: Counts::Only(&["cancel", "summary"]),
        ..rule
    }),
    ("session_tree", EventId::SessionTree, |rule| Rule { copied: FROM_HOOK, ..rule }),
    ("session_shutdown", EventId::SessionShutdown, |rule| Rule { on_renewal: Part::Skip, ..rule }),
    ("context", EventId::Context, same),
    ("before_agent_start", EventId::BeforeAgentStart, |rule| Rule {
        fold: Fold::FirstKept,
        counts: Counts::Only(&["message", "systemPromptAppend"]),
        hidden: &["messageType", "message", "systemPrompt", "systemPromptOptions"],
        // These hooks know one start for each prompt of the user.
        on_trigger: Part::Skip,
        ..rule
    }),
    ("agent_start", EventId::AgentStart, same),
    ("agent_end", EventId::AgentEnd, same),
    ("turn_start", EventId::TurnStart, same),
    ("turn_end", EventId::TurnEnd, |rule| Rule { hidden: BOUNDARY, ..observed(rule) }),
    ("auto_compaction_start", EventId::AutoCompactionStart, same),
    ("auto_compaction_end", EventId::AutoCompactionEnd, same),
    ("auto_retry_start", EventId::AutoRetryStart, same),
    ("auto_retry_end", EventId::AutoRetryEnd, same),
    ("ttsr_triggered", EventId::TtsrTriggered, same),
    ("todo_reminder", EventId::TodoReminder, same),
    ("tool_call", EventId::ToolCall, |rule| Rule { counts: Counts::Only(&["block", "reason"]), ..rule }),
    ("tool_result", EventId::ToolResult, |rule| Rule {
        fold: Fold::LastObject,
        on_failure: Part::Observe,
        counts: Counts::Only(&["content", "details"]),
        idle: &["isError"],
        accept: Some(lenient),
        ..rule
    }),
];

/// Whether somebody else than the model wrote a summary has had two names.
const FROM_HOOK: &[(&str, &str)] = &[("fromExtension", "fromHook")];

/// What the end of a turn offers to extensions that may write to the session there.
pub(super) const BOUNDARY: &[&str] = &["entries", "continue", "context", "outcome"];

/// The hooks of oh-my-pi.
pub static OMP: Dialect = Dialect {
    id: "omp",
    aliases: &["oh-my-pi"],
    name: "oh-my-pi",
    title: "oh-my-pi hooks",
    layer: 1,
    event: |name| event_of(EVENTS, name),
    any_event: true,
    rule: |event| rule_of(EVENTS, event),
    default_block_reason: "Tool execution was blocked by a hook",
    tool_input: ToolInput::Copy,
    older_edit: true,
    skip_restore: SkipRestore::Fork,
    closed_dialog: ClosedDialog::Undefined,
    ui_in_rpc: true,
    stays: true,
    failures: Failures::Hook,
    commands: Commands::First,
    keybindings_if_asked: true,
    default_export_only: true,
    script: &script::OMP_HOOKS,
};
