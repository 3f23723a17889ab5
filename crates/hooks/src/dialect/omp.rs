//! oh-my-pi's hooks.

use super::{ClosedDialog, Dialect, Rule, ToolInput};
use crate::events::EventId;
use crate::table::{Failure, Fold};

/// The events of this dialect by its own names.
const EVENTS: &[(&str, EventId)] = &[
    ("session_start", EventId::SessionStart),
    ("session_before_switch", EventId::SessionBeforeSwitch),
    ("session_switch", EventId::SessionSwitch),
    ("session_before_branch", EventId::SessionBeforeFork),
    ("session_branch", EventId::SessionFork),
    ("session_before_compact", EventId::SessionBeforeCompact),
    ("session.compacting", EventId::SessionCompacting),
    ("session_compact", EventId::SessionCompact),
    ("session_before_tree", EventId::SessionBeforeTree),
    ("session_tree", EventId::SessionTree),
    ("session_shutdown", EventId::SessionShutdown),
    ("context", EventId::Context),
    ("before_agent_start", EventId::BeforeAgentStart),
    ("agent_start", EventId::AgentStart),
    ("agent_end", EventId::AgentEnd),
    ("turn_start", EventId::TurnStart),
    ("turn_end", EventId::TurnEnd),
    ("auto_compaction_start", EventId::AutoCompactionStart),
    ("auto_compaction_end", EventId::AutoCompactionEnd),
    ("auto_retry_start", EventId::AutoRetryStart),
    ("auto_retry_end", EventId::AutoRetryEnd),
    ("ttsr_triggered", EventId::TtsrTriggered),
    ("todo_reminder", EventId::TodoReminder),
    ("tool_call", EventId::ToolCall),
    ("tool_result", EventId::ToolResult),
];

fn rule(event: EventId) -> Option<Rule> {
    EVENTS.iter().find(|(_, known)| *known == event)?;
    let row = event.row();
    let fold = match event {
        EventId::ToolResult | EventId::SessionCompacting => Fold::LastObject,
        EventId::BeforeAgentStart => Fold::FirstKept,
        EventId::TurnEnd => Fold::Observe,
        _ => row.fold,
    };
    let failure = match event {
        EventId::ToolCall => Failure::Block,
        _ => Failure::Report,
    };
    Some(Rule { fold, failure, deadline: row.deadline })
}

/// The hooks of oh-my-pi.
pub static OMP: Dialect = Dialect {
    id: "omp",
    aliases: &["oh-my-pi"],
    name: "oh-my-pi",
    layer: 1,
    event: |name| EVENTS.iter().find(|(known, _)| *known == name).map(|(_, event)| *event),
    any_event: true,
    rule,
    project: None,
    default_block_reason: "Tool execution was blocked by a hook",
    tool_input: ToolInput::Copy,
    closed_dialog: ClosedDialog::Undefined,
    ui_in_rpc: true,
    keybindings_if_asked: true,
    default_export_only: true,
};
