//! Which tools the model of a conversation was told of, and where.
//!
//! Some interfaces take tools inside the conversation, so that one more tool changes nothing of what was sent before. That
//! holds for as long as every request puts the same tools in the same places: a conversation remembers them.

use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::{Message, ToolDeclaration};

/// What a conversation remembers of its tools.
#[derive(Default)]
pub(crate) struct DeclaredTools(Mutex<Vec<Known>>);

impl Clone for DeclaredTools {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.0.lock().clone()))
    }
}

#[derive(Clone)]
struct Known {
    /// The message behind which it stands; `None` for the beginning.
    after: Option<Weak<Message>>,
    added: Vec<ToolDeclaration>,
    removed: Vec<String>,
}

/// A change of the tools within a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolChange {
    /// How many steps of the conversation stand before it.
    pub at: usize,
    /// New tools, and those that are not what they were.
    pub added: Vec<ToolDeclaration>,
    /// Tools that are gone.
    pub removed: Vec<String>,
    /// Tools that were gone before, and still are when those of `added` are there.
    pub missing: Vec<String>,
}

impl DeclaredTools {
    /// All changes in their order, the first at the beginning. `ends` are the last messages of the steps of the
    /// conversation, and a change of now gets the place before `now` steps. Where tools can only be added, a conversation
    /// in which others went begins anew.
    pub fn update(
        &self,
        tools: &[ToolDeclaration],
        ends: &[&Arc<Message>],
        now: usize,
        only_additions: bool,
    ) -> Vec<ToolChange> {
        let mut known = self.0.lock();
        let mut places = places(&known, ends);
        let mut declared: Vec<&ToolDeclaration> = Vec::new();
        for Known { added, removed, .. } in known.iter() {
            declared.retain(|tool| !removed.contains(&tool.name) && !added.iter().any(|new| new.name == tool.name));
            declared.extend(added);
        }
        let added: Vec<ToolDeclaration> = tools.iter().filter(|tool| !declared.contains(tool)).cloned().collect();
        let gone = |tool: &&&ToolDeclaration| !tools.iter().any(|other| other.name == tool.name);
        let removed: Vec<String> = declared.iter().filter(gone).map(|tool| tool.name.clone()).collect();
        let changes = declared.iter().any(|tool| added.iter().any(|new| new.name == tool.name));
        let place = places.as_ref().and_then(|places| places.last()).map_or(0, |last| now.max(*last));
        let after = place.checked_sub(1).and_then(|last| ends.get(last)).map(|end| Arc::downgrade(end));
        match after {
            Some(after) if !(only_additions && (changes || !removed.is_empty())) => {
                if !added.is_empty() || !removed.is_empty() {
                    known.push(Known { after: Some(after), added, removed });
                    places.iter_mut().for_each(|places| places.push(place));
                }
            }
            _ if known.len() == 1 && added.is_empty() && removed.is_empty() => {}
            // Nothing stands before it, or what does is not what the model was told of.
            _ => {
                *known = vec![Known { after: None, added: tools.to_vec(), removed: Vec::new() }];
                places = Some(vec![0]);
            }
        }
        let mut missing = BTreeSet::new();
        let change = |(at, Known { added, removed, .. }): (usize, &Known)| {
            missing.retain(|name| !added.iter().any(|tool| tool.name == *name));
            let still = missing.iter().cloned().collect();
            missing.extend(removed.iter().cloned());
            ToolChange { at, added: added.clone(), removed: removed.clone(), missing: still }
        };
        places.unwrap_or_default().into_iter().zip(known.iter()).map(change).collect()
    }
}

/// How many steps stand before each of them, if all are where they were.
fn places(known: &[Known], ends: &[&Arc<Message>]) -> Option<Vec<usize>> {
    let mut places: Vec<usize> = Vec::with_capacity(known.len() + 1);
    for Known { after, .. } in known {
        let from = places.last().copied().unwrap_or(0);
        let place = match after {
            None => 0,
            Some(after) => {
                // The last one may have been behind the same message.
                let mut searched = ends.iter().enumerate().skip(from.saturating_sub(1));
                searched.find(|(_, end)| after.as_ptr() == Arc::as_ptr(end)).map(|(at, _)| at + 1)?
            }
        };
        places.push(place);
    }
    (!places.is_empty()).then_some(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(name: &str, description: &str) -> ToolDeclaration {
        serde_json::from_value(json!({"name": name, "description": description, "parameters": {}})).expect("a tool")
    }

    fn messages(count: usize) -> Vec<Arc<Message>> {
        let message =
            |n| serde_json::from_value(json!({"role": "user", "content": format!("{n}")})).expect("a message");
        (0..count).map(message).map(Arc::new).collect()
    }

    /// The changes as short lines: where, what came, what went, what is still missing.
    fn lines(changes: &[ToolChange]) -> Vec<String> {
        let line = |change: &ToolChange| {
            let added: Vec<String> =
                change.added.iter().map(|tool| format!("{}{}", tool.name, tool.description)).collect();
            format!("{} +{} -{} ?{}", change.at, added.join(","), change.removed.join(","), change.missing.join(","))
        };
        changes.iter().map(line).collect()
    }

    #[test]
    fn changes_stay_where_they_were() {
        let all = messages(6);
        let declared = DeclaredTools::default();
        let update = |tools: &[ToolDeclaration], count: usize, only_additions: bool| {
            let ends: Vec<&Arc<Message>> = all[..count].iter().collect();
            lines(&declared.update(tools, &ends, count.saturating_sub(1), only_additions))
        };
        let (a, b, b2) = (tool("a", ""), tool("b", ""), tool("b", "2"));
        assert_eq!(update(std::slice::from_ref(&a), 1, false), ["0 +a - ?"]);
        assert_eq!(update(std::slice::from_ref(&a), 2, false), ["0 +a - ?"]);
        assert_eq!(update(&[b.clone(), a.clone()], 3, false), ["0 +a - ?", "2 +b - ?"]);
        assert_eq!(update(std::slice::from_ref(&b), 5, false), ["0 +a - ?", "2 +b - ?", "4 + -a ?"]);
        let with_b2 = ["0 +a - ?", "2 +b - ?", "4 + -a ?", "5 +b2 - ?a"];
        assert_eq!(update(std::slice::from_ref(&b2), 6, false), with_b2);
        assert_eq!(update(std::slice::from_ref(&b2), 6, false), with_b2);
        // The conversation lost the message that one of them stood behind.
        assert_eq!(update(std::slice::from_ref(&b2), 3, false), ["0 +b2 - ?"]);
        // Only additions: what changes otherwise begins anew.
        assert_eq!(update(&[b2.clone(), a.clone()], 4, true), ["0 +b2 - ?", "3 +a - ?"]);
        assert_eq!(update(&[b.clone(), a.clone()], 5, true), ["0 +b,a - ?"]);
        assert_eq!(update(std::slice::from_ref(&a), 6, true), ["0 +a - ?"]);
    }

    #[test]
    fn a_conversation_without_tools_declares_none() {
        let declared = DeclaredTools::default();
        assert_eq!(lines(&declared.update(&[], &[], 0, false)), ["0 + - ?"]);
        assert_eq!(lines(&declared.update(&[tool("a", "")], &[], 0, false)), ["0 +a - ?"]);
    }
}
