//! Arguments: what is refused, and what asks for no run.

use crate::support::{Done, Place};

fn run(place: &Place, args: &[&str]) -> Done {
    place.tau(args).run()
}

#[test]
fn an_unknown_flag_is_named_with_the_nearest_one() {
    let place = Place::new();
    let fails = |args: &[&str], error: &str| assert_eq!(run(&place, args), Done::failed(error));
    fails(&["--thinkin", "high", "-p", "x"], "Error: Unknown option: --thinkin. Did you mean --thinking?");
    fails(&["--qqqq"], "Error: Unknown option: --qqqq");
    fails(&["-z"], "Error: Unknown option: -z");
}

/// An editor would show it late or not at all: no session opens with such a flag.
#[test]
fn a_flag_that_nobody_knows_ends_the_mode_for_editors_too() {
    let place = Place::new();
    let fails = |args: &[&str], error: &str| assert_eq!(run(&place, args), Done::failed(error));
    fails(&["acp", "--bogus"], "Error: Unknown option: --bogus");
    fails(&["acp", "--thinkin", "high"], "Error: Unknown option: --thinkin. Did you mean --thinking?");
    // One of an extension that all sessions have is known.
    place.write("agent/extensions/flags.ts", "export default (pi) => pi.registerFlag('deep', { type: 'boolean' });");
    assert_eq!(place.tau(["acp", "--deep"]).run().code, Some(0));
    fails(&["acp", "--deepp"], "Error: Unknown option: --deepp. Did you mean --deep?");
}

#[test]
fn a_bad_value_is_named_with_the_good_ones() {
    let place = Place::new();
    let fails = |args: &[&str], error: &str| assert_eq!(run(&place, args), Done::failed(error));
    fails(
        &["--thinking", "hihg", "-p", "x"],
        "Error: Invalid value \"hihg\" for --thinking. Valid values: off, minimal, low, medium, high, xhigh, max. \
         Did you mean high?",
    );
    fails(&["--mode", "yaml"], "Error: Invalid value \"yaml\" for --mode. Valid values: text, json, rpc");
    fails(
        &["--model", "-p", "x"],
        "Error: --model requires a value, but \"-p\" follows. Write --model=-p if that is the value",
    );
    fails(&["-p", "x", "--name"], "Error: --name requires a value");
}

#[test]
fn an_empty_value_is_no_path() {
    let place = Place::new();
    place.write("work/index.ts", "export default () => console.error('RAN')");
    for flag in [
        "-e",
        "--hook",
        "--skill",
        "--prompt-template",
        "--theme",
        "--use-theme",
        "--trace",
        "--script",
        "--export",
        "--session",
        "--fork",
        "--session-id",
        "--name",
    ] {
        let done = place.tau(["--demo", flag, " ", "-p", "x"]).run();
        assert_eq!(done, Done::failed(&format!("Error: {flag} requires a non-empty value")), "{flag}");
    }
    // As the variable and the setting of that name, an empty folder for sessions is none.
    let done = place.play("replies: [Hello]", ["--session-dir", "", "-p", "x"]).run();
    assert_eq!(done, Done::ok("Hello\n"));
    assert_eq!(place.session_files().len(), 1);
}

#[test]
fn an_id_that_is_none_is_refused_before_anything_is_said_of_it() {
    let done = Place::new().play("replies: [Hello]", ["--session-id", "a b/c", "-p", "x"]).run();
    assert_eq!((done.code, done.stderr.lines().count()), (Some(1), 1), "{}", done.stderr);
    assert!(done.stderr.starts_with("Error: session id `a b/c` must"), "{}", done.stderr);
}

#[test]
fn help_is_the_help_text() {
    let place = Place::new();
    assert_eq!(run(&place, &["-h"]), Done::ok(&tau::args::help(&[], &[])));
    assert_eq!(run(&place, &["--demo", "--help", "-p", "x"]), Done::ok(&tau::args::help(&[], &[])));
}

#[test]
fn the_version_is_said_and_nothing_else_happens() {
    let place = Place::new();
    let version = Done::ok(concat!(env!("CARGO_PKG_VERSION"), "\n"));
    assert_eq!(run(&place, &["-v"]), version);
    assert_eq!(run(&place, &["--version"]), version);
    assert_eq!(crate::support::files_below(place.root()), [] as [std::path::PathBuf; 0]);
}

#[test]
fn models_with_credentials_are_listed() {
    let place = Place::new();
    let none = "No models available. Set an API key (ANTHROPIC_API_KEY, OPENAI_API_KEY), store one with `tau auth login PROVIDER`, start a \
         server such as Ollama on this machine, or add a provider to models.json.\n";
    assert_eq!(run(&place, &["--list-models"]), Done::ok(none));
    place.write(
        "agent/models.json",
        r#"{"providers": {"near": {"baseUrl": "http://127.0.0.1:1/v1", "apiKey": "k", "api": "openai-completions", "models": [
            {"id": "small", "contextWindow": 128000, "maxTokens": 4096},
            {"id": "large", "reasoning": true, "input": ["text", "image"], "contextWindow": 1000000, "maxTokens": 8192}]}}}"#,
    );
    insta::assert_snapshot!(run(&place, &["--list-models"]).stdout, @r"
    provider  model  context  max-out  thinking  images
    near      small  128K     4K       no        no
    near      large  1M       8K       yes       yes
    ");
    insta::assert_snapshot!(run(&place, &["--list-models", "lar"]).stdout, @r"
    provider  model  context  max-out  thinking  images
    near      large  1M       8K       yes       yes
    ");
    assert_eq!(run(&place, &["--list-models", "huge"]), Done::ok("No models matching \"huge\".\n"));
}

#[test]
fn a_flag_that_a_script_outranks_is_named() {
    let place = Place::new();
    let done = place.play("replies: [Hello]", ["--model", "x/y", "-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Hello\n"));
    assert_eq!(done.stderr, "Warning: --model has no effect beside --script\n");
}

#[test]
fn a_key_without_a_model_is_named() {
    let place = Place::new();
    place.write("agent/auth.json", r#"{"elsewhere": {"type": "api_key", "key": "gsk"}}"#);
    let why = "The cause:\n  elsewhere: auth.json has a key, but tau knows no model of it; define one in models.json\nCorrect \
               that, or set an API key (ANTHROPIC_API_KEY, OPENAI_API_KEY).";
    assert_eq!(run(&place, &["-p", "x"]), Done::failed(&format!("Error: No model selected. {why}")));
    place.write("agent/settings.json", r#"{"defaultProvider": "elsewhere", "defaultModel": "m"}"#);
    let done = run(&place, &["-p", "x"]);
    assert!(done.code == Some(1) && done.stderr.ends_with(&format!("is not available. {why}\n")), "{done:?}");
}

#[test]
fn without_a_model_or_a_key_it_says_what_to_do() {
    let place = Place::new();
    let fails = |args: &[&str], error: &str| assert_eq!(run(&place, args), Done::failed(error));
    fails(
        &["-p", "x"],
        "Error: No model selected. Set an API key (ANTHROPIC_API_KEY, OPENAI_API_KEY), store one with `tau auth login PROVIDER`, \
         start a server such as Ollama on this machine, or add a provider to models.json.",
    );
    fails(
        &["--model", "nope/none", "-p", "x"],
        "Error: Model \"nope/none\" not found. Use --list-models to see available models.",
    );
    fails(
        &["--provider", "anthropic", "-p", "x"],
        "Error: No API key found for anthropic. Set ANTHROPIC_API_KEY, pass --api-key, or store a key with `tau \
         auth login anthropic --api-key`.",
    );
    let unknown = run(&place, &["--provider", "nope", "-p", "x"]);
    assert!(unknown.stderr.starts_with("Error: Unknown provider \"nope\". Known: "), "{unknown:?}");
    assert_eq!(unknown.code, Some(1));
    assert_eq!(place.session_files(), [] as [std::path::PathBuf; 0]);
}

#[test]
fn a_script_that_cannot_be_played_is_refused() {
    let place = Place::new();
    let missing = place.tau(["--script", "none.yaml", "-p", "x"]).run();
    let path = place.work().join("none.yaml");
    assert_eq!(missing, Done::failed(&format!("Error: {}: No such file or directory (os error 2)", path.display())));
    let bad = place.play("replies:\n  - - txet: hello\n", ["-p", "x"]).run();
    assert_eq!((bad.code, bad.stdout.as_str()), (Some(1), ""));
    insta::assert_snapshot!(place.normal(&bad.stderr));
}

#[test]
fn words_that_were_meant_for_a_subcommand_reach_no_model() {
    let place = Place::new();
    let told = |words: &str, meant: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        let done = place.play("replies: [Paid]", words.iter().copied()).run();
        let name = words[0];
        let text = format!(
            "Error: there is no subcommand `{name}`; did you mean `{meant}`?\nFor a prompt of this text, use tau -p {name}, or tau -- {name}\n"
        );
        assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (Some(1), "", text.as_str()));
    };
    told("instal npm:x", "tau install");
    told("lst", "tau list");
    told("login", "tau auth login");
    told("help", "tau --help");
    told("sessions", "tau --resume");
    told("sesions", "tau --resume");
    told("exprt s.jsonl", "tau --export");
    for (word, meant) in [("resume", "tau --resume"), ("init", "tau config"), ("run", "tau -p PROMPT")] {
        told(word, meant);
    }
    for asked in [["-p", "login"], ["--", "login"]] {
        assert_eq!(place.play("replies: [Paid]", asked).run(), Done::ok("Paid\n"));
    }
    for prompt in
        [&["help me please"][..], &["help", "me"], &["run", "tests"], &["updates", "for", "it"], &["help", "@a.log"]]
    {
        place.write("work/a.log", "It broke.");
        let done = place.play("replies: [{repeat: forever, steps: [{text: Paid}]}]", prompt).run();
        assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Paid\n"), "{prompt:?}: {}", done.stderr);
    }
    // With something to say it about, an English word is a prompt, and a misspelt one is none.
    let piped = |word: &str| place.play("replies: [Paid]", [word]).stdin("It broke.").run();
    assert_eq!(piped("help"), Done::ok("Paid\n"));
    assert_eq!(piped("updates"), Done::ok("Paid\n"));
    assert_eq!((piped("sesions").code, piped("login").code), (Some(1), Some(1)));
}
