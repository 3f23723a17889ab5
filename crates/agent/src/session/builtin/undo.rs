//! `/undo`: goes back to before the last prompt.

use std::sync::Arc;

use super::Answer;
use super::session_commands;
use crate::pipeline::PromptError;
use crate::session::AgentSession;

/// The prompt comes back as the text of the move. What followed it stays in the tree; files stay as they are.
pub(super) async fn undo(session: &Arc<AgentSession>) -> Answer {
    let branch = session.session().branch_path(None);
    let last = branch.iter().rev().find(|entry| session_commands::is_prompt(entry));
    match last {
        Some(entry) => session_commands::tree(session, entry.id().as_str()).await,
        None => Err(PromptError::Command("There is no prompt to take back.".to_owned())),
    }
}
