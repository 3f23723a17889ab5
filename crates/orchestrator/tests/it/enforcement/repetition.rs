//! Commands that come again and again.

use serde_json::{Value, json};
use tau_hooks::Mode;

use super::{calls, commands, results};
use crate::world::call;

/// Which of the results are blocked for repetition.
fn blocked(results: &[String]) -> Vec<bool> {
    results.iter().map(|text| text.contains("times in a row")).collect()
}

#[tokio::test]
async fn the_third_time_in_a_row_is_blocked() {
    let world = commands(Mode::Print, &["echo a", " echo  a", "cd . && echo a", "true; echo a", "echo b"]);
    let results = results(&world).await;
    assert_eq!(blocked(&results), [false, false, true, true, false], "{results:?}");
    assert!(results[2].starts_with("Rule repetition blocks this:\n  cd . && echo a\n"), "{results:?}");
    assert!(results[2].contains("executed 3 times") && results[3].contains("executed 4 times"), "{results:?}");
}

#[tokio::test]
async fn tests_and_changes_in_between_begin_a_new_count() {
    let world = commands(Mode::Print, &["ctest -N; echo a"; 4]);
    assert_eq!(blocked(&results(&world).await), [false; 4]);
    let echo = || call("bash", json!({"command": "echo a"}));
    let tool = |name: &str| call(name, json!({"path": "x", "content": "new"}));
    for (name, expected) in [("write", false), ("read", true)] {
        let world = calls(Mode::Print, vec![echo(), echo(), tool(name), echo()]);
        world.home.write("x", "old");
        assert_eq!(blocked(&results(&world).await), [false, false, false, expected], "{name}");
    }
}

#[tokio::test]
async fn two_commands_that_alternate_are_a_row() {
    let world = commands(Mode::Print, &["echo a", "echo b", "echo a", "echo b", "echo a"]);
    assert_eq!(blocked(&results(&world).await), [false, false, false, false, true]);
}

#[tokio::test]
async fn it_can_be_switched_off() {
    let world = commands(Mode::Print, &["echo a"; 4]);
    let off: Value = json!({"off": ["repetition"]});
    world.home.write_agent("policy.json", off.to_string());
    assert_eq!(blocked(&results(&world).await), [false; 4]);
}
