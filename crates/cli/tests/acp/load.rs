//! Sessions that were saved.

use agent_client_protocol::v1::schema::{
    DeleteSessionRequest, ListSessionsRequest, ResumeSessionRequest, SessionId, SessionUpdate, StopReason,
};

use crate::editor::{Editor, with};
use crate::place::Place;
use crate::shown::Shown;

const SCRIPT: &str = r#"
model: {reasoning: true}
replies:
  - - thinking: A file.
    - text: Let me see.
    - tool_call: {name: edit, arguments: {path: a.txt, edits: [{oldText: one, newText: two}]}}
    - tool_call: {name: bash, arguments: {command: cat a.txt}}
    - tool_call: {name: read, arguments: {path: gone.txt}}
  - Done.
"#;

const LATER: &str = "replies: [[{expect: {contains: Let me see.}}, {text: I remember.}]]";

/// Has a conversation; gives its session and what was shown.
async fn talk(place: &Place) -> (SessionId, Vec<Shown>) {
    place.write("work/a.txt", "one\n");
    let mut talked = None;
    with(place, SCRIPT, &[] as &[&str], async |editor| {
        let id = editor.begin(place).await;
        assert_eq!(editor.prompt(&id, "Change it").await, Ok(StopReason::EndTurn));
        talked = Some((id.clone(), editor.shown(&id)));
    })
    .await;
    talked.expect("a conversation")
}

async fn listed(editor: &Editor, request: ListSessionsRequest) -> Vec<(SessionId, Option<String>)> {
    let sessions = editor.send(request).await.expect("a list").sessions;
    sessions.into_iter().map(|session| (session.session_id, session.title)).collect()
}

#[tokio::test]
async fn what_was_said_is_told_again() {
    let place = Place::new();
    let (id, before) = talk(&place).await;
    with(&place, LATER, &[] as &[&str], async |editor| {
        editor.load(&id, &place.work()).await;
        let mut again = editor.shown(&id);
        assert_eq!(again.remove(0), Shown::User("Change it".to_owned()));
        assert_eq!(again, before);
        assert_eq!(editor.prompt(&id, "Do you?").await, Ok(StopReason::EndTurn));
        assert_eq!(editor.said(&id).last().map(String::as_str), Some("says: I remember."));
        // Loading a session that is open begins it anew.
        editor.load(&id, &place.work()).await;
        let users = editor.shown(&id).into_iter().filter(|shown| matches!(shown, Shown::User(_))).count();
        assert_eq!(users, 1 + 2);
    })
    .await;
}

#[tokio::test]
async fn a_session_goes_on_without_telling_it_again() {
    let place = Place::new();
    let (id, _) = talk(&place).await;
    with(&place, LATER, &[] as &[&str], async |editor| {
        let request = ResumeSessionRequest::new(id.clone(), place.work());
        let answer = editor.send(request).await.expect("a session");
        assert_eq!(answer.modes.map(|modes| modes.current_mode_id.to_string()).as_deref(), Some("off"));
        assert_eq!(editor.prompt(&id, "Do you?").await, Ok(StopReason::EndTurn));
        assert_eq!(editor.said(&id), ["says: I remember."]);
    })
    .await;
}

#[tokio::test]
async fn sessions_are_listed_and_deleted() {
    let place = Place::new();
    let (id, _) = talk(&place).await;
    std::fs::create_dir(place.root().join("other")).expect("a directory");
    with(&place, "replies: [Fine.]", &[] as &[&str], async |editor| {
        let other = editor.open(&place.root().join("other")).await.session_id;
        editor.prompt(&other, "A question\nof two lines").await.expect("an answer");
        editor.prompt(&other, "/name Named").await.expect("an answer");
        let (first, second) = ((other.clone(), Some("Named".to_owned())), (id.clone(), Some("Change it".to_owned())));
        assert_eq!(listed(&editor, ListSessionsRequest::new()).await, [first, second.clone()]);
        let here = ListSessionsRequest::new().cwd(place.work());
        assert_eq!(listed(&editor, here.clone()).await, std::slice::from_ref(&second));
        // An open session is closed before.
        editor.send(DeleteSessionRequest::new(other.clone())).await.expect("gone");
        assert_eq!(editor.prompt(&other, "Hello?").await.map_err(|error| i32::from(error.code)), Err(-32002));
        assert_eq!(listed(&editor, ListSessionsRequest::new()).await, [second]);
        editor.send(DeleteSessionRequest::new(id.clone())).await.expect("gone");
        assert_eq!(listed(&editor, here).await, []);
    })
    .await;
    assert_eq!(place.session_files(), Vec::<std::path::PathBuf>::new());
}

#[tokio::test]
async fn long_lists_come_in_pages() {
    let place = Place::new();
    with(&place, "replies: [{repeat: forever, steps: [x]}]", &[] as &[&str], async |editor| {
        for _ in 0..51 {
            let id = editor.begin(&place).await;
            editor.prompt(&id, "x").await.expect("an answer");
        }
        let first = editor.send(ListSessionsRequest::new()).await.expect("a page");
        assert_eq!((first.sessions.len(), first.next_cursor.as_deref()), (50, Some("50")));
        let second = editor.send(ListSessionsRequest::new().cursor(first.next_cursor)).await.expect("a page");
        assert_eq!((second.sessions.len(), second.next_cursor), (1, None));
    })
    .await;
}

#[tokio::test]
async fn a_compacted_conversation_is_told_in_full() {
    let place = Place::new();
    let script = r#"
replies:
  - when: {system_contains: summar}
    steps: [The gist.]
  - "A long answer. {{user}}"
"#;
    let mut talked = None;
    with(&place, script, &[] as &[&str], async |editor| {
        let id = editor.begin(&place).await;
        editor.prompt(&id, &"Tell me everything. ".repeat(10_000)).await.expect("an answer");
        editor.prompt(&id, "/compact").await.expect("an answer");
        talked = Some(id);
    })
    .await;
    let id = talked.expect("a session");
    with(&place, "replies: []", &[] as &[&str], async |editor| {
        editor.load(&id, &place.work()).await;
        let said = editor.said(&id);
        assert!(said.iter().any(|line| line.starts_with("user: Tell me everything.")), "{said:?}");
        let usage = |update: &SessionUpdate| matches!(update, SessionUpdate::UserMessageChunk(_));
        assert_eq!(editor.updates(&id).iter().filter(|update| usage(update)).count(), 1);
    })
    .await;
}
