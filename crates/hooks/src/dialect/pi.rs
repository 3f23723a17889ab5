//! Current extensions.

use super::{ClosedDialog, Commands, Dialect, Failures, Rule, SkipRestore, ToolInput, script};
use crate::events::TABLE;

/// The dialect of current extensions: the event table's own rules.
pub static PI: Dialect = Dialect {
    id: "pi",
    aliases: &[],
    name: "pi",
    title: "pi extensions",
    layer: 0,
    event: |name| TABLE.iter().find(|row| row.name == name).map(|row| row.id),
    any_event: false,
    rule: |event| Some(Rule::of(event)),
    default_block_reason: "Tool execution was blocked",
    tool_input: ToolInput::Live,
    older_input: None,
    skip_restore: SkipRestore::Fork,
    closed_dialog: ClosedDialog::Undefined,
    ui_in_rpc: true,
    stays: false,
    failures: Failures::Extension,
    commands: Commands::Numbered,
    keybindings_if_asked: false,
    modules: true,
    default_export_only: false,
    script: &script::EXTENSIONS,
};
