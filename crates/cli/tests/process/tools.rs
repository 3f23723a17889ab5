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

/// What a run says when its tools are listed: the tools, and the warnings.
fn listed(place: &Place, args: &[&str]) -> (String, String) {
    let done = place.play(SCRIPT, args.iter().chain(&["-p", "x"])).run();
    assert_eq!(done.code, Some(0), "{args:?}: {}", done.stderr);
    (done.stdout.trim_end().to_owned(), done.stderr)
}

fn clean(place: &Place, args: &[&str]) -> String {
    let (tools, stderr) = listed(place, args);
    assert_eq!(stderr, "", "{args:?}");
    tools
}

#[test]
fn a_list_of_changes_edits_the_default_tools() {
    let place = Place::new();
    assert_eq!(clean(&place, &["--tools", "+grep,-write"]), "read,bash,edit,grep");
    assert_eq!(clean(&place, &["--tools=-bash"]), "read,edit,write");
    assert_eq!(clean(&place, &["--no-builtin-tools", "--tools", "+ls"]), "ls");
    assert_eq!(clean(&place, &["--no-tools", "--tools", "+ls"]), "ls");
    place.write("agent/settings.json", r#"{"defaultTools": ["+grep", "-write"]}"#);
    assert_eq!(clean(&place, &[]), "read,bash,edit,grep");
    assert_eq!(clean(&place, &["--tools", "+write,-bash"]), "read,edit,grep,write");
    for (list, why) in [
        ("+grep,write", "mixes plain names"),
        ("+gr*", "the exact name of a tool"),
        ("", "there is --no-tools"),
        (" ,", "there is --no-tools"),
        ("-", "names no tool"),
    ] {
        let done = place.play(SCRIPT, ["--tools", list, "-p", "x"]).run();
        assert_eq!(done.code, Some(1), "{list}");
        assert!(done.stderr.contains("--tools") && done.stderr.contains(why), "{}", done.stderr);
    }
}

#[test]
fn patterns_choose_tools() {
    let place = Place::new();
    assert_eq!(clean(&place, &["--tools", "r*,ls"]), "ls,read");
    assert_eq!(clean(&place, &["--tools", "*"]), "read,bash,edit,write,grep,find,ls,codemode,tool_search");
    assert_eq!(clean(&place, &["--exclude-tools", "*e*"]), "bash");
    assert_eq!(clean(&place, &["--exclude-tools", "*"]), "none");
}

#[test]
fn what_fits_no_tool_is_named() {
    let place = Place::new();
    let (tools, stderr) = listed(&place, &["--tools", "read,grpe", "--exclude-tools", "x*"]);
    let lines = [
        "Warning: --tools: \"grpe\" matches no tool; did you mean grep?",
        "Warning: --exclude-tools: \"x*\" matches no tool",
    ];
    assert_eq!((tools.as_str(), stderr), ("read", lines.map(|line| format!("{line}\n")).concat()));
    let (tools, stderr) = listed(&place, &["--tools", "+grpe"]);
    assert_eq!(tools, "read,bash,edit,write");
    assert_eq!(stderr, "Warning: --tools: \"+grpe\" matches no tool; did you mean grep?\n");
    place.write("agent/settings.json", r#"{"defaultTools": ["+codemod"]}"#);
    let (tools, stderr) = listed(&place, &[]);
    assert_eq!(tools, "read,bash,edit,write");
    let file = place.root().join("agent/settings.json").display().to_string();
    assert_eq!(
        stderr,
        format!("Warning: {file}: defaultTools: \"+codemod\" matches no tool; did you mean codemode?\n")
    );
}

#[test]
fn a_project_edits_the_tools_of_the_user() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"defaultTools": ["read", "bash"]}"#);
    place.write("work/.pi/settings.json", r#"{"defaultTools": ["+grep", "-bash"]}"#);
    assert_eq!(clean(&place, &["--approve"]), "read,grep");
    place.write("agent/settings.json", r#"{"defaultTools": []}"#);
    assert_eq!(clean(&place, &["--approve"]), "grep");
    place.write("agent/settings.json", "{}");
    assert_eq!(clean(&place, &["--approve"]), "read,edit,write,grep");
    place.write("work/.pi/settings.json", r#"{"defaultTools": ["ls"]}"#);
    assert_eq!(clean(&place, &["--approve"]), "ls");
}

/// A list that cannot mean anything is reported, and what holds without it is used.
#[test]
fn a_list_of_the_settings_that_says_nothing_is_not_used() {
    let place = Place::new();
    for (list, why) in [
        (r#"["-*"]"#, ": \"-*\" is a pattern: + and - take the exact name of a tool"),
        (r#"["*"]"#, ": \"*\" is a pattern: this setting takes exact names of tools"),
        (
            r#"["read", "-bash"]"#,
            ": the list mixes plain names with +name or -name: plain names replace the default tools, + and - change them",
        ),
        (r#"[["read"]]"#, " must be a list of exact names of tools, or only of +name and -name"),
        (r#"[5, null, "read"]"#, " must be a list of exact names of tools, or only of +name and -name"),
        ("5", " must be a list of exact names of tools, or only of +name and -name"),
    ] {
        place.write("work/.pi/settings.json", "{}");
        let user = place.write("agent/settings.json", format!(r#"{{"defaultTools": {list}}}"#));
        let (tools, stderr) = listed(&place, &["--approve"]);
        assert_eq!(tools, "read,bash,edit,write", "{list}");
        assert_eq!(stderr, format!("Warning: {}: defaultTools{why}; the default is used\n", user.display()));
        // The project's list does not take the place of the user's either.
        place.write("agent/settings.json", r#"{"defaultTools": ["read"]}"#);
        let project = place.write("work/.pi/settings.json", format!(r#"{{"defaultTools": {list}}}"#));
        let (tools, stderr) = listed(&place, &["--approve"]);
        assert_eq!(tools, "read", "{list}");
        assert_eq!(stderr, format!("Warning: {}: defaultTools{why}; the user's value is used\n", project.display()));
    }
    // Changes of the project to a list of the user that is not used are made to the default.
    place.write("agent/settings.json", r#"{"defaultTools": ["*"]}"#);
    place.write("work/.pi/settings.json", r#"{"defaultTools": ["-bash"]}"#);
    assert_eq!(listed(&place, &["--approve"]).0, "read,edit,write");
}

#[test]
fn a_session_has_its_tools_when_it_is_opened_again() {
    let place = Place::new();
    assert_eq!(clean(&place, &["--tools", "read,grep"]), "read,grep");
    assert_eq!(clean(&place, &["-c"]), "read,grep");
    // Changes of the command line are made to what the session has, a list takes its place.
    assert_eq!(clean(&place, &["-c", "--tools", "+ls"]), "read,grep,ls");
    assert_eq!(clean(&place, &["-c", "--exclude-tools", "grep"]), "read,ls");
    assert_eq!(clean(&place, &["-c"]), "read,ls");
    assert_eq!(clean(&place, &["-c", "--no-tools"]), "none");
    assert_eq!(clean(&place, &["-c"]), "none");
    assert_eq!(clean(&place, &["-c", "--tools", "bash"]), "bash");
    assert_eq!(clean(&place, &["-c"]), "bash");
    assert_eq!(place.session_files().len(), 1);
    assert_eq!(clean(&place, &[]), "read,bash,edit,write", "a new session begins with the default ones");
}

/// Lines as pi writes them: the first system message with everything, later ones with what changed.
#[test]
fn the_tools_that_pi_recorded_come_back() {
    let place = Place::new();
    let tool = |name: &str| serde_json::json!({"name": name, "description": "d", "parameters": {"type": "object"}});
    let system = |id: &str, parent: &str, fields: serde_json::Value| {
        let mut message = serde_json::json!({"role": "system", "content": "", "timestamp": 1});
        message.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        serde_json::json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-11-23T16:10:36.625Z",
            "message": message})
    };
    let added =
        serde_json::json!({"sections": {"preamble": "P"}, "toolsAdded": [tool("bash"), tool("grep"), tool("unknown")]});
    let changed = serde_json::json!({"toolsRemoved": [{"name": "bash"}], "toolsAdded": [tool("read")]});
    let lines = [
        serde_json::json!({"type": "session", "version": 3, "id": "01a2092c-6e79-704e-a2ae-82d119fc1461",
            "timestamp": "2026-11-23T16:10:36.538Z", "cwd": place.work()}),
        serde_json::json!({"type": "thinking_level_change", "id": "a383c1a9", "parentId": null,
            "timestamp": "2026-11-23T16:10:36.618Z", "thinkingLevel": "off"}),
        system("00000001", "a383c1a9", added),
        serde_json::json!({"type": "message", "id": "00000002", "parentId": "00000001",
            "timestamp": "2026-11-23T16:10:36.626Z", "message": {"role": "user", "content": "Hi", "timestamp": 2}}),
        system("00000003", "00000002", changed),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let file = place.write("work/session.jsonl", &text).display().to_string();
    assert_eq!(clean(&place, &["--session", &file]), "grep,read");
    let now = place.read("work/session.jsonl");
    assert!(now.starts_with(&text));
    assert_eq!(now[text.len()..].matches("\"system\"").count(), 0, "the session says it already");
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

/// What a tool says about others is in the tool list of the system prompt too, unless they have a line of their own there.
#[test]
fn the_tool_list_has_the_descriptions_that_a_tool_prepared() {
    let place = Place::new();
    let source = "export default (pi) => {
  const tool = (name, more) => pi.registerTool({
    name, description: `About ${name}.`, parameters: { type: 'object', properties: {} }, async execute() {}, ...more,
  });
  tool('one');
  tool('two', { promptSnippet: 'A line.' });
  tool('gone');
  tool('chief', { prepareLoadout: () => ({
    descriptions: { one: 'Shown otherwise.', two: 'Shown otherwise.' }, hiddenDeclarations: ['gone'],
  }) });
  pi.on('agent_start', (_, ctx) => {
    for (const line of ctx.getSystemPrompt().split('\\n')) if (/^- (one|two|gone|chief):/.test(line)) console.error(line);
  });
};";
    place.write("work/chief.ts", source);
    let done = place.play("replies: [[{text: fine}]]", ["-e", "chief.ts", "-p", "x"]).run();
    let told = "- one: Shown otherwise.\n- two: A line.\n- chief: About chief.\n";
    assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("fine\n", told));
}
