//! What the settings say about connections, through the program.

use serde_json::{Value, json};
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::support::{Done, Place};

/// A place with a model at an address and these settings.
fn place(base: &str, settings: Value, model: Value) -> Place {
    let place = Place::new();
    let mut entry = json!({"id": "m", "reasoning": true});
    entry.as_object_mut().expect("fields").extend(model.as_object().cloned().unwrap_or_default());
    let provider = json!({"api": "openai-completions", "baseUrl": base, "apiKey": "key", "models": [entry]});
    place.write("agent/models.json", json!({"providers": {"local": provider}}).to_string());
    place.write("agent/settings.json", settings.to_string());
    place
}

fn ask(place: &Place) -> crate::support::Tau {
    place.tau(["--model", "local/m", "-p", "Go"])
}

#[test]
fn requests_of_providers_and_of_extensions_go_through_the_proxy() {
    let proxy = LoopbackServer::start([Reply::text("Done."), Reply::text("Fetched.")]);
    let place = place("http://model.invalid/v1", json!({"httpProxy": proxy.url()}), json!({}));
    let fetches = "export default (pi) => { pi.on('agent_end', async () => { \
                   await fetch('http://else.invalid/chat/completions', { method: 'POST', body: '{}' }); }); };\n";
    let file = place.write("work/fetches.ts", fetches).display().to_string();
    let done = place.tau(["-e", file.as_str(), "--model", "local/m", "-p", "Go"]).run();
    assert_eq!(done, Done::ok("Done.\n"));
    let hosts: Vec<String> = proxy.requests().iter().map(|request| request.headers["host"].clone()).collect();
    assert_eq!(hosts, ["model.invalid", "else.invalid"]);

    // A variable outranks the setting.
    let other = LoopbackServer::start([Reply::text("Other.")]);
    assert_eq!(ask(&place).env("HTTP_PROXY", other.url()).run(), Done::ok("Other.\n"));
    assert_eq!(proxy.requests().len(), 2);
}

#[test]
fn a_server_that_falls_silent_has_failed() {
    let server = LoopbackServer::start([Reply::text("Half").hang()]);
    let settings = json!({"httpIdleTimeoutMs": 50, "retry": {"enabled": false}});
    let done = ask(&place(&server.url(), settings, json!({}))).run();
    assert_eq!(done.code, Some(1));
    assert!(
        done.stderr.contains("broke off in the middle of its answer")
            && done.stderr.contains("timed out: nothing came for 50 ms (httpIdleTimeoutMs)"),
        "{done:?}"
    );
}

#[test]
fn a_provider_of_an_extension_that_falls_silent_has_failed() {
    let settings = json!({"httpIdleTimeoutMs": 50, "retry": {"enabled": false}});
    let place = place("http://127.0.0.1:1", settings, json!({}));
    let source = "export default (pi) => pi.registerProvider('own', { baseUrl: 'http://own', apiKey: 'k', api: 'own-api',
  models: [{ id: 'm', name: 'M', reasoning: false, input: ['text'], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000, maxTokens: 100 }], streamSimple: async function* () { await new Promise(() => {}); } });\n";
    let file = place.write("work/own.ts", source).display().to_string();
    let done = place.tau(["-e", file.as_str(), "--model", "own/m", "-p", "Go"]).run();
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("timed out: nothing came for 50 ms (httpIdleTimeoutMs)"), "{done:?}");
}

#[test]
fn an_answer_must_begin_within_the_time_of_the_settings() {
    let server = LoopbackServer::start([Reply::silence()]);
    let settings = json!({"retry": {"enabled": false, "provider": {"timeoutMs": 50}}});
    let done = ask(&place(&server.url(), settings, json!({}))).run();
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("no answer began within 50 ms (retry.provider.timeoutMs)"), "{done:?}");
}

#[test]
fn requests_are_repeated_as_the_settings_say() {
    let busy = |header: &str, value: &str| Reply::http_error(429, "busy").header(header, value);
    let waits = || busy("retry-after-ms", "1");
    let retry =
        |most: u64| json!({"retry": {"enabled": false, "provider": {"maxRetries": most, "maxRetryDelayMs": 1000}}});
    for (settings, script, requests, code) in [
        (retry(0), vec![waits(), Reply::text("Done.")], 1, 1),
        (retry(2), vec![waits(), waits(), Reply::text("Done.")], 3, 0),
        (retry(2), vec![busy("retry-after", "2"), Reply::text("Done.")], 1, 1),
        // A limit that is used up, and begins anew in an hour: longer than anybody wants to wait.
        (
            json!({"retry": {"baseDelayMs": 1}}),
            vec![
                busy("x-ratelimit-remaining-tokens", "0").header("x-ratelimit-reset-tokens", "1h0m0s"),
                Reply::text("Done."),
            ],
            1,
            1,
        ),
        (
            json!({"retry": {"baseDelayMs": 1}}),
            vec![
                busy("x-ratelimit-remaining-tokens", "0").header("x-ratelimit-reset-tokens", "5ms"),
                Reply::text("Done."),
            ],
            2,
            0,
        ),
    ] {
        let server = LoopbackServer::start(script);
        let done = ask(&place(&server.url(), settings.clone(), json!({}))).run();
        assert_eq!((server.requests().len(), done.code), (requests, Some(code)), "{settings}: {done:?}");
    }
}

#[test]
fn caches_and_budgets_are_those_of_the_user() {
    let server = LoopbackServer::start([Reply::text("Done."), Reply::text("Done.")]);
    let settings = json!({"thinkingBudgets": {"high": 777}, "defaultThinkingLevel": "high"});
    let model = json!({"compat": {"thinkingTokenBudgetField": "thinking_budget"}});
    let place = place(&server.url(), settings, model);
    assert_eq!(ask(&place).env("PI_CACHE_RETENTION", "long").run(), Done::ok("Done.\n"));
    assert_eq!(ask(&place).run(), Done::ok("Done.\n"));
    let [long, short] = &*server.requests() else { panic!("two requests") };
    assert_eq!((&long.body["prompt_cache_retention"], &long.body["thinking_budget"]), (&json!("24h"), &json!(777)));
    assert_eq!((short.body.get("prompt_cache_retention"), &short.body["thinking_budget"]), (None, &json!(777)));
}

#[test]
fn tools_of_extensions_may_be_strict_and_have_grammars() {
    let server = LoopbackServer::start([Reply::text("Done.")]);
    let model = json!({"compat": {"supportsStrictMode": true, "supportsOpenAIGrammarTools": true}});
    let place = place(&server.url(), json!({}), model);
    let tools = "export default (pi) => {
  const tool = (name, constrainedSampling) => pi.registerTool({
    name, description: name, constrainedSampling, async execute() {},
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  });
  tool('plain', false);
  tool('strict', { type: 'json_schema', strict: 'prefer' });
  tool('formal', { type: 'grammar', variants: { openai_regex: '[a-z]+' } });
};";
    let file = place.write("work/tools.ts", tools).display().to_string();
    let done =
        place.tau(["-e", file.as_str(), "--tools", "plain,strict,formal", "--model", "local/m", "-p", "Go"]).run();
    assert_eq!(done, Done::ok("Done.\n"));
    let [request] = &*server.requests() else { panic!("one request") };
    let tools = &request.body["tools"];
    assert_eq!([&tools[0]["function"]["strict"], &tools[1]["function"]["strict"]], [&json!(false), &json!(true)]);
    assert_eq!(tools[1]["function"]["parameters"]["additionalProperties"], json!(false));
    let grammar = json!({"type": "grammar", "grammar": {"syntax": "regex", "definition": "[a-z]+"}});
    assert_eq!(tools[2]["custom"]["format"], grammar);
}

#[test]
fn certificates_that_cannot_be_read_are_named() {
    let place = place("https://127.0.0.1:9/v1", json!({"retry": {"enabled": false}}), json!({}));
    let done = ask(&place).env("NODE_EXTRA_CA_CERTS", "/no/such/file.pem").run();
    assert_eq!(done.code, Some(1));
    assert!(
        done.stderr.contains("the certificates in /no/such/file.pem (NODE_EXTRA_CA_CERTS) cannot be used"),
        "{done:?}"
    );
}
