//! Streams that are cut anywhere: in pieces they are what they were, and what breaks off is an error that keeps what came.

use proptest::prelude::*;
use serde_json::{Value, json};
use tau_ai::{AssistantMessage, Secret, StopReason, StreamRequest};
use tau_testkit::loopback::{LoopbackServer, Reply, amazon_frame};

use super::responses::codex::token;
use super::support::{answer, model, request};

/// An answer as it comes over the wire, in lines that end with `\n`.
struct Fixture {
    api: &'static str,
    text: &'static str,
    /// What says that the model wanted to call, and what says in its place that it ran out of tokens.
    stop: (&'static str, &'static str),
}

/// Each wire format has one, with every kind of block and with characters of several bytes.
const FIXTURES: &[Fixture] = &[
    Fixture {
        api: "anthropic-messages",
        text: include_str!("fixtures/anthropic.sse"),
        stop: (r#""stop_reason":"tool_use""#, r#""stop_reason":"max_tokens""#),
    },
    Fixture {
        api: "openai-completions",
        text: include_str!("fixtures/completions.sse"),
        stop: (r#""finish_reason":"tool_calls""#, r#""finish_reason":"length""#),
    },
    Fixture { api: "openai-responses", text: RESPONSES, stop: OUT_OF_TOKENS },
    Fixture { api: "openai-codex-responses", text: RESPONSES, stop: OUT_OF_TOKENS },
    Fixture { api: "azure-openai-responses", text: RESPONSES, stop: OUT_OF_TOKENS },
    Fixture { api: "google-generative-ai", text: GOOGLE, stop: MAX_TOKENS },
    Fixture { api: "google-vertex", text: GOOGLE, stop: MAX_TOKENS },
    Fixture {
        api: "mistral-conversations",
        text: include_str!("fixtures/mistral.sse"),
        stop: (r#""finish_reason":"tool_calls""#, r#""finish_reason":"length""#),
    },
    #[cfg(feature = "bedrock")]
    Fixture {
        api: BEDROCK,
        text: include_str!("fixtures/bedrock.jsonl"),
        stop: (r#""stopReason":"tool_use""#, r#""stopReason":"max_tokens""#),
    },
];

const RESPONSES: &str = include_str!("fixtures/responses.sse");
const OUT_OF_TOKENS: (&str, &str) = (
    r#"{"type":"response.completed","response":{"id":"resp_1","status":"completed","#,
    r#"{"type":"response.incomplete","response":{"id":"resp_1","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"#,
);
const GOOGLE: &str = include_str!("fixtures/google.sse");
const MAX_TOKENS: (&str, &str) = (r#""finishReason":"STOP""#, r#""finishReason":"MAX_TOKENS""#);
/// Its lines are events; on the wire each is a frame.
#[cfg(feature = "bedrock")]
const BEDROCK: &str = "bedrock-converse-stream";

impl Fixture {
    /// The bytes of a text of this format.
    fn bytes(&self, text: &str, line_end: &str) -> Vec<u8> {
        #[cfg(feature = "bedrock")]
        if self.api == BEDROCK {
            return text.lines().flat_map(framed).collect();
        }
        text.replace('\n', line_end).into_bytes()
    }

    fn whole(&self) -> Vec<u8> {
        self.bytes(self.text, "\n")
    }

    fn request(&self, server: &LoopbackServer) -> StreamRequest {
        #[cfg(feature = "bedrock")]
        if self.api == BEDROCK {
            return super::frames::signed(server, json!({"reasoning": true}));
        }
        let google = self.api.starts_with("google-");
        let more = if google {
            json!({"reasoning": true, "id": "gemini-3-pro-preview", "baseUrl": format!("{}/v1beta", server.url())})
        } else {
            json!({"reasoning": true})
        };
        let mut request = request(model(self.api, server, more));
        if self.api == "openai-codex-responses" {
            request.options.api_key = Some(Secret::new(token("account-1")));
        }
        request
    }
}

/// A line of the fixture as a frame.
#[cfg(feature = "bedrock")]
fn framed(line: &str) -> Vec<u8> {
    let event: Value = serde_json::from_str(line).expect("an event");
    let (name, payload) = event.as_object().and_then(|event| event.iter().next()).expect("its name");
    amazon_frame(&[(":message-type", "event"), (":event-type", name)], &payload.to_string())
}

/// How lines end, where the format has lines.
const LINE_ENDS: [&str; 3] = ["\n", "\r\n", "\r"];

/// How the connection ends behind the last byte.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ending {
    Proper,
    Broken,
}

async fn answers(server: &LoopbackServer, fixture: &Fixture, pieces: &[&[u8]], ending: Ending) -> AssistantMessage {
    let reply = Reply::bytes(pieces.iter().map(|piece| piece.to_vec()));
    server.push(if ending == Ending::Broken { reply.cut() } else { reply });
    answer(fixture.request(server)).await
}

/// A message without what no two requests share.
fn shape(message: &AssistantMessage) -> Value {
    let mut shape = serde_json::to_value(message).expect("JSON");
    shape["timestamp"] = Value::Null;
    shape
}

/// Whether a block holds no more than the same block of the whole answer.
fn is_beginning(part: &Value, whole: &Value) -> bool {
    let begins = |key: &str| {
        let text = |block: &Value| block[key].as_str().unwrap_or_default().to_owned();
        let (part_text, whole_text) = (text(part), text(whole));
        // With the Responses interface an empty line stands behind each part of a summary, also behind the last one.
        let is_summary =
            key == "thinking" && whole["thinkingSignature"].as_str().is_some_and(|said| said.contains("summary"));
        whole_text.starts_with(&part_text) || (is_summary && part_text == format!("{whole_text}\n\n"))
    };
    let arguments = |block: &Value| block["arguments"].as_object().cloned().unwrap_or_default();
    let known = arguments(whole);
    part["type"] == whole["type"]
        && ["text", "thinking", "id", "name"].into_iter().all(begins)
        && arguments(part).iter().all(|(name, value)| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            known.get(name).is_some_and(|whole| text(whole).starts_with(&text(value)))
        })
}

fn judge(cut: &AssistantMessage, whole: &AssistantMessage) -> Result<(), TestCaseError> {
    let (part, all) = (shape(cut), shape(whole));
    if cut.stop_reason == StopReason::Error {
        prop_assert!(cut.error_message.as_ref().is_some_and(|text| !text.is_empty()));
        let (parts, blocks) = (part["content"].as_array().expect("a list"), all["content"].as_array().expect("a list"));
        let is_part =
            parts.len() <= blocks.len() && parts.iter().zip(blocks).all(|(part, whole)| is_beginning(part, whole));
        prop_assert!(is_part, "{part}");
    } else {
        // Only what stands behind the reason why it ended may be missing.
        prop_assert_eq!(&part["content"], &all["content"]);
        prop_assert_eq!(&part["stopReason"], &all["stopReason"]);
    }
    Ok(())
}

fn pieces<'b>(bytes: &'b [u8], cuts: &[prop::sample::Index]) -> Vec<&'b [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).filter(|piece| !piece.is_empty()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]
    #[test]
    fn a_cut_stream_is_the_same_or_an_error_with_what_came(
        fixture in prop::sample::select((0..FIXTURES.len()).collect::<Vec<_>>()),
        line_end in prop::sample::select(LINE_ENDS.to_vec()),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..24),
        ends in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![Just(Ending::Proper), Just(Ending::Broken)]), 4),
    ) {
        let fixture = &FIXTURES[fixture];
        let bytes = fixture.bytes(fixture.text, line_end);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let server = LoopbackServer::start([]);
            let whole = answers(&server, fixture, &[&bytes], Ending::Proper).await;
            prop_assert_eq!(&whole.stop_reason, &StopReason::ToolUse);
            let again = answers(&server, fixture, &pieces(&bytes, &cuts), Ending::Proper).await;
            prop_assert_eq!(shape(&again), shape(&whole));
            for (end, ending) in ends {
                let part = &bytes[..end.index(bytes.len())];
                judge(&answers(&server, fixture, &pieces(part, &cuts), ending).await, &whole)?;
            }
            Ok(())
        })?;
    }
}

/// Every place once, for what chance misses.
#[tokio::test]
async fn a_stream_may_end_behind_every_line_and_every_few_bytes() {
    for fixture in FIXTURES {
        let bytes = &*fixture.whole();
        let server = LoopbackServer::start([]);
        let whole = answers(&server, fixture, &[bytes], Ending::Proper).await;
        let lines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        for end in lines.chain((0..bytes.len()).step_by(29)) {
            let cut = answers(&server, fixture, &[&bytes[..end]], Ending::Proper).await;
            judge(&cut, &whole).unwrap_or_else(|why| panic!("{} cut at {end}: {why}", fixture.api));
        }
    }
}

/// The stream is complete, the arguments are not: such a call has no arguments and says why, so that nothing runs it.
#[tokio::test]
async fn arguments_that_stop_early_are_none() {
    /// How the arguments end in every format that sends them as a text, and where they end in this test.
    const END: (&str, &str) = (r#"ä🙈\\n\"}""#, r#"ä🙈""#);
    for fixture in FIXTURES {
        let short = fixture.text.replace(END.0, END.1);
        // Google sends arguments as an object, which is there or is not.
        assert_eq!(short == fixture.text, fixture.text == GOOGLE, "{}", fixture.api);
        if short == fixture.text {
            continue;
        }
        let server = LoopbackServer::start([]);
        let message = answers(&server, fixture, &[&fixture.bytes(&short, "\n")], Ending::Proper).await;
        let mut calls = message.tool_calls().filter(|call| call.name == "write");
        let call = calls.next().expect("the call");
        assert!(call.is_incomplete() && call.arguments == json!({}), "{}: {call:?}", fixture.api);
        assert!(calls.next().is_none());
    }
}

/// A call before the end of an answer that ran out of tokens may be complete; the message says that it need not be.
#[tokio::test]
async fn an_answer_that_ran_out_of_tokens_says_so_whatever_it_holds() {
    for fixture in FIXTURES {
        let (stop, length) = fixture.stop;
        assert_eq!(fixture.text.matches(stop).count(), 1, "{}", fixture.api);
        let server = LoopbackServer::start([]);
        let bytes = fixture.bytes(&fixture.text.replace(stop, length), "\n");
        let message = answers(&server, fixture, &[&bytes], Ending::Proper).await;
        assert_eq!(message.stop_reason, StopReason::Length, "{}: {:?}", fixture.api, message.error_message);
    }
}

/// A format without a fixture would go untested.
#[test]
fn every_format_has_a_fixture() {
    for (api, _) in tau_ai::builtin_apis() {
        let known = FIXTURES.iter().any(|fixture| fixture.api == api);
        assert!(known || cfg!(not(feature = "bedrock")) && api == "bedrock-converse-stream", "{api}");
    }
}
