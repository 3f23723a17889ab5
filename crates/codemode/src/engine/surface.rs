//! What a script finds when it begins.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_ai::Sources;

use super::store::Store;

/// The most names that an error lists.
const NAMED: usize = 5;
/// As many members are all named where none is close.
const FEW: usize = 20;

/// Says what a script reads of the tool with a name.
pub type Describe = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// What a script finds when it begins.
#[derive(Clone, Default)]
pub struct Surface {
    /// The tools that it can call.
    pub tools: Vec<ToolMember>,
    /// What it reads of each; asked when it looks.
    pub describe: Option<Describe>,
    /// Groups of tools that are not there, and why.
    pub lost: Vec<LostGroup>,
    /// Whether it can ask models.
    pub models: bool,
    /// The values that earlier scripts kept.
    pub store: Store,
    /// Time and chance.
    pub sources: Sources,
}

/// A tool as a member of `tools`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolMember {
    /// Its name.
    pub name: String,
    /// The name as an identifier.
    pub identifier: String,
}

/// A group of tools that should be there, such as those of a server that does not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostGroup {
    /// What the names of its tools begin with, as an identifier.
    pub prefix: String,
    /// What is wrong, with the name of who it is.
    pub problem: String,
}

impl Surface {
    /// The names that `tools` has: each tool under its identifier and its name; the first one of an identifier counts.
    pub(super) fn members(&self) -> Vec<(&str, &str)> {
        let mut members: Vec<(&str, &str)> = Vec::with_capacity(self.tools.len());
        let mut taken = std::collections::HashSet::new();
        for tool in &self.tools {
            for name in [&tool.identifier, &tool.name] {
                if taken.insert(name.as_str()) {
                    members.push((name, &tool.name));
                }
            }
        }
        members
    }

    /// `ALL_TOOLS`: what a script reads of all tools.
    pub(super) fn all_tools(&self) -> Value {
        let mut taken = std::collections::HashSet::new();
        let all = self.tools.iter().filter(|tool| taken.insert(tool.identifier.as_str()));
        let description = |tool: &ToolMember| self.describe.as_ref().map(|describe| describe(&tool.name));
        all.map(|tool| json!({"name": tool.identifier, "description": description(tool).unwrap_or_default()})).collect()
    }

    /// What a script reads that asks for a member that does not exist.
    pub(super) fn missing(&self, object: &str, member: &str) -> String {
        let is_of = |lost: &&LostGroup| {
            let rest = member.strip_prefix(lost.prefix.as_str());
            object == "tools" && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        };
        let lost = self.lost.iter().filter(is_of).max_by_key(|lost| lost.prefix.len());
        if let Some(lost) = lost {
            return format!("{object}.{member} is not there: {}", lost.problem);
        }
        let names: Vec<&str> = match object {
            "tools" => self.tools.iter().map(|tool| tool.identifier.as_str()).collect(),
            _ => super::host::Helper::ALL.iter().filter_map(|helper| helper.name().strip_prefix("models.")).collect(),
        };
        let close = nearest(member, &names);
        let listed =
            |names: &[&str]| names.iter().map(|name| format!("{object}.{name}")).collect::<Vec<_>>().join(", ");
        let mut text = format!("{object}.{member} does not exist.");
        if !close.is_empty() {
            text = format!("{text} Did you mean {}?", listed(&close));
        } else if names.is_empty() {
            text = format!("{text} There are no tools that a script can call.");
        } else if names.len() <= FEW {
            text = format!("{text} There are: {}.", listed(&names));
        }
        if object == "tools" {
            text = format!("{text} ALL_TOOLS lists all tools, and searchTools(query) finds some.");
        }
        text
    }
}

/// The names that are close to one that does not exist, closest first.
fn nearest<'a>(wanted: &str, names: &[&'a str]) -> Vec<&'a str> {
    let plain = |name: &str| {
        let kept = name.chars().filter(|c| c.is_ascii_alphanumeric());
        kept.map(|c| c.to_ascii_lowercase()).collect::<String>()
    };
    let wanted = plain(wanted);
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut close: Vec<(usize, &str)> = names
        .iter()
        .filter_map(|name| {
            let known = plain(name);
            let contains = known.len() >= 3 && (known.contains(&wanted) || wanted.contains(&known));
            let distance = strsim::damerau_levenshtein(&known, &wanted);
            let is_close = contains || distance <= (wanted.len() / 3).min(3);
            is_close.then_some((distance, *name))
        })
        .collect();
    // One that differs only in what is no letter and no digit is what was meant.
    if close.iter().any(|(distance, _)| *distance == 0) {
        close.retain(|(distance, _)| *distance == 0);
    }
    close.sort_by_key(|(distance, _)| *distance);
    close.into_iter().map(|(_, name)| name).take(NAMED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(names: &[&str]) -> Surface {
        let member = |name: &&str| ToolMember { name: (*name).to_owned(), identifier: name.replace('-', "_") };
        let lost =
            LostGroup { prefix: "mcp__gone".to_owned(), problem: "the server \"gone\" cannot be reached".to_owned() };
        Surface { tools: names.iter().map(member).collect(), lost: vec![lost], ..Surface::default() }
    }

    #[test]
    fn a_member_that_is_missing_names_the_nearest_ones() {
        let all = surface(&["read", "mcp__a_b__get", "mcp__a_b__get_all", "mcp__a-b__get"]);
        let cases = [
            ("raed", "Did you mean tools.read?"),
            ("mcp__a-b__Get", "Did you mean tools.mcp__a_b__get"),
            ("get", "Did you mean tools.mcp__a_b__get, "),
            ("zzz", "There are: tools.read, tools.mcp__a_b__get"),
            ("mcp__gone__x", "tools.mcp__gone__x is not there: the server \"gone\" cannot be reached"),
            ("mcp__goner__x", "tools.mcp__goner__x does not exist"),
        ];
        for (member, expected) in cases {
            let text = all.missing("tools", member);
            assert!(text.contains(expected), "{member}: {text}");
        }
        assert!(all.missing("models", "clasify").contains("Did you mean models.classify?"));
        assert!(surface(&[]).missing("tools", "x").contains("no tools"));
    }

    #[test]
    fn the_first_tool_of_an_identifier_counts() {
        let all = surface(&["a-b", "a_b"]);
        assert_eq!(all.members(), [("a_b", "a-b"), ("a-b", "a-b")]);
        assert_eq!(all.all_tools().as_array().map(Vec::len), Some(1));
    }
}
