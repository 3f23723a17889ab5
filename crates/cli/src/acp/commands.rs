//! Slash commands, as the client lists them.

use std::collections::HashSet;

use agent_client_protocol::v1::schema::{AvailableCommand, AvailableCommandInput, UnstructuredCommandInput};
use tau_agent::{AgentSession, BUILTINS};
use tau_hooks::HostView;

/// Built-in commands that are the client's own business: it opens, chooses and ends sessions itself. They work when they
/// are typed.
const NOT_LISTED: &[&str] = &["clear", "copy", "exit", "help", "hotkeys", "new", "quit", "resume", "theme"];

/// Commands of extensions, prompt templates, skills, then what is built in.
pub(super) fn available(session: &AgentSession) -> Vec<AvailableCommand> {
    let mut seen = HashSet::new();
    let found = session.commands().into_iter().map(|command| {
        let description = command.description.unwrap_or_default();
        listed(command.name, description, Some("[arguments]"))
    });
    let builtins = BUILTINS.iter().filter(|builtin| !NOT_LISTED.contains(&builtin.name)).map(|builtin| {
        let argument = Some(builtin.argument).filter(|argument| !argument.is_empty());
        listed(builtin.name.to_owned(), builtin.doc.to_owned(), argument)
    });
    found.chain(builtins).filter(|command| seen.insert(command.name.clone())).collect()
}

fn listed(name: String, description: String, argument: Option<&str>) -> AvailableCommand {
    let description = if description.trim().is_empty() { name.clone() } else { description };
    let input = argument.map(|hint| AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(hint)));
    AvailableCommand::new(name, description).input(input)
}
