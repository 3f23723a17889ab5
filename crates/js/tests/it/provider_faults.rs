//! Providers of extensions that do what they should not: each is named, nothing else is lost, and no key leaks.

use serde_json::{Value, json};
use tau_ai::Message;

use crate::bus::{hear, heard};
use crate::common::{Running, World};
use crate::providers::{ask, start};
use crate::support::Scripts;

const KEY: &str = "sk-planted-0123456789";

/// What every source begins with: a key in several forms, and a model.
const HEAD: &str = r"
const key = 'sk-planted-0123456789';
const escaped = [...key].map((c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0')).join('');
const quoted = `${key} ${escaped} ${JSON.stringify(escaped)} ${key.replaceAll('-', '%2D')}`;
const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const model = (id, more) => ({ id, name: id, reasoning: false, input: ['text'], contextWindow: 1000, maxTokens: 100, cost, ...more });
const base = { baseUrl: 'http://127.0.0.1', apiKey: key, api: 'own' };
";

fn source(body: &str) -> String {
    format!("{HEAD}export default (pi) => {{\n{body}\n}};")
}

fn assert_hidden(text: &str) {
    for form in [KEY, "\\u0073", "%2D"] {
        assert!(!text.contains(form), "{form}: {text}");
    }
}

/// The errors and warnings about an event that the user was told, without what comes from elsewhere.
fn told(scripts: &Scripts, about: &str) -> Vec<String> {
    let told = scripts.told.all().into_iter();
    told.filter(|(extension, event, ..)| extension.ends_with("brings.ts") && event == about)
        .map(|(_, _, text, _)| text)
        .collect()
}

fn path(world: &World) -> String {
    world.home.agent_dir().join("extensions/brings.ts").display().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_models_that_do_not_converse_have_a_shape() {
    let world = World::new(json!([]));
    let log = hear(&world, "told");
    let body = r"
  const right = { ok: { type: 'bool', probability: 0.5 } };
  const answers = {
    null: async () => null, text: () => 'yes', list: async () => [], empty: async () => ({}),
    missing: async () => ({ answers: {} }), other: async () => ({ answers: { ok: { type: 'score', score: 1, confidence: 1 } } }),
    half: async () => ({ answers: { ok: { type: 'bool' } } }), reason: async () => ({ answers: right, stopReason: 'length' }),
    throws: async () => { throw new Error(`refused: ${quoted}`); },
    says: async () => ({ answers: {}, stopReason: 'error', errorMessage: `refused: ${quoted}`, rawStopReason: quoted }),
    right: async () => ({ answers: right, usage: { input: 1 } }),
  };
  const pictures = {
    none: async () => ({}), odd: async () => ({ output: [{ type: 'image', data: 5, mimeType: 'image/png' }] }),
    film: async () => ({ output: [{ type: 'film' }] }), fine: async () => ({ output: [{ type: 'text', text: 'a cat' }] }),
  };
  pi.registerProvider('judge', {
    ...base, classifiers: { own: { classify: (model) => answers[model.id]() } }, images: { own: { generateImages: (model) => pictures[model.id]() } },
    models: [...Object.keys(answers).map((id) => model(id, { type: 'classifier' })), ...Object.keys(pictures).map((id) => model(id, { type: 'image' }))],
  });
  pi.registerCommand('tell', { handler: async (_, { modelRegistry: models }) => {
    const question = { type: 'bool', instructions: 'Is it?', criteria: { true: '', false: '' } };
    const said = {};
    for (const id of Object.keys(answers)) said[id] = await models.classify(models.findOfType('classifier', 'judge', id), { state: 1, questions: { ok: question } });
    for (const id of Object.keys(pictures)) said[id] = await models.generateImages(models.findOfType('image', 'judge', id), { input: [] });
    pi.events.emit('told', said);
  } });";
    let (running, ..) = start(&world, &source(body)).await;
    running.say("/tell").await;
    let said = heard(&log, 1).await.remove(0);
    assert_hidden(&said.to_string());
    let classify = format!("classify of provider judge (extension {}): ", path(&world));
    let generate = format!("generateImages of provider judge (extension {}): ", path(&world));
    for (id, whose, error) in [
        ("null", &classify, "the result is no object"),
        ("text", &classify, "the result is no object"),
        ("list", &classify, "the result is no object"),
        ("empty", &classify, "missing field `answers`"),
        ("missing", &classify, "answers.ok: missing"),
        ("other", &classify, "answers.ok: expected the type of the question, got \"score\""),
        ("half", &classify, "answers.ok: missing field `probability`"),
        ("reason", &classify, "stopReason: expected \"stop\", \"error\" or \"aborted\""),
        ("throws", &classify, "refused: … … \"…\" …"),
        ("none", &generate, "missing field `output`"),
        ("odd", &generate, "output[0].data: invalid type: integer `5`, expected a string"),
        ("film", &generate, "output[0]: neither a text nor an image"),
    ] {
        let (reason, text) = (&said[id]["stopReason"], said[id]["errorMessage"].as_str().unwrap_or_default());
        assert!(reason == "error" && text.starts_with(&format!("{whose}{error}")), "{id}: {}", said[id]);
    }
    assert_eq!(said["says"]["errorMessage"], "refused: … … \"…\" …");
    let right = &said["right"];
    assert_eq!(
        (&right["stopReason"], &right["api"], &right["model"]),
        (&json!("stop"), &json!("own"), &json!("right"))
    );
    assert_eq!(said["fine"]["output"][0]["text"], "a cat");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_that_never_answers_ends_with_its_limit_or_its_signal() {
    let world = World::new(json!([])).settings(json!({"tau": {"limits": {"handlerMs": 100}}}));
    let log = hear(&world, "told");
    let body = r"
  const aborted = [];
  let begun;
  const never = (model, context, { signal }) => {
    signal.addEventListener('abort', () => aborted.push(model.id));
    begun?.();
    return new Promise(() => {});
  };
  pi.registerProvider('judge', {
    ...base, classifiers: { own: { classify: never } }, images: { own: { generateImages: never } },
    models: [model('a', { type: 'classifier' }), model('b', { type: 'image' })],
  });
  pi.registerCommand('tell', { handler: async (_, { modelRegistry: models }) => {
    const [judge, painter] = [models.findOfType('classifier', 'judge', 'a'), models.findOfType('image', 'judge', 'b')];
    const controller = new AbortController();
    begun = () => queueMicrotask(() => controller.abort());
    const stopped = await models.classify(judge, { questions: {} }, { signal: controller.signal, timeoutMs: 1e9 });
    begun = undefined;
    const all = [stopped, await models.classify(judge, { questions: {} }), await models.generateImages(painter, { input: [] }, { timeoutMs: 5 })];
    pi.events.emit('told', { all: all.map(({ stopReason, errorMessage }) => [stopReason, errorMessage]), aborted });
  } });";
    let (running, ..) = start(&world, &source(body)).await;
    running.say("/tell").await;
    let said = heard(&log, 1).await.remove(0);
    let whose = format!("of provider judge (extension {}): no answer came within", path(&world));
    let expected = json!({
        "all": [
            ["aborted", "Request was aborted"],
            ["error", format!("classify {whose} 100 ms, the limit of tau.limits.handlerMs")],
            ["error", format!("generateImages {whose} 5 ms, the limit of timeoutMs")],
        ],
        "aborted": ["a", "a", "b"],
    });
    assert_eq!(said, expected);
}

async fn error_of(running: &Running, model: &str) -> Value {
    ask(running, "own", model).await;
    let history = running.session.history();
    let Some(Message::Assistant(last)) = history.iter().last() else { panic!("an answer") };
    tau_ai::to_json(last)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_fails_or_makes_no_sense_names_its_provider() {
    let world = World::new(json!([])).settings(json!({"retry": {"enabled": false}}));
    let body = r"
  const final = { role: 'assistant', content: [{ type: 'text', text: 'fine' }], stopReason: 'stop' };
  const streams = {
    throws: () => { throw new Error(`refused: ${quoted}`); }, null: () => null, nothing: () => [],
    hole: () => [null], number: () => [5], nameless: () => [{}],
    delta: () => [{ type: 'text_start', contentIndex: 0 }, { type: 'text_delta', contentIndex: 0, delta: 5 }],
    call: () => [{ type: 'toolcall_start', contentIndex: 0 }, { type: 'toolcall_end', contentIndex: 0, toolCall: 'x' }],
    message: () => [{ type: 'done' }], role: () => [{ type: 'done', message: { role: 'user', content: 'x' } }],
    error: () => [{ type: 'error', error: { ...final, stopReason: 'error', errorMessage: `refused: ${quoted}`, rawStopReason: quoted } }],
    raw: () => [{ type: 'done', message: { ...final, rawStopReason: quoted } }],
  };
  pi.registerProvider('own', { ...base, models: Object.keys(streams).map((id) => model(id)), streamSimple: (model) => streams[model.id]() });
  pi.registerCommand('ask', { handler: async (_, { modelRegistry: models }) => {
    const said = {};
    for (const id of ['throws', 'error', 'raw']) said[id] = await models.complete(models.find('own', id), { messages: [] });
    pi.events.emit('asked', said);
  } });";
    let asked = hear(&world, "asked");
    let (running, ..) = start(&world, &source(body)).await;
    let wrong = format!("streamSimple of provider own (extension {}): ", path(&world));
    let failed = " (streamSimple of provider own)";
    for (id, error) in [
        ("throws", format!("refused: … … \"…\" …{failed}")),
        ("null", format!("it gave no stream of events{failed}")),
        ("nothing", format!("the provider's stream ended without a final message{failed}")),
        ("hole", format!("{wrong}an event is no object with a \"type\"")),
        ("number", format!("{wrong}an event is no object with a \"type\"")),
        ("nameless", format!("{wrong}an event is no object with a \"type\"")),
        ("delta", format!("{wrong}text_delta: \"delta\" is no text")),
        ("call", format!("{wrong}toolcall_end: \"toolCall\" is no tool call")),
        ("message", format!("{wrong}the final message: ")),
        ("role", format!("{wrong}the role of the final message is not \"assistant\"")),
        ("error", "refused: … … \"…\" …".to_owned()),
    ] {
        let answer = error_of(&running, id).await;
        let text = answer["errorMessage"].as_str().unwrap_or_default();
        assert!(text == error || id == "message" && text.starts_with(&error), "{id}: {answer}");
    }
    let answer = error_of(&running, "raw").await;
    assert_eq!(answer["rawStopReason"], "… … \"…\" …");
    // An extension that asks itself.
    running.say("/ask").await;
    let said = heard(&asked, 1).await.remove(0);
    for (id, error) in
        [("throws", json!("refused: … … \"…\" …")), ("error", json!("refused: … … \"…\" …")), ("raw", Value::Null)]
    {
        assert_eq!(said[id]["errorMessage"], error, "{id}");
    }
    assert_hidden(&said.to_string());
    assert_hidden(&Value::from(running.file()).to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_provider_keeps_the_key_that_only_it_knows() {
    let world = World::new(json!([])).settings(json!({"retry": {"enabled": false}}));
    let body = r"
  const all = ['throws', 'error'].map((id) => model(id, { api: 'own', provider: 'own', baseUrl: 'http://127.0.0.1' }));
  pi.registerProvider({
    id: 'own', getModels: () => all, auth: { apiKey: { resolve: async () => ({ auth: { apiKey: key } }) } },
    async refreshModels() { throw new Error(`refused: ${quoted}`); },
    async *streamSimple(model, context, { apiKey }) {
      if (apiKey !== key) throw new Error('another key');
      if (model.id === 'throws') throw new Error(`refused: ${quoted}`);
      yield { type: 'error', error: { role: 'assistant', content: [], stopReason: 'error', errorMessage: `refused: ${quoted}` } };
    },
  });";
    let (running, scripts, _) = start(&world, &source(body)).await;
    assert_eq!(told(&scripts, "refreshModels"), ["Provider own: refused: … … \"…\" …"]);
    running.session.models().set_api_key("own", tau_ai::Secret::new("anything"));
    for (id, error) in
        [("throws", "refused: … … \"…\" … (streamSimple of provider own)"), ("error", "refused: … … \"…\" …")]
    {
        assert_eq!(error_of(&running, id).await["errorMessage"], error, "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_makes_no_sense_is_told_with_its_provider_and_field() {
    let world = World::new(json!([]));
    let body = r"
  const lists = {
    throws: async () => { throw new Error(`refused: ${quoted}`); }, null: () => null, object: async () => ({ models: [] }),
    hole: () => [model('a'), null], window: () => [model('a', { contextWindow: 'big' })], many: () => new Array(200_000).fill(model('x')),
    key: () => [model('a', { headers: { a: 5 } })], silent: () => undefined,
  };
  for (const [name, refreshModels] of Object.entries(lists)) {
    pi.registerProvider(name, { ...base, api: 'openai-completions', models: [model('kept')], refreshModels });
  }";
    let (running, scripts, _) = start(&world, &source(body)).await;
    let mut told = told(&scripts, "refreshModels");
    told.sort_unstable();
    let mut expected = vec![
        "Provider hole: models[1]: a model must be an object",
        "Provider key: models[0].headers.a: invalid type: integer `5`, expected a string",
        "Provider many: 200000 models are too many; leave out all but 10000 of them",
        "Provider null: refreshModels gave no list of models",
        "Provider object: refreshModels gave no list of models",
        "Provider throws: refused: … … \"…\" …",
        "Provider window: models[0].contextWindow: invalid type: string \"big\", expected f64",
    ];
    expected.sort_unstable();
    assert_eq!(told, expected);
    for provider in ["throws", "null", "object", "hole", "window", "many", "key", "silent"] {
        assert!(running.session.models().find(provider, "kept").is_some(), "{provider}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_provider_is_told_once_and_costs_only_the_provider() {
    let world = World::new(json!([]));
    let log = hear(&world, "told");
    let body = r"
  const other = { ...base, api: 'openai-completions' };
  pi.registerProvider('bare', { api: 'openai-completions', apiKey: key, models: [model('m')] });
  pi.registerProvider('none');
  pi.registerProvider('window', { ...other, models: [model('m', { contextWindow: 'big' })] });
  pi.registerProvider('many', { ...other, models: new Array(200_000).fill(model('x')) });
  pi.registerProvider('silent', { ...base, streamSimple: 'x' });
  pi.registerProvider({ id: 'half' });
  pi.registerProvider('spelt', { ...other, baseURL: 'http://x', streamSimpel() {}, models: [model('m', { maxToken: 5 })] });
  pi.registerProvider('lost', { ...other, baseUrl: 'localhost:8080', models: [model('m', { baseUrl: 'htp://x' })] });
  pi.registerProvider('fine', { ...other, models: [model('m')] });
  pi.registerCommand('later', { handler: async () => {
    const said = [];
    const attempt = (name, config) => { try { pi.registerProvider(name, config); said.push('done'); } catch (error) { said.push(error.message); } };
    attempt('bare', { api: 'openai-completions', apiKey: key, models: [model('m')] });
    attempt('none');
    attempt('window', { ...other, models: [model('m', { contextWindow: 'big' })] });
    attempt('many', { ...other, models: new Array(200_000).fill(model('x')) });
    attempt('fine', { models: [model('n')] });
    pi.events.emit('told', said);
  } });";
    let (running, scripts, extensions) = start(&world, &source(body)).await;
    let models = running.session.models();
    let too_many = "Provider many: 200000 models are too many; leave out all but 10000 of them";
    let [bare, window] = [
        "Provider bare: \"baseUrl\" is required when defining custom models.",
        "Provider window: models[0].contextWindow: invalid type: string \"big\", expected f64",
    ];
    let mut expected = vec![
        bare,
        "Provider none: a configuration is needed",
        window,
        too_many,
        "Provider silent: \"streamSimple\" must be a function.",
        "A provider that is registered as a whole needs an id and streamSimple().",
        "Provider spelt: the key \"baseURL\" has no effect; did you mean \"baseUrl\"?",
        "Provider spelt: the key \"streamSimpel\" has no effect; did you mean \"streamSimple\"?",
        "Provider spelt, model m: the key \"maxToken\" has no effect; did you mean \"maxTokens\"?",
        "Provider lost: \"baseUrl\" is no address of a server; write it as https://HOST/PATH",
        "Provider lost, model m: \"baseUrl\" is no address of a server; write it as https://HOST/PATH",
    ];
    expected.sort_unstable();
    let sorted = |scripts: &Scripts| {
        let mut told = told(scripts, "load");
        told.sort_unstable();
        told
    };
    assert_eq!(sorted(&scripts), expected);
    let there = |provider: &str, id: &str| models.find(provider, id).is_some();
    assert!(there("fine", "m") && there("spelt", "m") && there("lost", "m") && !there("many", "x"));
    // Not again, whatever else is registered.
    extensions.register_providers(models);
    running.say("/later").await;
    let said = heard(&log, 1).await.remove(0);
    assert_eq!(said, json!([bare, "Provider none: a configuration is needed", window, too_many, "done"]));
    assert!(there("fine", "n") && !there("fine", "m"));
    assert_eq!(sorted(&scripts), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_misspelt_member_of_a_whole_provider_is_told_with_the_one_that_was_meant() {
    let world = World::new(json!([]));
    let body = r"
  const auth = { apiKey: envApiKeyAuth('Key', ['SOME_KEY']) };
  const api = { streamSimple() {}, stream() {} };
  pi.registerProvider(createProvider({ id: 'made', auth, models: [], api, fetchModel: async () => [], filterModel() {}, notes: 1 }));
  class Own {
    id = 'own'; baseURL = 'http://127.0.0.1:9'; #hidden = 1;
    auth = { apiKey: { name: 'x', resolv: async () => undefined }, oauth: { name: 'y', login() {}, refresh() {}, toAuth() {}, refreshToken() {} } };
    getModels() { return []; }
    getModel() {}
    refreshModel() { throw new Error('never called'); }
    get streamSimpl() { throw new Error('never read'); }
    streamSimple() {}
  }
  pi.registerProvider(new Own());
  pi.registerProvider({ id: 'fine', auth, getModels: () => [], streamSimple() {}, helper() {}, _models: [] });";
    let source = format!("import {{ createProvider, envApiKeyAuth }} from '@earendil-works/pi-ai';\n{}", source(body));
    let (_running, scripts, _) = start(&world, &source).await;
    let mut told = told(&scripts, "load");
    told.sort_unstable();
    let said = |provider: &str, name: &str, meant: &str| {
        format!("Provider {provider}: the member \"{name}\" has no effect; did you mean \"{meant}\"?")
    };
    let expected = [
        said("made", "fetchModel", "fetchModels"),
        said("made", "filterModel", "filterModels"),
        said("own", "auth.apiKey.resolv", "auth.apiKey.resolve"),
        said("own", "baseURL", "baseUrl"),
        said("own", "refreshModel", "refreshModels"),
    ];
    assert_eq!(told, expected);
}
