//! Stream rules: the model writes something a rule is about, is interrupted, told the rule, and answers again.

mod files;
mod interrupt;
mod later;
mod looking;
mod reminders;
mod repeat;
mod scope;

use serde_json::{Value, json};

use crate::common::{Running, World, brief_list};

/// A rule of the user with these lines in front.
fn rule(world: &World, name: &str, head: &str) {
    world.home.write_agent(&format!("rules/{name}.md"), format!("---\n{head}\n---\nThe text of {name}."));
}

/// A reply in small pieces.
fn pieces(text: &str) -> Value {
    json!([{"text": text, "chunk": 3}])
}

/// The names of the rules that the messages of a request tell, a list for each message.
fn told(request: &Value) -> Vec<Vec<String>> {
    let messages = brief_list(&request["messages"]);
    let blocks = |text: &str| -> Vec<String> {
        let names = text.split("<system-interrupt reason=\"rule_violation\" rule=\"").skip(1);
        names.filter_map(|rest| rest.split_once('"')).map(|(name, _)| name.to_owned()).collect()
    };
    messages.iter().map(|(_, text)| blocks(text)).filter(|names| !names.is_empty()).collect()
}

/// [`told`] for every request so far.
fn told_by_request(running: &Running) -> Vec<Vec<Vec<String>>> {
    running.script.requests().iter().map(told).collect()
}

/// The types of the entries behind the first user message, with stop reason, custom type or rules.
fn entries(running: &Running) -> Vec<String> {
    let line = |line: &Value| {
        let more = match line["type"].as_str().unwrap_or_default() {
            "message" => match line["message"]["stopReason"].as_str() {
                Some(reason) => format!("assistant {reason}"),
                None => line["message"]["role"].as_str().unwrap_or_default().to_owned(),
            },
            "custom_message" => line["customType"].as_str().unwrap_or_default().to_owned(),
            "ttsr_injection" => line["injectedRules"].to_string(),
            _ => String::new(),
        };
        format!("{} {more}", line["type"].as_str().unwrap_or_default()).trim_end().to_owned()
    };
    let lines: Vec<String> = running.file().iter().map(line).collect();
    let first = lines.iter().position(|line| line == "message user").expect("a message of the user");
    lines[first..].to_vec()
}

/// The names of rules in the events about them.
fn triggered(events: &[Value]) -> Vec<Value> {
    let of = |event: &Value| -> Value {
        let rules = event["rules"].as_array().expect("rules");
        rules.iter().map(|rule| rule["name"].clone()).collect()
    };
    events.iter().filter(|event| event["type"] == "ttsr_triggered").map(of).collect()
}
