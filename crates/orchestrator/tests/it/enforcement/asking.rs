//! Questions to the user.

use serde_json::{Value, json};
use tau_agent_testkit::World;
use tau_hooks::Mode;

use super::{commands, program, results, results_of, rule, rules, user};

const TOUCH: &str = "touch ran; sudo id";

fn asking(mode: Mode, times: usize) -> World {
    let world = commands(mode, &vec![TOUCH; times]);
    program(&world, "sudo", "echo \"as root: $*\"");
    world
}

#[tokio::test]
async fn without_a_user_a_question_is_a_no() {
    for mode in [Mode::Json, Mode::Print] {
        let world = asking(mode, 1);
        let [text] = <[String; 1]>::try_from(results(&world).await).expect("a result");
        assert!(text.starts_with("Dangerous command blocked (no UI for confirmation)\n\nRule sudo asks:\n"), "{text}");
        assert!(!world.home.cwd().join("ran").exists());
    }
    let world = commands(Mode::Print, &["echo x"]);
    world.home.write_agent("policy.json", rules(&[rule("ask-echo", "ask", "echo")]));
    let [text] = <[String; 1]>::try_from(results(&world).await).expect("a result");
    assert!(text.starts_with("Blocked: this needs the user's confirmation") && text.contains("ask-echo"), "{text}");
}

#[tokio::test]
async fn the_user_sees_the_whole_command_and_decides() {
    for (answer, expected, ran) in [
        (Some("Allow once"), "as root: id", true),
        (Some("Block"), "Blocked by user", false),
        (None, "Blocked by user", false),
    ] {
        let world = asking(Mode::Tui, 1);
        let shown = user(&world, &[answer]);
        assert_eq!(results(&world).await, [expected], "{answer:?}");
        assert_eq!(world.home.cwd().join("ran").exists(), ran, "{answer:?}");
        let [(title, options)] = <[_; 1]>::try_from(shown.all()).expect("one question");
        assert!(
            title.contains("Rule sudo asks:") && title.contains("\n             ^^^^\n") && title.contains(TOUCH),
            "{title}"
        );
        let [once, always, block] = <[String; 3]>::try_from(options).expect("three options");
        assert!(once == "Allow once" && always.starts_with("Allow always: `sudo id` ") && block == "Block", "{always}");
    }
}

#[tokio::test]
async fn what_is_allowed_always_is_not_asked_again_until_it_is_taken_back() {
    let world = asking(Mode::Tui, 2);
    let shown = user(&world, &[Some("Allow always")]);
    let running = world.start().await;
    running.say("Go").await;
    assert_eq!(results_of(&running), ["as root: id"; 2]);
    let [(question, _), (notice, _)] = <[_; 2]>::try_from(shown.take()).expect("a question and a notice");
    assert!(question.contains("sudo") && notice.contains("`/policy undo allow-sudo-id"), "{notice}");
    let file = world.env().agent_dir().join("policy.json");
    let read = || serde_json::from_str::<Value>(&std::fs::read_to_string(&file).expect("a file")).expect("JSON");
    assert_eq!(read()["rules"][0]["action"], "allow");
    running.say("/policy undo").await;
    assert_eq!(read()["rules"], json!([]));
    assert!(!world.home.cwd().join(".pi").exists());
}

#[tokio::test]
async fn a_rule_that_cannot_be_kept_allows_this_call_only() {
    let world = asking(Mode::Tui, 1);
    world.home.write_agent("policy.json", "{");
    let shown = user(&world, &[Some("Allow always")]);
    assert_eq!(results(&world).await, ["as root: id"]);
    let last = shown.all().pop().expect("a notice").0;
    assert!(last.starts_with("allowed this time only: ") && last.contains("policy.json:1:"), "{last}");
}

/// A command that is only known when it runs has no rule that could allow it for good.
#[tokio::test]
async fn what_is_not_known_is_asked_each_time() {
    let world = commands(Mode::Tui, &["$(cat x) id"]);
    let shown = user(&world, &[Some("Block")]);
    assert_eq!(results(&world).await, ["Blocked by user"]);
    assert_eq!(shown.all()[0].1, ["Allow once", "Block"]);
}
