//! `process.exit` and `process.exitCode` in extensions.

use serde_json::json;
use tau_hooks::payload::SessionShutdownReason;

use crate::support::Scripts;
use crate::tour;

/// The exit code of a session with this extension that says hello and ends, whether it was asked to end, and what the user
/// was told.
async fn run(body: &str, line: &str) -> (u8, bool, Vec<String>) {
    let world = tour::world();
    let scripts = Scripts::new(&world).tau(json!({}));
    let source = format!("export default (pi) => {{\n  {body}\n}};\n");
    for outcome in scripts.load(&world, &[("leaver.ts", &source)]).await {
        outcome.result.expect("an extension that loads");
    }
    let running = world.start().await;
    running.say(line).await;
    let asked = running.session.exit_requested().is_cancelled();
    running.session.shut_down(SessionShutdownReason::Quit).await;
    let told = scripts.told.all().into_iter().map(|(_, event, message, _)| format!("{event}: {message}")).collect();
    (world.hooks.exit.code(0), asked, told)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_ends_the_program_with_its_code() {
    for body in ["process.exit(3);", "await new Promise((r) => setTimeout(r, 5)); process.exit(3);"] {
        let command = format!("pi.registerCommand('leave', {{ handler: async () => {{ {body} }} }});");
        assert_eq!(run(&command, "/leave").await, (3, true, Vec::new()), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn so_does_the_handler_of_the_end() {
    let body = "pi.on('session_shutdown', async () => { await null; process.exit(4); });";
    assert_eq!(run(body, "/name x").await, (4, false, Vec::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn elsewhere_only_the_handler_ends() {
    let body = "pi.on('input', () => process.exit(5));";
    assert_eq!(run(body, "/name x").await, (0, false, vec!["input: called process.exit(5)".to_owned()]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_exit_code_can_be_set_for_later() {
    let body = "pi.on('input', () => { process.exitCode = 6; });";
    assert_eq!(run(body, "/name x").await, (6, false, Vec::new()));
    let body = "process.exitCode = 6; pi.on('input', () => { process.exitCode = undefined; });";
    assert_eq!(run(body, "/name x").await, (0, false, Vec::new()));
}
