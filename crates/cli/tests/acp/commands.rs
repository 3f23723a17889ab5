//! Slash commands.

use agent_client_protocol::v1::schema::{AvailableCommand, SessionUpdate, StopReason};
use serde_json::json;

use crate::editor::{able, with, with_able};
use crate::place::Place;

/// The commands a client was told of last.
fn listed(updates: &[SessionUpdate]) -> Vec<AvailableCommand> {
    let mut lists = updates.iter().rev().filter_map(|update| match update {
        SessionUpdate::AvailableCommandsUpdate(update) => Some(update.available_commands.clone()),
        _ => None,
    });
    lists.next().expect("a list of commands")
}

/// Their names.
pub fn names(updates: &[SessionUpdate]) -> Vec<String> {
    listed(updates).into_iter().map(|command| command.name).collect()
}

const HELLO: &str = r#"export default (pi) => {
  pi.registerCommand("hello", { description: "Says hello", handler: (args, ctx) => ctx.ui.notify(`Hello ${args}!`, "warning") });
};"#;

fn place() -> Place {
    let place = Place::new();
    place.write("agent/extensions/hello.ts", HELLO);
    place.write("agent/prompts/review.md", "---\ndescription: Review a file\n---\nReview $1 well.");
    place.write("agent/skills/dance/SKILL.md", "---\nname: dance\ndescription: How to dance\n---\nStep by step.");
    place
}

#[tokio::test]
async fn commands_are_listed_and_run() {
    let place = place();
    let script = r#"replies: [{repeat: forever, steps: [{text: "<{{user}}>"}]}]"#;
    with(&place, script, &[] as &[&str], async |editor| {
        let id = editor.begin(&place).await;
        assert_eq!(editor.prompt(&id, "/hello you").await, Ok(StopReason::EndTurn));
        assert_eq!(editor.prompt(&id, "/review a.rs").await, Ok(StopReason::EndTurn));
        assert_eq!(editor.prompt(&id, "/name Mine").await, Ok(StopReason::EndTurn));
        assert_eq!(editor.said(&id), ["says: Hello you!\n", "says: <Review a.rs well.>", "says: Session name: Mine\n"]);
        let commands = listed(&editor.updates(&id));
        assert_eq!(
            serde_json::to_value(&commands[..4]).expect("JSON"),
            json!([
                {"name": "hello", "description": "Says hello", "input": {"hint": "[arguments]"}},
                {"name": "mcp", "description": "Show MCP servers, sign in, connect anew", "input": {"hint": "[arguments]"}},
                {"name": "review", "description": "Review a file", "input": {"hint": "[arguments]"}},
                {"name": "skill:dance", "description": "How to dance", "input": {"hint": "[arguments]"}},
            ])
        );
        let names = names(&editor.updates(&id));
        assert!(["compact", "model", "reload", "tree"].iter().all(|name| names.iter().any(|other| other == name)));
        assert!(!["new", "quit", "resume"].iter().any(|name| names.iter().any(|other| other == name)));
        let titles = editor.updates(&id).into_iter().filter_map(|update| match update {
            SessionUpdate::SessionInfoUpdate(info) => info.title.value().cloned(),
            _ => None,
        });
        assert_eq!(titles.collect::<Vec<_>>(), ["Mine"]);
    })
    .await;
}

#[tokio::test]
async fn a_reload_lists_what_is_there_then() {
    let place = place();
    with(&place, "replies: []", &[] as &[&str], async |editor| {
        let id = editor.begin(&place).await;
        place.write("agent/extensions/hello.ts", HELLO.replace("\"hello\"", "\"goodbye\""));
        assert_eq!(editor.prompt(&id, "/reload").await, Ok(StopReason::EndTurn));
        let names = names(&editor.updates(&id));
        assert_eq!(names[..4], ["goodbye", "mcp", "review", "skill:dance"]);
    })
    .await;
}

#[tokio::test]
async fn notices_are_notices_where_there_are_any() {
    let place = place();
    with_able(&place, "replies: []", &[] as &[&str], able(), async |editor| {
        let id = editor.begin(&place).await;
        assert_eq!(editor.prompt(&id, "/hello you").await, Ok(StopReason::EndTurn));
        assert_eq!(editor.said(&id), ["notice: Hello you!"]);
    })
    .await;
}

#[tokio::test]
async fn a_session_that_asks_for_its_end_is_closed() {
    let place = Place::new();
    with(&place, "replies: []", &[] as &[&str], async |editor| {
        let (one, other) = (editor.begin(&place).await, editor.begin(&place).await);
        assert_eq!(editor.prompt(&one, "/quit").await, Ok(StopReason::EndTurn));
        let mut asked = editor.prompt(&one, "/session").await;
        while asked.is_ok() {
            asked = editor.prompt(&one, "/session").await;
        }
        assert_eq!(asked.map_err(|error| i32::from(error.code)), Err(-32002));
        assert_eq!(editor.prompt(&other, "/session").await, Ok(StopReason::EndTurn));
    })
    .await;
}
