//! Every event with a handler that answers when nobody waits for it any more: because the run was aborted or, where
//! there is no run, because the user went on without it. The session is what it would be if the answer had never come.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};
use tau_hooks::Hooks;
use tau_hooks::events::TABLE;
use tau_hooks::table::Delivery;
use tokio_util::sync::CancellationToken;

use crate::support::Scripts;
use crate::tour::{self, Toured, tour_in};

/// What nobody may see.
const MARK: &str = "zzlate";

fn late(event: &str, folder: &Path) -> String {
    let file = |name: &str| Value::from(folder.join(name).display().to_string());
    let message = json!({"role": "assistant", "content": [{"type": "text", "text": MARK}]});
    let answer = json!({
        "block": true, "reason": MARK, "cancel": true, "action": "handled", "text": MARK, "trusted": "yes",
        "messages": [{"role": "user", "content": MARK}], "message": message, "systemPrompt": MARK,
        "content": [{"type": "text", "text": MARK}], "isError": true, "details": MARK, "continue": true,
        "entries": [{"type": "custom", "customType": MARK}], "sessionDir": MARK, "skillPaths": [MARK],
        "promptPaths": [MARK], "themePaths": [MARK], "payload": {"model": MARK},
    });
    let (asked, released, answered) = (file("asked"), file("released"), file("answered"));
    format!(
        "import {{ existsSync, writeFileSync }} from 'node:fs';
let asked = false;
export default (pi) => {{
  pi.on({event:?}, async (event, ctx) => {{
    if (asked) return;
    asked = true;
    ctx.abort();
    writeFileSync({asked}, '');
    while (!existsSync({released})) await new Promise((resolve) => setTimeout(resolve, 2));
    if (event.input) event.input.text = '{MARK}';
    if (Array.isArray(event.messages)) event.messages.length = 0;
    if (event.headers) event.headers['x-late'] = '{MARK}';
    if (event.payload) event.payload.model = '{MARK}';
    setTimeout(() => writeFileSync({answered}, ''), 1);
    return {answer};
  }});
}};
"
    )
}

/// Goes on without the handler, then lets it answer.
async fn release(hooks: Arc<Hooks>, folder: PathBuf, answers: bool, over: CancellationToken) {
    let pause = || tokio::time::sleep(Duration::from_millis(3));
    while !folder.join("asked").exists() {
        pause().await;
    }
    let skip = || {
        let running = hooks.dispatcher.running();
        let call = running.iter().find(|call| call.extension.ends_with("late.ts"));
        call.map(|call| hooks.dispatcher.skip(call.id))
    };
    // A call is noted as running a moment after it began, and on a busy machine a moment may be long.
    let mut quiet = 0;
    while quiet < 30 {
        pause().await;
        quiet = if skip().is_none() { quiet + 1 } else { 0 };
    }
    if answers {
        std::fs::write(folder.join("released"), "").expect("a file");
        // An engine that ended with its session lets nobody answer any more.
        let mut left = 300;
        while !folder.join("answered").exists() && left > 0 {
            pause().await;
            left -= u32::from(over.is_cancelled());
        }
    }
    while !over.is_cancelled() {
        pause().await;
        skip();
    }
}

async fn run(event: &'static str, answers: bool) -> (Toured, Scripts) {
    let world = tour::world();
    let scripts = Scripts::new(&world);
    let folder = tempfile::tempdir().expect("a folder");
    let source = late(event, folder.path());
    for outcome in scripts.load(&world, &[("late.ts", &source)]).await {
        outcome.result.unwrap_or_else(|error| panic!("{}: {error}", outcome.path.display()));
    }
    let over = CancellationToken::new();
    let watcher = release(Arc::clone(&world.hooks), folder.path().to_owned(), answers, over.clone());
    let watcher = tokio::spawn(watcher);
    let toured = tour_in(world).await;
    over.cancel();
    // The answer comes at last, also when the tour was faster.
    watcher.await.expect("a handler that was asked");
    (toured, scripts)
}

async fn check(event: &'static str) -> Result<(), String> {
    let row = TABLE.iter().find(|row| row.name == event).ok_or("no such event")?;
    let (never, _) = run(event, false).await;
    let (late, scripts) = run(event, true).await;
    let seen = serde_json::to_string(&(&late.events, &late.conversation, &late.worked)).unwrap_or_default();
    if seen.contains(MARK) {
        return Err("the late answer had an effect".to_owned());
    }
    let told: Vec<_> =
        scripts.told.all().into_iter().filter(|(_, _, message, _)| !message.contains("skipped")).collect();
    if !told.is_empty() {
        return Err(format!("the user was told {told:?}"));
    }
    // How much of an answer has come when an update makes the user abort is a matter of luck.
    let outcome = |toured: &Toured| (toured.trusted, toured.worked.clone(), toured.conversation.clone());
    // Whether an abort comes before or after what was just asked of the model is luck too, without any answer: what
    // happens with a late answer must be one of the things that happen without.
    let mut without = vec![outcome(&never)];
    while row.delivery != Delivery::Queued && !without.contains(&outcome(&late)) {
        if without.len() == 6 {
            return Err(format!("{:?} instead of one of {without:?}", outcome(&late)));
        }
        without.push(outcome(&run(event, false).await.0));
    }
    if late.came_to_its_end() {
        Ok(())
    } else {
        Err(format!("the session did not come to its end: {:?}", late.names()))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_late_result_changes_nothing_at_every_event() {
    let events = tour::events();
    let count = events.len();
    let failures: Vec<String> = futures_util::stream::iter(events)
        .map(|event| async move { check(event).await.err().map(|error| format!("{event}: {error}")) })
        .buffer_unordered(6)
        .filter_map(std::future::ready)
        .collect()
        .await;
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
}
