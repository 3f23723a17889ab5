//! Files that decide what the agent may do.

use serde_json::json;
use tau_agent_testkit::tools::spec;
use tau_hooks::Mode;
use tau_tools::ToolOutput;

use super::{calls, results, user};
use crate::world::call;

#[tokio::test]
async fn nothing_writes_what_guards_the_user_without_a_yes() {
    for path in [
        ".pi/settings.json",
        ".claude/settings.json",
        ".pi/x/../settings.json",
        "@.pi/settings.json",
        "x\n/../.pi/settings.json",
        "x://../../.pi/settings.json",
    ] {
        let args = json!({"path": path, "content": "{}"});
        let world = calls(Mode::Print, vec![call("write", args.clone())]);
        let results = results(&world).await;
        assert!(results[0].starts_with("Blocked: this needs the user's confirmation"), "{path}: {results:?}");
        assert!(results[0].contains("Rule guard asks:"), "{path}: {results:?}");
        assert!(!world.home.cwd().join(".pi/settings.json").exists(), "{path}");
    }
    for name in ["settings.json", "trust.json", "policy.json"] {
        let world = calls(Mode::Tui, Vec::new());
        let path = world.env().agent_dir().join(name);
        let asked = calls(Mode::Tui, vec![call("write", json!({"path": path, "content": "{}"}))]).in_home_of(world);
        let shown = user(&asked, &[Some("Block")]);
        assert_eq!(results(&asked).await, ["Blocked by user"], "{name}");
        let (title, options) = shown.all().remove(0);
        assert!(title.contains(name) && options == ["Allow once", "Block"], "{title}");
    }
}

#[tokio::test]
async fn a_yes_lets_the_tool_write() {
    let world = calls(Mode::Tui, vec![call("write", json!({"path": ".pi/settings.json", "content": "{}"}))]);
    user(&world, &[Some("Allow once")]);
    results(&world).await;
    assert_eq!(std::fs::read_to_string(world.home.cwd().join(".pi/settings.json")).expect("a file"), "{}");
}

#[tokio::test]
async fn other_files_and_reading_are_free() {
    let write = call("write", json!({"path": "settings.json", "content": "mine"}));
    let world = calls(Mode::Print, vec![write, call("read", json!({"path": ".pi/settings.json"}))]);
    world.home.write(".pi/settings.json", "{\"a\": 1}");
    let results = results(&world).await;
    assert!(world.home.cwd().join("settings.json").exists());
    assert!(results[1].contains("\"a\": 1"), "{results:?}");
}

#[tokio::test]
async fn arguments_of_other_tools_that_are_paths_are_looked_at() {
    let args = json!({"edits": [{"file_path": ".claude/settings.json"}]});
    let world = calls(Mode::Print, vec![call("patch", args), call("patch", json!({"text": ".claude/settings.json"}))]);
    world.extend("patch", |registrar| {
        registrar.tool(spec("patch"), |_, _| async { Ok(ToolOutput::text("patched")) });
    });
    let results = results(&world).await;
    assert!(results[0].contains("Rule guard asks:") && results[1] == "patched", "{results:?}");
}
