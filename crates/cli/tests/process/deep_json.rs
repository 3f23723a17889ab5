//! JSON that nests deeper than anybody reads, from files, clients and editors: it is read or named, and tau lives.

use std::io::{BufRead, BufReader, Write};

use serde_json::{Value, json};

use crate::support::{Place, ended};

/// The last that is read, one that is not, and one that would break a stack.
const DEPTHS: [usize; 3] = [120, 200, 1_000_000];
const SCRIPT: &str = "replies: [fine]";

fn deep(depth: usize) -> String {
    format!("{{\"x\": {}{}}}", "[".repeat(depth), "]".repeat(depth))
}

#[test]
fn files_that_nest_too_deep_are_named() {
    for depth in DEPTHS {
        for file in ["settings.json", "models.json", "auth.json", "trust.json", "extensions/pack/package.json"] {
            let place = Place::new();
            place.write("work/.pi/extensions/ours.ts", "export default () => {};\n");
            place.write("agent/extensions/pack/index.ts", "export default () => {};\n");
            // Only the depth is wrong with them.
            let text = match (file, depth) {
                ("models.json", 120) => r#"{"providers": {}}"#.to_owned(),
                ("trust.json", 120) => "{}".to_owned(),
                ("auth.json", 120) => format!(r#"{{"p": {{"type": "api_key", "key": "k", "more": {}}}}}"#, deep(depth)),
                _ => deep(depth),
            };
            place.write(&format!("agent/{file}"), &text);
            let done = place.play(SCRIPT, ["-p", "x"]).run();
            assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"), "{file} {depth}: {}", done.stderr);
            let named = done.stderr.contains(&format!("agent/{file}")) || done.stderr.contains(&format!(" {file}"));
            assert_eq!(named, depth > 120, "{file} {depth}: {}", done.stderr);
            assert_eq!(place.read(&format!("agent/{file}")), text, "it is left alone");
        }
    }
}

/// Writes lines to tau, and reads until each has its answer.
fn answers(place: &Place, args: &[&str], lines: &[String]) -> Vec<Value> {
    let mut child = place.play(SCRIPT, args.iter().copied()).spawn();
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut answers = Vec::new();
    for line in lines {
        writeln!(stdin, "{line}").expect("tau reads");
        loop {
            let line = stdout.next().expect("an answer").expect("a line");
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            if answer["type"] == "response" || answer.get("jsonrpc").is_some() && answer.get("method").is_none() {
                answers.push(answer);
                break;
            }
        }
    }
    drop(stdin);
    drop(stdout);
    assert_eq!(ended(child.wait().expect("an end")), Ok(0));
    answers
}

#[test]
fn a_client_that_nests_too_deep_is_answered() {
    for depth in DEPTHS {
        let place = Place::new();
        let lines = [
            format!(r#"{{"id": "a", "type": "get_state", "more": {}}}"#, deep(depth)),
            json!({"id": "b", "type": "get_state"}).to_string(),
        ];
        let [first, second] = &answers(&place, &["--mode", "rpc"], &lines)[..] else { panic!("two answers") };
        assert_eq!((&first["id"], &first["success"]), (&json!("a"), &json!(depth == 120)), "{depth}: {first}");
        if depth > 120 {
            assert!(first["error"].as_str().is_some_and(|error| error.contains("recursion limit")), "{first}");
        }
        assert_eq!((&second["id"], &second["success"]), (&json!("b"), &json!(true)), "{depth}");
    }
}
