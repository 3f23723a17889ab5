//! Shell hooks: scripts that run before and after tools, and commands that run at other moments of a session.

use super::rule::{Row, dialect_rows, event_of, rule_of};
use super::{ClosedDialog, Commands, Dialect, Failures, OLDER_EDIT, SkipRestore, ToolInput, script};

/// The events of this dialect, with what differs from the event table.
const EVENTS: &[Row] = dialect_rows! {
    "tool_call" = ToolCall;
    "tool_result" = ToolResult { on_failure: Observe, counts: ["content", "details"] };
    // Commands that Claude Code runs at these moments, by its names for them. One may forbid a prompt, so a prompt that
    // nobody could decide about is not sent.
    "UserPromptSubmit" = Input { failure: Block };
    "SessionStart" = SessionStart;
    "SessionEnd" = SessionShutdown;
    "Stop" = AgentBeforeSettle { counts: ["entries", "continue"] };
    "PreCompact" = SessionBeforeCompact { counts: ["cancel"] };
    "PostCompact" = SessionCompact;
};

/// Scripts that run before and after tools.
pub static SHELL: Dialect = Dialect {
    id: "shell",
    aliases: &[],
    name: "shell",
    title: "shell hooks",
    layer: 3,
    event: |name| event_of(EVENTS, name),
    any_event: false,
    rule: |event| rule_of(EVENTS, event),
    default_block_reason: "Tool execution was blocked by a hook",
    tool_input: ToolInput::Live,
    older_input: Some(&OLDER_EDIT),
    skip_restore: SkipRestore::Fork,
    closed_dialog: ClosedDialog::Undefined,
    ui_in_rpc: true,
    stays: false,
    failures: Failures::Hook,
    commands: Commands::First,
    keybindings_if_asked: false,
    modules: false,
    default_export_only: false,
    script: &script::EXTENSIONS,
};
