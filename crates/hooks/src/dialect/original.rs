//! The original hooks of pi.

use super::{ClosedDialog, Dialect, Rule, ToolInput};
use crate::events::EventId;
use crate::table::{Failure, Fold};

/// The events of this dialect by its own names.
const EVENTS: &[(&str, EventId)] = &[
    ("session", EventId::SessionStart),
    ("branch", EventId::SessionBeforeFork),
    ("agent_start", EventId::AgentStart),
    ("agent_end", EventId::AgentEnd),
    ("turn_start", EventId::TurnStart),
    ("turn_end", EventId::TurnEnd),
    ("tool_call", EventId::ToolCall),
    ("tool_result", EventId::ToolResult),
];

fn rule(event: EventId) -> Option<Rule> {
    EVENTS.iter().find(|(_, known)| *known == event)?;
    let row = event.row();
    let fold = match event {
        EventId::ToolResult | EventId::SessionBeforeFork => Fold::LastObject,
        EventId::TurnEnd => Fold::Observe,
        _ => row.fold,
    };
    let failure = match event {
        EventId::ToolCall => Failure::Block,
        _ => Failure::Report,
    };
    Some(Rule { fold, failure, deadline: row.deadline })
}

/// The original hooks of pi.
pub static ORIGINAL: Dialect = Dialect {
    id: "original",
    aliases: &["comono"],
    name: "original pi",
    layer: 2,
    event: |name| EVENTS.iter().find(|(known, _)| *known == name).map(|(_, event)| *event),
    any_event: true,
    rule,
    project: None,
    default_block_reason: "Tool execution was blocked by a hook",
    tool_input: ToolInput::Live,
    closed_dialog: ClosedDialog::Null,
    ui_in_rpc: false,
    keybindings_if_asked: true,
    default_export_only: true,
};
