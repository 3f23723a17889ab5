//! Files and command lines that were made for pi: what tau cannot do yet is said, and never done otherwise in silence.

use std::io::Write;

use serde_json::json;

use crate::auth::{read_until, terminal};
use crate::support::{Done, Place};

const FINE: &str = "replies: [fine]";

#[test]
fn a_default_model_that_is_not_there_is_not_replaced_in_silence() {
    let place = Place::new();
    place.write("agent/settings.json", json!({"defaultProvider": "google", "defaultModel": "gemini-9"}).to_string());
    let file = place.root().join("agent/settings.json").display().to_string();
    for mode in [&["-p", "/model"][..], &["--mode", "json", "/model"]] {
        let done = place.tau(mode).env("ANTHROPIC_API_KEY", "sk-a").run();
        assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""), "{mode:?}");
        let expected = format!(
            "Error: {file}: the default model google/gemini-9 (defaultProvider and defaultModel) is not available. tau does not \
             use another model (anthropic/claude-opus-5-5) unasked. Choose one with --model PROVIDER/ID, or change the setting \
             with `tau config set`; `tau models` lists what you can use.\n"
        );
        assert_eq!(done.stderr, expected);
    }
    // Somebody looks at what a client shows.
    let done = place.tau(["--mode", "rpc"]).env("ANTHROPIC_API_KEY", "sk-a").run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(
        done.stderr.contains("google/gemini-9") && done.stderr.contains("anthropic/claude-opus-5-5 is used instead")
    );
    let chosen = place.tau(["-p", "--model", "openai/gpt-5.5", "/model"]).run();
    assert_eq!(chosen, Done::ok("Model: openai/gpt-5.5\n"));
    // Without a key there is nothing in its place.
    let done = place.tau(["-p", "/model"]).run();
    assert!(done.code == Some(1) && done.stderr.contains("is not available"), "{}", done.stderr);
    assert!(!done.stderr.contains("unasked"), "{}", done.stderr);
    place.write("agent/settings.json", json!({"defaultModel": "gemini-9"}).to_string());
    let done = place.tau(["-p", "/model"]).env("ANTHROPIC_API_KEY", "sk-a").run();
    assert!(done.stderr.contains("the default model gemini-9 (defaultModel) is not available."), "{}", done.stderr);
    place.write("agent/settings.json", json!({"defaultProvider": "nowhere"}).to_string());
    let done = place.tau(["-p", "/model"]).env("ANTHROPIC_API_KEY", "sk-a").run();
    let expected = format!("Error: {file}: no model of the default provider nowhere (defaultProvider) is available.");
    assert!(done.stderr.starts_with(&expected), "{}", done.stderr);
    // Each file that names a part of it is named.
    place.write("work/.pi/settings.json", json!({"defaultModel": "gemini-9"}).to_string());
    let done = place.tau(["-a", "-p", "/model"]).env("ANTHROPIC_API_KEY", "sk-a").run();
    let expected = format!("Error: {file}, {}: ", place.root().join("work/.pi/settings.json").display());
    assert!(done.stderr.starts_with(&expected) && done.stderr.contains("nowhere/gemini-9"), "{}", done.stderr);
}

#[test]
fn a_session_of_a_model_that_is_not_there_says_which_one_continues() {
    let place = Place::new();
    assert_eq!(place.play(FINE, ["-p", "Hi"]).run(), Done::ok("fine\n"));
    let done = place.tau(["-c", "-p", "/model"]).env("ANTHROPIC_API_KEY", "sk-a").run();
    assert_eq!((done.code, &*done.stdout), (Some(1), ""));
    assert!(done.stderr.contains("the model of this session, scripted/"), "{}", done.stderr);
    assert!(
        done.stderr.contains("tau does not use another model (anthropic/claude-opus-5-5) unasked."),
        "{}",
        done.stderr
    );
    let done = place.tau(["-c", "--mode", "rpc"]).env("ANTHROPIC_API_KEY", "sk-a").run();
    assert!(done.stderr.contains("anthropic/claude-opus-5-5 is used instead"), "{}", done.stderr);
    let done = place.tau(["-c", "-p", "--model", "claude-opus-5-5", "/model"]).env("ANTHROPIC_API_KEY", "sk-a").run();
    assert_eq!(done.stdout, "Model: anthropic/claude-opus-5-5\n", "{}", done.stderr);
}

#[test]
fn a_list_of_models_that_matches_nothing_does_not_choose_another_one() {
    let place = Place::new();
    let done = place.tau(["-p", "--models", "google/*", "/model"]).env("ANTHROPIC_API_KEY", "sk-a").run();
    assert_eq!((done.code, &*done.stdout), (Some(1), ""));
    assert!(done.stderr.contains("No models match pattern \"google/*\""), "{}", done.stderr);
    assert!(done.stderr.contains("--models: none of these models is available"), "{}", done.stderr);
    assert!(
        done.stderr.contains("tau does not use another model (anthropic/claude-opus-5-5) unasked."),
        "{}",
        done.stderr
    );
}

/// An older pi reads the same file and knows only the former name.
#[test]
fn what_is_stored_for_azure_leaves_the_entry_under_its_former_name() {
    let place = Place::new();
    place.write("agent/auth.json", r#"{"azure-openai-responses": {"type": "api_key", "key": "old"}}"#);
    let (mut user, program) = terminal();
    let mut tau = place.tau(["auth", "login", "azure", "--api-key"]);
    let mut child = tau.spawn_in_terminal(program);
    read_until(&mut user, "API key for azure: ");
    user.write_all(b"new\n").expect("typed");
    assert!(child.wait().expect("its end").success());
    let stored: serde_json::Value = serde_json::from_str(&place.read("agent/auth.json")).expect("JSON");
    let key = |key: &str| json!({"type": "api_key", "key": key});
    assert_eq!(stored, json!({"azure-openai-responses": key("old"), "azure": key("new")}));
    let printed = place.tau(["auth", "print-api-key", "--provider", "azure"]).run();
    assert_eq!(printed, Done::ok("new\n"));
    assert_eq!(place.tau(["auth", "logout", "azure"]).run().code, Some(0));
    assert_eq!(place.read("agent/auth.json"), "{}");
}

#[test]
fn an_azure_provider_of_before_is_found_by_its_new_name() {
    let place = Place::new();
    let azure = json!({"baseUrl": "http://127.0.0.1:1/v1", "api": "openai-completions", "models": [{"id": "gpt"}]});
    place.write("agent/models.json", json!({"providers": {"azure-openai-responses": azure}}).to_string());
    place.write("agent/auth.json", r#"{"azure-openai-responses": {"type": "api_key", "key": "k"}}"#);
    for provider in ["azure", "azure-openai-responses"] {
        let settings = json!({"defaultProvider": provider, "defaultModel": "gpt"});
        place.write("agent/settings.json", settings.to_string());
        assert_eq!(place.tau(["-p", "/model"]).run(), Done::ok("Model: azure/gpt\n"));
        let model = format!("{provider}/gpt");
        assert_eq!(place.tau(["--model", &model, "-p", "/model"]).run(), Done::ok("Model: azure/gpt\n"));
        assert_eq!(place.tau(["auth", "check", "--provider", provider]).run(), Done::ok("ready\n"));
    }
    let others = "Environment variables and models.json stay as they are.\n";
    let gone = Done::ok(&format!("Removed the stored credential for azure. {others}"));
    assert_eq!(place.tau(["auth", "logout", "azure"]).run(), gone);
    assert_eq!(place.read("agent/auth.json"), "{}");
}

#[test]
fn the_theme_of_the_terminal_has_a_name() {
    let place = Place::new();
    place.write(
        "says.ts",
        "export default (pi) => pi.on('session_start', (_, ctx) => console.error(ctx.ui.theme.name));",
    );
    place.write("agent/settings.json", r#"{"theme": "system"}"#);
    let says = |colors: &str| {
        let tau = place.play(FINE, ["-e", "../says.ts", "-p", "x"]).env("COLORFGBG", colors);
        let done = tau.run();
        assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"), "{}", done.stderr);
        done.stderr
    };
    assert_eq!(says("15;0"), "dark\n");
    assert_eq!(says("0;15"), "light\n");
    place.write("agent/settings.json", r#"{"theme": "sytem"}"#);
    assert!(says("15;0").contains("there is no theme \"sytem\"; there are dark, light, system"));
}

#[test]
fn mcp_servers_of_a_project_are_named_where_it_is_not_trusted() {
    let place = Place::new();
    place.write("agent/mcp.json", r#"{"mcpServers": {}}"#);
    let run = |args: &[&str]| place.play(FINE, args.iter().copied().chain(["-p", "x"])).run();
    assert_eq!(run(&["--no-mcp"]), Done::ok("fine\n"));
    assert_eq!(run(&[]), Done::ok("fine\n"));
    place.write("work/.pi/mcp.json", r#"{"mcpServers": {}}"#);
    assert!(run(&[]).stderr.contains("not loaded (the folder is not trusted yet): .pi/mcp.json."));
    assert_eq!(run(&["--approve"]), Done::ok("fine\n"));
    assert_eq!(place.read("agent/mcp.json"), r#"{"mcpServers": {}}"#);
}

#[test]
fn extensions_of_the_program_can_be_named() {
    let place = Place::new();
    let script = "replies: [[{tool_call: {name: bash, arguments: {command: echo r$((1+1))n}}}], fine]";
    let run = |args: &[&str]| place.play(script, args.iter().copied().chain(["-p", "x"])).run();
    // A file that cannot be loaded would shut the gates.
    for args in
        [&["-e", "builtin:mcp"][..], &["--extension=builtin:llama.cpp", "-e", "builtin:codemode"], &["--no-mcp"]]
    {
        assert_eq!(run(args), Done::ok("fine\n"), "{args:?}");
    }
    let ran = |file: &std::path::PathBuf| std::fs::read_to_string(file).expect("a session").contains("r2n");
    assert!(place.session_files().iter().all(ran), "the gates are open");
    let unknown = run(&["-e", "builtin:mpc"]);
    let known = "Error: Invalid value \"builtin:mpc\" for -e. Valid values: builtin:codemode, builtin:llama.cpp, \
                 builtin:mcp, builtin:tool-search, builtin:orchestrator, builtin:";
    assert!(unknown.code == Some(1) && unknown.stderr.starts_with(known), "{unknown:?}");
    assert!(unknown.stderr.ends_with(". Did you mean builtin:mcp?\n"), "{unknown:?}");
    assert_eq!(place.tau(["hooks", "list", "-e", "builtin:mpc"]).run().code, Some(1));
    assert_eq!(place.tau(["hooks", "list", "-e", "builtin:mcp"]).run().code, Some(0));
    // The settings may switch them off, in both files.
    place.write("agent/settings.json", r#"{"extensions": ["-builtin:mcp", "builtin:codemode"]}"#);
    assert_eq!(run(&[]), Done::ok("fine\n"));
    place.write("agent/settings.json", r#"{"extensions": ["-builtin:mpc"]}"#);
    let done = run(&[]);
    let said = "extensions: there is no builtin:mpc; did you mean builtin:mcp?";
    assert!(done.stderr.contains(said), "{}", done.stderr);
}

#[test]
fn the_mode_of_a_terminal_view_is_accepted() {
    let place = Place::new();
    let done = place.play(FINE, ["--tui-mode", "fullscreen", "-p", "x"]).run();
    assert_eq!(done, Done::ok("fine\n"));
    assert_eq!(place.play(FINE, ["--tui-mode", "wide", "-p", "x"]).run().code, Some(1));
}

/// A sign-in with ChatGPT is never sent, neither to its vendor's other interface nor anywhere else.
#[test]
fn a_sign_in_with_chatgpt_is_refused_with_a_sentence() {
    let place = Place::new();
    let stored = json!({"openai": {"type": "oauth", "access": "eyJ-secret", "refresh": "r", "expires": 9e15}});
    place.write("agent/auth.json", stored.to_string());
    let done = place.tau(["--model", "openai/gpt-5.5", "-p", "Hi"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""));
    assert!(done.stderr.contains("made for a program of its vendor, and tau does not use it"), "{}", done.stderr);
    assert!(done.stderr.contains("OPENAI_API_KEY") && !done.stderr.contains("eyJ-secret"), "{}", done.stderr);
}

#[test]
fn keys_that_only_pi_acts_on_are_known() {
    let place = Place::new();
    let settings = json!({"$schema": "x", "quietStartup": "header", "httpIdleTimeoutMs": "disabled", "deviceId": "d",
        "websocketConnectTimeoutMs": "disabled", "tuiMode": "fullscreen", "codemode": {"mode": "only"}});
    place.write("agent/settings.json", settings.to_string());
    assert_eq!(place.play(FINE, ["-p", "x"]).run(), Done::ok("fine\n"));
    assert_eq!(place.read("agent/settings.json"), settings.to_string());
    let set = |key: &str, value: &str| place.tau(["config", "set", key, value]).run();
    let done = set("collapseChangelog", "true");
    let unused = "Warning: collapseChangelog is used by pi; tau does not use it\n";
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), unused));
    let wrong = Done::failed("Error: quietStartup must be true, false or header");
    assert_eq!(set("quietStartup", "all"), wrong);
    let schema = place.tau(["config", "schema"]).run();
    assert!(schema.code == Some(0) && schema.stdout.contains("\"quietStartup\""), "{}", schema.stdout);
    let compat = json!({"providers": {"anthropic": {"compat": {"suportsTemperature": true}}}});
    place.write("agent/models.json", compat.to_string());
    let done = place.play(FINE, ["-p", "x"]).run();
    let expected = "Provider anthropic: unknown compat keys have no effect: suportsTemperature\n";
    assert!(done.stderr.ends_with(expected) && done.stderr.lines().count() == 1, "{}", done.stderr);
}
