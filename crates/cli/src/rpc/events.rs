//! Events of the session as lines.

use tau_agent::{SessionEvent, Update};

use super::step::Step;
use super::told::Partials;
use super::writer::Item;

/// An event as it waits to be written.
pub(super) fn item(event: &SessionEvent, partials: Partials) -> Item {
    match event {
        SessionEvent::MessageUpdate(Update(item)) => Item::Step(Box::new(Step { item: item.clone(), partials })),
        SessionEvent::BashExecutionUpdate { id, delta } => Item::Output { id: id.clone(), delta: delta.clone() },
        SessionEvent::ToolExecutionUpdate { tool_call_id, .. } => Item::news(format!("tool {tool_call_id}"), event),
        event => Item::json(event),
    }
}
