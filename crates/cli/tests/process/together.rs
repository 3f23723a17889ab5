//! Several programs at once, on one settings file and in one folder of sessions: nothing that was acknowledged is lost.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read};
use std::process::Child;

use serde_json::{Value, json};
use tau_session::{EntryKind, Session};

use crate::support::{Done, Place, Tau, ended, events, transcript};

const SAYS_YES: &str = "replies: [{repeat: forever, steps: [Yes.]}]";

/// tau with a script that is there already: writing it anew would take it away from those that read it.
fn tau<S: AsRef<OsStr>>(place: &Place, args: impl IntoIterator<Item = S>) -> Tau {
    let script = place.root().join("script.yaml");
    let args: Vec<OsString> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
    place.tau(["--script".into(), script.into_os_string()].into_iter().chain(args))
}

/// Starts a program that reads nothing.
fn start(mut tau: Tau) -> Child {
    let mut child = tau.spawn();
    drop(child.stdin.take());
    child
}

fn finish(child: Child) -> String {
    let output = child.wait_with_output().expect("its output");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(ended(output.status), Ok(0), "{stderr}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The ids of the entries that a run in JSON mode said were in the file, by their message.
fn acknowledged(stdout: &str) -> Vec<Value> {
    let ends = events(stdout).into_iter().filter(|event| event["type"] == "message_end");
    ends.map(|event| event["message"].clone()).collect()
}

/// The messages in a file, and that everything in it hangs together.
fn whole(session: &Session) -> Vec<Value> {
    assert_eq!(session.problems(), [], "every line is whole");
    let entries = session.entries();
    let ids: HashSet<&str> = entries.iter().map(|entry| entry.id().as_str()).collect();
    assert_eq!(ids.len(), entries.len(), "no id stands twice");
    for (at, entry) in entries.iter().enumerate() {
        let parent = entry.parent_id().map(|id| id.as_str());
        let before = |parent| entries.iter().take(at).any(|entry| entry.id().as_str() == parent);
        assert!(parent.is_none_or(before), "a parent stands before its children");
    }
    let of_messages = entries.iter().filter(|entry| entry.kind() == EntryKind::Message);
    of_messages.map(|entry| Value::Object(entry.to_value().expect("JSON"))["message"].clone()).collect()
}

#[test]
fn two_programs_that_write_settings_all_the_time_lose_nothing() {
    const WRITES: usize = 60;
    let place = Place::new();
    place.write(
        "agent/settings.json",
        r#"{"kept": {"by": ["another", "program"]}, "theme": "dark", "shared": {"x": 0}}"#,
    );
    place.write("script.yaml", SAYS_YES);
    let writer = |name: &str| {
        let sets = (0..WRITES).map(|at| format!("/settings shared.{name}{at} {at}"));
        start(tau(&place, ["-p".to_owned()].into_iter().chain(sets)))
    };
    let children = [writer("one"), writer("two")];
    // And between them those that write once and go.
    let short: Vec<Child> =
        (0..6).map(|at| start(place.tau(["config", "set", &format!("shared.short{at}"), "true"]))).collect();
    for child in children {
        let said = finish(child);
        assert_eq!(said.lines().filter(|line| line.starts_with("shared.")).count(), WRITES);
    }
    for child in short {
        finish(child);
    }
    let settings: Value = serde_json::from_str(&place.read("agent/settings.json")).expect("JSON");
    let mut shared = json!({"x": 0});
    for at in 0..WRITES {
        shared[format!("one{at}")] = json!(at);
        shared[format!("two{at}")] = json!(at);
    }
    for at in 0..6 {
        shared[format!("short{at}")] = json!(true);
    }
    assert_eq!(settings, json!({"kept": {"by": ["another", "program"]}, "theme": "dark", "shared": shared}));
    let left = std::fs::read_dir(place.root().join("agent")).expect("a folder");
    let left = left.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let left: Vec<String> = left.filter(|name| name.ends_with(".lock") || name.starts_with('.')).collect();
    assert_eq!(left, [] as [String; 0], "neither locks nor copies are left");
}

#[test]
fn many_sessions_that_begin_at_once_in_one_folder_are_all_there() {
    const PROGRAMS: usize = 6;
    let place = Place::new();
    place.write("script.yaml", SAYS_YES);
    let prompts = |at: usize| (0..8).map(move |turn| format!("prompt {turn} of {at}"));
    let run = |at: usize| {
        let name = format!("session {at}");
        let flags = ["--mode", "json", "--name", &name].map(str::to_owned);
        start(tau(&place, flags.into_iter().chain(prompts(at))))
    };
    let children: Vec<Child> = (0..PROGRAMS).map(run).collect();
    let said: Vec<Vec<Value>> = children.into_iter().map(|child| acknowledged(&finish(child))).collect();
    let mut kept: Vec<Vec<Value>> = Vec::new();
    let mut names = BTreeSet::new();
    for file in place.session_files() {
        let session = Session::open(&file).expect("a session");
        names.insert(session.session_name().expect("a name"));
        kept.push(whole(&session));
    }
    assert_eq!(names, (0..PROGRAMS).map(|at| format!("session {at}")).collect());
    for said in said {
        assert_eq!(said.len(), 16);
        assert!(kept.contains(&said), "a session without what it said was there");
    }
    // The index that all of them keep knows every one.
    let list = place.play(SAYS_YES, ["-p", "/resume"]).run();
    assert_eq!((list.code, list.stdout.matches("   16 messages  session ").count()), (Some(0), PROGRAMS), "{list:?}");
}

#[test]
fn two_programs_that_continue_one_session_make_two_branches() {
    // The first waits in the middle of its run until the second has come and gone.
    const WAITS: &str = r#"
replies:
  - - tool_call: {name: bash, arguments: {command: "until [ -e second-was-here ]; do sleep 0.01; done"}}
  - "First is back."
  - "First again."
"#;
    let place = Place::new();
    assert_eq!(place.play(SAYS_YES, ["-p", "Begin"]).run(), Done::ok("Yes.\n"));
    let first = place.write("first.yaml", WAITS).display().to_string();
    let mut first = start(place.tau(["--script", &first, "--mode", "json", "-c", "One", "One more"]));
    let mut stdout = BufReader::new(first.stdout.take().expect("a pipe"));
    let mut text = String::new();
    while !text.contains("tool_execution_start") {
        assert_ne!(stdout.read_line(&mut text).expect("a line"), 0, "it ended: {text}");
    }
    let second = place.play(SAYS_YES, ["--mode", "json", "-c", "Two", "Two more"]).run();
    assert_eq!((second.code, second.stderr.as_str()), (Some(0), ""));
    place.write("work/second-was-here", "");
    stdout.read_to_string(&mut text).expect("the rest");
    finish(first);

    let session = place.session();
    let kept = whole(&session);
    let lost: Vec<Value> = acknowledged(&text)
        .into_iter()
        .chain(acknowledged(&second.stdout))
        .filter(|message| !kept.contains(message))
        .collect();
    assert_eq!(lost, [] as [Value; 0]);
    // Whoever opens it now is where something was written last; the other branch is there as well.
    assert_eq!(
        transcript(&session),
        [
            "user: Begin",
            "assistant: Yes.",
            "user: One",
            "assistant: [bash]",
            "toolResult: (no output)",
            "assistant: First is back.",
            "user: One more",
            "assistant: First again.",
        ]
    );
    let is_leaf = |id: &str| session.children(id).is_empty();
    let leaves: Vec<_> = session.entries().iter().filter(|entry| is_leaf(entry.id())).cloned().collect();
    assert_eq!(leaves.len(), 2);
    let other = session.context_at(leaves[0].id());
    let texts: Vec<String> =
        other.messages.iter().map(|item| serde_json::to_string(&*item.message).expect("JSON")).collect();
    assert!(texts.iter().any(|text| text.contains("Two more")), "{texts:?}");
}

#[test]
fn two_programs_that_write_to_one_session_all_the_time_lose_nothing() {
    const PROMPTS: usize = 40;
    let place = Place::new();
    assert_eq!(place.play(SAYS_YES, ["-p", "Begin"]).run(), Done::ok("Yes.\n"));
    let run = |name: &str| {
        let prompts = (0..PROMPTS).map(|at| format!("{name} {at}"));
        start(tau(&place, ["--mode", "json", "-c"].map(str::to_owned).into_iter().chain(prompts)))
    };
    let children = [run("one"), run("two")];
    let said: Vec<Value> = children.into_iter().flat_map(|child| acknowledged(&finish(child))).collect();
    assert_eq!(said.len(), 4 * PROMPTS);
    let kept = whole(&place.session());
    assert_eq!(kept.len(), 2 + said.len());
    let lost: Vec<Value> = said.into_iter().filter(|message| !kept.contains(message)).collect();
    assert_eq!(lost, [] as [Value; 0]);
    assert!(place.play(SAYS_YES, ["-c", "-p", "And on"]).run() == Done::ok("Yes.\n"));
}
