//! `tau config`.

use serde_json::{Value, json};

use crate::support::{Done, Place};

fn json_of(place: &Place, path: &str) -> Value {
    serde_json::from_str(&place.read(path)).expect("JSON")
}

#[test]
fn settings_are_read_and_written() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"unknown": {"kept": [1]}, "retry": {"maxRetries": 7}}"#);
    let tau = |args: &[&str]| place.tau(["config"].iter().chain(args)).run();
    assert_eq!(tau(&["get", "retry.maxRetries"]), Done::ok("7\n"));
    assert_eq!(tau(&["set", "theme", "dark"]), Done::ok(""));
    assert_eq!(tau(&["set", "retry.enabled", "false"]), Done::ok(""));
    assert_eq!(tau(&["set", "sessionDir", "17"]), Done::ok(""));
    let done = tau(&["set", "-l", "theme", "light"]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), ""));
    let no_effect = "Warning: this project is not trusted yet: what is changed here has no effect until it is (tau --approve, or \
                     /trust yes in a session)\n";
    assert_eq!(done.stderr, no_effect);
    let unread = Done::failed("Error: the project is not trusted, so its settings are not read; use --approve");
    assert_eq!(tau(&["get", "-l", "theme"]), unread);
    assert_eq!(tau(&["list", "-l"]), unread);
    assert_eq!(
        json_of(&place, "agent/settings.json"),
        json!({"unknown": {"kept": [1]}, "retry": {"maxRetries": 7, "enabled": false}, "theme": "dark", "sessionDir": "17"})
    );
    assert_eq!(json_of(&place, "work/.pi/settings.json"), json!({"theme": "light"}));
    assert_eq!(tau(&["get", "theme", "--approve"]), Done::ok("\"light\"\n"));
    assert_eq!(tau(&["unset", "theme"]), Done::ok(""));
    assert_eq!(tau(&["get", "steeringMode"]), Done::ok("\"one-at-a-time\"\n"));
    let depends = "Error: defaultModel is not set; it is chosen by the API keys that are set";
    assert_eq!(tau(&["get", "defaultModel"]), Done::failed(depends));
    assert_eq!(tau(&["get", "nothing"]), Done::failed("Error: nothing is not set: tau does not know the key nothing"));
    assert_eq!(tau(&["set", "retry.enabled", "maybe"]), Done::failed("Error: retry.enabled must be true or false"));
    let done = tau(&["set", "steeringMod", "all"]);
    assert_eq!(
        (done.code, done.stderr.as_str()),
        (Some(0), "Warning: tau does not know the key steeringMod; did you mean steeringMode?\n")
    );
    let done = tau(&["set", "them", "dark"]);
    assert_eq!(done.stderr, "Warning: tau does not know the key them; did you mean theme?\n");
    assert_eq!(tau(&["unset", "them"]).code, Some(0));
    let done = tau(&["set", "-l", "--approve", "hookTimeout", "5"]);
    let expected = "Warning: hookTimeout does not count: 5 (ignored: a project may not cut off the user's hooks)\n";
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), expected));
    assert_eq!(
        tau(&["set", "-l", "theme", "x"]),
        Done::failed("Error: the project is not trusted; use --approve to change its settings")
    );
    assert_eq!(tau(&["set", r#"["a.b", "c"]"#, "1"]).code, Some(0));
    assert_eq!(json_of(&place, "agent/settings.json")["a.b"], json!({"c": 1}));
    let list = tau(&["list"]).stdout;
    assert!(list.contains("[\"a.b\",\"c\"] = 1  (") && list.contains("retry.maxRetries = 7  ("), "{list}");
}

#[test]
fn every_setting_is_listed_and_what_is_set_comes_first() {
    let place = Place::new();
    let lines = |place: &Place| {
        let done = place.tau(["config", "list", "--approve"]).run();
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
        place.normal(&done.stdout).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    // A fresh home without any file.
    let fresh = lines(&place);
    for row in tau_agent::settings::SETTINGS {
        let begins = format!("{} = ", row.key);
        let found = fresh.iter().filter(|line| line.starts_with(&begins) && line.contains("  (default)")).count();
        let is_older = matches!(row.used_by, tau_agent::settings::UsedBy::Renamed(_));
        assert_eq!(found, usize::from(!is_older && row.key != "tau.extensions"), "{}", row.key);
    }
    let has = |lines: &[String], line: &str| assert!(lines.iter().any(|one| one == line), "{line} in {lines:#?}");
    has(&fresh, "retry.maxRetries = 3  (default)");
    has(&fresh, "hookTimeout = 30000  (default)  [a project may not cut off the user's hooks]");
    has(&fresh, "transport = not set  (default)  [used by pi; tau does not use it]");

    place.write("agent/settings.json", r#"{"transport": "sse", "retry": {"maxRetries": 7}, "unknown": 1}"#);
    place.write("work/.pi/settings.json", r#"{"theme": "dark"}"#);
    let some = lines(&place);
    let (set, rest) = some.split_at(some.iter().position(String::is_empty).expect("an empty line"));
    assert_eq!(
        set,
        [
            "theme = \"dark\"  (/ROOT/work/.pi/settings.json)",
            "retry.maxRetries = 7  (/ROOT/agent/settings.json)",
            "transport = \"sse\"  (/ROOT/agent/settings.json)  [used by pi; tau does not use it]",
            "unknown = 1  (/ROOT/agent/settings.json)",
        ]
    );
    assert!(!rest.iter().any(|line| line.starts_with("theme = ")));
    let why = place.tau(["config", "why", "transport"]).run().stdout;
    assert!(why.starts_with("transport = \"sse\"\n  used by pi; tau does not use it\n"), "{why}");
}

#[test]
fn why_a_value_counts() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"defaultModel": "small", "hookTimeout": 3}"#);
    place.write("work/.pi/settings.json", r#"{"defaultModel": "large", "hookTimeout": 9}"#);
    let why = |args: &[&str]| {
        let done = place.tau(["config", "why"].iter().chain(args)).run();
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
        place.normal(&done.stdout)
    };
    let asked = [
        why(&["defaultModel"]),
        why(&["defaultModel", "--approve"]),
        why(&["defaultModel", "--approve", "--model", "huge"]),
        why(&["-a", "hookTimeout"]),
        why(&["compaction.enabled"]),
    ];
    insta::assert_snapshot!(asked.concat());
}

#[test]
fn a_flag_outranks_a_variable_and_a_variable_the_files() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"sessionDir": "/of/user", "defaultThinkingLevel": "low", "skills": ["s"]}"#);
    place.write("work/.pi/settings.json", r#"{"sessionDir": "/of/project"}"#);
    let why = |key: &str, args: &[&str], variable: &str| {
        let tau = place.tau(["config", "why", key, "--approve"].iter().chain(args));
        let done = tau.env("PI_CODING_AGENT_SESSION_DIR", variable).run();
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
        place.normal(&done.stdout)
    };
    let asked = [
        why("sessionDir", &[], ""),
        why("sessionDir", &[], "/of/variable"),
        why("sessionDir", &["--session-dir", "/of/flag"], "/of/variable"),
        why("defaultThinkingLevel", &["--model", "sonnet:high"], ""),
        why("defaultThinkingLevel", &["--model", "sonnet:high", "--thinking", "max"], ""),
        why("skills", &["--no-skills"], ""),
        why("defaultProjectTrust", &[], ""),
    ];
    insta::assert_snapshot!(asked.concat());
}

#[test]
fn a_list_without_the_project_says_so() {
    let place = Place::new();
    place.write("work/.pi/extensions/theirs.ts", "");
    let warning = "Warning: the project is not trusted, so what it has is not listed; use --approve\n";
    for args in [&["config"][..], &["config", "list"]] {
        assert_eq!(place.tau(args).run().stderr, warning, "{args:?}");
    }
    let done = place.tau(["config", "--approve"]).run();
    assert!(done.stdout.contains("[x] extensions/theirs.ts") && done.stderr.is_empty(), "{done:?}");
    let bare = Place::new();
    assert_eq!(bare.tau(["config", "list"]).run().stderr, "");
}

#[test]
fn a_damaged_file_is_named_and_left_alone() {
    let place = Place::new();
    let text = "{\n  \"theme\": \"dark\",\n  oops\n}\n";
    place.write("agent/settings.json", text);
    let place_of_it = place.root().join("agent/settings.json").display().to_string();
    for args in [["config", "set", "theme", "light"].as_slice(), &["install", "./"], &["config", "unset", "theme"]] {
        let done = place.tau(args).run();
        assert_eq!(done.code, Some(1));
        assert!(done.stderr.starts_with(&format!("Error: {place_of_it}:3:3: ")), "{}", done.stderr);
        assert_eq!(place.read("agent/settings.json"), text);
    }
    let why = place.tau(["config", "why", "theme"]).run().stdout;
    assert!(why.contains("settings.json:3:3: "), "{why}");
}

#[test]
fn two_processes_lose_nothing() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"kept": true}"#);
    for folder in ["one", "two", "three"] {
        place.write(&format!("work/{folder}/index.ts"), "");
    }
    let start = |args: &[&str]| {
        let mut child = place.tau(args).spawn();
        drop(child.stdin.take());
        child
    };
    let mut children = vec![start(&["install", "./one"]), start(&["install", "./two"]), start(&["install", "./three"])];
    let keys: Vec<String> = (0..6).map(|at| format!("group.key{at}")).collect();
    children.extend(keys.iter().map(|key| start(&["config", "set", key, "1"])));
    for child in children {
        assert_eq!(child.wait_with_output().expect("its end").status.code(), Some(0));
    }
    let settings = json_of(&place, "agent/settings.json");
    assert_eq!(settings["kept"], true);
    assert_eq!(settings["group"].as_object().expect("a group").len(), 6);
    let mut packages: Vec<_> =
        settings["packages"].as_array().expect("packages").iter().map(Value::to_string).collect();
    packages.sort();
    assert_eq!(packages, ["\"../work/one\"", "\"../work/three\"", "\"../work/two\""]);
}

#[test]
fn parts_are_switched_off_and_on() {
    let place = Place::new();
    place.write("work/pack/extensions/loud.ts", "");
    place.write("work/pack/skills/two/SKILL.md", "---\nname: two\ndescription: x\n---\n");
    place.write("agent/settings.json", r#"{"packages": ["../work/pack"]}"#);
    assert_eq!(place.tau(["config", "disable", "loud"]).run().code, Some(0));
    let shown = place.tau(["config"]).run();
    let source = format!("../{}/pack", place.work().file_name().expect("a name").display());
    let listed = format!("{source} (user package)\n  [ ] extensions/loud.ts\n  [x] skills/two/SKILL.md\nBuilt-in\n");
    assert!(shown.stdout.starts_with(&listed) && shown.stderr.is_empty(), "{shown:?}");
    assert_eq!(place.tau(["config", "enable", "loud"]).run().code, Some(0));
    assert!(place.tau(["config", "resources"]).run().stdout.contains("[x] extensions/loud.ts"));
    assert_eq!(
        place.tau(["config", "frobnicate"]).run(),
        Done::failed("Error: there is no `tau config frobnicate`; see `tau config --help`")
    );
    let gte = "Error: there is no `tau config gte`; did you mean `tau config get`?";
    assert_eq!(place.tau(["config", "gte", "theme"]).run(), Done::failed(gte));
    let set = "Error: `tau config set` takes KEY VALUE; see `tau config --help`";
    assert_eq!(place.tau(["config", "set", "theme"]).run(), Done::failed(set));
}

#[test]
fn a_skill_that_cannot_be_used_is_listed_with_the_reason() {
    let place = Place::new();
    place.write("agent/skills/bad/SKILL.md", "No front matter.");
    place.write("agent/skills/good/SKILL.md", "---\nname: good\ndescription: x\n---\n");
    let lines = "  [x] skills/bad/SKILL.md  (the skill has no description)\n  [x] skills/good/SKILL.md\nBuilt-in\n";
    assert!(place.tau(["config"]).run().stdout.contains(lines));
}

#[test]
fn what_cannot_be_meant_is_not_written() {
    let place = Place::new();
    let tau = |args: &[&str]| place.tau(["config"].iter().chain(args)).run();
    let refused = tau(&["set", "tau.requird", r#"["guard"]"#]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    assert!(refused.stderr.contains("tau.requird is not a setting and has no effect; did you mean tau.required?"));
    assert!(refused.stderr.ends_with("It was not written, because it would shut every gate.\n"), "{refused:?}");
    assert_eq!(tau(&["set", "", "1"]), Done::failed("Error: a setting needs a name"));
    assert!(!place.root().join("agent/settings.json").exists());
    // A section is a known key, too.
    assert_eq!(tau(&["set", "compaction", r#"{"reserveTokens": 1000}"#]), Done::ok(""));
    assert!(tau(&["why", "retry"]).stdout.ends_with("  default: each of its keys has its own\n"));
}

#[test]
fn entries_and_levels_that_mean_nothing_are_named() {
    let place = Place::new();
    place.write("agent/index.ts", "export default () => console.error('RAN')");
    place.write("agent/SKILL.md", "---\nname: stray\ndescription: x\n---\n");
    place.write(
        "agent/settings.json",
        r#"{"extensions": [""], "packages": [" "], "skills": [""], "prompts": [""], "themes": [""], "hooks": [""],
            "modelThinkingLevels": {"a/b": "hgh", "a/c": "high", "a/d": 7}}"#,
    );
    let done = place.play("replies: [Hello]", ["-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Hello\n"));
    let file = place.root().join("agent/settings.json").display().to_string();
    let mut expected = String::new();
    for key in ["extensions", "packages", "skills", "prompts", "themes", "hooks"] {
        expected += &format!("Warning: {file}: {key} has an empty entry, which is left out\n");
    }
    expected += &format!(
        "Warning: {file}: modelThinkingLevels[\"a/b\"] is \"hgh\", which is no thinking level; did you mean high?\n\
         Warning: {file}: modelThinkingLevels[\"a/d\"] is 7, which is no thinking level; the levels are off, minimal, low, \
         medium, high, xhigh, max\n"
    );
    assert_eq!(done.stderr, expected);
}

#[test]
fn flags_of_a_run_are_part_of_the_explanation() {
    let place = Place::new();
    let why = |args: &[&str]| place.tau(["config", "why"].iter().chain(args)).run();
    assert!(
        why(&["theme", "--use-theme", "ocean"])
            .stdout
            .starts_with("theme = ocean\n  command line --use-theme: ocean\n")
    );
    assert!(why(&["enabledModels", "--models", "a,b"]).stdout.starts_with("enabledModels = a,b\n"));
    assert!(why(&["defaultTools", "--no-tools"]).stdout.starts_with("defaultTools = [] (--no-tools)\n"));
    let unknown = why(&["theme", "--nosuch"]);
    assert!(unknown.code == Some(1) && unknown.stderr.contains("--nosuch"), "{unknown:?}");
}

/// What counts is what a run uses: a variable, and not a value that the key does not take.
#[test]
fn the_value_that_counts_is_the_one_that_a_run_uses() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"steeringMode": "al", "tau": {"log": {"level": "error"}}}"#);
    let level = place.tau(["config", "get", "tau.log.level"]).env("TAU_LOG_LEVEL", "debug").run();
    assert_eq!(level.stdout, "\"debug\"\n");
    let directory = place.tau(["config", "get", "sessionDir"]).env("PI_CODING_AGENT_SESSION_DIR", "/x").run();
    assert_eq!(directory.stdout, "\"/x\"\n");
    assert_eq!(place.tau(["config", "get", "steeringMode"]).run().stdout, "\"one-at-a-time\"\n");
    let why = place.tau(["config", "why", "steeringMode"]).run().stdout;
    assert!(why.starts_with("steeringMode = \"one-at-a-time\"\n"), "{why}");
    assert!(why.contains("\"al\" (ignored: it is no value that this key takes)"), "{why}");
    let list = place.tau(["config", "list"]).run().stdout;
    let line = "steeringMode = \"one-at-a-time\"  (default)  [what a file says is ignored]";
    assert!(list.lines().any(|known| known == line), "{list}");
}

/// A whole object is looked at as its keys are one by one.
#[test]
fn a_key_that_is_set_inside_of_an_object_is_checked() {
    let place = Place::new();
    let refused = place.tau(["config", "set", "tau", r#"{"required": 5}"#]).run();
    assert_eq!((refused.code, refused.stderr.contains("tau.required must be")), (Some(1), true), "{}", refused.stderr);
    let refused = place.tau(["config", "set", "retry", r#"{"maxRetries": "x"}"#]).run();
    assert_eq!(
        (refused.code, refused.stderr.contains("retry.maxRetries must be")),
        (Some(1), true),
        "{}",
        refused.stderr
    );
    let misspelt = place.tau(["config", "set", "tau", r#"{"requird": ["x"]}"#]).run();
    assert!(misspelt.stderr.contains("did you mean tau.required? It was not written"), "{}", misspelt.stderr);
    assert_eq!(place.tau(["config", "set", "retry", r#"{"maxRetries": 2}"#]).run().code, Some(0));
}

#[test]
fn keys_that_do_nothing_are_named_where_somebody_types_them() {
    let place = Place::new();
    for (words, expected) in [
        (
            &["config", "get", "them"][..],
            "Error: them is not set: tau does not know the key them; did you mean theme?\n",
        ),
        (&["config", "why", "them"], "Warning: tau does not know the key them; did you mean theme?\n"),
        (&["config", "set", "transport", "sse"], "Warning: transport is used by pi; tau does not use it\n"),
        (&["config", "list", "--aprove"], "Error: Unknown option: --aprove. Did you mean --approve?\n"),
    ] {
        let stderr = place.tau(words.iter().copied()).run().stderr;
        assert!(stderr.contains(expected.trim_end()), "{words:?}: {stderr}");
    }
    let stderr = place.tau(["--no-verbos", "hi"]).run().stderr;
    assert!(stderr.contains("Unknown option: --no-verbos\n"), "{stderr}");
    let stderr = place.tau(["--no-tols", "hi"]).run().stderr;
    assert!(stderr.contains("Did you mean --no-tools?"), "{stderr}");
}

/// The entries of a list that every file adds to all count.
#[test]
fn a_list_that_files_add_to_counts_in_each_of_them() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"tau": {"required": ["mine"]}}"#);
    place.write("work/.pi/settings.json", r#"{"tau": {"required": ["guard"]}}"#);
    let why = place.tau(["config", "why", "tau.required", "-a"]).run().stdout;
    assert!(!why.contains("outranked") && why.contains("guard: "), "{why}");
}
