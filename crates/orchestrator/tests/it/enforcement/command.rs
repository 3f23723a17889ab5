//! The command `/policy`.

use serde_json::json;
use tau_agent_testkit::World;
use tau_hooks::Mode;

use super::{calls, rule, rules, user};

/// What the command says.
async fn said(command: &str, prepare: impl FnOnce(&World)) -> String {
    said_after(0, command, prepare).await
}

/// What the command says, behind so many notices of the start.
async fn said_after(notices: usize, command: &str, prepare: impl FnOnce(&World)) -> String {
    let world = calls(Mode::Rpc, Vec::new());
    prepare(&world);
    let shown = user(&world, &[]);
    let running = world.start().await;
    running.say(command).await;
    while shown.all().len() <= notices {
        tokio::task::yield_now().await;
    }
    shown.all().pop().expect("a notice").0
}

#[tokio::test]
async fn it_lists_rules_with_their_places() {
    let text = said("/policy", |world| {
        let mine = rule("no-echo", "block", "echo");
        let always = json!({"id": "allow-ls", "action": "allow", "when": {"argv": ["ls"]}});
        world.home.write_agent("policy.json", json!({"rules": [always, mine], "off": ["repetition"]}).to_string());
    })
    .await;
    let has = |wanted: &str| assert!(text.contains(wanted), "{wanted}: {text}");
    has("Rules in force\n");
    has("opaque");
    has("no-echo");
    has("policy.json:");
    has("Rules that are not in force\n  repetition");
    has("Allowed always; /policy undo takes the first of these back\n  allow-ls");
}

#[tokio::test]
async fn it_says_what_is_wrong_with_a_file() {
    let text = said_after(1, "/policy", |world| drop(world.home.write_agent("policy.json", "{"))).await;
    assert!(text.contains("Problems\n") && text.contains("policy.json:1:"), "{text}");
}

#[tokio::test]
async fn it_tries_a_command_and_runs_nothing() {
    let text = said("/policy test touch ran; git add .", |_| {}).await;
    assert!(text.starts_with("blocked\n\nRule ") && text.contains("'git add .'"), "{text}");
    let text = said("/policy test echo x", |world| {
        world.home.write_agent("policy.json", rules(&[rule("mine", "warn", "echo")]));
    })
    .await;
    assert!(text.starts_with("allowed with a warning\n\nRule mine warns:"), "{text}");
    assert_eq!(said("/policy test ls", |_| {}).await, "allowed");
}

#[tokio::test]
async fn it_explains_one_rule_and_refuses_what_it_does_not_know() {
    let text = said("/policy repetition", |_| {}).await;
    assert!(text.starts_with("repetition\n  action   block\n"), "{text}");
    for (wrong, begin) in [
        ("/policy nothing", "there is no rule \"nothing\"; usage: "),
        ("/policy test", "usage: /policy"),
        ("/policy undo", "nothing was allowed always; "),
        ("/policy undo x", "\"x\" was not allowed always; "),
    ] {
        let text = said(wrong, |_| {}).await;
        assert!(text.starts_with(begin), "{wrong}: {text}");
    }
}
