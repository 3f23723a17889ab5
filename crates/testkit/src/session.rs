//! What a session file holds, for assertions.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

/// The lines of a session file.
///
/// # Panics
/// When it cannot be read or a line is no JSON.
pub fn session_lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let parse = |(at, line): (usize, &str)| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{}:{}: {error}", path.display(), at + 1))
    };
    text.lines().enumerate().map(parse).collect()
}

/// What is wrong with the lines of a session file: no header in front, an entry whose parent is not before it, a
/// call of an answer that was not cut short without exactly one result behind it, a result without a call.
pub fn session_problems(lines: &[Value]) -> Vec<String> {
    let mut problems = Vec::new();
    if lines.first().is_none_or(|line| line["type"] != "session") {
        problems.push("the first line is no header".to_owned());
    }
    let mut known = BTreeSet::new();
    let mut open: Vec<String> = Vec::new();
    for line in lines.iter().skip(1) {
        if let Some(parent) = line["parentId"].as_str()
            && !known.contains(parent)
        {
            problems.push(format!("entry {} comes before its parent {parent}", line["id"]));
        }
        known.extend(line["id"].as_str());
        let message = &line["message"];
        match message["role"].as_str() {
            Some("assistant") => {
                problems.extend(open.drain(..).map(|id| format!("call {id} has no result")));
                // Nobody runs the calls of an answer that was cut short, and no provider is sent them again.
                if !matches!(message["stopReason"].as_str(), Some("aborted" | "error")) {
                    let blocks = message["content"].as_array().into_iter().flatten();
                    let calls = blocks.filter(|block| block["type"] == "toolCall");
                    open.extend(calls.filter_map(|call| call["id"].as_str()).map(str::to_owned));
                }
            }
            Some("toolResult") => {
                let id = message["toolCallId"].as_str().unwrap_or_default();
                match open.iter().position(|open| open == id) {
                    Some(at) => drop(open.remove(at)),
                    None => problems.push(format!("a result for call {id}, which is not open")),
                }
            }
            _ => {}
        }
    }
    problems.extend(open.into_iter().map(|id| format!("call {id} has no result")));
    problems
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(stop: &str) -> Value {
        json!({"id": "b", "parentId": "a", "message": {"role": "assistant", "stopReason": stop,
            "content": [{"type": "toolCall", "id": "c1"}]}})
    }

    fn result(id: &str) -> Value {
        json!({"id": id, "parentId": "b", "message": {"role": "toolResult", "toolCallId": "c1"}})
    }

    #[test]
    fn a_complete_conversation_has_no_problems() {
        let (header, user) = (json!({"type": "session"}), json!({"id": "a", "parentId": null}));
        let lines = [header.clone(), user.clone(), call("toolUse"), result("r")];
        assert_eq!(session_problems(&lines), Vec::<String>::new());
        assert_eq!(session_problems(&[header, user, call("aborted")]), Vec::<String>::new());
    }

    #[test]
    fn gaps_are_named() {
        let user = json!({"id": "a", "parentId": null});
        let lines = [user, call("toolUse"), result("r")];
        assert_eq!(session_problems(&lines)[0], "the first line is no header");
        let header = json!({"type": "session"});
        assert_eq!(
            session_problems(&[header.clone(), call("toolUse")]),
            ["entry \"b\" comes before its parent a", "call c1 has no result"]
        );
        assert_eq!(
            session_problems(&[header, result("r")]),
            ["entry \"r\" comes before its parent b", "a result for call c1, which is not open"]
        );
    }
}
