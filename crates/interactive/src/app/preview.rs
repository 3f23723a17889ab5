//! What edits would change, before they run: a gate may ask about them.

use tau_ai::{ContentBlock, Message};
use tau_hooks::HostView as _;
use tau_tools::edit::EditTool;

use super::App;
use crate::told::Told;

/// The tool whose calls are shown before they run.
const EDIT: &str = "edit";

impl App {
    /// Looks what the edits of an answer would change.
    pub(super) fn preview_edits(&self, message: &Message) {
        let Some(answer) = message.as_assistant() else { return };
        let Some(session) = &self.session else { return };
        // Another tool of that name does something else.
        if session.tool_source(EDIT).is_none_or(|source| source.source != "builtin") {
            return;
        }
        for block in &answer.content {
            if let ContentBlock::ToolCall(call) = block
                && call.name == EDIT
            {
                let (tool, teller) = (EditTool::new(self.env.cwd.clone()), self.teller.clone());
                let (id, args) = (call.id.clone(), call.arguments.clone());
                self.tasks.spawn(async move {
                    // The call says itself what is wrong with it.
                    if let Ok(preview) = tool.preview(args).await {
                        teller.tell(Told::Preview { id, diff: preview.diff });
                    }
                });
            }
        }
    }
}
