//! Children in a process of their own: what a program that a session starts is announced, and who answers.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use tau_hooks::dialect::{ORIGINAL, PI, SHELL};
use tau_hooks::events::{ToolCall, UserBash};
use tau_hooks::payload::{BashResult, SessionShutdownReason, ToolCallResult, UserBashResult};
use tau_hooks::{HandlerError, Hooks};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};

use super::{gate, working};
use crate::common::tools::recording;
use crate::common::{Log, Running, World};

const VARIABLE: &str = "TAU_PARENT_GATES";

/// What a session announces to the programs that it starts.
fn announced(hooks: &Hooks) -> PathBuf {
    let changes = hooks.variables.changes();
    let value = changes.into_iter().find(|(name, _)| name == VARIABLE).expect("an announcement").1;
    value.expect("a value").into()
}

/// A session in a process that finds this announcement, with a tool `work`.
async fn below(socket: &std::path::Path, ran: &Log<Value>) -> (World, Running) {
    let world = World::new(working(1)).with_var(VARIABLE, &socket.display().to_string());
    world.extend("work", |registrar| recording(registrar, "work", ran));
    let running = world.start().await;
    (world, running)
}

/// The result of the one call that the session makes.
async fn result(running: &Running) -> String {
    running.say("Go").await;
    let results = running.file_messages().into_iter().filter(|(role, _)| role == "toolResult");
    results.map(|(_, text)| text).collect()
}

#[tokio::test]
async fn a_process_asks_the_gates_of_its_parent() {
    for block in [true, false] {
        let (asked, ran) = (Log::default(), Log::default());
        let parent = World::new(json!([]));
        parent.extend("guard", |registrar| gate(registrar, &asked, block));
        let _parent = parent.start().await;
        let (_world, running) = below(&announced(&parent.hooks), &ran).await;
        let expected = if block { "not work" } else { "did x" };
        assert_eq!(result(&running).await, expected);
        let name = format!("process {}", std::process::id());
        assert_eq!((asked.all(), ran.all().len()), (vec![(name, json!({"text": "x"}))], usize::from(!block)));
    }
}

/// What the gate of the parent makes of the arguments is what runs.
#[tokio::test]
async fn what_the_parent_changes_counts() {
    let ran = Log::default();
    let parent = World::new(json!([]));
    parent.extend("guard", |registrar| {
        registrar.on::<ToolCall>(|_, _| async {
            Some(ToolCallResult { input: Some(json!({"text": "safe"})), ..ToolCallResult::default() })
        });
    });
    let _parent = parent.start().await;
    let (_world, running) = below(&announced(&parent.hooks), &ran).await;
    assert_eq!((result(&running).await, ran.all()), ("did safe".to_owned(), vec![json!({"text": "safe"})]));
}

/// Whatever rules the extensions of the process run under, the parent sees what came out of them.
#[tokio::test]
async fn the_parent_is_asked_last() {
    for dialect in [&PI, &ORIGINAL, &SHELL] {
        let (asked, ran) = (Log::default(), Log::default());
        let parent = World::new(json!([]));
        parent.extend("guard", |registrar| gate(registrar, &asked, true));
        let _parent = parent.start().await;
        let world = World::new(working(1)).with_var(VARIABLE, &announced(&parent.hooks).display().to_string());
        world.extend("work", |registrar| recording(registrar, "work", &ran));
        world.extend_as(dialect, "rewriter", |registrar| {
            registrar.on::<ToolCall>(|_, _| async {
                Some(ToolCallResult { input: Some(json!({"text": "evil"})), ..ToolCallResult::default() })
            });
        });
        let running = world.start().await;
        running.session.reload().await.expect("a reload");
        assert_eq!(result(&running).await, "not work", "{}", dialect.id);
        let seen: Vec<Value> = asked.all().into_iter().map(|(_, input)| input).collect();
        assert_eq!((seen, ran.all()), (vec![json!({"text": "evil"})], vec![]), "{}", dialect.id);
    }
}

/// A process that a process started asks all the way up, each gate once.
#[tokio::test]
async fn a_process_below_a_process_asks_both() {
    let (top, middle, ran) = (Log::default(), Log::default(), Log::default());
    let first = World::new(json!([]));
    first.extend("guard", |registrar| gate(registrar, &top, true));
    let _first = first.start().await;
    let second = World::new(json!([])).with_var(VARIABLE, &announced(&first.hooks).display().to_string());
    second.extend("guard", |registrar| gate(registrar, &middle, false));
    let _second = second.start().await;
    assert_ne!(announced(&first.hooks), announced(&second.hooks));
    let (_world, running) = below(&announced(&second.hooks), &ran).await;
    assert_eq!((result(&running).await, ran.all()), ("not work".to_owned(), vec![]));
    assert_eq!((top.all().len(), middle.all().len()), (1, 1));
}

/// Whatever is announced and does not answer blocks.
#[tokio::test]
async fn no_answer_blocks() {
    let place = tempfile::tempdir().expect("a folder");
    let says = |answer: &'static [u8]| {
        let path = place.path().join(format!("{}", answer.len()));
        let listener = UnixListener::bind(&path).expect("a socket");
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let mut stream = BufReader::new(stream);
                let mut line = String::new();
                stream.read_line(&mut line).await.expect("a question");
                stream.write_all(answer).await.expect("room for an answer");
            }
        });
        path
    };
    let ended = {
        let parent = World::new(json!([]));
        let running = parent.start().await;
        running.session.shut_down(SessionShutdownReason::Quit).await;
        (announced(&parent.hooks), parent)
    };
    let file = place.path().join("file");
    std::fs::write(&file, "").expect("a file");
    let dead = place.path().join("dead");
    drop(UnixListener::bind(&dead).expect("a socket"));
    let cases = [
        (place.path().join("missing"), "is no socket"),
        (file, "is no socket"),
        (PathBuf::new(), "is no socket"),
        (dead, "cannot be asked"),
        (says(b""), "it ended before it answered"),
        (says(b"{\"allow\":{}}"), "it ended before it answered"),
        (says(b"yes\n"), "its answer makes no sense"),
        (says(b"{\"allowed\":true}\n"), "its answer makes no sense"),
        (ended.0.clone(), "the parent session has ended"),
    ];
    for (socket, why) in cases {
        let ran = Log::default();
        let (_world, running) = below(&socket, &ran).await;
        let said = result(&running).await;
        assert!(said.contains(why) && said.starts_with("Blocked: "), "{}: {said}", socket.display());
        assert_eq!(ran.all(), Vec::<Value>::new(), "{}", socket.display());
    }
}

/// Commands of the user in the process are asked about as well.
#[tokio::test]
async fn commands_of_the_user_are_asked_about() {
    let parent = World::new(json!([]));
    parent.extend("guard", |registrar| {
        registrar.on::<UserBash>(|command, _| async move {
            match command.command.as_str() {
                "rm" => Err(HandlerError::msg("not rm")),
                "ls" => Ok(None),
                _ => {
                    let result = BashResult { output: "by the parent".to_owned(), ..BashResult::default() };
                    Ok(Some(UserBashResult { result: Some(result), operations: None }))
                }
            }
        });
    });
    let _parent = parent.start().await;
    let world = World::new(json!([])).with_var(VARIABLE, &announced(&parent.hooks).display().to_string());
    let running = world.start().await;
    let run = |command: &str| {
        let command = tau_agent::UserCommand { command: command.to_owned(), exclude_from_context: true };
        let session = Arc::clone(&running.session);
        async move { session.run_bash(command, None).await.map(|done| done.output).map_err(|error| error.to_string()) }
    };
    assert_eq!(run("rm").await, Err("not rm".to_owned()));
    assert_eq!(run("anything").await, Ok("by the parent".to_owned()));
    assert!(run("ls").await.is_ok());
}

/// Nonsense and questions that are taken back cost the parent nothing.
#[tokio::test]
async fn a_parent_answers_whatever_is_asked() {
    let asked = Log::default();
    let parent = World::new(json!([]));
    parent.extend("guard", |registrar| gate(registrar, &asked, true));
    let _parent = parent.start().await;
    let socket = announced(&parent.hooks);
    for question in ["nonsense\n", "{}\n", "{\"event\":\"tool_call\",\"cwd\":\"/\",\"pid\":1,\"payload\":{}", ""] {
        let mut stream = UnixStream::connect(&socket).await.expect("somebody listens");
        stream.write_all(question.as_bytes()).await.expect("room");
        stream.shutdown().await.expect("the end");
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).await.expect("an end");
        assert_eq!(answer, "", "{question}");
    }
    for (event, why) in [("input", "knows no event input"), ("tool_call", "makes no sense")] {
        let mut stream = BufReader::new(UnixStream::connect(&socket).await.expect("somebody listens"));
        let question = json!({"event": event, "cwd": "/", "pid": 1, "payload": {}});
        stream.write_all(format!("{question}\n").as_bytes()).await.expect("room");
        let mut answer = String::new();
        stream.read_line(&mut answer).await.expect("an answer");
        assert!(answer.contains("block") && answer.contains(why), "{answer}");
    }
    assert_eq!(asked.all(), []);
}
