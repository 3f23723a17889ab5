//! Models that answer questions about data or make pictures: one request, one document.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tau_ai::{
    AssistantImages, ClassifierContext, ClassifierResult, HttpClient, ImagesContext, Model, OperationLimits,
    OperationRequest, RequestHooks, ResponseHead, Secret, StopReason, builtin_classifiers_over, builtin_images_over,
    to_json,
};
use tau_testkit::loopback::{LoopbackServer, RecordedRequest, Reply};

use super::support::{KEY, model};

fn document(body: Value) -> Reply {
    Reply::verbatim("application/json", body.to_string())
}

fn request<C>(model: Model, context: C) -> OperationRequest<C> {
    let mut request = OperationRequest::new(Arc::new(model), context);
    request.options.api_key = Some(Secret::new(KEY));
    request
}

async fn classified(request: OperationRequest<ClassifierContext>) -> ClassifierResult {
    let apis = builtin_classifiers_over(&Arc::new(HttpClient::default()));
    let api = apis.into_iter().find(|(name, _)| *name == request.model.api).expect("a built-in format").1;
    api.classify(request).await
}

async fn drawn(request: OperationRequest<ImagesContext>) -> AssistantImages {
    let apis = builtin_images_over(&Arc::new(HttpClient::default()));
    apis.into_iter().find(|(name, _)| *name == request.model.api).expect("a built-in format").1.generate(request).await
}

/// One question of each kind, the second a choice.
fn questions() -> Value {
    json!({
        "urgent": {"type": "bool", "instructions": "Is it urgent?", "criteria": {"true": "today", "false": ""}},
        "area": {"type": "choice", "instructions": "Where?", "criteria": {"ui": "what people see", "core": ""}},
        "grade": {"type": "score", "instructions": "How good?", "criteria": ["bad", "fair", "good"]},
    })
}

fn context(images: Value) -> ClassifierContext {
    serde_json::from_value(json!({"state": {"text": "Hi"}, "images": images, "questions": questions()}))
        .expect("a context")
}

/// What the answers of every service mean.
fn expected() -> Value {
    json!({
        "urgent": {"type": "bool", "probability": 0.9},
        "area": {"type": "choice", "choice": "ui", "probabilities": {"ui": 0.8, "core": 0.2}, "confidence": 0.6},
        "grade": {"type": "score", "score": 1.5, "confidence": 0.5},
    })
}

fn system_one() -> Value {
    json!({
        "answers": {
            "urgent": {"type": "noul", "noul": 0.9},
            "area": {"type": "choice", "choice": "ui", "probabilities": {"ui": 0.8, "core": 0.2}, "confidence": 0.6},
            "grade": {"type": "score", "score": 1.5, "confidence": 0.5},
        },
        "usage": {"input_tokens": 1_000_000, "output_tokens": 0},
    })
}

fn decisions() -> Value {
    json!({
        "answers": [
            {"name": "grade", "type": "score", "score": 1.5, "confidence": 0.5},
            {"name": "urgent", "type": "predicate", "probability": 0.9},
            {"name": "area", "type": "choice", "choice": "ui", "confidence": 0.6,
             "probabilities": [{"value": "ui", "probability": 0.8}, {"value": "core", "probability": 0.2}]},
        ],
        "usage": {"input_tokens": 1_000_000, "output_tokens": 0},
    })
}

#[tokio::test]
async fn each_service_is_asked_in_its_own_form_and_answers_mean_the_same() {
    let cloudflare = json!({"success": true, "result": {"state": "Completed", "result": system_one()}});
    let rows = [
        ("typesafe-system-one", "/v1/systemone", system_one()),
        ("cloudflare-workers-ai-system-one", "/v1/run", cloudflare),
        ("cloudflare-workers-ai-system-one", "/v1/run", json!({"success": true, "result": system_one()})),
        ("openai-decisions", "/v1/decisions", decisions()),
    ];
    for (api, path, answer) in rows {
        let server = LoopbackServer::start([document(answer)]);
        let result = classified(request(model(api, &server, json!({"type": "classifier"})), context(json!([])))).await;
        assert_eq!(result.error_message, None, "{api}");
        assert_eq!(
            to_json(&result)["answers"].to_string(),
            expected().to_string(),
            "{api}: in the order of the questions"
        );
        let usage = result.usage.expect("usage");
        assert_eq!((usage.input, usage.total_tokens, usage.cost.total), (1_000_000, 1_000_000, 1.0), "{api}");
        let RecordedRequest { method, path: asked, headers, body } = server.requests().remove(0);
        assert_eq!((&*method, &*asked), ("POST", path), "{api}");
        assert_eq!(headers["authorization"], format!("Bearer {KEY}"), "{api}");
        let inner = if api.starts_with("cloudflare") { &body["input"] } else { &body };
        match api {
            "openai-decisions" => {
                assert_eq!(body["input"], r#"{"text":"Hi"}"#);
                assert_eq!(
                    body["questions"],
                    json!([
                        {"type": "predicate", "name": "urgent", "instructions": "Is it urgent?\n\nTrue means: today"},
                        {"type": "choice", "name": "area", "instructions": "Where?",
                         "choices": [{"value": "ui", "description": "what people see"}, {"value": "core"}]},
                        {"type": "score", "name": "grade", "instructions": "How good?",
                         "levels": [{"label": "bad"}, {"label": "fair"}, {"label": "good"}]},
                    ])
                );
            }
            _ => {
                let mut asked = questions();
                asked["urgent"]["type"] = "noul".into();
                assert_eq!((&inner["state"], &inner["questions"]), (&json!({"text": "Hi"}), &asked), "{api}");
            }
        }
        assert_eq!(body["model"], "test-model", "{api}");
    }
}

#[tokio::test]
async fn pictures_go_where_the_service_takes_them() {
    let picture = |kind: &str| json!([{"type": "image", "data": "AAAA", "mimeType": kind}]);
    let url = "data:image/png;base64,AAAA";
    let part = json!({"type": "image_url", "image_url": {"url": url}});
    let asset = json!({"<image-1>": {"type": "image", "format": "png", "data_base64": "AAAA"}});
    let state = json!({"text": "Hi"});
    let message = json!([{"role": "user", "content": [
        {"type": "input_text", "text": state.to_string()}, {"type": "input_image", "image_url": url}]}]);
    let (system_one_api, workers, decisions_api) =
        ("typesafe-system-one", "cloudflare-workers-ai-system-one", "openai-decisions");
    for (api, extra, pointer, expected, opts_in) in [
        (system_one_api, json!({}), "/assets", asset.clone(), true),
        (system_one_api, json!({}), "/state", json!(["<image-1>", state]), true),
        (system_one_api, json!({"provider": "openrouter"}), "/state", json!([part, state]), false),
        (
            system_one_api,
            json!({"compat": {"imageInput": "images", "sendImageOptInHeader": false}}),
            "/images",
            json!([url]),
            false,
        ),
        (workers, json!({}), "/input/assets", asset, false),
        (workers, json!({"id": "@cf/cloudflare/clef"}), "/input/images", json!([url]), false),
        (decisions_api, json!({}), "/input", message, false),
    ] {
        let answer = if api == decisions_api { decisions() } else { json!({"result": system_one()}) };
        let answer = if api == system_one_api { system_one() } else { answer };
        let server = LoopbackServer::start([document(answer)]);
        let result = classified(request(model(api, &server, extra.clone()), context(picture("image/png")))).await;
        assert_eq!(result.error_message, None, "{api} {extra}");
        let sent = server.requests().remove(0);
        assert_eq!(sent.body.pointer(pointer), Some(&expected), "{api} {extra}");
        assert_eq!(sent.headers.contains_key("typesafe-danger-zone-images"), opts_in, "{api} {extra}");
    }
    // Nothing is sent for what no service takes.
    let server = LoopbackServer::start([]);
    for (extra, kind, text) in [
        (json!({"input": ["text"]}), "image/png", "test-model of test takes no pictures"),
        (json!({}), "image/gif", "System One API takes no pictures of type image/gif"),
    ] {
        let result = classified(request(model(system_one_api, &server, extra), context(picture(kind)))).await;
        assert_eq!((result.stop_reason, result.error_message.as_deref()), (StopReason::Error, Some(text)));
    }
    assert_eq!(server.requests(), []);
}

#[tokio::test]
async fn failures_are_results_and_say_what_was_charged() {
    let refused = json!({"answers": [{"name": "urgent", "type": "refusal"}], "usage": {"input_tokens": 5}});
    let fails = json!({"success": false, "errors": [{"message": "No such model"}]});
    let quoted = json!({"error": {"message": format!("bad key {KEY}")}});
    let rows = [
        (
            "typesafe-system-one",
            Reply::http_error(400, quoted.to_string()),
            "System One API error (400): {\"error\":{\"message\":\"bad key …\"}}",
            false,
        ),
        (
            "typesafe-system-one",
            document(json!({"answers": {}})),
            "The answer of System One API makes no sense: no answer to urgent",
            false,
        ),
        (
            "typesafe-system-one",
            Reply::verbatim("application/json", "{\"answers\":"),
            "The answer of test ended early",
            false,
        ),
        ("cloudflare-workers-ai-system-one", document(fails), "Cloudflare Workers AI error: No such model", false),
        ("openai-decisions", document(refused), "OpenAI Decisions refused to answer urgent", true),
        (
            "openai-decisions",
            Reply::http_error(504, "<html></html>"),
            "OpenAI Decisions error (504): it took too long. A smaller input may help.",
            false,
        ),
    ];
    for (api, reply, text, charged) in rows {
        let server = LoopbackServer::start([reply]);
        let result = classified(request(model(api, &server, json!({})), context(json!([])))).await;
        assert_eq!((result.stop_reason, result.answers.len()), (StopReason::Error, 0), "{api}");
        assert_eq!(result.error_message.as_deref(), Some(text), "{api}");
        assert_eq!(result.usage.is_some(), charged, "{api}");
        assert_eq!(server.requests().len(), 1, "{api}: it is not repeated");
    }
    let server = LoopbackServer::start([]);
    let mut keyless = request(model("openai-decisions", &server, json!({})), context(json!([])));
    keyless.options.api_key = None;
    assert_eq!(classified(keyless).await.error_message.as_deref(), Some("No API key for provider: test"));
}

#[tokio::test]
async fn a_passing_failure_is_repeated_and_an_abort_ends_it() {
    let busy = || Reply::http_error(503, "busy").header("retry-after-ms", "1");
    let server = LoopbackServer::start([busy(), busy(), document(decisions())]);
    let asked = request(model("openai-decisions", &server, json!({})), context(json!([])));
    assert_eq!(classified(asked).await.error_message, None);
    assert_eq!(server.requests().len(), 3);

    let server = LoopbackServer::start([busy(), document(decisions())]);
    let mut asked = request(model("openai-decisions", &server, json!({})), context(json!([])));
    asked.limits = OperationLimits { repeats: Some(0), ..OperationLimits::default() };
    assert_eq!(classified(asked).await.stop_reason, StopReason::Error);
    assert_eq!(server.requests().len(), 1);

    let server = LoopbackServer::start([Reply::silence()]);
    let asked = request(model("openai-decisions", &server, json!({})), context(json!([])));
    let cancel = asked.cancel.clone();
    let (result, ()) = tokio::join!(classified(asked), async {
        server.arrived(1).await;
        cancel.cancel();
    });
    assert_eq!(
        (result.stop_reason, result.error_message.as_deref()),
        (StopReason::Aborted, Some("Request was aborted"))
    );
    server.disconnected(1).await;
}

#[derive(Default)]
struct Seen(Mutex<Vec<Value>>);

#[async_trait]
impl RequestHooks for Seen {
    async fn headers(&self, mut headers: BTreeMap<String, Option<String>>) -> BTreeMap<String, Option<String>> {
        assert!(!headers.contains_key("authorization"), "no key is shown");
        headers.insert("x-mine".to_owned(), Some("1".to_owned()));
        headers
    }

    async fn payload(&self, mut payload: Value) -> Value {
        self.0.lock().push(payload.clone());
        payload["extra"] = true.into();
        payload
    }

    async fn response(&self, head: ResponseHead) {
        self.0.lock().push(head.status.into());
    }
}

#[tokio::test]
async fn openrouter_makes_pictures_and_hooks_see_the_request() {
    let answer = json!({
        "id": "gen-1",
        "choices": [{"message": {"content": "Here", "images": [
            {"image_url": {"url": "data:image/png;base64,QUJD"}}, {"image_url": "data:image/webp;base64,REVG"},
            {"image_url": {"url": "https://elsewhere/picture.png"}}]}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 4}},
    });
    let server = LoopbackServer::start([document(answer)]);
    let input = json!({"input": [{"type": "text", "text": "A cat"}, {"type": "image", "data": "AAAA", "mimeType": "image/png"}]});
    let model = model("openrouter-images", &server, json!({"type": "image", "output": ["image", "text"]}));
    let mut asked = request(model, serde_json::from_value(input).expect("a context"));
    let seen = Arc::new(Seen::default());
    asked.hooks = Some(Arc::clone(&seen) as Arc<dyn RequestHooks>);
    let result = drawn(asked).await;
    assert_eq!((result.stop_reason.clone(), result.response_id.as_deref()), (StopReason::Stop, Some("gen-1")));
    assert_eq!(
        to_json(&result.output),
        json!([
            {"type": "text", "text": "Here"},
            {"type": "image", "data": "QUJD", "mimeType": "image/png"},
            {"type": "image", "data": "REVG", "mimeType": "image/webp"},
        ])
    );
    let usage = result.usage.expect("usage");
    assert_eq!((usage.input, usage.cache_read, usage.output, usage.total_tokens), (6, 4, 20, 30));
    let sent = server.requests().remove(0);
    assert_eq!((&*sent.path, &*sent.headers["x-mine"]), ("/v1/chat/completions", "1"));
    let mut body = json!({
        "model": "test-model",
        "messages": [{"role": "user", "content": [
            {"type": "text", "text": "A cat"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]}],
        "stream": false,
        "modalities": ["image", "text"],
    });
    assert_eq!(*seen.0.lock(), [body.clone(), json!(200)]);
    body["extra"] = true.into();
    assert_eq!(sent.body, body);
}

#[tokio::test]
async fn llama_cpp_is_asked_for_the_likeliest_next_token() {
    let tokens = |tokens: Value| document(json!({"tokens": tokens}));
    let likely = |list: Value| document(json!({"completion_probabilities": [{"top_logprobs": list}]}));
    let prompt = || document(json!({"prompt": "<user>…<think>"}));
    let server = LoopbackServer::start([
        // "\n", "\nYes", "\n", "\nNo".
        tokens(json!([13])),
        tokens(json!([13, 7])),
        tokens(json!([13])),
        tokens(json!([{"id": 13, "piece": "\n"}, {"id": 9, "piece": "No"}])),
        prompt(),
        likely(json!([{"id": 7, "logprob": 0.75_f64.ln()}])),
        likely(json!([{"id": 7, "logprob": 0.75_f64.ln()}, {"id": 9, "logprob": 0.25_f64.ln()}])),
        // The tokens are known the second time.
        prompt(),
        likely(json!([{"id": 7, "logprob": 0.5_f64.ln()}, {"id": 9, "logprob": 0.5_f64.ln()}])),
    ]);
    let one = json!({"urgent": {"type": "bool", "instructions": "Is it urgent?", "criteria": {"true": "today", "false": ""}}});
    let context: ClassifierContext =
        serde_json::from_value(json!({"state": {"text": "Hi"}, "questions": one})).expect("a context");
    let apis = builtin_classifiers_over(&Arc::new(HttpClient::default()));
    let api = apis.into_iter().find(|(name, _)| *name == "llama-cpp-classify").expect("the format").1;
    for expected in [0.75, 0.5] {
        let mut asked = request(model("llama-cpp-classify", &server, json!({})), context.clone());
        asked.options.api_key = None;
        let result = api.classify(asked).await;
        assert_eq!(result.error_message, None);
        let probability = to_json(&result)["answers"]["urgent"]["probability"].as_f64().expect("a number");
        assert!((probability - expected).abs() < 1e-9, "{probability}");
    }
    let requests = server.requests();
    let paths: Vec<&str> = requests.iter().map(|request| &*request.path).collect();
    assert_eq!(paths[..5], ["/tokenize", "/tokenize", "/tokenize", "/tokenize", "/apply-template"]);
    assert_eq!(paths[5..], ["/completion", "/completion", "/apply-template", "/completion"]);
    let depths: Vec<&Value> = [5, 6, 8].iter().map(|at| &requests[*at].body["n_probs"]).collect();
    assert_eq!(depths, [&json!(256), &json!(4096), &json!(256)]);
    assert_eq!(requests[5].body["prompt"], "<user>…<think></think>");
    assert!(!requests[0].headers.contains_key("authorization"));
    let text = requests[4].body["messages"][1]["content"].as_str().expect("a text");
    assert_eq!(text.matches("\"text\": \"Hi\"").count(), 2, "the data stands there twice: {text}");
    assert!(text.ends_with("Answer with Yes or No."), "{text}");

    let server = LoopbackServer::start([]);
    let many: BTreeMap<String, String> = (0..63).map(|at| (format!("name{at:02}"), String::new())).collect();
    let context = json!({"state": 1, "questions": {"q": {"type": "choice", "instructions": "?", "criteria": many}}});
    let asked =
        request(model("llama-cpp-classify", &server, json!({})), serde_json::from_value(context).expect("a context"));
    let text = "q needs 2 to 62 answers to choose from, and has 63";
    assert_eq!(classified(asked).await.error_message.as_deref(), Some(text));
}

#[tokio::test]
async fn an_address_may_name_settings_of_the_customer() {
    let server = LoopbackServer::start([document(json!({"result": system_one()}))]);
    let url = format!("{}/accounts/{{CLOUDFLARE_ACCOUNT_ID}}/ai", server.url());
    let workers = || model("cloudflare-workers-ai-system-one", &server, json!({"baseUrl": url}));
    let missing = classified(request(workers(), context(json!([])))).await;
    let text = "The base URL of provider test needs CLOUDFLARE_ACCOUNT_ID, which is not set";
    assert_eq!(missing.error_message.as_deref(), Some(text));
    let mut asked = request(workers(), context(json!([])));
    asked.options.env.insert("CLOUDFLARE_ACCOUNT_ID".to_owned(), "acme".to_owned());
    assert_eq!(classified(asked).await.error_message, None);
    assert_eq!(server.requests().remove(0).path, "/accounts/acme/ai/run");
}
