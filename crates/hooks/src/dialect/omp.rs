//! oh-my-pi's hooks.

use super::moments::lenient;
use super::rule::{Row, dialect_rows, event_of, rule_of};
use super::{ClosedDialog, Commands, Dialect, Failures, OLDER_EDIT, SkipRestore, ToolInput, script};

/// The events of this dialect by its own names, with what differs from the event table.
const EVENTS: &[Row] = dialect_rows! {
    "session_start" = SessionStart { on_renewal: Skip };
    "session_before_switch" = SessionBeforeSwitch;
    "session_switch" = SessionSwitch;
    "session_before_branch" = SessionBeforeFork;
    "session_branch" = SessionFork;
    "session_before_compact" = SessionBeforeCompact;
    "session.compacting" = SessionCompacting;
    "session_compact" = SessionCompact { copied: FROM_HOOK };
    "session_before_tree" = SessionBeforeTree { counts: ["cancel", "summary"] };
    "session_tree" = SessionTree { copied: FROM_HOOK };
    "session_shutdown" = SessionShutdown { on_renewal: Skip };
    "context" = Context;
    "before_agent_start" = BeforeAgentStart {
        fold: first_kept,
        counts: ["message", "systemPromptAppend"],
        hidden: ["messageType", "message", "systemPrompt", "systemPromptOptions"],
        // These hooks know one start for each prompt of the user.
        on_trigger: Skip,
    };
    "agent_start" = AgentStart;
    "agent_end" = AgentEnd;
    "turn_start" = TurnStart;
    "turn_end" = TurnEnd { fold: ignore, hidden: BOUNDARY };
    "auto_compaction_start" = AutoCompactionStart;
    "auto_compaction_end" = AutoCompactionEnd;
    "auto_retry_start" = AutoRetryStart;
    "auto_retry_end" = AutoRetryEnd;
    "ttsr_triggered" = TtsrTriggered;
    "todo_reminder" = TodoReminder;
    "tool_call" = ToolCall { counts: ["block", "reason"] };
    "tool_result" = ToolResult {
        fold: last_whole,
        on_failure: Observe,
        counts: ["content", "details"],
        idle: ["isError"],
        accept: lenient,
    };
};

/// Whether somebody else than the model wrote a summary has had two names.
const FROM_HOOK: [(&str, &str); 1] = [("fromExtension", "fromHook")];

/// What the end of a turn offers to extensions that may write to the session there.
pub(super) const BOUNDARY: [&str; 4] = ["entries", "continue", "context", "outcome"];

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
    older_input: Some(&OLDER_EDIT),
    skip_restore: SkipRestore::Fork,
    closed_dialog: ClosedDialog::Undefined,
    ui_in_rpc: true,
    stays: true,
    failures: Failures::Hook,
    commands: Commands::First,
    keybindings_if_asked: true,
    modules: true,
    default_export_only: true,
    script: &script::OMP_HOOKS,
};
