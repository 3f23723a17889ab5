//! Tool calls, from the moment the model begins to write them.

use agent_client_protocol::v1::schema::{
    SessionUpdate, ToolCall, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use serde_json::Value;
use tau_agent::AgentSession;
use tau_hooks::HostView;

use super::Teller;
use crate::acp::tools;

impl Teller {
    /// A tool call as the client knows it.
    pub(in crate::acp) fn call(&self, id: &str) -> Option<ToolCall> {
        self.state.lock().calls.get(id).cloned()
    }

    /// Tells of a change to a tool call.
    pub(in crate::acp) fn update_call(&self, id: &str, fields: ToolCallUpdateFields) {
        let mut state = self.state.lock();
        if let Some(call) = state.calls.get_mut(id) {
            call.update(fields.clone());
        }
        self.outbox.push(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id.to_owned(), fields)));
    }

    /// Makes a call known, or what is known of it more.
    pub(super) fn announce(&self, session: &AgentSession, id: &str, name: &str, args: Option<&Value>) {
        let (none, cwd) = (Value::Null, session.cwd());
        let title = tools::title(name, &label(session, name), args.unwrap_or(&none));
        let locations = args.map(|args| tools::locations(name, args, &cwd)).unwrap_or_default();
        let mut state = self.state.lock();
        let Some(known) = state.calls.get_mut(id) else {
            let mut call = ToolCall::new(id.to_owned(), title).name(name.to_owned()).kind(tools::kind(name));
            call.status = ToolCallStatus::Pending;
            call.locations = locations;
            call.raw_input = args.cloned();
            state.calls.insert(id.to_owned(), call.clone());
            self.outbox.push(SessionUpdate::ToolCall(call));
            return;
        };
        let Some(args) = args.filter(|args| known.raw_input.as_ref() != Some(args)) else { return };
        let fields = ToolCallUpdateFields::new().title(title).locations(locations).raw_input(args.clone());
        known.update(fields.clone());
        self.outbox.push(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id.to_owned(), fields)));
    }

    /// Calls that were announced and never came to their end: the answer was cut off.
    pub(super) fn drop_calls(&self) {
        let left: Vec<String> = self.state.lock().calls.drain().map(|(id, _)| id).collect();
        for id in left {
            let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Failed);
            self.outbox.push(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields)));
        }
    }
}

/// What a call that is over is like. What was shown of a change stays, unless the change failed.
pub(in crate::acp) fn finished(
    name: &str,
    result: &Value,
    is_error: bool,
    known: Option<&ToolCall>,
) -> ToolCallUpdateFields {
    let status = if is_error { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
    let mut fields = ToolCallUpdateFields::new().status(status).raw_output(tools::raw_output(result));
    fields.locations = known.and_then(|call| tools::changed_at(&call.locations, result));
    let shows_change = || known.is_some_and(|call| call.content.iter().any(tools::is_diff));
    if !is_error && shows_change() { fields } else { fields.content(tools::result_content(name, result)) }
}

/// The tool's name for people.
pub(in crate::acp) fn label(session: &AgentSession, name: &str) -> String {
    let spec = session.all_tools().into_iter().find(|spec| spec.name == name);
    spec.map(|spec| spec.label).filter(|label| !label.is_empty()).unwrap_or_else(|| name.to_owned())
}
