//! Providers that quote the key of a request, in any form.

use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::{Value, json};
use tau_ai::scripted::{PROVIDER, ScriptedApi};
use tau_ai::{
    MessageBuilder, MessageStream, PartialMessage, Secret, StopReason, StreamApi, StreamEvent, StreamItem,
    StreamRequest,
};
use tau_testkit::loopback::{LoopbackServer, Reply};

use crate::common::{World, registry};

const KEY: &str = "sk-quoted/key+0123456789";

/// The key as it is, as JSON may write it, and as an address does.
fn forms() -> Vec<String> {
    let escaped: String = KEY.chars().map(|character| format!("\\u{:04X}", u32::from(character))).collect();
    let twice = escaped.replace('\\', "\\\\");
    let percent = KEY.replace('/', "%2F").replace('+', "%2b");
    vec![KEY.to_owned(), escaped, twice, percent, KEY.replace('/', "\\/")]
}

fn assert_hidden(text: &str) {
    for form in forms() {
        let in_json = json!(form).to_string();
        assert!(!text.contains(&form) && !text.contains(&in_json[1..in_json.len() - 1]), "{form}: {text}");
    }
    assert!(text.contains('…'), "{text}");
}

/// Answers questions for summaries with a failure that quotes the key, and so, when it `fails`, all others.
struct Quoting {
    script: ScriptedApi,
    fails: bool,
}

impl StreamApi for Quoting {
    fn stream(&self, request: StreamRequest) -> MessageStream {
        assert_eq!(request.options.api_key, Some(Secret::new(KEY)));
        let is_conversation = request.system.as_deref() == Some("You are a test.");
        if is_conversation && !self.fails {
            return self.script.stream(request);
        }
        let mut message = MessageBuilder::head_at(&request.model, 1);
        message.stop_reason = StopReason::Error;
        message.error_message = Some(format!("refused: {}", forms().join(", ")));
        message.extra.insert("rawStopReason".to_owned(), forms().into());
        let message = Arc::new(message);
        let partial = PartialMessage::complete(Arc::clone(&message));
        futures_util::stream::iter([StreamItem { event: StreamEvent::Error { message }, partial }]).boxed()
    }
}

fn world(fails: bool) -> World {
    let world = World::new(json!(["One answer that is long enough.", "Two answers that are long enough."]));
    let script = world.script.clone();
    world
        .with_api(Quoting { script, fails })
        .settings(json!({"retry": {"enabled": false}, "compaction": {"keepRecentTokens": 4}}))
}

#[tokio::test]
async fn an_answer_that_quotes_its_key_is_told_and_kept_without_it() {
    let world = world(true);
    let seen = world.watch();
    let running = world.start().await;
    running.session.models().set_api_key(PROVIDER, Secret::new(KEY));
    running.say("Hi").await;
    for all in [running.file(), running.events.all(), seen.all()] {
        assert_hidden(&Value::from(all).to_string());
    }
    let file = running.file();
    let answer = &file.iter().rev().find(|line| line["message"]["role"] == "assistant").expect("an answer")["message"];
    assert_eq!(answer["errorMessage"], "refused: …, …, …, …, …");
    assert_eq!(answer["rawStopReason"], json!(["…", "…", "…", "…", "…"]));
}

#[tokio::test]
async fn a_summary_that_fails_is_told_without_the_key() {
    let world = world(false);
    let running = world.start().await;
    running.session.models().set_api_key(PROVIDER, Secret::new(KEY));
    running.say("Hi, and what was it that you said?").await;
    running.say("Again, and what was it that you said?").await;
    let error = running.session.compact(None).await.expect_err("no summary").to_string();
    assert_hidden(&error);
    let events = running.events.all();
    let end = events.iter().rev().find(|event| event["type"] == "compaction_end").expect("its end");
    assert_hidden(&end["errorMessage"].to_string());
}

/// Counts that no request has, over a real connection.
#[tokio::test]
async fn a_provider_that_counts_wrong_leaves_the_sums_of_a_session_right() {
    let usage = json!({
        "prompt_tokens": 1_u64 << 63, "completion_tokens": u64::MAX,
        "prompt_tokens_details": {"cached_tokens": 1_u64 << 62, "cache_write_tokens": 1_u64 << 62},
    });
    let answer = |usage: &Value| {
        let chunk =
            json!({"choices": [{"index": 0, "delta": {"content": "Hi."}, "finish_reason": "stop"}], "usage": usage});
        Reply::verbatim("text/event-stream", format!("data: {chunk}\n\ndata: [DONE]\n\n"))
    };
    let right = json!({"prompt_tokens": 10, "completion_tokens": 5});
    let server = LoopbackServer::start([answer(&usage), answer(&usage), answer(&right)]);
    let models = registry();
    let provider = json!({
        "baseUrl": format!("{}/v1", server.url()), "apiKey": KEY, "api": "openai-completions",
        "models": [{"id": "m", "contextWindow": 1_000_000_000_000_000_u64}],
    });
    models.register_provider("corp", serde_json::from_value(provider).expect("a provider")).expect("it is right");
    let model = models.find("corp", "m").expect("a model");
    // Such a context would be compacted at once.
    let world = World::new(json!([])).with_models(models, model).settings(json!({"compaction": {"enabled": false}}));
    let running = world.start().await;
    for _ in 0..3 {
        running.say("Hello").await;
    }
    let tokens = running.session.stats().tokens;
    let most = 1_u64 << 40;
    assert_eq!((tokens.output, tokens.cache_read, tokens.cache_write), (2 * most + 5, 2 * most, 2 * most));
    assert_eq!(tokens.total, tokens.input + 6 * most + 5);
}
