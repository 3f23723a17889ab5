//! Shell hooks: scripts that run before and after tools, and commands that run at other moments of a session.

use super::rule::{Row, event_of, rule_of, same};
use super::{ClosedDialog, Commands, Counts, Dialect, Failures, Part, Rule, SkipRestore, ToolInput, script};
use crate::events::EventId;
use crate::table::Failure;

/// The events of this dialect, with what differs from the event table.
const EVENTS: &[Row] = &[
    ("tool_call", EventId::ToolCall, same),
    ("tool_result", EventId::ToolResult, |rule| Rule {
        on_failure: Part::Observe,
        counts: Counts::Only(&["content", "details"]),
        ..rule
    }),
    // Commands that Claude Code runs at these moments, by its names for them. One may forbid a prompt, so a prompt that
    // nobody could decide about is not sent.
    ("UserPromptSubmit", EventId::Input, |rule| Rule { failure: Failure::Block, ..rule }),
    ("SessionStart", EventId::SessionStart, same),
    ("SessionEnd", EventId::SessionShutdown, same),
    ("Stop", EventId::AgentBeforeSettle, |rule| Rule { counts: Counts::Only(&["entries", "continue"]), ..rule }),
    ("PreCompact", EventId::SessionBeforeCompact, |rule| Rule { counts: Counts::Only(&["cancel"]), ..rule }),
    ("PostCompact", EventId::SessionCompact, same),
];

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
    older_edit: true,
    skip_restore: SkipRestore::Fork,
    closed_dialog: ClosedDialog::Undefined,
    ui_in_rpc: true,
    stays: false,
    failures: Failures::Hook,
    commands: Commands::First,
    keybindings_if_asked: false,
    default_export_only: false,
    script: &script::EXTENSIONS,
};
