use std::collections::BTreeSet;

use tau_ai::{Secret, ThinkingLevel};

use super::super::flags::{FLAGS, Takes};
use super::*;

fn args(line: &[&str]) -> Args {
    ok(line).args
}

#[test]
fn every_flag_sets_its_value() {
    let strings = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let none = Args::default;
    let tools = ToolSelection::default;
    for (line, expected) in [
        ("-p", Args { print: true, ..none() }),
        ("--print", Args { print: true, ..none() }),
        ("--mode json", Args { mode: Some("json"), ..none() }),
        ("--mode=text", Args { mode: Some("text"), ..none() }),
        ("--verbose", Args { verbose: true, ..none() }),
        ("--provider p", Args { provider: Some("p".into()), ..none() }),
        ("--model p/m:high", Args { model: Some("p/m:high".into()), ..none() }),
        ("--model a --model b", Args { model: Some("b".into()), ..none() }),
        ("--api-key k", Args { api_key: Some(Secret::new("k")), ..none() }),
        ("--thinking xhigh", Args { thinking: Some(ThinkingLevel::Xhigh), ..none() }),
        ("--list-models", Args { list_models: Some(ListModels { search: None }), ..none() }),
        ("--list-models son", Args { list_models: Some(ListModels { search: Some("son".into()) }), ..none() }),
        ("--list-models --verbose", Args { list_models: Some(ListModels { search: None }), verbose: true, ..none() }),
        ("--demo", Args { demo: true, ..none() }),
        ("--script s.yaml", Args { script: Some("s.yaml".into()), ..none() }),
        (
            "-e a --hook b --hook=c -e d",
            Args { extensions: strings(&["a", "b", "c", "d"]), hooks: vec![1, 2], ..none() },
        ),
        ("-c", Args { continue_session: true, ..none() }),
        ("--continue", Args { continue_session: true, ..none() }),
        ("--session a/b.jsonl", Args { session: Some("a/b.jsonl".into()), ..none() }),
        ("--session-dir d", Args { session_dir: Some("d".into()), ..none() }),
        ("--export s.jsonl", Args { export: Some("s.jsonl".into()), ..none() }),
        ("--no-session", Args { no_session: true, ..none() }),
        ("--no-session=false", none()),
        ("--name x", Args { name: Some("x".into()), ..none() }),
        ("-n=x", Args { name: Some("x".into()), ..none() }),
        ("-n x", Args { name: Some("x".into()), ..none() }),
        ("--system-prompt=", Args { system_prompt: Some(String::new()), ..none() }),
        (
            "--append-system-prompt a --append-system-prompt b",
            Args { append_system_prompt: strings(&["a", "b"]), ..none() },
        ),
        ("--no-context-files", Args { no_context_files: true, ..none() }),
        ("-nc", Args { no_context_files: true, ..none() }),
        ("--skill a --skill=b", Args { skills: vec!["a".into(), "b".into()], ..none() }),
        ("-ns", Args { no_skills: true, ..none() }),
        ("--prompt-template a", Args { prompt_templates: vec!["a".into()], ..none() }),
        ("-np", Args { no_prompt_templates: true, ..none() }),
        (
            "--tools read,,ls",
            Args { tools: ToolSelection { only: Some(strings(&["read", "ls"])), ..tools() }, ..none() },
        ),
        ("-xt bash", Args { tools: ToolSelection { exclude: strings(&["bash"]), ..tools() }, ..none() }),
        ("-nt", Args { tools: ToolSelection { none: true, ..tools() }, ..none() }),
        ("-nbt", Args { tools: ToolSelection { no_builtin: true, ..tools() }, ..none() }),
        ("-a", Args { trust: Some(true), ..none() }),
        ("-a -na", Args { trust: Some(false), ..none() }),
        ("--no-approve --approve", Args { trust: Some(true), ..none() }),
        ("--offline", Args { offline: true, ..none() }),
        ("--trace t.jsonl", Args { trace: Some("t.jsonl".into()), ..none() }),
        ("-h", Args { help: true, ..none() }),
        ("-v", Args { version: true, ..none() }),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let cli = ok(&words);
        assert_eq!((cli.args, cli.messages), (expected, Vec::new()), "{line}");
    }
}

#[test]
fn values_may_look_strange() {
    assert_eq!(args(&["--system-prompt", "- be brief"]).system_prompt.as_deref(), Some("- be brief"));
    assert_eq!(args(&["--system-prompt", "-- be brief --"]).system_prompt.as_deref(), Some("-- be brief --"));
    assert_eq!(args(&["--model", "@x"]).model.as_deref(), Some("@x"));
    assert_eq!(args(&["--model=--print"]).model.as_deref(), Some("--print"));
    assert_eq!(args(&["--name", "  a b "]).name.as_deref(), Some("a b"));
}

#[test]
fn a_key_does_not_show_up_in_debug_output() {
    assert!(!format!("{:?}", ok(&["--api-key", "sk-hidden"])).contains("hidden"));
}

#[test]
fn words_and_files_keep_their_order() {
    let cli = ok(&["one", "@a.md", "-p", "two", "--model", "m", "@b.md"]);
    assert_eq!(cli.messages, ["one", "two"]);
    let file = |position, path: &str| FileArg { position, path: path.to_owned() };
    assert_eq!(cli.files, [file(1, "a.md"), file(6, "b.md")]);
}

#[test]
fn print_takes_a_prompt_that_begins_with_dashes() {
    assert_eq!(ok(&["-p", "---\ntitle: x\n---\nGo"]).messages, ["---\ntitle: x\n---\nGo"]);
    assert_eq!(ok(&["-p", "---", "x"]).messages, ["---", "x"]);
}

#[test]
fn everything_after_two_dashes_is_text() {
    let cli = ok(&["-p", "--", "--model", "@x", "-h", "--", "w"]);
    assert_eq!(cli.messages, ["--model", "@x", "-h", "--", "w"]);
    assert_eq!((cli.args, cli.files), (Args { print: true, ..Args::default() }, Vec::new()));
}

#[test]
fn what_is_wrong_is_said_with_the_nearest_right_one() {
    let lines: &[&[&str]] = &[
        &["--modle", "x"],
        &["--modle=x"],
        &["--xyzzy"],
        &["-x"],
        &["-pc"],
        &["-"],
        &["--mode"],
        &["--mode", "acp"],
        &["--mode", "jsno"],
        &["--thinking", "hihg"],
        &["--model"],
        &["--model", "--print"],
        &["--model", "-p"],
        &["--model", "--", "x"],
        &["--model", "--plan=now"],
        &["-n"],
        &["--print=maybe"],
    ];
    let report: String = lines.iter().map(|line| format!("{}\n  {}\n", line.join(" "), problem(line))).collect();
    insta::assert_snapshot!(report);
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text_are_refused() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    let line = [OsString::from("-p"), OsString::from_vec(vec![b'a', 0xff])];
    assert_eq!(parse(line, MODES).expect_err("no text").to_string(), "Argument 2 is not valid UTF-8: a\u{fffd}");
}

#[test]
fn names_are_unique_and_documented() {
    let mut seen = BTreeSet::new();
    for flag in FLAGS {
        assert!(seen.insert(flag.long), "{} is there twice", flag.long);
        assert!(flag.short.is_none_or(|short| seen.insert(short)), "{:?} is there twice", flag.short);
        assert!(flag.doc.ends_with('.') && !flag.doc.contains('\n'), "{}", flag.long);
        assert!(!flag.repeats || matches!(flag.takes, Takes::Value(..)), "{}", flag.long);
    }
}

#[test]
fn the_help_text() {
    let plan = ExtensionFlag { description: Some("Plan first.".to_owned()), ..flag("plan", FlagKind::Boolean) };
    insta::assert_snapshot!(help(&[plan, flag("note", FlagKind::String)], &[]));
}

#[test]
fn the_documentation() {
    insta::assert_snapshot!(markdown());
}

#[test]
fn piped_text_and_files_come_before_the_first_prompt() {
    let messages = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    for (given, file_text, stdin, expected) in [
        (&["a", "b"][..], "", None, &["a", "b"][..]),
        (&["a", "b"], "<f>\n", Some(" in\n"), &["in\n\n<f>\na", "b"]),
        (&[], "<f>\n", None, &["<f>\n"]),
        (&[], "", Some("in"), &["in"]),
        (&[], "", Some("  \n"), &[]),
        (&[], "", None, &[]),
        (&["", "b"], "", None, &["b"]),
    ] {
        assert_eq!(initial_prompts(messages(given), file_text, stdin), messages(expected));
    }
}

#[test]
fn flags_about_one_session_are_named_where_a_client_has_many() {
    let out_of_place = |line: &str| {
        let parsed = parse(line.split_whitespace(), MODES).expect("valid arguments");
        parsed.out_of_place().map(|flag| flag.long)
    };
    for line in [
        "--print",
        "--mode json",
        "--list-models",
        "-c",
        "--resume",
        "--fork a",
        "--session-id a",
        "--session a",
        "-n a",
        "--export a.jsonl",
    ] {
        assert!(out_of_place(line).is_some(), "{line}");
    }
    for line in ["", "--model m --verbose -e a.ts --no-session --session-dir d", "--print --print=false", "-c=false"] {
        assert_eq!(out_of_place(line), None, "{line}");
    }
    // What the help says first is named first.
    assert_eq!(out_of_place("--name a --continue"), Some("continue"));
}
