//! Requests of a conversation that was sent before are those of one that was not.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use tau_ai::{CacheRetention, Message, WrittenMessages};
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::support::{EVERY, answer, messages, model, request};

/// What happens to the conversation before a request.
#[derive(Debug, Clone)]
enum Change {
    Adds(usize),
    /// As a handler that filters does.
    Drops(usize),
    /// Another message with the same text, or another one, stands in its place.
    Replaces(usize, usize),
    Repeats(usize),
    Moves(usize, usize),
    Model(usize),
    Marks(bool),
}

fn change() -> impl Strategy<Value = Change> {
    use Change::{Adds, Drops, Marks, Model, Moves, Repeats, Replaces};
    prop_oneof![
        8 => (0..12_usize).prop_map(Adds),
        1 => any::<usize>().prop_map(Drops),
        1 => (any::<usize>(), 0..12_usize).prop_map(|(at, kind)| Replaces(at, kind)),
        1 => any::<usize>().prop_map(Repeats),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(from, to)| Moves(from, to)),
        1 => (0..4_usize).prop_map(Model),
        1 => any::<bool>().prop_map(Marks),
    ]
}

/// A message of each kind.
fn message(kind: usize, api: &str) -> Arc<Message> {
    let image = json!({"type": "image", "data": "AAAA", "mimeType": "image/png"});
    let said = |content: Value, stop: &str| json!({"role": "assistant", "api": api, "provider": "test", "model": "test-model", "stopReason": stop, "content": content});
    let call = |id: &str| json!({"type": "toolCall", "id": id, "name": "read", "arguments": {"path": "a"}});
    let result = |id: &str, content: Value| json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "isError": false, "content": content});
    let one = match kind {
        0 => json!({"role": "user", "content": "plain"}),
        1 => json!({"role": "user", "content": [{"type": "text", "text": "ä\u{1}\"\\"}, image]}),
        2 => json!({"role": "user", "content": "  "}),
        3 => said(json!([{"type": "text", "text": "an answer"}]), "stop"),
        4 => said(json!([{"type": "thinking", "thinking": "hm", "thinkingSignature": "c2ln"}, call("c1")]), "toolUse"),
        5 => said(json!([call("c1"), call("c2")]), "toolUse"),
        6 => said(json!([{"type": "text", "text": "half"}, call("c1")]), "aborted"),
        7 => said(json!([]), "stop"),
        8 => result("c1", json!([{"type": "text", "text": "one"}])),
        9 => result("c2", json!([{"type": "text", "text": "two"}, image])),
        10 => result("c1", json!([])),
        _ => json!({"role": "custom", "customType": "x", "content": "not sent", "display": true}),
    };
    messages(json!([one])).remove(0)
}

fn models(api: &str, server: &LoopbackServer) -> Vec<tau_ai::Model> {
    let compat = json!({"compat": {"requiresAssistantAfterToolResult": true, "allowEmptySignature": true}});
    let others = [json!({}), json!({"input": ["text"]}), json!({"id": "other"}), compat];
    others.into_iter().map(|extra| model(api, server, extra)).collect()
}

async fn compare(api: &str, changes: &[Change]) -> Result<(), TestCaseError> {
    let server = LoopbackServer::start([]);
    let models = models(api, &server);
    let (mut history, mut chosen, mut marks) = (Vec::<Arc<Message>>::new(), 0, true);
    let written = WrittenMessages::default();
    for change in changes {
        let count = history.len().max(1);
        match *change {
            Change::Adds(kind) => history.push(message(kind, api)),
            _ if history.is_empty() => {}
            Change::Drops(at) => drop(history.remove(at % count)),
            Change::Replaces(at, kind) => history[at % count] = message(kind, api),
            Change::Repeats(at) => history.push(Arc::clone(&history[at % count])),
            Change::Moves(from, to) => {
                let moved = history.remove(from % count);
                history.insert(to % count, moved);
            }
            Change::Model(number) => chosen = number,
            Change::Marks(wanted) => marks = wanted,
        }
        for written in [written.clone(), WrittenMessages::default()] {
            let mut request = request(models[chosen].clone());
            request.messages = history.clone();
            request.options.written = written;
            request.options.cache_retention = if marks { CacheRetention::Short } else { CacheRetention::None };
            server.push(Reply::text("ok"));
            answer(request).await;
        }
        let [.., again, anew] = &*server.requests() else { return Err(TestCaseError::fail("two requests")) };
        prop_assert_eq!(&again.body, &anew.body);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]
    #[test]
    fn what_was_sent_before_changes_no_request(changes in proptest::collection::vec(change(), 1..16), format in 0..EVERY.len()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(compare(EVERY[format], &changes))?;
    }
}
