//! What TypeScript extensions send, and what they hear of the provider.

use serde_json::json;

use crate::common::messages;
use crate::sessions::{noted, started};

/// A tool or a handler asks for a reload in the name of the user, and the session goes on with the new engine.
#[tokio::test]
async fn a_command_that_was_sent_can_reload_and_what_is_sent_afterwards_arrives() {
    let source = r#"
        export default function (pi: any) {
          pi.on("session_start", (event: any) => pi.appendEntry("note", event.reason));
          pi.on("agent_settled", (_: any, ctx: any) => {
            const reloads = ctx.sessionManager.getEntries().filter((entry: any) => entry.data === "reload").length;
            if (reloads === 0) pi.sendUserMessage("/again", { expandPromptTemplates: true });
          });
          pi.registerCommand("again", { handler: async (_: string, ctx: any) => { await ctx.reload(); } });
          pi.registerCommand("ask", { handler: async () => { pi.sendUserMessage("More"); } });
        }
    "#;
    let (world, running) = started(json!(["1.", "2."]), source).await;
    running.say("Hi").await;
    assert_eq!(noted(&running.session.session()), [json!("startup"), json!("reload")]);
    running.say("/ask").await;
    let expected = messages([("user", "Hi"), ("assistant", "1."), ("user", "More"), ("assistant", "2.")]);
    assert_eq!((running.conversation(), world.reports.all()), (expected, vec![]));
}

/// A run that an extension starts does not depend on the thread of the extension.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_was_started_by_a_message_goes_on_while_the_engine_is_busy() {
    let source = r#"
        export default function (pi: any) {
          const seen: any[] = [];
          pi.on("before_agent_start", (event: any, ctx: any) => {
            seen.push([event.messageType, event.prompt, event.message?.content, ctx.isIdle()]);
          });
          pi.on("agent_settled", (event: any) => pi.appendEntry("note", [seen, event.aborted]));
          pi.registerCommand("go", { handler: async (_: string, ctx: any) => {
            pi.sendMessage({ customType: "x", content: "psst" }, { triggerTurn: true });
            seen.push(ctx.isIdle());
          } });
        }
    "#;
    let (world, running) = started(json!(["1."]), source).await;
    running.say("/go").await;
    let notes = noted(&running.session.session());
    assert_eq!(notes, [json!([[false, ["custom", "", "psst", false]], false])]);
    assert_eq!(world.reports.all(), []);
}

#[tokio::test]
async fn events_of_the_provider_come_in_their_order() {
    let source = r#"
        export default function (pi: any) {
          const seen: any[] = [];
          pi.on("provider_stream_event", (event: any) => {
            seen.push([event.type, event.provider, event.api, event.model, event.data.type]);
          });
          pi.on("agent_end", () => pi.appendEntry("note", seen));
        }
    "#;
    let (world, running) = started(json!(["1."]), source).await;
    running.say("Hi").await;
    let event = |kind: &str| json!(["provider_stream_event", "scripted", "scripted", "planner", kind]);
    let expected = ["start", "text_start", "text_delta", "text_end", "done"].map(event);
    assert_eq!(noted(&running.session.session()), [json!(expected)]);
    assert_eq!(world.reports.all(), []);
}
