//! What a file says that means nothing: keys that nobody knows, and names that are there twice.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The keys of a file. `$schema` is for editors.
const FILE: [&str; 3] = ["mcpServers", "autoEnableCodemode", "$schema"];
/// The keys of every entry.
const ENTRY: [&str; 6] = ["enabled", "timeout", "description", "exposure", "toolExposure", "type"];
/// Those of programs.
const PROGRAM: [&str; 4] = ["command", "args", "env", "cwd"];
/// Those of addresses.
const ADDRESS: [&str; 4] = ["url", "headers", "oauth", "auth"];

/// JSON in which a key may be there twice.
enum Node {
    Object(Vec<(String, Node)>),
    Other,
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Node::Object(pairs))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Node::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_str<E>(self, _: &str) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Other)
    }
}

/// What in the text of a file means nothing. A text that is no JSON is reported elsewhere.
pub(super) fn warnings(text: &str) -> Vec<String> {
    let Ok(Node::Object(file)) = serde_json::from_str(text) else { return Vec::new() };
    let mut all = doubled(&file, "");
    all.extend(file.iter().filter_map(|(key, _)| unknown(key, &FILE, "")));
    for (key, servers) in &file {
        let (true, Node::Object(servers)) = (key == "mcpServers", servers) else { continue };
        all.extend(doubled(servers, "mcpServers: "));
        for (name, entry) in servers {
            if let Node::Object(entry) = entry {
                all.extend(of_entry(&format!("server \"{name}\": "), entry));
            }
        }
    }
    all
}

fn of_entry(place: &str, entry: &[(String, Node)]) -> Vec<String> {
    let has = |key: &str| entry.iter().any(|(other, _)| other == key);
    let known: Vec<&str> = ENTRY.iter().chain(&PROGRAM).chain(&ADDRESS).copied().collect();
    let mut all = doubled(entry, place);
    for (key, _) in entry {
        let key = key.as_str();
        all.extend(unknown(key, &known, place));
        if has("command") && has("url") {
            // The check of entries refuses that.
        } else if has("command") && ADDRESS.contains(&key) {
            all.push(format!("{place}\"{key}\" means nothing for a program"));
        } else if has("url") && PROGRAM.contains(&key) {
            all.push(format!("{place}\"{key}\" means nothing for an address"));
        }
    }
    all
}

fn unknown(key: &str, known: &[&str], place: &str) -> Option<String> {
    if known.contains(&key) {
        return None;
    }
    let near = known.iter().map(|known| (distance(key, known), known)).min().filter(|(distance, _)| *distance <= 2);
    let meant = near.map(|(_, meant)| format!("; did you mean \"{meant}\"?"));
    Some(format!("{place}unknown key \"{key}\"{}", meant.unwrap_or_default()))
}

/// How many letters have to change.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = at + 1;
        for (to, known) in other.iter().enumerate() {
            let change = before + usize::from(letter != *known);
            before = row[to + 1];
            row[to + 1] = change.min(before + 1).min(row[to] + 1);
        }
    }
    row[other.len()]
}

/// The last of two counts, as in every JSON.
fn doubled(pairs: &[(String, Node)], place: &str) -> Vec<String> {
    let is_again = |at: usize| pairs[..at].iter().filter(|(key, _)| *key == pairs[at].0).count() == 1;
    let again = (0..pairs.len()).filter(|at| is_again(*at));
    again.map(|at| format!("{place}\"{}\" is there twice; only the last one counts", pairs[at].0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_nothing_is_named() {
        let text = r#"{"mcpServer": {}, "mcpServers": {}, "mcpServers": {
            "a": {"command": "x", "headers": {}, "enabld": false, "args": [1, {"b": 2}]},
            "a": {"url": "http://x", "cwd": "/", "timeout": 1.5, "description": "d"}, "b": null}}"#;
        assert_eq!(
            warnings(text),
            [
                "\"mcpServers\" is there twice; only the last one counts",
                "unknown key \"mcpServer\"; did you mean \"mcpServers\"?",
                "mcpServers: \"a\" is there twice; only the last one counts",
                "server \"a\": \"headers\" means nothing for a program",
                "server \"a\": unknown key \"enabld\"; did you mean \"enabled\"?",
                "server \"a\": \"cwd\" means nothing for an address",
            ]
        );
        // That is an error of its own.
        let both = r#"{"mcpServers": {"a": {"command": "x", "url": "http://x", "cwd": "/"}}}"#;
        assert_eq!(warnings(both), [""; 0]);
        assert!(warnings("[]").is_empty() && warnings("{").is_empty());
        assert!(warnings(r#"{"$schema": "x", "mcpServers": {"a": {"enabled": true}}}"#).is_empty());
    }
}
