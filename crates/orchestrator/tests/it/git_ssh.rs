//! How git reaches SSH in the commands of a session.

use std::process::Command;

use serde_json::json;
use tau_agent_testkit::World;
use tau_hooks::Mode;

use crate::world::{call, load};

/// What a command of the model finds in the variable.
async fn found(prepare: impl FnOnce(World) -> World) -> String {
    let ask = call("bash", json!({"command": "echo \"[$GIT_SSH_COMMAND]\""}));
    let mut world = prepare(World::new(json!([ask, "Fine."])).with_builtin_tools());
    world.mode = Mode::Print;
    load(&world, &["git-ssh"]);
    let running = world.start().await;
    running.say("Go").await;
    let (_, text) = running.conversation().into_iter().find(|(role, _)| role == "toolResult").expect("a result");
    text.trim().to_owned()
}

fn git(folder: &std::path::Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(folder).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    assert!(git.status().expect("git runs").success(), "{arguments:?}");
}

#[tokio::test]
async fn a_dead_connection_ends_unless_somebody_chose_a_command() {
    let limited = "[ssh -o ServerAliveInterval=15 -o ServerAliveCountMax=3 -o ConnectTimeout=10]";
    assert_eq!(found(|world| world).await, limited);
    assert_eq!(found(|world| world.with_var("GIT_SSH", "")).await, limited);
    for name in ["GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL"] {
        let text = found(|world| world.with_var(name, "mine")).await;
        assert_ne!(text, limited, "{name}");
    }
    let with_repository = |setting: &'static [&'static str]| {
        found(move |world| {
            git(&world.home.cwd(), &["init", "-q"]);
            git(&world.home.cwd(), setting);
            world
        })
    };
    assert_eq!(with_repository(&["config", "core.editor", "vi"]).await, limited);
    assert_eq!(with_repository(&["config", "core.sshCommand", "ssh -i key"]).await, "[]");
}
