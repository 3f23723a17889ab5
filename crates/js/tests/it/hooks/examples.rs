//! Hooks such as people write: gates that ask, filters, checkpoints, doors to the outside.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};
use tau_hooks::Mode;
use tau_hooks::dialogs::{DialogAnswer, DialogEvent, UiCall};
use tau_hooks::payload::ForkPosition;

use super::{Hooked, calling, omp, original, results};
use crate::bus::heard;
use crate::common::{Log, World, calls, messages};

fn interactive(mut world: World) -> World {
    world.mode = Mode::Tui;
    world
}

/// A user who gives this answer to every question; what was asked and shown.
fn user(hooked: &Hooked, answer: DialogAnswer) -> Log<String> {
    let mut back_end = hooked.world.hooks.dialogs.subscribe();
    let seen: Log<String> = Log::default();
    let log = seen.clone();
    tokio::spawn(async move {
        while let Some(event) = back_end.recv().await {
            match event {
                DialogEvent::Opened(request) => {
                    log.push(request.kind.title().unwrap_or_default().to_owned());
                    let _ = back_end.answer(request.id(), answer.clone());
                }
                DialogEvent::Ui(call) => {
                    if let UiCall::Notify { message, .. } = &call.call {
                        log.push(message.clone());
                    }
                }
                _ => {}
            }
        }
    });
    seen
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gate_asks_about_dangerous_commands() {
    let body = "const dangerous = [/\\bexit\\s+7/i];
pi.on('tool_call', async (event, ctx) => {
  if (event.toolName !== 'bash') return undefined;
  const command = event.input.command as string;
  if (!dangerous.some((pattern) => pattern.test(command))) return undefined;
  const choice = await ctx.ui.select(`Run ${command}?`, ['Yes', 'No']);
  if (choice !== 'Yes') return { block: true, reason: 'Refused by the user' };
  return undefined;
});";
    for (answer, refused) in [("Yes", false), ("No", true)] {
        let hooked = Hooked::new(interactive(calling("bash", json!({"command": "exit 7"}))), &[original(body)]).await;
        let seen = user(&hooked, DialogAnswer::Value(answer.to_owned()));
        let running = hooked.say("hi").await;
        assert_eq!(results(&running)[0].0 == "Refused by the user", refused);
        assert_eq!(seen.all(), ["Run exit 7?"]);
    }
    // Nobody is there to say yes.
    let hooked = Hooked::new(calling("bash", json!({"command": "exit 7"})), &[original(body)]).await;
    assert_eq!(results(&hooked.say("hi").await)[0].0, "Refused by the user");

    let body = "pi.on('tool_call', async (event, ctx) => {
  if (event.toolName !== 'bash' || !String(event.input.command ?? '').includes('exit 7')) return;
  if (!ctx.hasUI) return { block: true, reason: 'nobody to ask' };
  if (!(await ctx.ui.confirm('Dangerous', String(event.input.command)))) return { block: true, reason: 'denied' };
});";
    let hooked = Hooked::new(calling("bash", json!({"command": "exit 7"})), &[omp(body)]).await;
    assert_eq!(results(&hooked.say("hi").await)[0].0, "nobody to ask");
    let hooked = Hooked::new(interactive(calling("bash", json!({"command": "exit 7"}))), &[omp(body)]).await;
    user(&hooked, DialogAnswer::Confirmed(false));
    assert_eq!(results(&hooked.say("hi").await)[0].0, "denied");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gate_guards_paths_and_what_is_written_there() {
    let body = "pi.on('tool_call', async (event, ctx) => {
  if (event.toolName !== 'write' && event.toolName !== 'edit') return undefined;
  const text = event.input.newText ?? event.input.content;
  if (event.input.path.includes('.env') || text.includes('SECRET')) {
    ctx.ui.notify(`kept ${event.input.path}`, 'warning');
    return { block: true, reason: 'protected' };
  }
  return undefined;
});";
    let edits = json!([{"oldText": "a", "newText": "x"}, {"oldText": "b", "newText": "SECRET"}]);
    let cases = [
        ("write", json!({"path": ".env", "content": "x"}), true),
        ("write", json!({"path": "free.txt", "content": "x"}), false),
        ("edit", json!({"path": "file.txt", "edits": edits}), true),
        ("edit", json!({"path": "file.txt", "edits": [{"oldText": "a", "newText": "x"}]}), false),
    ];
    for (tool, input, kept) in cases {
        for source in [omp(body), original(body)] {
            let hooked = Hooked::new(interactive(calling(tool, input.clone())), &[source]).await;
            std::fs::write(hooked.world.home.cwd().join("file.txt"), "a b").expect("write");
            let seen = user(&hooked, DialogAnswer::Cancelled);
            let running = hooked.say("hi").await;
            assert_eq!(results(&running)[0].0 == "protected", kept, "{input}: {:?}", results(&running));
            while kept && seen.all().is_empty() {
                tokio::task::yield_now().await;
            }
            assert_eq!(seen.all().len(), usize::from(kept));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_taken_out_of_what_was_read() {
    let body = "pi.on('tool_result', async (event) => {
  if (event.toolName !== 'read' || event.isError) return;
  return { content: event.content.map((chunk) => chunk.type === 'text' ? { ...chunk, text: chunk.text.replaceAll(/KEY=\\S+/g, 'KEY=...') } : chunk) };
});";
    for source in [omp(body), original(body)] {
        let hooked = Hooked::new(calling("read", json!({"path": "keys"})), &[source]).await;
        std::fs::write(hooked.world.home.cwd().join("keys"), "KEY=1234\nother").expect("write");
        assert_eq!(results(&hooked.say("hi").await)[0].0, "KEY=...\nother");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn guards_tell_whose_result_it_is() {
    let body = "pi.on('tool_result', async (event) => {
  const found = [isBashToolResult, isReadToolResult].map((guard) => guard(event));
  pi.events.emit('log', [...found, event.details?.truncation?.truncated ?? false, typeof event.details?.fullOutputPath]);
});";
    let head = "import { isBashToolResult, isReadToolResult } from '@mariozechner/pi-coding-agent/hooks';\n";
    let hooked =
        Hooked::new(calling("bash", json!({"command": "seq 1 100000"})), &[format!("{head}{}", original(body))]).await;
    hooked.say("hi").await;
    assert_eq!(heard(&hooked.log, 1).await, [json!([true, false, true, "string"])]);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_brought_back_when_the_user_branches() {
    let body = "const checkpoints = new Map();
pi.on('session', async (event, ctx) => { if (event.reason === 'start') ctx.ui.notify(`Session ${event.reason}: ${ctx.sessionFile ? 'kept' : 'ephemeral'}`, 'info'); });
pi.on('turn_start', async (event, ctx) => {
  const { stdout, code } = await ctx.exec('cat', ['state.txt']);
  if (code === 0) checkpoints.set(event.turnIndex, stdout.trim());
});
pi.on('branch', async (event, ctx) => {
  const saved = checkpoints.get(0);
  const choice = await ctx.ui.select(`Restore ${saved}?`, ['Yes, restore', 'No']);
  if (!choice?.startsWith('Yes')) return undefined;
  await ctx.exec('sh', ['-c', `printf '%s' '${saved}' > state.txt`]);
  ctx.ui.notify('Restored', 'info');
  return undefined;
});";
    let replies = json!([calls([("c1", "bash", json!({"command": "printf changed > state.txt"}))]), "done"]);
    let hooked = Hooked::found(interactive(World::new(replies).with_builtin_tools()), &[original(body)]).await;
    let state = hooked.world.home.cwd().join("state.txt");
    std::fs::write(&state, "before").expect("write");
    let seen = user(&hooked, DialogAnswer::Value("Yes, restore".to_owned()));
    let running = hooked.say("hi").await;
    assert_eq!(std::fs::read_to_string(&state).expect("read"), "changed");
    let first =
        running.session.session().entries().into_iter().find(|entry| entry.kind() == tau_session::EntryKind::Message);
    let first = first.expect("the prompt").id().as_str().to_owned();
    running.session.fork(&first, ForkPosition::Before).await.expect("a fork");
    assert_eq!(std::fs::read_to_string(&state).expect("read"), "before");
    while seen.all().len() < 3 {
        tokio::task::yield_now().await;
    }
    assert_eq!(seen.all(), ["Session start: kept", "Restore before?", "Restored"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_from_outside_begins_a_run() {
    let body = "pi.on('session', async (event, ctx) => {
  if (event.reason !== 'start') return;
  const server = http.createServer((req, res) => {
    let body = '';
    req.on('data', (chunk) => (body += chunk));
    req.on('end', () => {
      pi.send(body || 'nothing');
      res.writeHead(200);
      res.end('OK');
    });
  });
  server.listen(0, '127.0.0.1', () => pi.events.emit('log', server.address().port));
});";
    let source = format!("import * as http from 'node:http';\n{}", original(body));
    let hooked = Hooked::found(interactive(World::new(json!(["seen"]))), &[source]).await;
    let running = hooked.world.start().await;
    let port = heard(&hooked.log, 1).await[0].as_u64().and_then(|port| u16::try_from(port).ok()).expect("a port");
    let answer = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("connect");
        let text = "CI build failed";
        write!(
            stream,
            "POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{text}",
            text.len()
        )
        .expect("send");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    });
    let answer = answer.await.expect("a client");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("OK") || answer.contains("OK\r\n"), "{answer}");
    wait_for(&running, &[("user", "CI build failed"), ("assistant", "seen")]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changes_begins_a_run() {
    let body = "pi.on('session', async (event, ctx) => {
  if (event.reason !== 'start') return;
  const file = path.join(ctx.cwd, 'trigger.txt');
  fs.watch(file, () => {
    try {
      const content = fs.readFileSync(file, 'utf-8').trim();
      if (content) {
        fs.writeFileSync(file, '');
        pi.send(`External trigger: ${content}`);
      }
    } catch {}
  });
  pi.events.emit('log', 'watching');
});";
    let source = format!("import * as fs from 'node:fs';\nimport * as path from 'node:path';\n{}", original(body));
    let hooked = Hooked::found(interactive(World::new(json!(["seen"]))), &[source]).await;
    let file = hooked.world.home.cwd().join("trigger.txt");
    std::fs::write(&file, "").expect("write");
    let running = hooked.world.start().await;
    heard(&hooked.log, 1).await;
    std::fs::write(&file, "Run the tests").expect("write");
    wait_for(&running, &[("user", "External trigger: Run the tests"), ("assistant", "seen")]).await;
}

/// Waits until the conversation is this one.
async fn wait_for<const N: usize>(running: &crate::common::Running, expected: &[(&str, &str); N]) {
    let expected = messages(*expected);
    while running.conversation() != expected {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_of_a_hook_reaches_the_model_and_its_data_does_not() {
    let body = "pi.on('session_start', async () => {
  setTimeout(() => pi.sendMessage({ customType: 'trigger', content: 'Look at the build', display: true, details: { secret: 1 } }, true), 0);
});";
    let hooked = Hooked::found(interactive(World::new(json!(["seen"]))), &[omp(body)]).await;
    let running = hooked.world.start().await;
    wait_for(&running, &[("custom", "Look at the build"), ("assistant", "seen")]).await;
    let request: Value = running.script.requests()[0].clone();
    assert_eq!(request["messages"][0]["role"], "user");
    assert!(!request.to_string().contains("secret"));
}
