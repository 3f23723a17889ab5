//! Extensions that are scripts. The engine is a stand-in, so these tests are about everything around it.

use std::process::ExitCode;

use tau_agent_testkit::scripts::FakeScripts;
use tau_hooks::{Extension, HandlerError, Registrar};

use crate::support::{Done, Place, TRUST_ADVICE, kinds};

const FINE: &str = "replies: [[{text: fine}]]";

/// A gate that is part of the program.
struct Native {
    fails: bool,
}

impl Extension for Native {
    fn name(&self) -> &str {
        "guard"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        registrar.on_json("tool_call", |_, _| std::future::ready(Ok(None)));
        if self.fails { Err(HandlerError::msg("no key")) } else { Ok(()) }
    }
}

/// tau with the stand-in: not a test, but the program that the tests below run.
#[test]
#[ignore = "only of use to the other tests"]
fn program() {
    let Ok(args) = std::env::var("TAU_TEST_ARGS") else { return };
    let args: Vec<std::ffi::OsString> =
        serde_json::from_str::<Vec<String>>(&args).expect("JSON").into_iter().map(Into::into).collect();
    let native: Vec<Box<dyn Extension>> = match std::env::var("TAU_TEST_NATIVE").as_deref() {
        Ok(does @ ("gate" | "fail")) => vec![Box::new(Native { fails: does == "fail" })],
        Ok("notes") => vec![Box::new(crate::process::natives::Notes)],
        _ => Vec::new(),
    };
    let setup =
        tau::Setup { extensions: native, scripts: Some(FakeScripts::new(true).maker()), ..tau::Setup::default() };
    let code = tau::run_with(args, setup);
    std::process::exit(if code == ExitCode::SUCCESS { 0 } else { 1 });
}

/// Standard output, and what the engine and tau said.
fn said(place: &Place, done: Done) -> (String, Vec<String>) {
    assert_eq!(done.code, Some(0), "{done:?}");
    let stderr = place.normal(&done.stderr);
    (done.stdout, stderr.lines().map(|line| line.replace("fake: ", "")).collect())
}

#[test]
fn without_extensions_nothing_is_started() {
    let place = Place::new();
    assert_eq!(place.play_with_scripts(FINE, &["-p", "x"]).run(), Done::ok("fine\n"));
    place.write("agent/extensions/a.ts", "hear agent_start");
    assert_eq!(place.play_with_scripts(FINE, &["-ne", "-p", "x"]).run(), Done::ok("fine\n"));
}

#[test]
fn extensions_are_found_and_named_ones_are_loaded() {
    let place = Place::new();
    place.write("agent/extensions/auto.ts", "hear session_start");
    place.write("work/one.ts", "hear session_shutdown");
    place.write("work/two/index.ts", "");
    let (stdout, said) = said(&place, place.play_with_scripts(FINE, &["-e", "one.ts", "-e=two", "-p", "x"]).run());
    assert_eq!(stdout, "fine\n");
    assert_eq!(
        said,
        [
            "made",
            "runtime 1",
            "loaded auto",
            "loaded one",
            "loaded two",
            "auto: session_start startup",
            "one: session_shutdown quit",
            "shut down",
        ]
    );
}

#[test]
fn a_broken_extension_is_named_with_its_line_and_the_run_goes_on() {
    let place = Place::new();
    place.write("work/bad.ts", "hear agent_start\nthrow no such thing");
    place.write("work/worse.ts", "syntax ends too early");
    let done = place.play_with_scripts(FINE, &["-e", "bad.ts", "-e", "worse.ts", "-e", "gone.ts", "-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"));
    insta::assert_snapshot!(place.normal(&done.stderr));
}

#[test]
fn verbose_tells_time_and_memory_of_each() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"tau": {"isolate": ["b"]}}"#);
    place.write("agent/extensions/a.ts", "");
    place.write("work/b.ts", "");
    let done = place.play_with_scripts(FINE, &["--verbose", "-e", "b.ts", "-p", "x"]).run();
    let loaded = |line: &&str| line.starts_with("Loaded extension");
    let stderr = place.normal(&done.stderr);
    assert_eq!(
        stderr.lines().filter(loaded).collect::<Vec<_>>(),
        [
            "Loaded extension /ROOT/agent/extensions/a.ts (user folder): 1.5 ms, 3 KB",
            "Loaded extension /ROOT/work/b.ts (command line, isolated): 1.5 ms, 3 KB",
        ]
    );
}

#[test]
fn flags_of_extensions_are_flags() {
    let place = Place::new();
    place.write("agent/extensions/a.ts", "flag plan boolean\nflag note string");
    let flags = |args: &[&str]| {
        let mut all = vec!["-p"];
        all.extend(args);
        let (stdout, said) = said(&place, place.play_with_scripts(FINE, &all).run());
        assert_eq!(stdout, "fine\n");
        said.into_iter().filter_map(|line| Some(line.strip_prefix("a: ")?.to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(flags(&["x"]), ["no --plan", "no --note"]);
    // A boolean flag never takes the prompt for its value.
    assert_eq!(flags(&["--plan", "x"]), ["--plan is true", "no --note"]);
    assert_eq!(flags(&["--plan=false", "--note", "a b", "x"]), ["--plan is false", "--note is \"a b\""]);
    let unknown = place.play_with_scripts(FINE, &["--plam", "-p", "x"]).run();
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.stderr.contains("Error: Unknown option: --plam. Did you mean --plan?\n"), "{}", unknown.stderr);
    let help = place.play_with_scripts(FINE, &["--help"]).run();
    let (_, own) = help.stdout.split_once("\nFrom extensions:\n").expect("a part on extensions");
    let (own, _) = own.split_once("\n\n").expect("something after it");
    insta::assert_snapshot!(own, @r"
      --plan                        A flag of a.
      --note VALUE                  A flag of a.
    ");
    assert!(help.stderr.ends_with("fake: shut down\n"), "{}", help.stderr);
}

#[test]
fn an_engine_that_never_ends_does_not_keep_the_program() {
    let place = Place::new();
    place.write("agent/extensions/a.ts", "stay\nhear session_shutdown");
    let done = place.play_with_scripts(FINE, &["-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"));
    assert!(done.stderr.ends_with("fake: a: session_shutdown quit\nfake: shut down\n"), "{}", done.stderr);
    let done = place.play_with_scripts(FINE, &["--mode", "json", "x"]).run();
    assert_eq!((done.code, kinds(&done.events()).last().copied()), (Some(0), Some("agent_settled")));
    assert!(done.stderr.ends_with("fake: a: session_shutdown quit\nfake: shut down\n"), "{}", done.stderr);
}

#[test]
fn code_of_a_project_needs_trust() {
    let place = Place::new();
    place.write("work/.pi/extensions/theirs.ts", "block bash never");
    place.write("work/.pi/settings.json", r#"{"extensions": ["../listed.ts"]}"#);
    place.write("work/listed.ts", "");
    let ran = |args: &[&str]| {
        let mut all = args.to_vec();
        all.extend(["-p", "x"]);
        said(&place, place.play_with_scripts(FINE, &all).run()).1
    };
    let skipped = |why: &str| {
        format!("Warning: Project files not loaded ({why}): .pi/settings.json, .pi/extensions.{TRUST_ADVICE}")
    };
    assert_eq!(ran(&[]), [skipped("the folder is not trusted yet")]);
    let forbidden = skipped("by a command line flag");
    assert_eq!(ran(&["-na"]), [forbidden.trim_end_matches(TRUST_ADVICE)]);
    assert_eq!(ran(&["-a"]), ["made", "runtime 1", "loaded listed", "loaded theirs", "shut down"]);

    // An extension of the user decides, and its answer is kept.
    place.write("agent/extensions/mine.ts", "trust yes remember");
    let asked =
        ["made", "runtime 1", "loaded mine", "mine: asked for trust", "loaded listed", "loaded theirs", "shut down"];
    assert_eq!(ran(&[]), asked);
    place.write("agent/extensions/mine.ts", "");
    let given_up = "Warning: /ROOT/agent/extensions/mine.ts: it guarded project_trust before and does not any more";
    assert_eq!(ran(&[]), ["made", "runtime 1", "loaded mine", "loaded listed", "loaded theirs", given_up, "shut down"]);
    assert_eq!(ran(&[]), ["made", "runtime 1", "loaded mine", "loaded listed", "loaded theirs", "shut down"]);

    // One that fails means no, whatever was remembered.
    place.write("agent/extensions/mine.ts", "trust throw");
    let failed = ran(&[]);
    assert!(!failed.contains(&"loaded theirs".to_owned()), "{failed:?}");
    assert!(failed.contains(&skipped("/ROOT/agent/extensions/mine.ts could not decide: no idea")), "{failed:?}");
}

#[test]
fn a_package_brings_more_than_code() {
    let place = Place::new();
    place.write("work/pack/package.json", r#"{"pi": {"extensions": ["./extensions"], "prompts": ["./prompts"]}}"#);
    place.write("work/pack/extensions/a/index.ts", "hear session_start");
    place.write("work/pack/extensions/lib/helper.ts", "throw never loaded");
    place.write("work/pack/prompts/ask.md", "What about $1?");
    let script = "replies: [[{expect: {last_user: What about it?}}, {text: fine}]]";
    let expected = ["made", "runtime 1", "loaded a", "a: session_start startup", "shut down"];
    let done = place.play_with_scripts(script, &["-e", "pack", "-p", "/ask it"]).run();
    assert_eq!(said(&place, done), ("fine\n".to_owned(), expected.map(str::to_owned).to_vec()));
    place.write("agent/settings.json", r#"{"packages": ["../work/pack"]}"#);
    let done = place.play_with_scripts(script, &["-p", "/ask it"]).run();
    assert_eq!(said(&place, done), ("fine\n".to_owned(), expected.map(str::to_owned).to_vec()));
}

#[test]
fn a_guard_that_must_be_there_blocks_while_it_is_broken() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"tau": {"required": ["guard"]}}"#);
    place.write("agent/extensions/guard.ts", "throw out of order");
    let script = "replies: [[{tool_call: {name: bash, arguments: {command: echo ran > ran}}}], [{text: done}]]";
    let done = place.play_with_scripts(script, &["-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "done\n"));
    assert!(!place.work().join("ran").exists());
    place.write("agent/extensions/guard.ts", "");
    let done = place.play_with_scripts(script, &["-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "done\n"));
    assert!(place.work().join("ran").exists());
}

#[test]
fn extensions_can_be_loaded_again() {
    let place = Place::new();
    place.write("agent/extensions/a.ts", "hear session_start\nhear session_shutdown");
    let (stdout, said) = said(&place, place.play_with_scripts(FINE, &["-p", "/reload"]).run());
    assert_eq!(stdout, "Reloaded. Extensions: 1, skills: 0, prompt templates: 0\n");
    assert_eq!(
        said,
        [
            "made",
            "runtime 1",
            "loaded a",
            "a: session_start startup",
            "checked",
            "a: session_shutdown reload",
            "shut down",
            "runtime 2",
            "loaded a",
            "a: session_start reload",
            "a: session_shutdown quit",
            "shut down",
        ]
    );
}

/// The real engine: an extension whose command ends the program, and what is left of it.
/// What comes after it is done all the same.
#[test]
fn a_command_that_fails_makes_the_exit_code_one() {
    let place = Place::new();
    let source =
        "export default (pi) => pi.registerCommand('boom', { handler: async () => { throw new Error('boom'); } });";
    let file = place.write("work/boom.ts", source).display().to_string();
    for mode in ["text", "json"] {
        let done = place.play(FINE, ["-e", &file, "--mode", mode, "-p", "/boom", "go"]).run();
        assert_eq!(done.code, Some(1), "{}", done.stderr);
        assert!(done.stdout.contains("fine") && done.stderr.contains("boom"), "{}{}", done.stdout, done.stderr);
    }
}

/// A gate under a name that is nearly right would never be asked.
#[test]
fn a_gate_with_a_misspelt_name_is_refused() {
    let place = Place::new();
    let call = r#"replies: [[{tool_call: {name: bash, arguments: {command: "touch ran"}}}], [{text: done}]]"#;
    for (name, meant) in [("tool_cal", "tool_call"), ("toolCall", "tool_call"), ("user_bsah", "user_bash")] {
        let source = format!("export default (pi) => pi.on('{name}', () => ({{ block: true, reason: 'no' }}));");
        let file = place.write("work/gate.ts", &source).display().to_string();
        let done = place.play(call, ["-e", &file, "-p", "x"]).run();
        let told = format!("there is no event `{name}`, so its handler guards nothing; did you mean `{meant}`?");
        assert!(done.stderr.contains(&told), "{}", done.stderr);
        assert!(!place.work().join("ran").exists(), "{name}");
    }
}

#[test]
fn a_command_that_exits_ends_the_program_with_its_code_after_session_shutdown() {
    let source = "import { appendFileSync } from 'node:fs';
export default (pi) => {
  pi.on('session_shutdown', ({ reason }) => appendFileSync('log', `shutdown ${reason}\\n`));
  pi.registerCommand('leave', { handler: async () => {
    appendFileSync('log', 'leaving\\n');
    process.exit(3);
    appendFileSync('log', 'not reached\\n');
  } });
};
";
    for mode in [&["-p"][..], &["--mode", "json"]] {
        let place = Place::new();
        place.write("work/leave.ts", source);
        let args = [&["-e", "leave.ts"], mode, &["/leave", "and not this"]].concat();
        let done = place.play(FINE, args).run();
        assert_eq!(done.code, Some(3), "{done:?}");
        assert!(!done.stdout.contains("fine"), "{done:?}");
        assert_eq!(place.read("work/log"), "leaving\nshutdown quit\n", "{mode:?}");
    }
}

#[test]
fn an_extension_that_runs_apart_is_told_as_isolated() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"tau": {"isolate": ["apart"]}}"#);
    place.write("work/apart.ts", "export default () => {};");
    place.write("work/beside.ts", "export default () => {};");
    let done = place.play(FINE, ["--verbose", "-e", "apart.ts", "-e", "beside.ts", "-p", "x"]).run();
    let stderr = place.normal(&done.stderr);
    let loaded = stderr.lines().filter_map(|line| line.strip_prefix("Loaded extension ")?.split_once(": "));
    assert_eq!(
        loaded.map(|(what, _)| what).collect::<Vec<_>>(),
        ["/ROOT/work/apart.ts (command line, isolated)", "/ROOT/work/beside.ts (command line)"]
    );
}

#[test]
fn a_tool_that_returns_nothing_is_an_error_that_names_it() {
    let place = Place::new();
    let tool = |name: &str, value: &str| {
        format!(
            "pi.registerTool({{ name: '{name}', description: 'x', parameters: {{ type: 'object', properties: {{}} }}, async \
             execute() {{ {value} }} }});\n"
        )
    };
    let tools =
        [tool("nothing", ""), tool("nul", "return null;"), tool("number", "return 5;"), tool("text", "return 'fine';")];
    let file = place.write("work/tools.ts", format!("export default (pi) => {{\n{}}};\n", tools.concat()));
    let path = file.display().to_string();
    let calls =
        ["nothing", "nul", "number", "text"].map(|name| format!("{{tool_call: {{name: {name}, arguments: {{}}}}}}"));
    let script = format!("replies: [[{}], Done.]", calls.join(", "));
    let done = place.play(&script, ["-e", path.as_str(), "--mode", "json", "Go"]).run();
    let ends: Vec<_> = done.events().into_iter().filter(|event| event["type"] == "tool_execution_end").collect();
    let told: Vec<_> =
        ends.iter().map(|end| (end["isError"].as_bool(), end["result"]["content"][0]["text"].as_str())).collect();
    let (nothing, nul) =
        (format!("The tool nothing returned no result ({path})"), format!("The tool nul returned no result ({path})"));
    let expected =
        [(Some(true), Some(&*nothing)), (Some(true), Some(&*nul)), (Some(false), None), (Some(false), Some("fine"))];
    assert_eq!(told, expected, "{}", done.stderr);
    let reports: Vec<&str> = done.stderr.lines().collect();
    assert_eq!(reports.len(), 3, "{}", done.stderr);
    assert!(
        reports[0].contains(&path) && reports[0].contains("the tool nothing returned no result"),
        "{}",
        done.stderr
    );
    assert!(reports[2].contains("the tool number returned a number"), "{}", done.stderr);
}
