//! Which tools the model may call.

use crate::support::{Done, Place};

/// Says which tools there are.
const SCRIPT: &str = r#"replies: [{repeat: forever, steps: [{text: "{{tools|join:,|or:none}}"}]}]"#;

#[test]
fn flags_choose_the_tools() {
    let place = Place::new();
    let tools = |args: &[&str]| {
        let done = place.play(SCRIPT, args.iter().chain(&["-p", "x"])).run();
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{args:?}");
        done.stdout.trim_end().to_owned()
    };
    assert_eq!(tools(&[]), "read,bash,edit,write");
    assert_eq!(tools(&["--tools", "read, grep,find,ls"]), "read,grep,find,ls");
    assert_eq!(tools(&["--exclude-tools", "bash,write"]), "read,edit");
    assert_eq!(tools(&["--tools", "read,ls", "--exclude-tools", "ls"]), "read");
    assert_eq!(tools(&["--no-tools"]), "none");
    assert_eq!(tools(&["--no-builtin-tools"]), "none");
}

#[test]
fn the_settings_say_with_which_tools_a_session_starts() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"defaultTools": ["grep", "read"]}"#);
    let tools = |args: &[&str]| place.play(SCRIPT, args.iter().chain(&["-p", "x"])).run().stdout;
    assert_eq!(tools(&[]), "grep,read\n");
    assert_eq!(tools(&["--exclude-tools", "read"]), "grep\n");
    assert_eq!(tools(&["--tools", "ls"]), "ls\n");
    assert_eq!(tools(&["--no-builtin-tools"]), "none\n");
    place.write("agent/settings.json", r#"{"defaultTools": []}"#);
    assert_eq!(tools(&[]), "none\n");
}

#[test]
fn a_tool_that_is_not_there_cannot_be_called() {
    let place = Place::new();
    let script = r#"
replies:
  - - tool_call: {name: bash, arguments: {command: "touch made"}}
  - - expect: {tool_result: {name: bash, is_error: true, text: "Tool bash not found"}}
    - No bash.
"#;
    assert_eq!(place.play(script, ["--exclude-tools", "bash", "-p", "x"]).run(), Done::ok("No bash.\n"));
    assert!(!place.work().join("made").exists());
}

#[test]
fn commands_know_their_session() {
    let place = Place::new();
    let script = r#"
model: {id: helper}
replies:
  - - tool_call: {name: bash, arguments: {command: "echo $PI_PROVIDER/$PI_MODEL $PI_REASONING_LEVEL $AI_AGENT $PI_SESSION_FILE"}}
  - ["{{tool.bash.text|trim}}"]
"#;
    let done = place.play(script, ["-p", "x"]).run();
    assert_eq!(done, Done::ok(&format!("scripted/helper off pi {}\n", place.session_files()[0].display())));
}
