//! The description of the tool `codemode`: how scripts are written, and which tools they can call.

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use tau_tools::{ToolNamespace, ToolSpec};

use super::tool::Declaration;

/// How many characters make a token, about.
const PER_TOKEN: usize = 4;

const INTRO: &str = "Runs a JavaScript program that calls the other tools. Give the source itself: no JSON, no code fence. It is the body of an async function in a sandbox, so `await` and `return` stand anywhere in it; there is no Node, no file system, no network and no timer.
- `await tools.<name>({ ... })` calls a tool. It gives a string, or an object where the declaration of the tool says so, and throws an Error when the call fails; a tool that gives an object may also tell of a failure in its fields. What is not awaited when the program ends is cancelled.
- The first line can be `// @options: {\"max_output_tokens\": 10000, \"timeout_ms\": 60000}`";

const GLOBALS: &str = "Globals:
- `text(value)`, `image(dataUrlOrImageBlock)`, `console.log(...)` and `return value` put something out; `exit()` ends the program. Each of several texts begins with a line `==> text N/M <==`; the console comes last, as one `<console_output>` block. Pictures are also saved to files, whose paths are named.
- `store(key, value)`, `load(key)`: JSON values that later programs find again.
- `ALL_TOOLS`, `await searchTools(query, { limit?, namespace? })`, `await describeTool(name)`, `await describeNamespace(name)`: find tools that are not listed here, such as those of MCP servers.";

/// How codemode shows tools that a request declares anyway.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Requests declare them, and their descriptions say how a script calls them.
    #[default]
    On,
    /// Only codemode lists them. They can be called all the same, so this keeps nothing from a model.
    Only,
}

impl Mode {
    /// The mode that a setting names; the usual one when it names none.
    pub fn parse(word: &str) -> Self {
        if word == "only" { Self::Only } else { Self::On }
    }
}

/// What the description lists.
#[derive(Debug, Clone, Default)]
pub struct Listing<'a> {
    /// The tools to list.
    pub tools: Vec<&'a ToolSpec>,
    /// How many tokens their declarations may have together.
    pub budget: usize,
    /// Whether scripts can ask models, and where that is described.
    pub models: Option<&'a str>,
}

struct Section {
    name: String,
    text: String,
    cost: usize,
}

impl Listing<'_> {
    /// The description. The same tools give the same text, in whichever order they come.
    pub fn text(&self) -> String {
        let mut text = format!("{INTRO}\n\n{GLOBALS}");
        if let Some(docs) = self.models {
            text.push_str(&format!("\n- `models`: classifiers and image models. Read {docs} first."));
        }
        let groups = self.groups();
        if groups.is_empty() {
            return text;
        }
        let shown = chosen(groups.values().map(|(_, sections)| sections), self.budget);
        text.push_str("\n\nTools:");
        for (namespace, sections) in groups.values() {
            let visible: Vec<&Section> =
                sections.iter().filter(|section| shown.contains(section.name.as_str())).collect();
            let is_cut = visible.len() < sections.len();
            if let Some(namespace) = namespace {
                let cut = match visible.len() {
                    0 => " (tools not listed)",
                    _ if is_cut => " (some tools not listed)",
                    _ => "",
                };
                text.push_str(&format!("\n\n## {}{cut}", namespace.name));
                let description = namespace.description.as_deref().unwrap_or_default().trim();
                if !description.is_empty() {
                    text.push_str(&format!("\n{description}"));
                }
            }
            for section in visible {
                text.push_str(&format!("\n\n{}", section.text));
            }
            if is_cut && namespace.is_none() {
                text.push_str("\n\n(some tools not listed)");
            }
        }
        text
    }

    /// The tools by their namespaces: those without one first.
    fn groups(&self) -> BTreeMap<&str, (Option<&ToolNamespace>, Vec<Section>)> {
        let mut groups: BTreeMap<&str, (Option<&ToolNamespace>, Vec<Section>)> = BTreeMap::new();
        for tool in &self.tools {
            let text = Declaration::of(tool).section();
            let cost = text.chars().count().div_ceil(PER_TOKEN);
            let namespace = tool.namespace.as_ref().filter(|namespace| !namespace.name.is_empty());
            let name = namespace.map_or("", |namespace| namespace.name.as_str());
            let group = groups.entry(name).or_insert_with(|| (namespace, Vec::new()));
            group.1.push(Section { name: tool.name.clone(), text, cost });
        }
        groups
    }
}

/// The tools that fit: in each round every group places its cheapest one that is left. A group whose next tool does not fit
/// is done, so that none is complete before each has something.
fn chosen<'a>(groups: impl Iterator<Item = &'a Vec<Section>>, budget: usize) -> HashSet<&'a str> {
    let mut queues: Vec<Vec<&Section>> = groups
        .map(|sections| {
            let mut queue: Vec<&Section> = sections.iter().collect();
            // The next one is taken from the end.
            queue.sort_by(|one, other| other.cost.cmp(&one.cost).then_with(|| other.name.cmp(&one.name)));
            queue
        })
        .collect();
    let (mut shown, mut left) = (HashSet::new(), budget);
    while !queues.is_empty() {
        queues.retain_mut(|queue| match queue.pop().filter(|next| next.cost <= left) {
            Some(next) => {
                left -= next.cost;
                shown.insert(next.name.as_str());
                true
            }
            None => false,
        });
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, namespace: Option<&str>, size: usize) -> ToolSpec {
        let namespace = namespace.map(|name| ToolNamespace {
            name: name.to_owned(),
            description: Some(format!("About {name}.")),
            ..ToolNamespace::default()
        });
        ToolSpec { name: name.to_owned(), description: "x".repeat(size), namespace, ..ToolSpec::default() }
    }

    fn headings(tools: &[ToolSpec], budget: usize) -> Vec<String> {
        let listing = Listing { tools: tools.iter().collect(), budget, models: None };
        let text = listing.text();
        text.lines().filter(|line| line.starts_with('#') || line.starts_with('(')).map(str::to_owned).collect()
    }

    #[test]
    fn every_group_has_something_before_one_is_complete() {
        let tools = [
            tool("b-2", Some("b"), 10),
            tool("plain", None, 400),
            tool("b-1", Some("b"), 400),
            tool("a-1", Some("a"), 4000),
        ];
        let all = ["### `plain`", "## a", "### `a_1` (`a-1`)", "## b", "### `b_2` (`b-2`)", "### `b_1` (`b-1`)"];
        assert_eq!(headings(&tools, 3000), all);
        let some = ["### `plain`", "## a (tools not listed)", "## b (some tools not listed)", "### `b_2` (`b-2`)"];
        assert_eq!(headings(&tools, 200), some);
        assert_eq!(headings(&tools, 0)[..2], ["(some tools not listed)", "## a (tools not listed)"]);
        assert!(headings(&[], 10).is_empty());
    }

    #[test]
    fn a_section_has_description_guidelines_and_declaration() {
        let mut spec = tool("read", None, 3);
        spec.prompt_guidelines = vec!["Read first.".to_owned(), " ".to_owned()];
        let expected = "### `read`\nxxx\n\n- Read first.\n\n```ts\ndeclare const tools: { read(args: { [key: string]: unknown; }): Promise<string>; };\n```";
        assert_eq!(Declaration::of(&spec).section(), expected);
    }
}
