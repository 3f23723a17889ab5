//! What stands before a conversation, the system prompt and the tools, and how it changed while the conversation grew.
//!
//! Providers cache the beginning of a request. Those that can be told of a change in place get the same beginning for as
//! long as the conversation lasts; what changed is said where it changed.

mod sections;

use std::collections::HashSet;
use std::sync::{Arc, Weak};

use crate::{Message, ToolDeclaration};

/// The system prompt and the tools of a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Preamble {
    pub system: Option<String>,
    pub tools: Arc<[ToolDeclaration]>,
}

/// What changed in the preamble since the last request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct History {
    /// What the conversation began with.
    pub first: Preamble,
    /// What changed since, the earliest first.
    pub changes: Vec<Change>,
}

/// A change of a preamble.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Change {
    /// The place in the request's messages behind which it happened.
    pub after: usize,
    pub difference: Arc<Difference>,
}

/// How a preamble differs from the one before it.
#[derive(Debug, PartialEq)]
pub(crate) struct Difference {
    /// The notice about a changed system prompt; empty when it is the same.
    pub text: String,
    /// Tools that are gone.
    pub removed: Vec<String>,
    /// Tools that are new, or are described in another way.
    pub added: Vec<ToolDeclaration>,
}

/// The preambles that the requests of a conversation had.
#[derive(Clone, Default)]
pub(crate) struct Preambles(Option<Known>);

#[derive(Clone)]
struct Known {
    /// The first message. Where another one stands, earlier messages are gone, and with them what was cached.
    head: Weak<Message>,
    first: Preamble,
    changes: Vec<KnownChange>,
}

#[derive(Clone)]
struct KnownChange {
    after: Weak<Message>,
    difference: Arc<Difference>,
    now: Preamble,
}

impl Preambles {
    /// Takes in the preamble that a request with these messages has.
    pub fn history(&mut self, now: Preamble, messages: &[Arc<Message>]) -> History {
        let known = self.0.take().filter(|known| is(&known.head, messages.first()));
        let known = known.and_then(|known| known.with(&now, messages)).unwrap_or_else(|| Known {
            head: messages.first().map(Arc::downgrade).unwrap_or_default(),
            first: now,
            changes: Vec::new(),
        });
        let places = known.places(messages);
        let changes = known.changes.iter().zip(places);
        let changes = changes.map(|(change, after)| Change { after, difference: Arc::clone(&change.difference) });
        let history = History { first: known.first.clone(), changes: changes.collect() };
        self.0 = Some(known);
        history
    }
}

impl Known {
    /// Where the changes stand among messages, up to the first whose message is not there.
    fn places(&self, messages: &[Arc<Message>]) -> Vec<usize> {
        let mut places: Vec<usize> = Vec::with_capacity(self.changes.len());
        for change in &self.changes {
            let from = places.last().copied().unwrap_or_default();
            let Some(found) = messages[from..].iter().position(|message| is(&change.after, Some(message))) else {
                break;
            };
            places.push(from + found);
        }
        places
    }

    /// With what a request changes. `None` when that is so much that the conversation had better begin anew with it.
    fn with(mut self, now: &Preamble, messages: &[Arc<Message>]) -> Option<Self> {
        self.changes.truncate(self.places(messages).len());
        let last = messages.last();
        // What changed behind the last message was never answered.
        while self.changes.last().is_some_and(|change| is(&change.after, last)) {
            self.changes.pop();
        }
        let before = self.changes.last().map_or(&self.first, |change| &change.now);
        if before == now {
            return Some(self);
        }
        let difference = Arc::new(difference(before, now)?);
        self.changes.push(KnownChange { after: last.map(Arc::downgrade)?, difference, now: now.clone() });
        Some(self)
    }
}

/// What is referred to weakly keeps its address, so that no other message gets it.
fn is(known: &Weak<Message>, message: Option<&Arc<Message>>) -> bool {
    message.is_some_and(|message| known.as_ptr() == Arc::as_ptr(message))
}

fn difference(before: &Preamble, now: &Preamble) -> Option<Difference> {
    let system = |preamble: &Preamble| preamble.system.clone().unwrap_or_default();
    let text = sections::difference(&system(before), &system(now))?;
    let names: HashSet<&str> = now.tools.iter().map(|tool| tool.name.as_str()).collect();
    let removed = before.tools.iter().filter(|tool| !names.contains(tool.name.as_str()));
    let added = now.tools.iter().filter(|tool| !before.tools.contains(tool));
    Some(Difference { text, removed: removed.map(|tool| tool.name.clone()).collect(), added: added.cloned().collect() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn preamble(system: &str, tools: &[(&str, &str)]) -> Preamble {
        let tool = |(name, description): &(&str, &str)| ToolDeclaration {
            name: (*name).to_owned(),
            description: (*description).to_owned(),
            parameters: json!({}),
            constrained_sampling: None,
        };
        Preamble { system: Some(system.to_owned()), tools: tools.iter().map(tool).collect() }
    }

    /// The changes as short lines, behind the names of the first tools.
    fn lines(history: &History) -> Vec<String> {
        let names =
            |tools: &[ToolDeclaration]| tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>().join(" ");
        let first = format!("{}: {}", history.first.system.clone().unwrap_or_default(), names(&history.first.tools));
        let change = |Change { after, difference }: &Change| {
            let Difference { text, removed, added } = &**difference;
            format!("{after} -{} +{} {}", removed.join(" "), names(added), text.lines().last().unwrap_or_default())
        };
        std::iter::once(first).chain(history.changes.iter().map(change)).collect()
    }

    #[test]
    fn what_changes_is_said_where_it_changed_for_as_long_as_that_is_there() {
        let all: Vec<Arc<Message>> = (0..6)
            .map(|n| json!({"role": if n % 2 == 0 { "user" } else { "assistant" }, "content": []}))
            .map(|message| Arc::new(serde_json::from_value(message).expect("a message")))
            .collect();
        let (a, b, other_b) = (("a", "A"), ("b", "B"), ("b", "other"));
        let mut known = Preambles::default();
        let mut ask = |system: &str, tools: &[(&str, &str)], messages: &[Arc<Message>]| {
            lines(&known.history(preamble(system, tools), messages))
        };
        assert_eq!(ask("S", &[a], &all[..1]), ["S: a"]);
        assert_eq!(ask("S", &[a, b], &all[..3]), ["S: a", "2 - +b "]);
        // Nothing was answered yet, so the last state is what is said.
        assert_eq!(ask("T", &[b], &all[..3]), ["S: a", "2 -a +b T"]);
        assert_eq!(ask("T", &[b], &all[..5]), ["S: a", "2 -a +b T"]);
        assert_eq!(ask("T", &[other_b, a], &all[..5]), ["S: a", "2 -a +b T", "4 - +b a "]);
        // Another branch leaves before the changes.
        assert_eq!(ask("T", &[b], &all[..1]), ["S: a", "0 -a +b T"]);
        assert_eq!(ask("S", &[a], &all[..1]), ["S: a"]);
        // A summary took the place of the beginning.
        assert_eq!(ask("S", &[b], &all[1..]), ["S: b"]);
        // The order of tools means nothing.
        assert_eq!(ask("S", &[b, a], &all[1..]), ["S: b", "4 - +a "]);
        let long = "new ".repeat(2000);
        assert_eq!(ask(&long, &[b, a], &all[1..]), [format!("{long}: b a")]);
        assert_eq!(ask("S", &[], &[]), ["S: "]);
    }
}
