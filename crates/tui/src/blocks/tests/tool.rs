use std::sync::Arc;
use std::time::Duration;

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{look, pictures, plain, styled};
use crate::blocks::{Blocked, Edited, EditedPart, FailedHandler, Places, Slow, Tool, ToolView};
use crate::screen::Content;

fn view(name: &str, args: Value) -> ToolView {
    ToolView {
        args: Arc::new(args),
        args_complete: true,
        expand_key: "ctrl+o".into(),
        places: Places { cwd: Some("/home/me/src/tau".into()), home: Some("/home/me".into()) },
        ..ToolView::new(name)
    }
}

fn text(text: &str) -> Option<Arc<Value>> {
    Some(Arc::new(json!({ "content": [{ "type": "text", "text": text }] })))
}

fn with_details(text: &str, details: Value) -> Option<Arc<Value>> {
    Some(Arc::new(json!({ "content": [{ "type": "text", "text": text }], "details": details })))
}

fn done(view: ToolView, result: Option<Arc<Value>>) -> ToolView {
    ToolView { started: true, result, duration: Some(Duration::from_millis(3_040)), ..view }
}

fn failed(view: ToolView, result: Option<Arc<Value>>) -> ToolView {
    ToolView { is_error: true, ..done(view, result) }
}

fn picture(view: ToolView) -> String {
    pictures(&Tool::new(look(), view))
}

fn narrow(view: ToolView) -> String {
    plain(&Tool::new(look(), view).lines(60))
}

fn expanded(view: ToolView) -> ToolView {
    ToolView { expanded: true, ..view }
}

fn numbers(count: usize) -> String {
    (1..=count).map(|line| format!("line {line}\n")).collect()
}

#[test]
fn a_command_from_its_first_word_to_its_end() {
    let bash = || view("bash", json!({ "command": "cargo test --workspace\ncargo doc", "timeout": 30 }));
    let arriving = ToolView { args: Arc::new(json!({})), args_complete: false, ..bash() };
    let running =
        ToolView { started: true, partial: text(&numbers(30)), elapsed: Duration::from_millis(3_000), ..bash() };
    let stages = [arriving, bash(), running.clone(), done(bash(), text(&numbers(3)))];
    assert_snapshot!("bash_stages", stages.map(narrow).concat());
    assert_snapshot!("bash_runs", picture(running));
    assert_snapshot!(
        "bash_in_colours",
        styled(&Tool::new(look(), done(bash(), text("\x1b[31mred\x1b[0m not"))).lines(60))
    );
}

#[test]
fn a_command_that_fails_says_how_it_ended() {
    let bash = || view("bash", json!({ "command": "make" }));
    let cut = json!({ "truncation": { "truncated": true, "truncatedBy": "lines", "outputLines": 2000,
        "totalLines": 5000, "maxBytes": 51200 }, "fullOutputPath": "/tmp/out.log" });
    let output = format!(
        "{}\n\n[Showing lines 3001-5000 of 5000. Full output: /tmp/out.log]\n\nCommand exited with code 2",
        numbers(8).trim_end()
    );
    let stages = [
        failed(bash(), with_details(&output, cut)),
        failed(bash(), text("Command aborted")),
        failed(bash(), text("(no output)\n\nCommand timed out after 5 seconds")),
        ToolView { duration: None, ..failed(bash(), text("Cannot start bash: no such file")) },
    ];
    assert_snapshot!(stages.map(narrow).concat());
}

#[test]
fn nothing_is_added_around_what_a_command_put_out() {
    let output = "a\n    indented \tand a tab\nlast";
    let bash = expanded(done(view("bash", json!({ "command": "x" })), text(output)));
    let lines = Tool::new(look(), bash).lines(80);
    let shown: Vec<String> = lines[2..5].iter().map(|line| line.plain()).collect();
    assert_eq!(shown, ["a", "    indented    and a tab", "last"]);
    assert!(lines.iter().all(|line| !line.plain().ends_with(' ')));
}

#[test]
fn what_a_command_put_out_is_cut_the_same_with_and_without_colours() {
    let long =
        |color: &str| format!("{color}{}\n{}", vec!["some words"; 30].join(" "), numbers(9).replace('\n', " and\n"));
    for width in [10, 20, 40, 100] {
        for (name, key) in [("bash", "command"), ("grep", "pattern"), ("frob", "x")] {
            let shown = |color: &str| {
                let call = done(view(name, json!({ key: "x" })), text(&long(color)));
                plain(&Tool::new(look(), call).lines(width))
            };
            assert_eq!(shown(""), shown("\x1b[1m"), "{name} at {width}");
        }
    }
}

#[test]
fn the_lines_of_a_long_output_are_counted() {
    for (name, count, which) in [("bash", 9_995, "earlier"), ("frob", 9_990, "more")] {
        let call = done(view(name, json!({ "command": "x" })), text(&numbers(10_000)));
        let shown = narrow(call);
        assert!(shown.contains(&format!("... ({count} {which} lines, ")), "{shown}");
        assert!(shown.contains(if name == "bash" { "\nline 10000\n" } else { "\nline 1\n" }), "{shown}");
    }
}

#[test]
fn a_file_that_is_read_shows_when_it_is_expanded() {
    let read = || view("read", json!({ "path": "/home/me/src/tau/src/main.rs", "offset": 10, "limit": 20 }));
    let cut = json!({ "truncation": { "truncated": true, "truncatedBy": "lines", "outputLines": 2000,
        "totalLines": 5000, "maxBytes": 51200 } });
    let result =
        with_details("fn main() {\n\tprintln!();\n}\n\n[Showing lines 10-29 of 5000. Use offset=30 to continue.]", cut);
    let stages = [
        done(read(), result.clone()),
        expanded(done(read(), result.clone())),
        failed(read(), text("File not found: /home/me/src/tau/src/main.rs")),
        done(view("read", json!({ "path": "/home/me/.pi/skills/release/SKILL.md" })), text("x")),
        done(view("read", json!({ "path": "/home/me/src/tau/AGENTS.md", "offset": 5 })), text("x")),
        done(
            view("read", json!({ "path": "~/a.png" })),
            Some(Arc::new(json!({ "content": [
            { "type": "text", "text": "Read image file [image/png]" },
            { "type": "image", "mimeType": "image/png", "data": "AAAA" },
        ] }))),
        ),
        view("read", json!({ "path": 5 })),
        view("read", json!({})),
    ];
    assert_snapshot!("read_stages", stages.map(narrow).concat());
    assert_snapshot!("read_in_colours", styled(&Tool::new(look(), expanded(done(read(), result))).lines(60)));
}

#[test]
fn a_file_that_is_written_shows_its_beginning() {
    let content = (1..=14).map(|line| format!("fn f{line}() {{}}\n")).collect::<String>();
    let write = || view("write", json!({ "path": "src/new.rs", "content": content }));
    let arriving = ToolView {
        args: Arc::new(json!({ "path": "src/new.rs", "content": "fn f1() {}\nfn f" })),
        args_complete: false,
        ..view("write", Value::Null)
    };
    assert_snapshot!("write", picture(done(write(), text("Successfully wrote to src/new.rs"))));
    assert_snapshot!("write_arriving", styled(&Tool::new(look(), arriving).lines(60)));
    assert_snapshot!("write_expanded", narrow(expanded(failed(write(), text("Permission denied")))));
}

#[test]
fn a_change_shows_as_a_diff_before_and_after_it_is_done() {
    let args = json!({ "path": "src/a.rs", "edits": [
        { "oldText": "fn one() {\n    1\n}\n", "newText": "fn one() {\n    11\n}\n" },
        { "oldText": "last line\n", "newText": "" },
    ] });
    let edit = || view("edit", args.clone());
    let arriving = ToolView { args_complete: false, ..edit() };
    let numbered = " 9 fn one() {\n-10     1\n+10     11\n 11 }\n    ...\n-40 last line";
    let preview = ToolView { preview: Some(numbered.into()), ..edit() };
    let result = with_details(
        "Successfully replaced 2 block(s) in src/a.rs.",
        json!({ "diff": numbered, "firstChangedLine": 10 }),
    );
    let stages =
        [arriving, edit(), preview, done(edit(), result.clone()), failed(edit(), text("Could not find edits[1]"))];
    assert_snapshot!("edit_stages", stages.map(narrow).concat());
    assert_snapshot!("edit_narrow", picture(done(edit(), result.clone())));
    assert_snapshot!("edit_in_colours", styled(&Tool::new(look(), done(edit(), result)).lines(60)));
}

#[test]
fn edits_are_understood_in_every_shape() {
    let shown = |args: Value| narrow(view("edit", args));
    let list = shown(json!({ "path": "a", "edits": [{ "oldText": "x", "newText": "y" }] }));
    assert!(list.contains("-") && list.contains("y"), "{list}");
    assert_eq!(shown(json!({ "path": "a", "edits": { "oldText": "x", "newText": "y" } })), list);
    assert_eq!(shown(json!({ "path": "a", "oldText": "x", "newText": "y" })), list);
    assert_eq!(shown(json!({ "path": "a", "edits": "[{\"oldText\": \"x\", \"newText\": \"y\"}]" })), list);
}

#[test]
fn lists_show_their_beginning() {
    let grep = view("grep", json!({ "pattern": "fn main", "path": "src", "glob": "*.rs", "limit": 100 }));
    let found = (1..=18).map(|line| format!("src/a.rs:{line}: fn main() {{}}\n")).collect::<String>();
    let notice =
        format!("{}\n\n[100 matches limit reached. Use limit=200 for more, or refine pattern]", found.trim_end());
    assert_snapshot!("grep", picture(done(grep, with_details(&notice, json!({ "matchLimitReached": 100 })))));
    let find = view("find", json!({ "pattern": "*.rs" }));
    assert_snapshot!("find", narrow(done(find, text(&numbers(23)))));
    let ls = view("ls", json!({ "path": "/home/me/x" }));
    assert_snapshot!(
        "ls",
        [narrow(done(ls.clone(), text("a/\nb"))), narrow(failed(ls, text("Path not found: /x")))].concat()
    );
}

#[test]
fn other_tools_show_their_arguments_and_output() {
    let args = json!({ "query": "how \"big\"\nis it", "limit": 5, "deep": { "a": [1, 2] } });
    let other = || view("mcp__docs__search", args.clone());
    assert_snapshot!("other", picture(done(other(), text(&numbers(12)))));
    assert_snapshot!("other_expanded", narrow(expanded(done(other(), text(&numbers(12))))));
    let own = done(view("frob", json!({})), text(&numbers(12)));
    assert!(narrow(own).ends_with("line 10\n... (2 more lines, ctrl+o to expand)\n"));
    let labelled = ToolView { label: Some("docs/search".into()), ..view("search", Value::Null) };
    assert_eq!(narrow(labelled), "\n· docs/search\n");
}

#[test]
fn what_hooks_did_is_named() {
    let bash = || view("bash", json!({ "command": "rm -rf /" }));
    let blocked = ToolView {
        blocked: Some(Blocked { by: "guard".into(), reason: "This deletes everything.\nAsk first.".into() }),
        is_error: true,
        result: text("This deletes everything.\nAsk first."),
        ..bash()
    };
    let unsaid = ToolView { blocked: Some(Blocked { by: "guard".into(), reason: String::new() }), ..blocked.clone() };
    assert_eq!(picture(unsaid), picture(blocked.clone()), "the result has the reason too");
    assert_snapshot!("blocked", picture(blocked));
    let edited = |by: &str, part| Edited { by: by.into(), part };
    let edited = ToolView {
        edited: vec![
            edited("rewriter", EditedPart::Arguments),
            edited("redactor", EditedPart::Result),
            edited("shortener", EditedPart::Result),
        ],
        slow: Some(Slow { handler: "guard".into(), waited: Duration::from_millis(6_200), waiting: false }),
        failed: vec![FailedHandler { handler: "audit (tool_result)".into(), reason: "no disk\n".into() }],
        ..done(bash(), text("nothing"))
    };
    assert_snapshot!("edited", picture(edited));
    let slow = Slow { handler: "guard".into(), waited: Duration::from_secs(6), waiting: true };
    assert_snapshot!("slow", styled(&Tool::new(look(), ToolView { slow: Some(slow), ..bash() }).lines(60)));
}

#[test]
fn what_is_hidden_in_a_command_shows() {
    let bash = view("bash", json!({ "command": "echo \u{202e}safe\x1b[2J\rrm" }));
    assert_eq!(narrow(bash), "\n· $ echo <U+202E>safe␛[2J␍rm\n");
}

#[test]
fn paths_are_short() {
    let places = Places { cwd: Some("/home/me/src/".into()), home: Some("/home/me".into()) };
    let paths = ["/home/me/src/a/b.rs", "/home/me/src", "/home/me/srcs/x", "/home/me", "/home/men", "rel/x", ""];
    assert_eq!(paths.map(|path| places.short(path)), ["a/b.rs", ".", "~/srcs/x", "~", "/home/men", "rel/x", ""]);
    let root = Places { cwd: Some("/".into()), home: None };
    assert_eq!(root.short("/a"), "/a");
}

#[test]
fn a_script_shows_its_source_its_calls_and_its_output() {
    let source: String = (1..=12).map(|n| format!("text({n});\n")).collect();
    let script = || view("codemode", json!({ "code": source }));
    let call = |n: usize, status: &str| json!({ "name": "read", "args": format!("{{\"n\":{n}}}"), "status": status });
    let mut calls: Vec<Value> = (1..=9).map(|n| call(n, "ok")).collect();
    calls.push(json!({ "name": "bash", "args": "{}", "status": "error", "error": "no\nsuch", "durationMs": 24 }));
    calls.push(
        json!({ "name": "models.classify", "args": "court/judge", "status": "ok", "durationMs": 5, "cost": 0.0125 }),
    );
    let running = ToolView {
        started: true,
        partial: with_details("", json!({ "calls": [call(1, "ok"), call(2, "running")] })),
        elapsed: Duration::from_millis(3_000),
        ..script()
    };
    let shown = plain(&Tool::new(look(), running).lines(60));
    assert!(shown.contains("✓ read {\"n\":1}\n… read {\"n\":2}\nElapsed 3.0s"), "{shown}");
    let blocks = json!([
        { "type": "text", "text": "Script completed\nWall time 0.1 seconds\nOutput:\n" },
        { "type": "text", "text": numbers(7) },
    ]);
    let result = json!({ "content": blocks, "details": { "calls": calls, "callCount": 300 } });
    let ended = done(script(), Some(Arc::new(result)));
    let shown = plain(&Tool::new(look(), ended.clone()).lines(60));
    let expected = "text(10);\n... (2 more lines, ctrl+o to expand)\n... (3 earlier calls)\n✓ read {\"n\":4}\n";
    assert!(shown.contains(expected), "{shown}");
    let expected =
        "✗ bash no␊such 24ms\n✓ models.classify court/judge 5ms $0.0125\n... (289 more calls)\nModel calls: $0.0125\n";
    assert!(shown.contains(expected), "{shown}");
    assert!(!shown.contains("Wall time") && shown.contains("line 5\n") && !shown.contains("line 6"), "{shown}");
    let whole = plain(&Tool::new(look(), expanded(ended)).lines(60));
    assert!(whole.contains("text(12);") && whole.contains("line 7") && whole.contains("{\"n\":1}"), "{whole}");
}
