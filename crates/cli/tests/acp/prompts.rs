//! From a prompt to an answer.

use agent_client_protocol::v1::schema::{
    ContentBlock, EmbeddedResource, EmbeddedResourceResource, ImageContent, ResourceLink, SessionUpdate, StopReason,
    TextResourceContents,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::editor::with;
use crate::place::Place;
use crate::shown::Shown;

const TOOLS: &str = r#"
model: {reasoning: true}
replies:
  - - thinking: First a file.
    - {text: "Working on it. ", chunk: 3}
    - tool_call: {name: write, arguments: {path: a.txt, content: "one\n"}}
    - tool_call: {name: edit, arguments: {path: a.txt, edits: [{oldText: one, newText: two}]}}
    - tool_call: {name: read, arguments: {path: a.txt}}
    - tool_call: {name: bash, arguments: {command: "echo `cat a.txt`; exit 3"}}
    - usage: {input: 1000, output: 20}
  - [{text: Done.}, {usage: {input: 1200, output: 5}}]
"#;

#[tokio::test]
async fn thoughts_text_and_tool_calls_are_shown_as_they_happen() {
    let place = Place::new();
    place.write("work/a.txt", "zero\n");
    let stderr = with(&place, TOOLS, &[] as &[&str], async |editor| {
        let id = editor.begin(&place).await;
        assert_eq!(editor.prompt(&id, "Go").await, Ok(StopReason::EndTurn));
        let calls: Vec<_> = editor
            .shown(&id)
            .into_iter()
            .map(|shown| match shown {
                Shown::Call(call) => serde_json::to_string_pretty(&call).expect("JSON"),
                other => other.line(),
            })
            .collect();
        insta::assert_snapshot!(place.normal(&calls.join("\n")));
        let usage: Vec<(u64, u64)> = editor
            .updates(&id)
            .into_iter()
            .filter_map(|update| match update {
                SessionUpdate::UsageUpdate(usage) => Some((usage.used, usage.size)),
                _ => None,
            })
            .collect();
        assert_eq!(usage.last(), Some(&(1205, 200_000)));
    })
    .await;
    assert_eq!(stderr, "");
    assert_eq!(place.read("work/a.txt"), "two\n");
}

#[tokio::test]
async fn images_and_resources_reach_the_model() {
    let place = Place::new();
    let script = r#"
replies:
  - - expect:
        images: 1
        last_user: "See [@lib.rs](/src/lib.rs) and [@a.rs](/src/a.rs)\n\n<file name=\"/src/a.rs\">\nfn a() {}\n</file>\n"
    - Seen.
"#;
    with(&place, script, &[] as &[&str], async |editor| {
        let id = editor.begin(&place).await;
        let resource = TextResourceContents::new("fn a() {}", "file:///src/a.rs");
        let resource = EmbeddedResourceResource::TextResourceContents(resource);
        let blocks = vec![
            "See ".into(),
            ContentBlock::ResourceLink(ResourceLink::new("lib.rs", "file:///src/lib.rs")),
            " and ".into(),
            ContentBlock::Resource(EmbeddedResource::new(resource)),
            ContentBlock::Image(ImageContent::new(STANDARD.encode(include_bytes!("../process/dot.png")), "image/png")),
        ];
        assert_eq!(editor.prompt_with(&id, blocks).await, Ok(StopReason::EndTurn));
        assert_eq!(editor.said(&id), ["says: Seen."]);
    })
    .await;
}

#[tokio::test]
async fn an_answer_that_is_cut_off_or_fails_says_so() {
    let place = Place::new();
    let script = r#"
replies:
  - [{text: Too long}, {stop_reason: length}]
  - [{error: {message: "Unknown model: x", status: 404}}]
  - Well again.
"#;
    with(&place, script, &[] as &[&str], async |editor| {
        let id = editor.begin(&place).await;
        assert_eq!(editor.prompt(&id, "one").await, Ok(StopReason::MaxTokens));
        let error = editor.prompt(&id, "two").await.expect_err("a failure");
        assert_eq!((i32::from(error.code), &*error.message), (-32603, "Unknown model: x"));
        assert_eq!(editor.prompt(&id, "three").await, Ok(StopReason::EndTurn));
    })
    .await;
}

#[tokio::test]
async fn what_extensions_add_to_the_conversation_is_shown() {
    let place = Place::new();
    place.write(
        "agent/extensions/more.ts",
        r#"export default (pi) => {
  pi.registerCommand("more", { handler() {
    pi.sendMessage({ customType: "note", content: "A note.", display: true });
    pi.sendMessage({ customType: "note", content: "Not shown.", display: false });
    pi.sendUserMessage("Go on");
  } });
};"#,
    );
    with(&place, "replies: [One.]", &[] as &[&str], async |editor| {
        let id = editor.begin(&place).await;
        assert_eq!(editor.prompt(&id, "/more").await, Ok(StopReason::EndTurn));
        assert_eq!(editor.said(&id), ["says: A note.", "user: Go on", "says: One."]);
    })
    .await;
}
