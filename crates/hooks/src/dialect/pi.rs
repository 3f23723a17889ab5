//! Current extensions.

use super::{ClosedDialog, Dialect, Rule, ToolInput};
use crate::events::TABLE;

/// The dialect of current extensions: the event table's own rules.
pub static PI: Dialect = Dialect {
    id: "pi",
    aliases: &[],
    name: "pi",
    layer: 0,
    event: |name| TABLE.iter().find(|row| row.name == name).map(|row| row.id),
    any_event: false,
    rule: |event| {
        let row = event.row();
        Some(Rule { fold: row.fold, failure: row.failure, deadline: row.deadline })
    },
    project: None,
    default_block_reason: "Tool execution was blocked",
    tool_input: ToolInput::Live,
    closed_dialog: ClosedDialog::Undefined,
    ui_in_rpc: true,
    keybindings_if_asked: false,
    default_export_only: false,
};
