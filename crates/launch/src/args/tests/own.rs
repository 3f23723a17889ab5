use std::collections::BTreeSet;

use super::super::flags::{FLAGS, Group, Takes, expectations};
use super::super::help::spellings;
use super::*;

fn args(line: &[&str]) -> Args {
    ok(line).args
}

#[test]
fn every_flag_sets_its_value() {
    let lines = expectations();
    for (line, expected) in &lines {
        let words: Vec<&str> = line.split(' ').collect();
        let cli = ok(&words);
        assert_eq!((&cli.args, cli.messages), (expected, Vec::new()), "{line}");
    }
    let is_used = |long: &str, short: Option<&str>| {
        let names = [Some(format!("--{long}")), short.map(|short| format!("-{short}"))];
        let is_name = |word: &str| names.iter().flatten().any(|name| word.split('=').next() == Some(name));
        lines.iter().any(|(line, _)| line.split(' ').any(is_name))
    };
    let untested: Vec<&str> =
        FLAGS.iter().filter(|flag| !is_used(flag.long, flag.short)).map(|flag| flag.long).collect();
    assert_eq!(untested, [""; 0], "add a line for each of these flags to `expectations` in flags/rows.rs");
}

/// The row of a setting names its flags, and the row of a flag names its settings.
#[test]
fn flags_and_settings_name_each_other() {
    for setting in tau_agent::settings::SETTINGS {
        for name in setting.flags {
            let flag = FLAGS.iter().find(|flag| name.strip_prefix("--") == Some(flag.long));
            let flag = flag.unwrap_or_else(|| panic!("the setting {} names {name}, which is no flag", setting.key));
            let names_it = flag.outranks.iter().any(|outranks| outranks.key == setting.key);
            assert!(names_it, "{name} does not say what it makes of the setting {}", setting.key);
        }
    }
    for flag in FLAGS {
        for outranks in flag.outranks {
            let setting = tau_agent::settings::setting(outranks.key).expect("a setting of the table");
            let name = format!("--{}", flag.long);
            assert!(setting.flags.contains(&name.as_str()), "the setting {} does not name {name}", setting.key);
        }
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
        assert!(flag.aliases.iter().all(|alias| seen.insert(alias)), "an alias of {} is there twice", flag.long);
        if let Some(not) = flag.negation {
            assert!(matches!(flag.takes, Takes::Switch(_)) && not.long.starts_with("no-"), "{}", flag.long);
            assert!(seen.insert(not.long) && not.short.is_none_or(|short| seen.insert(short)), "{}", not.long);
        }
        let has_value = matches!(flag.takes, Takes::Value(..));
        assert!(has_value || flag.choices.list(MODES).is_none(), "{} takes no value to choose", flag.long);
        assert!(flag.doc.ends_with('.') && !flag.doc.contains('\n'), "{}", flag.long);
        assert!(!flag.repeats || matches!(flag.takes, Takes::Value(..)), "{}", flag.long);
    }
}

#[test]
fn the_help_text_and_the_manual_have_every_flag_once() {
    let plan = ExtensionFlag { description: Some("Plan first.".to_owned()), ..flag("plan", FlagKind::Boolean) };
    let text = help(&[plan, flag("note", FlagKind::String)], &[("pick".to_owned(), "Pick one.".to_owned())]);
    let page = markdown();
    for (spelling, doc) in Group::ALL.into_iter().flat_map(spellings) {
        assert_eq!(text.matches(&format!("\n  {spelling}")).count(), 1, "{spelling}");
        assert_eq!(page.matches(&format!("| `{}` | ", spelling.replace('|', "\\|"))).count(), 1, "{spelling}");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&text).contains(&words(&doc)), "{doc}");
    }
    assert!(
        text.contains("\n  --plan                        Plan first.\n") && text.contains("\n  --note VALUE"),
        "{text}"
    );
    assert!(text.contains("\n  tau pick                      Pick one.\n"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 110), "{text}");
    insta::assert_snapshot!(text.lines().take(24).collect::<Vec<_>>().join("\n"));
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
