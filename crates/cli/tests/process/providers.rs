//! Model providers: those that are written in JavaScript, servers of one's own, and what is said when none works.

use serde_json::json;
use tau_testkit::loopback::{LoopbackServer, Reply, ReplyUsage, failing};

use crate::support::{Done, Place};

#[test]
fn handlers_see_requests_of_providers_in_javascript() {
    let provider = "import { createAssistantMessageEventStream } from '@earendil-works/pi-ai';
export default (pi) => {
  const model = { id: 'm', name: 'M', reasoning: false, input: ['text'], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1000, maxTokens: 100 };
  const answer = async (stream, model, options) => {
    const payload = await options.onPayload({ said: 'hi' }, model);
    await options.onResponse({ status: 201, headers: { a: 'b' } }, model);
    await options.onProviderStreamEvent({ part: 1 }, model);
    const text = JSON.stringify([payload, options.headers]);
    stream.push({ type: 'done', reason: 'stop', message: { role: 'assistant', content: [{ type: 'text', text }], stopReason: 'stop' } });
  };
  const streamSimple = (model, context, options) => {
    const stream = createAssistantMessageEventStream();
    answer(stream, model, options);
    return stream;
  };
  pi.registerProvider('own', { baseUrl: 'http://own', apiKey: 'key', api: 'own-api', headers: { 'X-Own': '1', 'X-Gone': '2' }, models: [model], streamSimple });
};";
    let watching = "import { appendFileSync } from 'node:fs';
const see = (seen) => appendFileSync('seen', JSON.stringify(seen) + '\\n');
export default (pi) => {
  pi.on('before_provider_headers', ({ headers }) => { headers['x-more'] = '3'; headers['x-gone'] = null; });
  pi.on('before_provider_request', ({ payload }) => ({ ...payload, changed: true }));
  pi.on('after_provider_response', ({ status, headers }) => see([status, headers]));
  pi.on('provider_stream_event', ({ provider, model, data }) => see([provider, model, data]));
};";
    let place = Place::new();
    place.write("agent/extensions/own.ts", provider);
    place.write("agent/extensions/watching.ts", watching);
    let done = place.tau(["--model", "own/m", "-p", "Hi"]).run();
    let expected = "[{\"said\":\"hi\",\"changed\":true},{\"x-more\":\"3\",\"x-own\":\"1\"}]\n";
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), expected), "{}", done.stderr);
    assert_eq!(place.read("work/seen"), "[201,{\"a\":\"b\"}]\n[\"own\",\"m\",{\"part\":1}]\n");
}

/// A provider of `models.json` with this key, at this address.
fn local(place: &Place, url: &str, rest: &str) {
    let provider =
        format!(r#"{{"baseUrl": "{url}/v1", "api": "openai-completions"{rest}, "models": [{{"id": "m"}}]}}"#);
    place.write("agent/models.json", format!(r#"{{"providers": {{"local": {provider}}}}}"#));
}

fn host(server: &LoopbackServer) -> String {
    server.url().replace("http://", "")
}

/// Whatever a server sends in the place of an answer, in both wire formats and both modes.
#[test]
fn every_failure_of_a_server_is_a_sentence() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"retry": {"enabled": false}}"#);
    let server = LoopbackServer::start([]);
    let provider = |path: &str, api: &str| json!({"baseUrl": format!("{}{path}", server.url()), "api": api, "apiKey": "s3cret-value", "models": [{"id": "m"}]});
    for (path, api) in [("/v1", "openai-completions"), ("", "anthropic-messages")] {
        let models = json!({"providers": {"local": provider(path, api)}});
        place.write("agent/models.json", models.to_string());
        for mode in ["text", "json"] {
            for failing in failing() {
                let (what, sentence) = (failing.what, failing.sentence(&host(&server)));
                server.push(failing.reply);
                let done = place.tau(["--no-session", "--model", "local/m", "--mode", mode, "Hi"]).run();
                let said = &done.stderr;
                assert!(said.starts_with(&sentence) && said.len() < 700, "{api}, {what}: {said}, not {sentence}");
                let next = said.lines().nth(1).expect("what to do next");
                assert!(next.ends_with('.') && said.lines().count() == 2, "{api}, {what}: {said}");
                assert_eq!((done.code, done.stderr.contains("s3cret")), (Some(1), false), "{api}, {what}: {done:?}");
            }
        }
    }
}

/// Models of other providers have the name in their ids.
#[test]
fn the_name_of_a_provider_without_a_key_names_the_model_that_it_means() {
    let place = Place::new();
    for pattern in ["anthropic", "anthropic/*"] {
        let done = place.tau(["--model", pattern, "-p", "Hi"]).env("OPENROUTER_API_KEY", "k").run();
        let said = format!(
            "Warning: --model {pattern} names a provider and means its default model, anthropic/claude-opus-5-5\nError: No API \
             key found for anthropic. Set ANTHROPIC_API_KEY, pass --api-key, or store a key with `tau auth login anthropic \
             --api-key`."
        );
        assert_eq!(done, Done::failed(&said));
        let done = place.tau(["--model", pattern, "-p", "/model"]).env("ANTHROPIC_API_KEY", "k").run();
        assert_eq!(done, Done::ok("Model: anthropic/claude-opus-5-5\n"));
    }
}

/// The rest of the file stays in effect, and who asks for what was left out reads which key is wrong.
#[test]
fn a_mistake_in_models_json_costs_the_model_it_is_in() {
    let place = Place::new();
    let models = json!([{"id": "good"}, {"id": "bad", "contextWindow": "128k"}]);
    let provider =
        json!({"baseUrl": "http://127.0.0.1:1", "api": "openai-completions", "apiKey": "k", "models": models});
    let file = place.write("agent/models.json", json!({"providers": {"box": provider}}).to_string());
    let why =
        "providers.box.models[1].contextWindow: expected a whole number above 0, found a text; this model is left out";
    let warning = format!("Warning: {}: {why}", file.display());
    let done = place.tau(["--model", "box/good", "-p", "/model"]).run();
    assert_eq!(done, Done { stderr: format!("{warning}\n"), ..Done::ok("Model: box/good\n") });
    let done = place.tau(["--model", "box/bad", "-p", "/model"]).run();
    let error = format!("{warning}\nError: Model \"box/bad\" cannot be used: {why}. Correct that in models.json.");
    assert_eq!(done, Done::failed(&error));
}

#[test]
fn a_model_without_an_id_is_left_out_alone() {
    let place = Place::new();
    let models = json!([{"id": "good"}, {"name": "nameless"}]);
    let provider =
        json!({"baseUrl": "http://127.0.0.1:1", "api": "openai-completions", "apiKey": "k", "models": models});
    let file = place.write("agent/models.json", json!({"providers": {"box": provider}}).to_string());
    let done = place.tau(["--model", "box/good", "-p", "/model"]).run();
    let why = "providers.box.models[1].id: expected the id of a model, found nothing; this model is left out";
    let expected = Done { stderr: format!("Warning: {}: {why}\n", file.display()), ..Done::ok("Model: box/good\n") };
    assert_eq!(done, expected);
}

#[test]
fn the_default_model_of_settings_is_a_pattern_of_what_is_known() {
    let place = Place::new();
    let run = |settings: serde_json::Value| {
        place.write("agent/settings.json", settings.to_string());
        place.tau(["-p", "/model"]).env("ANTHROPIC_API_KEY", "k").run()
    };
    let done = run(json!({"defaultProvider": "anthropic", "defaultModel": "haiku"}));
    assert!(done.stdout.starts_with("Model: anthropic/claude-haiku-"), "{done:?}");
    let done = run(json!({"defaultModel": "anthropic/claude-nonsense"}));
    let why = "the default model anthropic/claude-nonsense (defaultModel) is not available";
    assert!(done.code == Some(1) && done.stderr.contains(why), "{done:?}");
}

/// What makes no request names what to correct.
#[test]
fn a_request_that_cannot_be_made_is_explained() {
    let place = Place::new();
    local(&place, "no address", r#", "apiKey": "any""#);
    let why = "local/m could not be asked: The base URL of provider local is not a valid URL: it begins with http:// or https://, and names a host\nCorrect local in models.json, or in \
               the extension that brings it.";
    assert_eq!(ask(&place), Done::failed(why));
    local(&place, "http://127.0.0.1:1", r#", "apiKey": "any", "headers": {"x y": "z"}"#);
    let done = ask(&place);
    let begin =
        "local/m at 127.0.0.1:1 could not be asked: The name of header \"x y\" is not allowed in HTTP\nCorrect ";
    assert!(done.code == Some(1) && done.stderr.starts_with(begin), "{done:?}");
}

fn ask(place: &Place) -> Done {
    place.tau(["--model", "local/m", "-p", "Hi"]).run()
}

#[test]
fn a_key_that_looks_like_a_variable_is_sent_as_it_is() {
    let place = Place::new();
    let refusal = json!({"error": {"message": "Bad key", "type": "auth"}}).to_string();
    let server = LoopbackServer::start([Reply::text("Hello"), Reply::http_error(401, refusal)]);
    local(&place, &server.url(), r#", "apiKey": "LOCAL_KEY""#);
    assert_eq!(ask(&place), Done::ok("Hello\n"));
    assert_eq!(server.requests()[0].headers["authorization"], "Bearer LOCAL_KEY");
    let refused = format!(
        "local/m at {} answered with status 401 (key from models.json): Bad key\n\"LOCAL_KEY\" itself was sent as the key, \
         because no environment variable of that name is set. Set LOCAL_KEY, or write the key in its place.",
        host(&server)
    );
    assert_eq!(ask(&place), Done::failed(&refused));
}

#[test]
fn a_refusal_is_a_sentence_in_print_and_in_json_mode() {
    let place = Place::new();
    let refusal = json!({"error": {"message": format!("No. {}", "x".repeat(2000))}}).to_string();
    let server = LoopbackServer::start([Reply::http_error(401, &*refusal), Reply::http_error(404, refusal)]);
    local(&place, &server.url(), r#", "apiKey": "$OWN""#);
    let run = |args: &[&str]| place.tau(args).env("OWN", "s3cret-value").run();
    let done = run(&["--model", "local/m", "-p", "Hi"]);
    let host = host(&server);
    let begin = format!("local/m at {host} answered with status 401 (key from the environment variable OWN): No. xxx");
    let end = "xxx…\nCheck the key, or give another one with --api-key or `tau auth login local --api-key`.\n";
    assert!(done.stderr.starts_with(&begin) && done.stderr.ends_with(end) && done.stderr.len() < 600, "{done:?}");
    assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""));
    let done = run(&["--model", "local/m", "--mode", "json", "Hi"]);
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.starts_with(&format!("local/m at {host} answered with status 404 (")), "{done:?}");
    assert!(!done.stderr.contains("s3cret"), "{done:?}");
    // Programs find the words of the provider where they were.
    let end = done.events().into_iter().rfind(|event| event["type"] == "message_end").expect("an answer");
    assert!(end["message"]["errorMessage"].as_str().expect("an error").starts_with("404: {\"message\":\"No. xxx"));
}

#[test]
fn a_server_that_fails_does_not_hold_the_session_up() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"retry": {"baseDelayMs": 1, "maxRetries": 2}}"#);
    let server = LoopbackServer::start([
        Reply::http_error(500, "out of memory"),
        Reply::text("Half an").cut(),
        Reply::text("Better").usage(ReplyUsage { input: 0, output: 0, ..ReplyUsage::default() }),
        Reply::http_error(500, "out of memory"),
        Reply::http_error(500, "out of memory"),
        Reply::http_error(500, "out of memory"),
    ]);
    local(&place, &server.url(), r#", "apiKey": "any""#);
    let done = ask(&place);
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Better\n"), "{done:?}");
    let told: Vec<&str> = done.stderr.lines().collect();
    assert_eq!(told[0], "The request failed: status 500 out of memory. Trying again in 1 s (attempt 1 of 2).");
    assert!(told[1].ends_with("Trying again in 1 s (attempt 2 of 2).") && told.len() == 2, "{done:?}");
    let done = ask(&place);
    let again = "The request failed again. Trying again in 1 s (attempt 2 of 2).\n";
    assert!(done.stderr.contains(again), "{done:?}");
    let last = format!(
        "\nlocal/m at {} answered with status 500 (key from models.json): out of memory\nThe provider has a problem: try again \
         later, or choose another model with --model.\n",
        host(&server)
    );
    assert!(done.code == Some(1) && done.stderr.ends_with(&last), "{done:?}");
    assert_eq!(server.unused(), 0);
}

#[test]
fn a_default_model_may_name_its_provider_twice() {
    let place = Place::new();
    let server = LoopbackServer::start([Reply::text("Hello"), Reply::text("Hello")]);
    local(&place, &server.url(), r#", "apiKey": "any""#);
    let ask = || place.tau(["-p", "Hi"]).run();
    place.write("agent/settings.json", r#"{"defaultModel": "local/m"}"#);
    assert_eq!(ask(), Done::ok("Hello\n"));
    place.write("agent/settings.json", r#"{"defaultProvider": "local", "defaultModel": "local/m"}"#);
    assert_eq!(ask(), Done::ok("Hello\n"));
}

#[test]
fn json_mode_says_that_a_request_is_made_again() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"retry": {"baseDelayMs": 1, "maxRetries": 1}}"#);
    let server = LoopbackServer::start([Reply::http_error(500, "out of memory"), Reply::text("Better")]);
    local(&place, &server.url(), r#", "apiKey": "any""#);
    let done = place.tau(["--model", "local/m", "--mode", "json", "Hi"]).run();
    assert_eq!(done.code, Some(0), "{done:?}");
    let told = "The request failed: status 500 out of memory. Trying again in 1 s (attempt 1 of 1).\n";
    assert_eq!(done.stderr, told);
    let kinds = done.events().into_iter().map(|event| event["type"].clone());
    let retries: Vec<_> =
        kinds.filter(|kind| kind.as_str().is_some_and(|kind| kind.starts_with("auto_retry"))).collect();
    assert_eq!(retries, ["auto_retry_start", "auto_retry_end"]);
}

#[test]
fn a_compaction_that_fails_is_said() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"compaction": {"keepRecentTokens": 10, "reserveTokens": 500}}"#);
    let script = "
model: {id: small, contextWindow: 3000, maxTokens: 500}
replies:
  - when: {system_contains: summar}
    repeat: forever
    steps: [{error: {message: nope, status: 400}}]
  - repeat: forever
    steps: [{text: A long answer of many words that are certainly more than the tokens to keep and some more.}, {usage: {input: 2600, output: 300}}]
";
    for mode in [["--mode", "text"], ["--mode", "json"]] {
        let done = place.play(script, mode.into_iter().chain(["One", "Two", "Three", "Four"])).run();
        assert_eq!(done.code, Some(0), "{done:?}");
        let mut told: Vec<&str> = done.stderr.lines().collect();
        assert!(!told.is_empty(), "{done:?}");
        assert!(told.iter().all(|line| line.starts_with("Warning: Auto-compaction failed: ")), "{done:?}");
        let all = told.len();
        told.dedup();
        assert_eq!(told.len(), all, "the same words are not repeated: {done:?}");
    }
}

#[test]
fn an_address_where_nobody_answers_is_a_sentence() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"retry": {"enabled": false}}"#);
    local(&place, "http://127.0.0.1:1", r#", "apiKey": "any""#);
    let done = ask(&place);
    let begin = "local/m at 127.0.0.1:1 could not be asked (key from models.json): Connection refused";
    assert!(done.stderr.starts_with(begin), "{done:?}");
    let next = "\nCheck that the server of local runs, and its \"baseUrl\" in models.json.\n";
    assert!(done.code == Some(1) && done.stderr.ends_with(next), "{done:?}");
}

#[test]
fn the_list_of_models_says_what_is_missing_in_it_and_why() {
    let place = Place::new();
    let provider = |rest: &str| format!(r#"{{"baseUrl": "http://127.0.0.1:1/v1", "api": "openai-completions"{rest}}}"#);
    let models = |ids: &str| format!(r#", "models": [{ids}]"#);
    let good =
        provider(&format!(r#", "apiKey": "k"{}"#, models(r#"{"id": "a"}, {"id": "b", "api": "openai-completion"}"#)));
    let unset = provider(&format!(r#", "apiKey": "$NOT_THERE"{}"#, models(r#"{"id": "c"}"#)));
    let keyless = provider(&models(r#"{"id": "d"}"#));
    let file =
        format!(r#"{{"providers": {{"good": {good}, "unset": {unset}, "keyless": {keyless}, "openai": {keyless}}}}}"#);
    place.write("agent/models.json", file);
    let done = place.tau(["--list-models"]).run();
    assert_eq!((done.code, done.stdout.lines().count()), (Some(0), 2), "{done:?}");
    assert!(done.stdout.contains("\ngood      a "), "{done:?}");
    let mut told: Vec<&str> = done.stderr.lines().collect();
    told.sort_unstable();
    let expected = [
        "Warning: not listed: good/b: unknown api \"openai-completion\"; did you mean \"openai-completions\"?",
        "Warning: not listed: keyless: models.json has no \"apiKey\" for keyless; add one (any text for a server that needs no key)",
        "Warning: not listed: openai: no API key; set OPENAI_API_KEY, or store a key with `tau auth login openai --api-key`",
        "Warning: not listed: unset: the environment variable NOT_THERE that the key refers to is not set",
    ];
    assert_eq!(told, expected);
    let done = place.tau(["--list-models", "unset/c"]).run();
    let why = "unset: the environment variable NOT_THERE that the key refers to is not set";
    let none = format!("No models matching \"unset/c\". Models that match cannot be used:\n  {why}\n");
    assert_eq!((done.code, done.stdout), (Some(0), none));
}

#[test]
fn without_a_usable_model_every_message_says_why() {
    let place = Place::new();
    let url = "http://127.0.0.1:1";
    let said = |place: &Place| {
        let list = place.tau(["--list-models"]).run();
        let prompt = place.tau(["-p", "Hi"]).run();
        assert_eq!((list.code, prompt.code), (Some(0), Some(1)), "{list:?} {prompt:?}");
        let list = list.stdout.strip_prefix("No models available. ").expect("the list").to_owned();
        let (_, why) = prompt.stderr.split_once("Error: No model selected. ").expect("the prompt");
        assert_eq!(list, why);
        list
    };
    local(&place, url, "");
    let missing = "The cause:\n  local: models.json has no \"apiKey\" for local; add one (any text for a server that needs no \
                   key)\nCorrect that, or set an API key (ANTHROPIC_API_KEY, OPENAI_API_KEY).\n";
    assert_eq!(said(&place), missing);
    place.write(
        "agent/models.json",
        r#"{"providers": {"local": {"baseUrl": "http://127.0.0.1:1", "api": "x", "models": [{"id": "m"}]}}}"#,
    );
    let both = said(&place);
    assert!(
        both.contains("\n  local: models.json has no \"apiKey\"") && both.contains("\n  local: unknown api \"x\""),
        "{both}"
    );
    local(&place, url, r#", "apiKey": "$NOT_THERE""#);
    assert!(said(&place).contains("local: the environment variable NOT_THERE that the key refers to is not set\n"));
    local(&place, url, r#", "apiKey": """#);
    assert!(said(&place).contains("Provider local: \"apiKey\" must not be empty. For a server"));
    place.write("agent/models.json", "{\n  \"providers\": {\n    oops\n");
    assert!(said(&place).contains("\n  models.json, line 3, column 5: "), "{}", said(&place));
    let wrong = r#"{"providers": {"local": {"baseUrl": "http://127.0.0.1:1", "api": "openai-completion", "apiKey": "k",
        "base_url": 1, "models": [{"id": "m", "contextwindow": 5}]}}}"#;
    place.write("agent/models.json", wrong);
    let unknown = "unknown api \"openai-completion\"; did you mean \"openai-completions\"?";
    assert!(said(&place).contains(&format!("\n  local: {unknown}\n")));
    let done = ask(&place);
    let file = place.root().join("agent/models.json");
    assert_eq!(
        done.stderr,
        format!(
            "Warning: {file}: Provider local: the key \"base_url\" has no effect; did you mean \"baseUrl\"?\nWarning: {file}: \
             Provider local, model m: the key \"contextwindow\" has no effect; did you mean \"contextWindow\"?\nWarning: provider \
             local cannot be used: {unknown}\nError: Model m cannot be used: {unknown}\n",
            file = file.display()
        )
    );
}

/// `ctx.modelRegistry` reaches whatever the session reaches: a script too, which is in no package.
#[test]
fn a_script_answers_extensions_that_ask_its_model() {
    let asking = "import { writeFileSync } from 'node:fs';
export default (pi) => {
  const ask = (text) => ({ systemPrompt: 'Be brief.', messages: [{ role: 'user', content: [{ type: 'text', text }], timestamp: 0 }] });
  const said = ({ content, stopReason, errorMessage }) => [content.map(({ text, name }) => text ?? name).join(), stopReason, errorMessage].filter(Boolean);
  pi.registerCommand('ask', { handler: async (_, ctx) => {
    const { modelRegistry: models, model } = ctx;
    const seen = [said(await models.complete(model, ask('one'))), said(await models.completeSimple(model, ask('two'), { reasoning: 'low' }))];
    for (const name of ['stream', 'streamSimple']) {
      const types = [];
      const stream = models[name](model, ask(name));
      for await (const event of stream) types.push(event.type);
      seen.push([...types, ...said(await stream.result())]);
    }
    const over = new AbortController();
    over.abort();
    seen.push(said(await models.complete(model, ask('never'), { signal: over.signal })).slice(0, 2));
    seen.push(said(await models.complete(model, ask('more'))).slice(0, 1));
    seen.push(said(await models.complete({ ...model, provider: 'nobody', api: 'unheard-of' }, ask('x'))));
    writeFileSync('seen', JSON.stringify(seen));
  } });
};";
    let script = "replies:
- - expect: {last_user: one, messages: 1}
  - text: First.
- - expect: {last_user: two}
  - thinking: Hm.
  - text: Second.
- - text: Third.
- - tool_call: {name: look, arguments: {at: this}}
";
    let place = Place::new();
    place.write("agent/extensions/asking.ts", asking);
    let done = place.play(script, ["-p", "/ask"]).run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let seen: serde_json::Value = serde_json::from_str(&place.read("work/seen")).expect("JSON");
    assert_eq!(
        seen,
        json!([
            ["First.", "stop"],
            [",Second.", "stop"],
            ["start", "text_start", "text_delta", "text_end", "done", "Third.", "stop"],
            ["start", "toolcall_start", "toolcall_delta", "toolcall_end", "done", "look", "toolUse"],
            ["aborted", "Request was aborted"],
            ["error"],
            [
                "error",
                "No API key found for nobody. Pass --api-key, store a key with `tau auth login nobody --api-key`, or add an apiKey to models.json."
            ]
        ])
    );
}
