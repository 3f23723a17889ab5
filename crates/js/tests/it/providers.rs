//! Providers that extensions bring: over each wire format, with lists that come late, as a whole, and for models that do not
//! converse.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_agent::extensions::{Extensions, Lists};
use tau_ai::Message;
use tau_hooks::payload::ModelSelectSource;
use tau_testkit::loopback::{AMAZON_STREAM, LoopbackServer, Reply, amazon_frame};
use tokio_util::sync::CancellationToken;

use crate::bus::{hear, heard};
use crate::common::{Running, World};
use crate::support::Scripts;

/// A session with this extension, whose providers have said which models they have.
pub async fn start(world: &World, source: &str) -> (Running, Scripts, Arc<Extensions>) {
    world.home.write_agent("extensions/brings.ts", source);
    let scripts = Scripts::new(world);
    let extensions = scripts.load_found_in(world).await;
    let running = world.start().await;
    let models = running.session.models();
    extensions.register_providers(models);
    extensions.refresh_models(models, Lists::New, &CancellationToken::new()).await;
    (running, scripts, extensions)
}

pub async fn ask(running: &Running, provider: &str, model: &str) -> String {
    let found = running.session.models().find(provider, model).unwrap_or_else(|| panic!("no {provider}/{model}"));
    running.session.choose_model(found, ModelSelectSource::Set).await.expect("it can be chosen");
    running.say("hello").await;
    running.conversation().last().map(|(_, text)| text.clone()).unwrap_or_default()
}

/// An answer as Amazon frames it.
fn framed(text: &str) -> Reply {
    let frame = |name: &str, payload: Value| {
        amazon_frame(&[(":message-type", "event"), (":event-type", name)], &payload.to_string())
    };
    let frames = [
        frame("messageStart", json!({"role": "assistant"})),
        frame("contentBlockDelta", json!({"contentBlockIndex": 0, "delta": {"text": text}})),
        frame("contentBlockStop", json!({"contentBlockIndex": 0})),
        frame("messageStop", json!({"stopReason": "end_turn"})),
    ];
    Reply::verbatim(AMAZON_STREAM, frames.concat())
}

/// A key that names an account, as the one format wants it. Its parts mean nothing else.
const ACCOUNT: &str =
    "e30.eyJodHRwczovL2FwaS5vcGVuYWkuY29tL2F1dGgiOnsiY2hhdGdwdF9hY2NvdW50X2lkIjoiYWNjb3VudC0xIn19.sig";

/// Each wire format, with the path that is asked and the header with the key.
const FORMATS: [(&str, &str, &str); 9] = [
    ("anthropic-messages", "/v1/messages?beta=true", "x-api-key"),
    ("openai-completions", "/chat/completions", "authorization"),
    ("openai-responses", "/responses", "authorization"),
    ("openai-codex-responses", "/codex/responses", "authorization"),
    ("azure-openai-responses", "/responses?api-version=v1", "api-key"),
    ("google-generative-ai", "/models/m:streamGenerateContent?alt=sse", "x-goog-api-key"),
    ("google-vertex", "/v1/publishers/google/models/m:streamGenerateContent?alt=sse", "x-goog-api-key"),
    ("mistral-conversations", "/v1/chat/completions", "authorization"),
    ("bedrock-converse-stream", "/model/m/converse-stream", "authorization"),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_may_name_every_wire_format() {
    let names: Vec<&str> = tau_ai::builtin_apis().iter().map(|(name, _)| *name).collect();
    assert_eq!(FORMATS.map(|(api, ..)| api).to_vec(), names, "the table has every format");
    for (api, path, header) in FORMATS {
        let reply = || if api == "bedrock-converse-stream" { framed("hi there") } else { Reply::text("hi there") };
        // Twice: by the session, and by the functions of the package.
        let server = LoopbackServer::start([reply(), reply()]);
        let source = format!(
            "import {{ completeSimple }} from '@earendil-works/pi-ai';
export default (pi) => {{
  const cost = {{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }};
  pi.registerProvider('corp', {{
    baseUrl: '{url}', api: '{api}', apiKey: '{ACCOUNT}', headers: {{ 'x-team': 'blue' }},
    models: [{{ id: 'm', name: 'M', reasoning: false, input: ['text'], contextWindow: 1000, maxTokens: 100, cost }}],
  }});
  pi.registerCommand('direct', {{ handler: async (_, ctx) => {{
    const seen = [];
    const answer = await completeSimple(ctx.modelRegistry.find('corp', 'm'), {{ messages: [{{ role: 'user', content: 'hello', timestamp: 1 }}] }}, {{
      apiKey: '{ACCOUNT}', onPayload: () => void seen.push('payload'), onResponse: ({{ status }}) => void seen.push(status),
      onProviderStreamEvent: async (event, model) => {{ if (!seen.includes(model.id) && typeof event === 'object') seen.push(model.id); }},
    }});
    pi.events.emit('told', [answer.content.map(({{ text }}) => text).join(''), answer.errorMessage ?? null, seen]);
  }} }});
}};",
            url = server.url(),
        );
        let world = World::new(json!([]));
        let told = hear(&world, "told");
        let (running, ..) = start(&world, &source).await;
        let said = ask(&running, "corp", "m").await;
        if api == "bedrock-converse-stream" && server.requests().is_empty() {
            let history = running.session.history();
            let Some(Message::Assistant(last)) = history.iter().last() else { panic!("an answer") };
            let error = last.error_message.clone().unwrap_or_default();
            assert!(error.starts_with("This build of tau leaves Amazon Bedrock out."), "{error}");
            continue;
        }
        assert_eq!(said, "hi there", "{api}");
        running.say("/direct").await;
        assert_eq!(heard(&told, 1).await, [json!(["hi there", null, ["payload", 200, "m"]])], "{api}");
        let requests = server.requests();
        assert_eq!(requests[0].path, path, "{api}");
        assert_eq!(requests[1].path, path, "{api}");
        assert_eq!(requests[0].headers["x-team"], "blue", "{api}");
        assert!(requests[0].headers[header].ends_with(ACCOUNT), "{api}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn models_that_do_not_converse_are_asked_over_the_formats_of_the_program() {
    let answers = json!({
        "answers": [{"name": "ok", "type": "predicate", "probability": 0.75}],
        "usage": {"input_tokens": 10, "output_tokens": 0},
    });
    let picture = json!({"choices": [{"message": {"images": [{"image_url": {"url": "data:image/png;base64,QUJD"}}]}}]});
    let document = |body: &Value| Reply::verbatim("application/json", body.to_string());
    let server = LoopbackServer::start([document(&answers), document(&picture), Reply::http_error(400, "{}")]);
    let source = format!(
        "import {{ generateImages, getBuiltinClassifierModel, getImageModels, getBuiltinModels, getAllBuiltinModels }} from '@earendil-works/pi-ai';
export default (pi) => {{
  const model = {{ name: 'x', input: ['text'], contextWindow: 1000, cost: {{ input: 1, output: 0, cacheRead: 0, cacheWrite: 0 }} }};
  pi.registerProvider('judge', {{
    baseUrl: '{url}', apiKey: 'secret-key', models: [
      {{ ...model, id: 'same', type: 'classifier', api: 'openai-decisions' }},
      {{ ...model, id: 'same', type: 'image', api: 'openrouter-images', output: ['image'] }},
    ],
  }});
  pi.registerCommand('tell', {{ handler: async (_, ctx) => {{
    const {{ modelRegistry: models }} = ctx;
    const judge = models.findOfType('classifier', 'judge', 'same');
    const painter = models.findOfType('image', 'judge', 'same');
    const ok = {{ type: 'bool', instructions: 'Is it?', criteria: {{ true: '', false: '' }} }};
    const seen = [];
    const onPayload = (payload, model) => {{ seen.push([payload.model, model.type]); return {{ ...payload, changed: true }}; }};
    const judged = await models.classify(judge, {{ state: {{ a: 1 }}, questions: {{ ok }} }}, {{ onPayload }});
    const painted = await models.generateImages(painter, {{ input: [{{ type: 'text', text: 'A cat' }}] }});
    const failed = await generateImages(painter, {{ input: [] }}, {{ apiKey: 'other-key' }});
    const aborted = await models.classify(judge, {{ state: 1, questions: {{ ok }} }}, {{ signal: AbortSignal.abort() }});
    const odd = await models.classify(judge, {{ state: 1, questions: {{ ok: {{ type: 'guess' }} }} }});
    const pictures = await models.classify(judge, {{ state: 1, images: [{{}}], questions: {{}} }});
    pi.events.emit('told', {{
      judged: [judged.answers, judged.usage.input, judged.stopReason], painted: [painted.output, painted.stopReason],
      failed: [failed.stopReason, failed.errorMessage, failed.output], aborted: aborted.stopReason,
      odd: [odd.stopReason, odd.answers], pictures: pictures.errorMessage, seen,
      chat: models.getAll().filter(({{ provider }}) => provider === 'judge').length,
      builtin: [
        getBuiltinClassifierModel('typesafe', 'jev-latest').api, getImageModels('openrouter').length > 10,
        getBuiltinModels('typesafe').length, getAllBuiltinModels('typesafe').length,
      ],
    }});
  }} }});
}};",
        url = server.url(),
    );
    let world = World::new(json!([]));
    let told = hear(&world, "told");
    let (running, ..) = start(&world, &source).await;
    running.say("/tell").await;
    let expected = json!({
        "judged": [{"ok": {"type": "bool", "probability": 0.75}}, 10, "stop"],
        "painted": [[{"type": "image", "data": "QUJD", "mimeType": "image/png"}], "stop"],
        "failed": ["error", "400 {}", []], "aborted": "aborted", "odd": ["error", {}],
        "pictures": "Model judge/same does not accept image input", "seen": [["same", "classifier"]], "chat": 0,
        "builtin": ["typesafe-system-one", true, 0, 1],
    });
    assert_eq!(heard(&told, 1).await, [expected]);
    let requests = server.requests();
    assert_eq!(requests[0].body["changed"], true);
    let keys: Vec<&str> = requests.iter().map(|request| &*request.headers["authorization"]).collect();
    assert_eq!(keys, ["Bearer secret-key", "Bearer secret-key", "Bearer other-key"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_comes_late_takes_the_place_of_the_models() {
    let source = "export default (pi) => {
  const model = (id) => ({ id, name: id, reasoning: false, input: ['text'], contextWindow: 1000, maxTokens: 100, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } });
  let asked = 0;
  const base = { baseUrl: 'http://localhost', api: 'openai-completions', apiKey: 'key' };
  pi.registerProvider('live', { ...base, models: [model('first')], async refreshModels(context) {
    const { credential, baseUrl, allowNetwork, force, signal, stored } = context;
    pi.events.emit('asked', { credential, baseUrl, allowNetwork, force, aborted: signal.aborted, stored: stored ?? null, published: await context.publish({}) });
    asked += 1;
    if (asked === 3) throw new Error('the server is away');
    return [model(`late-${asked}`), { ...model('judge'), type: 'classifier', api: 'openai-decisions' }];
  } });
  pi.registerProvider('odd', { ...base, models: [model('kept')], refreshModels: async () => [{ name: 'no id' }] });
  pi.registerProvider('same', { ...base, models: [model('kept')], refreshModels: async () => undefined });
  pi.registerCommand('again', { handler: async (_, ctx) => {
    const { aborted, errors } = await ctx.modelRegistry.refresh({ providers: ['live', 'odd'] });
    pi.events.emit('done', { aborted, errors: [...errors].map(([name, error]) => [name, error.message]) });
  } });
  pi.registerCommand('more', { handler: async () => {
    pi.registerProvider('after', { ...base, refreshModels: async () => { pi.events.emit('after', 1); return [model('late')]; } });
  } });
};";
    let world = World::new(json!([]));
    let (asked, done, after) = (hear(&world, "asked"), hear(&world, "done"), hear(&world, "after"));
    let (running, scripts, extensions) = start(&world, source).await;
    let models = running.session.models();
    let ids = |provider: &str| models.of_provider(provider).iter().map(|model| model.id.clone()).collect::<Vec<_>>();
    assert_eq!(
        (ids("live"), ids("odd"), ids("same")),
        (vec!["late-1".to_owned()], vec!["kept".into()], vec!["kept".into()])
    );
    assert!(models.find_of_kind("classifier", "live", "judge").is_some());
    let told = |scripts: &Scripts| {
        let told = scripts.told.take();
        told.into_iter()
            .filter(|(_, event, ..)| event == "refreshModels")
            .map(|(_, _, text, _)| text)
            .collect::<Vec<_>>()
    };
    let complaint = told(&scripts);
    assert!(
        complaint.len() == 1 && complaint[0] == "Provider odd: every model needs a non-empty \"id\".",
        "{complaint:?}"
    );
    let first = json!({
        "credential": {"type": "api_key", "key": "key", "env": {}}, "baseUrl": "http://localhost", "allowNetwork": true,
        "force": false, "aborted": false, "stored": null, "published": true,
    });
    assert_eq!(heard(&asked, 1).await, [first]);

    // What was asked is not asked again by itself, and stays when something else changes.
    extensions.register_providers(models);
    extensions.refresh_models(models, Lists::New, &CancellationToken::new()).await;
    assert_eq!(ids("live"), ["late-1"]);
    for (list, errors) in [("late-2", json!([])), ("late-2", json!([["live", "Provider live: the server is away"]]))] {
        running.say("/again").await;
        let done = heard(&done, 1).await.remove(0);
        let live: Vec<Value> =
            done["errors"].as_array().expect("a list").iter().filter(|error| error[0] == "live").cloned().collect();
        assert_eq!((ids("live"), json!(live), &done["aborted"]), (vec![list.to_owned()], errors, &json!(false)));
    }
    running.say("/more").await;
    heard(&after, 1).await;
    let late = || models.find("after", "late").is_some();
    while !late() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_may_be_registered_as_a_whole() {
    let server = LoopbackServer::start([Reply::text("hi there"), Reply::text("and again")]);
    let source = format!(
        "import {{ createProvider, envApiKeyAuth, openAICompletionsApi, anthropicMessagesApi }} from '@earendil-works/pi-ai';
export default (pi) => {{
  const model = (id, api) => ({{ id, name: id, api, provider: 'whole', baseUrl: '{url}', reasoning: false, input: ['text'], contextWindow: 1000, maxTokens: 100, cost: {{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }} }});
  pi.registerProvider(createProvider({{
    id: 'whole', name: 'Whole', baseUrl: '{url}',
    auth: {{ apiKey: envApiKeyAuth('Whole key', ['WHOLE_KEY']) }},
    models: [model('one', 'openai-completions')],
    fetchModels: async () => [model('two', 'anthropic-messages'), {{ ...model('judge', 'mine'), type: 'classifier' }}],
    api: {{ 'openai-completions': openAICompletionsApi(), 'anthropic-messages': anthropicMessagesApi() }},
    classifiers: {{ mine: {{ classify: async (model, context, {{ apiKey }}) => ({{ answers: {{ it: {{ type: 'score', score: context.state, confidence: apiKey === 'from-$variable' ? 1 : 0 }} }} }}) }} }},
  }}));
  pi.registerCommand('tell', {{ handler: async (_, ctx) => {{
    const models = ctx.modelRegistry;
    const judged = await models.classify(models.findOfType('classifier', 'whole', 'judge'), {{ state: 1, questions: {{}} }});
    pi.events.emit('told', [judged.answers, models.getRegisteredNativeProvider('whole').id, models.getProviderDisplayName('whole')]);
  }} }});
}};",
        url = server.url(),
    );
    let world = World::new(json!([])).with_var("WHOLE_KEY", "from-$variable");
    let told = hear(&world, "told");
    let (running, scripts, _) = start(&world, &source).await;
    assert_eq!(scripts.told.all(), []);
    assert_eq!(ask(&running, "whole", "one").await, "hi there");
    assert_eq!(ask(&running, "whole", "two").await, "and again");
    running.say("/tell").await;
    assert_eq!(
        heard(&told, 1).await,
        [json!([{"it": {"type": "score", "score": 1, "confidence": 1}}, "whole", "Whole"])]
    );
    let requests = server.requests();
    assert_eq!(requests[0].headers["authorization"], "Bearer from-$variable");
    assert_eq!((&*requests[1].path, &*requests[1].headers["x-api-key"]), ("/v1/messages?beta=true", "from-$variable"));
}

/// A provider whose models only paint: they can be asked to, and nobody can converse with one.
#[tokio::test(flavor = "multi_thread")]
async fn a_provider_may_have_models_for_images_only() {
    let source = "import { createProvider, envApiKeyAuth } from '@earendil-works/pi-ai';
export default (pi) => {
  const brush = { id: 'brush', name: 'Brush', provider: 'painter', api: 'mine', type: 'image', input: ['text'], output: ['image'], baseUrl: 'http://127.0.0.1:9', cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
  const generateImages = async (model, context, { apiKey }) => ({
    api: model.api, provider: model.provider, model: model.id, stopReason: 'stop', timestamp: 1,
    output: [{ type: 'image', data: btoa(`${context.input[0].text} with ${apiKey}`), mimeType: 'image/png' }],
  });
  pi.registerProvider(createProvider({
    id: 'painter', name: 'Painter', auth: { apiKey: envApiKeyAuth('Painter key', ['PAINTER_KEY']) },
    models: [brush], images: { mine: { generateImages } },
  }));
  pi.registerCommand('tell', { handler: async (_, ctx) => {
    const { modelRegistry: models } = ctx;
    const painted = await models.generateImages(models.findOfType('image', 'painter', 'brush'), { input: [{ type: 'text', text: 'A cat' }] });
    const other = await models.generateImages({ ...brush, id: 'none' }, { input: [] });
    pi.events.emit('told', {
      painted: [painted.stopReason, atob(painted.output[0]?.data ?? ''), painted.errorMessage ?? null],
      other: other.stopReason,
      available: (await models.getAvailableOfType('image', 'painter')).map(({ id }) => id),
      converse: [models.find('painter', 'brush') ?? null, models.getAll().some(({ provider }) => provider === 'painter')],
    });
  } });
};";
    let world = World::new(json!([])).with_var("PAINTER_KEY", "k1");
    let told = hear(&world, "told");
    let (running, scripts, _) = start(&world, source).await;
    assert_eq!(scripts.told.all(), []);
    running.say("/tell").await;
    let expected = json!({
        "painted": ["stop", "A cat with k1", null], "other": "error", "available": ["brush"], "converse": [null, false],
    });
    assert_eq!(heard(&told, 1).await, [expected]);
    let models = running.session.models();
    assert!(models.find("painter", "brush").is_none());
    assert!(models.resolve_pattern(None, "painter/brush").is_err(), "nobody can choose it to converse");
}
