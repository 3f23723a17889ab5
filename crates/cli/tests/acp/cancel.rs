//! Stopping what is under way.

use agent_client_protocol::v1::schema::{SessionUpdate, StopReason};

use crate::editor::with;
use crate::place::{Place, transcript};

#[tokio::test]
async fn a_prompt_is_cancelled_in_the_middle_of_an_answer() {
    let place = Place::new();
    let script = r#"
replies:
  - - {text: "Again and again. ", repeat_delta: 100000, delta_ms: 20}
  - Something else.
"#;
    with(&place, script, &[] as &[&str], async |editor| {
        let id = editor.begin(&place).await;
        let prompt = editor.prompt(&id, "Go");
        let stop = async {
            editor
                .until(|log| {
                    let says = |update: &SessionUpdate| matches!(update, SessionUpdate::AgentMessageChunk(_));
                    log.updates.iter().any(|update| says(&update.update)).then_some(())
                })
                .await;
            editor.cancel(&id);
        };
        let (done, ()) = tokio::join!(prompt, stop);
        assert_eq!(done, Ok(StopReason::Cancelled));
        assert_eq!(editor.prompt(&id, "And now?").await, Ok(StopReason::EndTurn));
        assert_eq!(editor.said(&id).last().map(String::as_str), Some("says: Something else."));
    })
    .await;
    let said = transcript(&place.session());
    assert_eq!((said.len(), &*said[3]), (4, "assistant: Something else."));
    assert!(said[1].ends_with("(aborted)"), "{said:?}");
}

#[tokio::test]
async fn a_question_that_is_open_is_taken_back() {
    let place = Place::new();
    place.write(
        "agent/extensions/gate.ts",
        r#"export default (pi) => {
  pi.on("tool_call", async (event, ctx) => {
    const ok = await ctx.ui.confirm("Run it?", "");
    return { block: !ok, reason: "no" };
  });
};"#,
    );
    let script = "replies: [[{tool_call: {name: ls, arguments: {}}}], Never asked.]";
    with(&place, script, &["--tools", "ls"], async |editor| {
        let id = editor.begin(&place).await;
        let prompt = editor.prompt(&id, "Go");
        let stop = async {
            editor.until(|log| (!log.permissions.is_empty()).then_some(())).await;
            editor.cancel(&id);
            editor.until(|log| (log.withdrawn == 1).then_some(())).await;
        };
        let (done, ()) = tokio::join!(prompt, stop);
        assert_eq!(done, Ok(StopReason::Cancelled));
        let said = editor.said(&id);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with("List . (failed)"), "{said:?}");
    })
    .await;
}

#[tokio::test]
async fn a_second_prompt_is_refused_while_one_is_at_work() {
    let place = Place::new();
    let script = r#"replies: [[{text: "On and on. ", repeat_delta: 100000, delta_ms: 20}]]"#;
    with(&place, script, &[] as &[&str], async |editor| {
        let id = editor.begin(&place).await;
        let first = editor.prompt(&id, "Go");
        let second = async {
            editor.until(|log| log.updates.iter().any(says).then_some(())).await;
            let error = editor.prompt(&id, "And this").await.expect_err("refused");
            assert_eq!(
                (i32::from(error.code), &*error.message),
                (-32600, "A prompt is at work in this session. Wait for its answer, or stop it with session/cancel.")
            );
            editor.cancel(&id);
        };
        let (done, ()) = tokio::join!(first, second);
        assert_eq!(done, Ok(StopReason::Cancelled));
    })
    .await;
}

/// What the client sends behind a built-in command finds what the command has done.
#[tokio::test]
async fn a_prompt_behind_a_built_in_command_waits_for_it() {
    let place = Place::new();
    place.write("agent/extensions/quiet.ts", "export default (pi) => { pi.on('session_start', () => {}); };");
    let script = r#"replies: [{repeat: forever, steps: [{text: "<{{user}}>"}]}]"#;
    with(&place, script, &[] as &[&str], async |editor| {
        let id = editor.begin(&place).await;
        for _ in 0..10 {
            let both = tokio::join!(biased; editor.prompt(&id, "/reload"), editor.prompt(&id, "And now?"));
            assert_eq!(both, (Ok(StopReason::EndTurn), Ok(StopReason::EndTurn)));
        }
        let (reload, stopped, ()) = tokio::join!(
            biased;
            editor.prompt(&id, "/reload"),
            editor.prompt(&id, "And now?"),
            async { editor.cancel(&id) }
        );
        // Each is answered, whether the stop came in time or not.
        let answered = |done| matches!(done, Ok(StopReason::Cancelled | StopReason::EndTurn));
        assert!(answered(reload) && answered(stopped));
    })
    .await;
}

fn says(update: &agent_client_protocol::v1::schema::SessionNotification) -> bool {
    matches!(update.update, SessionUpdate::AgentMessageChunk(_))
}
