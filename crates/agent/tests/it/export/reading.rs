//! What makes a page readable: differences, colours of code, folds, names of branches, places without their marks.

use serde_json::{Value, json};
use tau_agent::export::{HtmlOptions, export_html};
use tau_session::{EntryBody, Session};

use super::audit::{audit, select, texts};

fn message(value: Value) -> EntryBody {
    EntryBody::message(serde_json::from_value::<tau_ai::Message>(value).expect("a message"))
}

fn user(text: &str) -> EntryBody {
    message(json!({"role": "user", "content": text, "timestamp": 1}))
}

/// A session in which a model calls a tool and gets this.
fn called(name: &str, arguments: Value, result: &str, details: Value) -> scraper::Html {
    let session = Session::in_memory("/work".as_ref(), tau_session::NewSession::default()).expect("a session");
    let call = json!([{"type": "toolCall", "id": "c", "name": name, "arguments": arguments}]);
    let answer = json!({"role": "assistant", "content": call, "api": "a", "provider": "p", "model": "m", "stopReason": "toolUse", "timestamp": 1});
    let result = json!({"role": "toolResult", "toolCallId": "c", "toolName": name, "details": details, "timestamp": 1,
        "content": [{"type": "text", "text": result}], "isError": false});
    for body in [user("Do it."), message(answer), message(result)] {
        session.append(body).expect("appended");
    }
    audit(&export_html(&session, &HtmlOptions::default()))
}

/// What is in sight without a click: text in no closed fold.
fn in_sight(document: &scraper::Html, text: &str) -> bool {
    let closed = select(document, "details:not([open])").filter(|fold| {
        let summary: String = select(document, "summary")
            .filter(|summary| summary.parent().is_some_and(|parent| parent.id() == fold.id()))
            .flat_map(|summary| summary.text().collect::<Vec<_>>())
            .collect();
        let all: String = fold.text().collect();
        all.contains(text) && !summary.contains(text)
    });
    closed.count() == 0 && document.root_element().text().collect::<String>().contains(text)
}

#[test]
fn a_change_shows_as_its_difference_and_not_as_arguments() {
    let arguments = json!({"path": "beds.txt", "edits": [{"oldText": "beans", "newText": "peas"}]});
    let document = called("edit", arguments, "Edited beds.txt.", json!({"diff": " 1 bed\n-2 beans\n+2 peas\n"}));
    assert_eq!(texts(&document, ".diff .added"), ["+2 peas\n"]);
    assert_eq!(texts(&document, ".diff .removed"), ["-2 beans\n"]);
    assert!(in_sight(&document, "+2 peas"));
    assert!(!in_sight(&document, "oldText"));
}

#[test]
fn a_long_output_folds_behind_its_beginning_and_is_text_of_the_page() {
    let output: String = (1..=200).map(|line| format!("line {line};\n")).collect();
    let document = called("bash", json!({"command": "seq 200"}), &output, Value::Null);
    assert_eq!(texts(&document, ".tool .more > summary"), ["185 more lines"]);
    assert!(in_sight(&document, "line 15;") && !in_sight(&document, "line 16;"));
    assert_eq!(texts(&document, ".tool samp").concat(), output);
    let short = called("bash", json!({"command": "ls"}), "one\ntwo\n", Value::Null);
    assert!(in_sight(&short, "two"));
    assert_eq!(texts(&short, ".arguments"), [""; 0], "the command stands in the summary");
}

#[test]
fn code_of_messages_commands_and_files_is_coloured() {
    let document = called("read", json!({"path": "src/a.rs"}), "fn main() {} // done\n", Value::Null);
    assert_eq!(texts(&document, ".tool .key"), ["fn"]);
    assert_eq!(texts(&document, ".tool .com"), ["// done"]);
    let document =
        called("write", json!({"path": "a.py", "content": "def f():\n    return 'x'\n"}), "Done.", Value::Null);
    assert_eq!(texts(&document, ".arguments .key"), ["def", "return"]);
    assert_eq!(texts(&document, ".arguments .str"), ["'x'"]);
    let document = called("bash", json!({"command": "if true; then echo \"$HOME\"; fi"}), "", Value::Null);
    assert_eq!(texts(&document, ".tool > summary .key"), ["if", "then", "fi"]);

    let session = Session::in_memory("/work".as_ref(), tau_session::NewSession::default()).expect("a session");
    session
        .append(user("Look:\n\n```json\n{\"a\": 1}\n```\n\n```diff\n-a\n+b\n```\n\n```nonsense\nfn\n```"))
        .expect("appended");
    let document = audit(&export_html(&session, &HtmlOptions::default()));
    assert_eq!(texts(&document, "pre[title=json] .var"), ["\"a\""]);
    assert_eq!(texts(&document, "pre[title=diff] .added"), ["+b\n"]);
    assert_eq!(texts(&document, "pre[title=nonsense] span"), [""; 0]);
}

#[test]
fn a_move_leaves_a_badge_and_no_entry() {
    let session = Session::in_memory("/work".as_ref(), tau_session::NewSession::default()).expect("a session");
    let first = session.append(user("First")).expect("appended");
    session.append(user("Left behind")).expect("appended");
    session.move_leaf(Some(first.id().as_str())).expect("moved");
    let page = export_html(&session, &HtmlOptions::default());
    assert!(session.entries().len() > 2, "the move is an entry of the file");
    assert!(!page.contains("tau.leaf") && !page.contains("custom"), "{page}");
    let document = audit(&page);
    assert_eq!(texts(&document, "article").len(), 2);
    assert_eq!(texts(&document, "#e0 .badge"), ["current position"]);
    assert_eq!(texts(&document, ".branch.other > summary"), ["Branch: Left behind 1 entry"]);
    assert_eq!(texts(&document, "nav details > summary"), ["This branch", "Left behind"]);
    session.append(user("Second")).expect("appended");
    let document = audit(&export_html(&session, &HtmlOptions::default()));
    assert_eq!(texts(&document, ".branch.other > summary"), ["Branch: Left behind 1 entry"], "and nothing after it");
}

#[test]
fn everything_folded_is_printed() {
    let session = Session::in_memory("/work".as_ref(), tau_session::NewSession::default()).expect("a session");
    session.append(user("Hi")).expect("appended");
    let page = export_html(&session, &HtmlOptions::default());
    assert!(page.contains("@media print{details::details-content{content-visibility:visible"));
    assert!(!page.contains("max-height:40rem}\n@media print"), "what scrolls on a screen is whole on paper");
}
