//! Shell hooks: scripts that run before and after tools.

use super::rule::{Row, event_of, rule_of, same};
use super::{ClosedDialog, Commands, Counts, Dialect, Failures, Part, Rule, SkipRestore, ToolInput, script};
use crate::events::EventId;

/// The events of this dialect, with what differs from the event table.
const EVENTS: &[Row] = &[
    ("tool_call", EventId::ToolCall, same),
    ("tool_result", EventId::ToolResult, |rule| Rule {
        on_failure: Part::Observe,
        counts: Counts::Only(&["content", "details"]),
        ..rule
    }),
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
