//! Shell hooks: scripts that run before and after tools.

use super::{ClosedDialog, Dialect, Rule, ToolInput};
use crate::events::EventId;
use crate::table::Failure;

/// Scripts that run before and after tools.
pub static SHELL: Dialect = Dialect {
    id: "shell",
    aliases: &[],
    name: "shell",
    layer: 3,
    event: |name| [EventId::ToolCall, EventId::ToolResult].into_iter().find(|event| event.name() == name),
    any_event: false,
    rule: |event| {
        let row = event.row();
        let failure = match event {
            EventId::ToolCall => Failure::Block,
            EventId::ToolResult => Failure::Report,
            _ => return None,
        };
        Some(Rule { fold: row.fold, failure, deadline: row.deadline })
    },
    project: None,
    default_block_reason: "Tool execution was blocked by a hook",
    tool_input: ToolInput::Live,
    closed_dialog: ClosedDialog::Undefined,
    ui_in_rpc: true,
    keybindings_if_asked: false,
    default_export_only: false,
};
