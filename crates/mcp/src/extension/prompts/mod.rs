//! The prompts of servers as prompt templates: `/server:prompt arguments`.

mod arguments;
mod messages;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use sha2::{Digest, Sha256};
use tau_hooks::{Completion, HandlerError, TemplateContent, TemplateInfo, Templates};
use tokio_util::sync::CancellationToken;

use super::session::{Open, Sessions};
use crate::connection::{Call, CallError, ServerPrompt};
use crate::manager::{Server, State};
use crate::summary::one_line;

pub(super) use self::arguments::hint;

/// Longest name of a prompt in a template, in characters.
const NAME: usize = 64;
/// How long suggestions for an argument may take.
const SUGGESTIONS: Duration = Duration::from_secs(3);

/// The prompts of the session that is open.
pub(super) struct Prompts(pub(super) Arc<Sessions>);

/// The names of the templates of a server's prompts: `server:prompt`. What would break a name becomes `_`, and a name that
/// an earlier prompt has ends with a hash.
pub(super) fn names(server: &str, prompts: &[ServerPrompt]) -> Vec<String> {
    let mut taken = HashSet::new();
    let name = |prompt: &ServerPrompt| {
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
        let name: String = prompt.name.chars().map(|c| if is_plain(c) { c } else { '_' }).take(NAME).collect();
        let mut full = format!("{server}:{name}");
        if !taken.insert(full.clone()) {
            let digest = Sha256::digest(&prompt.name);
            let hash: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            full = format!("{full}_{hash}");
            taken.insert(full.clone());
        }
        full
    };
    prompts.iter().map(name).collect()
}

/// A prompt and the server that has it.
struct Found {
    open: Arc<Open>,
    server: Arc<Server>,
}

impl Prompts {
    /// The server whose prompt a template would be.
    fn server(&self, name: &str) -> Option<Found> {
        let open = self.0.open()?;
        let (server, _) = name.split_once(':')?;
        let server = open.manager.server(server).filter(|server| server.status().state != State::Disabled)?;
        Some(Found { open, server })
    }
}

/// The prompt of a template.
fn prompt_of(server: &str, prompts: &[ServerPrompt], name: &str) -> Option<ServerPrompt> {
    let at = names(server, prompts).iter().position(|known| known == name)?;
    prompts.get(at).cloned()
}

impl Found {
    async fn expand(
        &self,
        name: &str,
        text: &str,
        cancel: &CancellationToken,
    ) -> Result<TemplateContent, HandlerError> {
        let server = self.server.name();
        let (connection, prompts) = self.server.listed_prompts(cancel).await.map_err(HandlerError::msg)?;
        let Some(prompt) = prompt_of(&server, &prompts, name) else {
            let known = names(&server, &prompts);
            let known: Vec<&str> = known.iter().take(20).map(String::as_str).collect();
            return Err(HandlerError::msg(if known.is_empty() {
                format!("MCP server \"{server}\" has no prompts")
            } else {
                format!("MCP server \"{server}\" has no such prompt; it has: /{}", known.join(", /"))
            }));
        };
        let args = arguments::parse(&prompt, text).map_err(HandlerError::msg)?;
        let call = Call { cancel: cancel.clone(), ..Call::default() };
        let messages = connection.get_prompt(&prompt.name, args, &call).await.map_err(|error| match error {
            // What the server says of its own errors is foreign.
            CallError::Server { code, message } => {
                HandlerError::msg(format!("MCP server \"{server}\" refused: {} (code {code})", one_line(&message, 500)))
            }
            error => HandlerError::msg(format!("MCP server \"{server}\": {error}")),
        })?;
        let origin = messages::origin(&self.open, &self.server, &prompt.name);
        // Pictures and files hold up nobody.
        let content = tokio::task::spawn_blocking(move || messages::content(&origin, &messages)).await;
        content.map_err(HandlerError::msg)?.map_err(HandlerError::msg)
    }
}

#[async_trait]
impl Templates for Prompts {
    fn list(&self) -> Vec<TemplateInfo> {
        let Some(open) = self.0.open() else { return Vec::new() };
        let mut all = Vec::new();
        for server in open.manager.servers() {
            if server.status().state == State::Disabled {
                continue;
            }
            let (entry, prompts) = (server.entry(), server.prompts());
            for (name, prompt) in names(&entry.name, &prompts).into_iter().zip(&*prompts) {
                all.push(TemplateInfo {
                    name,
                    description: prompt.description.clone(),
                    argument_hint: hint(prompt),
                    path: entry.source.clone(),
                });
            }
        }
        all
    }

    async fn expand(
        &self,
        name: &str,
        arguments: &str,
        cancel: &CancellationToken,
    ) -> Option<Result<TemplateContent, HandlerError>> {
        let found = self.server(name)?;
        Some(found.expand(name, arguments, cancel).await)
    }

    async fn complete(&self, name: &str, text: &str) -> Vec<Completion> {
        let Some(Found { server, .. }) = self.server(name) else { return Vec::new() };
        let Some(prompt) = prompt_of(&server.name(), &server.prompts(), name) else { return Vec::new() };
        let mut found = Vec::new();
        if let (Some((argument, value, at)), Some(connection)) = (arguments::last(&prompt, text), server.current()) {
            // The prompt can be sent as it is: a suggestion would be what enter takes.
            if value.is_empty() && !argument.required && !text[..at].ends_with('=') {
                return found;
            }
            let call = Call::default();
            let asked = connection.complete_prompt(&prompt.name, &argument.name, &value, &call);
            let values = match tokio::time::timeout(SUGGESTIONS, asked).await {
                Ok(Ok(values)) => values,
                Ok(Err(error)) => {
                    tracing::debug!(%error, "an MCP server suggests nothing");
                    Vec::new()
                }
                Err(_) => Vec::new(),
            };
            let before = &text[..at];
            found.extend(values.into_iter().map(|value| {
                let quoted = if value.contains(char::is_whitespace) { format!("\"{value}\"") } else { value.clone() };
                Completion { value: format!("{before}{quoted}"), label: value, description: None }
            }));
            if found.is_empty() && value.is_empty() && !before.ends_with('=') {
                let about = Some(argument.description.clone()).filter(|about| !about.is_empty());
                let name = format!("{}=", argument.name);
                found.push(Completion { value: format!("{before}{name}"), label: name, description: about });
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_and_differ() {
        let prompt = |name: &str| ServerPrompt { name: name.to_owned(), description: String::new(), arguments: vec![] };
        let all = names("s", &[prompt("a b"), prompt("a_b"), prompt("docs/x.y"), prompt("ä\u{1b}\n")]);
        assert_eq!(all[0], "s:a_b");
        assert!(all[1].starts_with("s:a_b_") && all[1].len() == "s:a_b_".len() + 8, "{all:?}");
        assert_eq!(all[2..], ["s:docs/x.y", "s:ä__"]);
    }
}
