//! What becomes of commands: blocked, changed, or run with a warning.

use serde_json::json;
use tau_agent_testkit::World;
use tau_agent_testkit::tools::spec;
use tau_hooks::events::ToolCall;
use tau_hooks::payload::ToolCallResult;
use tau_hooks::{HandlerError, Mode};
use tau_tools::{NestedCall, ToolOutput};

use super::{calls, commands, program, results, results_of, rule, rules, user};
use crate::world::{call, load};

#[tokio::test]
async fn a_command_that_no_rule_is_about_runs_in_every_mode() {
    for mode in [Mode::Tui, Mode::Rpc, Mode::Json, Mode::Print] {
        let world = commands(mode, &["echo ran"]);
        assert_eq!(results(&world).await, ["ran"], "{mode:?}");
        assert_eq!(world.reports.all(), []);
    }
}

#[tokio::test]
async fn a_blocked_command_does_nothing_and_the_model_reads_why() {
    for mode in [Mode::Tui, Mode::Print] {
        let world = commands(mode, &["touch ran && git add ."]);
        let [text] = <[String; 1]>::try_from(results(&world).await).expect("a result");
        assert!(text.contains("⛔ 'git add .'") && text.contains("git add .\n") && text.contains('^'), "{text}");
        assert!(!world.home.cwd().join("ran").exists());
    }
}

#[tokio::test]
async fn a_warning_stands_behind_the_output() {
    let world = commands(Mode::Print, &["echo a; echo b", "true"]);
    world.home.write_agent("policy.json", rules(&[rule("no-echo", "warn", "echo")]));
    let results = results(&world).await;
    assert!(results[0].starts_with("a\nb\n") && results[0].contains("[Warning]"), "{results:?}");
    assert!(results[0].contains("Rule no-echo warns:") && results[0].contains("echo is not for you"), "{results:?}");
    assert!(!results[1].contains("Warning"), "{results:?}");
}

#[tokio::test]
async fn commits_name_the_agent_where_the_setting_says_so() {
    let command = json!({"command": "git commit -m x", "timeout": 60});
    let world = |setting: &str| {
        let world = calls(Mode::Tui, vec![call("bash", command.clone())]).with_var("PI_CO_AUTHOR", setting);
        // A rule may ask about commits.
        user(&world, &[Some("Allow once")]);
        let made = std::process::Command::new("git")
            .current_dir(world.home.cwd())
            .args(["init", "--quiet", "--initial-branch", "work"])
            .status();
        assert!(made.expect("git runs").success());
        program(&world, "git", "printf '<%s>' \"$@\"");
        world
    };
    assert_eq!(results(&world("false")).await, ["<commit><-m><x>"]);
    let [text] = <[String; 1]>::try_from(results(&world("true")).await).expect("a result");
    let trailer = "<commit><--trailer><Co-authored-by: PI (";
    assert!(text.starts_with(trailer) && text.ends_with(") <noreply@pi.dev>><-m><x>"), "{text}");
}

#[tokio::test]
async fn what_waits_for_reviews_has_no_timeout() {
    let calls_of = |command: &str| vec![call("bash", json!({"command": command, "timeout": 60}))];
    let world = calls(Mode::Print, calls_of("myk-pi-tools reviews poll"));
    let heard = world.watch();
    results(&world).await;
    let result = heard.all().into_iter().find(|event| event["type"] == "tool_result").expect("a result");
    assert_eq!(result["input"], json!({"command": "myk-pi-tools reviews poll"}));
}

#[tokio::test]
async fn what_stands_in_front_of_every_command_is_judged_too() {
    let world = commands(Mode::Print, &["echo ran"]).settings(json!({"shellCommandPrefix": "git add ."}));
    let [text] = <[String; 1]>::try_from(results(&world).await).expect("a result");
    assert!(text.contains("'git add .'"), "{text}");
}

#[tokio::test]
async fn commands_for_a_shell_that_is_not_understood_do_not_run() {
    let world = commands(Mode::Print, &["echo ran"]).settings(json!({"shellPath": "/usr/bin/fish"}));
    let [text] = <[String; 1]>::try_from(results(&world).await).expect("a result");
    assert!(text.contains("shellPath is /usr/bin/fish"), "{text}");
}

#[tokio::test]
async fn a_rule_file_that_is_broken_leaves_the_gate_as_it_was() {
    let world = commands(Mode::Tui, &["sudo id", "sudo id", "git add ."]);
    let file = world.home.write_agent("policy.json", rules(&[rule("no-sudo", "block", "sudo")]));
    let shown = user(&world, &[]);
    let running = world.start().await;
    assert_eq!(shown.all(), []);
    std::fs::write(&file, "{\n  \"rules\": [").expect("a file");
    running.say("Go").await;
    let results = results_of(&running);
    assert!(results[0].contains("Rule no-sudo blocks this:"), "{results:?}");
    assert!(results[1].contains("no-sudo") && results[2].contains("'git add .'"), "{results:?}");
    let [(notice, _)] = <[_; 1]>::try_from(shown.all()).expect("one notice");
    assert!(notice.contains("policy.json:2:") && notice.ends_with("(its last good rules stay in force)"), "{notice}");
}

#[tokio::test]
async fn a_rule_file_that_never_was_good_leaves_the_rules_of_tau() {
    let world = commands(Mode::Print, &["git add ."]);
    world.home.write_agent("policy.json", "{");
    let results = results(&world).await;
    assert!(results[0].contains("'git add .'"), "{results:?}");
    let [report] = <[_; 1]>::try_from(world.reports.all()).expect("one report");
    assert!(format!("{report:?}").contains("until it is correct, its rules do not apply"), "{report:?}");
}

#[tokio::test]
async fn rules_apply_from_the_call_on_after_they_were_written() {
    let echo = |text: &str| call("bash", json!({"command": format!("echo {text}")}));
    let world = calls(Mode::Print, vec![echo("one"), call("put", json!({})), echo("two")]);
    let path = world.env().agent_dir().join("policy.json");
    world.extend("put", move |registrar| {
        let path = path.clone();
        registrar.tool(spec("put"), move |_, _| {
            let path = path.clone();
            async move {
                std::fs::write(path, rules(&[rule("no-echo", "block", "echo")])).expect("a file");
                Ok(ToolOutput::text("put"))
            }
        });
    });
    let results = results(&world).await;
    assert_eq!(results[..2], ["one", "put"]);
    assert!(results[2].contains("no-echo"), "{results:?}");
}

#[tokio::test]
async fn a_project_that_is_not_trusted_only_forbids_more() {
    let file = rules(&[rule("no-echo", "block", "echo"), rule("yes", "allow", "sudo")]);
    for is_trusted in [false, true] {
        let mut world = commands(Mode::Print, &["echo ran", "sudo id"]);
        world.trusted = is_trusted;
        world.home.write(".pi/policy.json", &file);
        program(&world, "sudo", "echo \"as root: $*\"");
        let results = results(&world).await;
        assert!(results[0].contains("no-echo"), "{results:?}");
        let expected = if is_trusted { "as root: id" } else { "Dangerous command blocked (no UI for confirmation)" };
        assert!(results[1].starts_with(expected), "{results:?}");
    }
}

/// What another gate changed before is what is judged, and other gates have their say.
#[tokio::test]
async fn it_stands_beside_gates_of_others() {
    let run = |command: &str| call("bash", json!({"command": command}));
    let world = World::new(json!([run("echo harmless"), run("echo no"), "Done."])).with_builtin_tools();
    world.extend("before", |registrar| {
        registrar.on::<ToolCall>(|call, _| async move {
            let is_harmless = call.input["command"] == "echo harmless";
            Ok::<_, HandlerError>(Some(if is_harmless {
                ToolCallResult::with_input(json!({"command": "git add ."}))
            } else {
                ToolCallResult::block("not today")
            }))
        });
    });
    load(&world, &["enforcement"]);
    let results = results(&world).await;
    assert!(results[0].contains("'git add .'"), "{results:?}");
    assert_eq!(results[1], "not today");
}

#[tokio::test]
async fn a_gate_that_cannot_decide_keeps_the_command_from_running() {
    let world = World::new(json!([call("bash", json!({"command": "touch ran"})), "Done."])).with_builtin_tools();
    world.extend("before", |registrar| {
        registrar.on::<ToolCall>(|_, _| async { Some(ToolCallResult::with_input(json!({"command": 7}))) });
    });
    load(&world, &["enforcement"]);
    let [text] = <[String; 1]>::try_from(results(&world).await).expect("a result");
    assert!(text.contains("no command that could be checked"), "{text}");
    assert!(!world.home.cwd().join("ran").exists());
}

/// A program of the tool `codemode` or of MCP calls tools in the same way.
#[tokio::test]
async fn calls_that_tools_make_pass_it_too() {
    let world = calls(Mode::Print, vec![call("outer", json!({}))]);
    world.extend("outer", |registrar| {
        registrar.tool(spec("outer"), |_, ctx| async move {
            let call = NestedCall::new("bash", json!({"command": "touch ran; git add ."}));
            let outcome = ctx.execute_tool(call).await;
            Ok(ToolOutput::text(format!("{:?}", outcome.output.content)))
        });
    });
    let results = results(&world).await;
    assert!(results[0].contains("'git add .'"), "{results:?}");
    assert!(!world.home.cwd().join("ran").exists());
}
