//! Virtual models of extensions, and models that do something else than converse.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_agent::AgentSession;
use tau_agent::extensions::Extensions;

use crate::bus::{hear, heard};
use crate::common::{Running, World};
use crate::support::Scripts;

/// A session with these extensions of the user, and their models.
async fn start(world: &World, files: &[(&str, &str)]) -> (Running, Scripts, Arc<Extensions>) {
    for (name, source) in files.iter().chain(&[("models.ts", MODELS)]) {
        world.home.write_agent(&format!("extensions/{name}"), source);
    }
    let scripts = Scripts::new(world);
    let extensions = scripts.load_found_in(world).await;
    let running = world.start().await;
    extensions.register_providers(running.session.models());
    (running, scripts, extensions)
}

/// Models of the scripted provider; `small` has a small window.
const MODELS: &str = "export default (pi) => {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = (id) => ({
    id, name: id, reasoning: true, input: ['text'], contextWindow: id === 'small' ? 1000 : 100000, maxTokens: 100, cost,
  });
  const models = ['planner', 'other', 'small'].map(model);
  pi.registerProvider('scripted', { api: 'scripted', baseUrl: 'http://localhost', models });
};";

const ROUTER: &str = "export default (pi) => {
  pi.registerTool({
    name: 'work', description: 'w', parameters: { type: 'object', properties: {} },
    execute: async () => ({ content: [{ type: 'text', text: 'worked' }] }),
  });
  pi.registerVirtualModel({
    provider: 'jev', id: 'auto', name: 'Auto', thinkingLevels: ['low', 'high'], contextWindow: 5000,
    async route(request, ctx) {
      const { reason, thinkingLevel, previous, failed, state, messages, signal } = request;
      pi.events.emit('asked', {
        reason, thinkingLevel, state, model: request.model.id, previous: previous?.model.id,
        failed: failed && [failed.model.id, failed.message.errorMessage],
        roles: messages.map(({ role }) => role), last: messages.at(-1).role, signal: signal instanceof AbortSignal,
      });
      const n = (state?.n ?? 0) + 1;
      const model = ctx.modelRegistry.find('scripted', n === 1 ? 'planner' : 'other');
      return { model, thinkingLevel: 'high', state: reason === 'direct' ? undefined : { n: Math.min(n, 3) } };
    },
  });
  pi.registerCommand('use', { handler: async (_, ctx) => {
    const model = ctx.modelRegistry.find('jev', 'auto');
    pi.events.emit('used', { set: await pi.setModel(model), now: [ctx.model.provider, ctx.model.id], model });
  } });
};";

fn of_type(lines: &[Value], kind: &str) -> Vec<Value> {
    lines.iter().filter(|line| line["type"] == kind).cloned().collect()
}

/// What the file holds of a run, in order: roles of messages with the models of answers, and types of the rest.
fn outline(lines: &[Value]) -> Vec<String> {
    let line = |line: &Value| match &line["message"]["role"] {
        Value::String(role) if role == "assistant" => {
            format!("{}/{}", line["message"]["provider"].as_str()?, line["message"]["model"].as_str()?).into()
        }
        Value::String(role) => Some(role.clone()),
        _ => line["type"].as_str().map(str::to_owned),
    };
    lines.iter().filter_map(line).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_request_goes_where_the_router_says() {
    let busy = json!([{"error": {"message": "Overloaded", "status": 529}}]);
    let call = json!([{"tool_call": {"name": "work", "arguments": {}}}]);
    let world = World::new(json!([call, "Done.", busy, "Again."])).settings(json!({"retry": {"baseDelayMs": 1}}));
    let (used, asked) = (hear(&world, "used"), hear(&world, "asked"));
    let (running, ..) = start(&world, &[("router.ts", ROUTER)]).await;
    running.say("/use").await;
    let told = heard(&used, 1).await.remove(0);
    assert_eq!((&told["set"], &told["now"]), (&json!(true), &json!(["jev", "auto"])));
    assert_eq!((&told["model"]["api"], &told["model"]["contextWindow"]), (&json!("pi-virtual"), &json!(5000)));
    running.say("Go").await;
    running.say("More").await;

    let asked = heard(&asked, 4).await;
    let column = |name: &str| asked.iter().map(|asked| asked[name].clone()).collect::<Vec<_>>();
    assert_eq!(column("reason"), ["user", "continuation", "user", "retry"]);
    assert_eq!(column("previous"), [json!(null), json!("planner"), json!("other"), json!("other")]);
    assert_eq!(column("state"), [json!(null), json!({"n": 1}), json!({"n": 2}), json!({"n": 3})]);
    assert_eq!(column("failed")[..3], [json!(null), json!(null), json!(null)]);
    assert_eq!(column("failed")[3][0], "other");
    assert_eq!(column("last"), ["user", "toolResult", "user", "user"]);
    assert!(asked.iter().all(|asked| asked["signal"] == true && asked["roles"][0] == "system"), "{asked:#?}");

    let lines = running.file();
    let from = lines.iter().position(|line| line["modelId"] == "auto").expect("the choice is in the file");
    let state = "custom".to_owned();
    let (planner, other) = ("scripted/planner".to_owned(), "scripted/other".to_owned());
    let user = || "user".to_owned();
    // A failed answer is left out of the conversation before the request is made again.
    let expected = [
        "system".to_owned(),
        user(),
        state.clone(),
        planner,
        "toolResult".to_owned(),
        state.clone(),
        other.clone(),
        user(),
        state,
        other.clone(),
        "context_edit".to_owned(),
        other,
    ];
    let told = outline(&lines[from..]);
    let told: Vec<String> = told.into_iter().filter(|line| !line.ends_with("_change")).collect();
    assert_eq!(told, expected);
    let states = of_type(&lines, "custom");
    assert_eq!(states[0]["customType"], "pi.virtual-model-state");
    assert_eq!(states[0]["data"], json!({"provider": "jev", "modelId": "auto", "state": {"n": 1}}));
    // The choice stays what the user chose, in the file too.
    let model = running.session.model().expect("a model");
    assert_eq!((&*model.provider, &*model.id), ("jev", "auto"));
    let choices = running.session.session().choices();
    let recorded = tau_agent::recorded_model(&choices, running.session.models()).expect("a model").clone();
    assert_eq!((&*recorded.provider, &*recorded.model_id), ("jev", "auto"));
    running.session.models().set_virtual_models(Vec::new());
    let recorded = tau_agent::recorded_model(&choices, running.session.models()).expect("a model");
    assert_eq!((&*recorded.provider, &*recorded.model_id), ("scripted", "other"), "whoever answered last");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_summary_is_a_direct_request() {
    let world = World::new(json!(["One.", "Two.", "A summary.", "Of the turn."]))
        .settings(json!({"compaction": {"keepRecentTokens": 1}}));
    let asked = hear(&world, "asked");
    let (running, ..) = start(&world, &[("router.ts", ROUTER)]).await;
    running.say("/use").await;
    running.say("Go").await;
    running.say("More").await;
    running.session.compact(None).await.expect("a summary");
    let asked = heard(&asked, 3).await;
    assert_eq!((&asked[2]["reason"], &asked[2]["state"]), (&json!("direct"), &json!(null)));
    assert_eq!(of_type(&running.file(), "custom").len(), 2, "a direct request leaves no state");
}

#[tokio::test(flavor = "multi_thread")]
async fn room_is_made_for_a_model_that_takes_less() {
    let source = "export default (pi) => {
  let asked = 0;
  pi.registerVirtualModel({ provider: 'jev', id: 'auto', name: 'Auto', route(request, ctx) {
    const id = request.reason === 'direct' || ++asked < 3 ? 'other' : 'small';
    return { model: ctx.modelRegistry.find('scripted', id), thinkingLevel: 'off' };
  } });
  pi.registerCommand('use', { handler: async (_, ctx) => pi.setModel(ctx.modelRegistry.find('jev', 'auto')) });
};";
    let full = json!(["Two.", {"usage": {"input": 950, "output": 1}}]);
    let world = World::new(json!(["One.", full, "A summary.", "Three."]))
        .settings(json!({"compaction": {"keepRecentTokens": 1, "reserveTokens": 100}}));
    let (running, ..) = start(&world, &[("router.ts", source)]).await;
    running.say("/use").await;
    for text in ["First", "Second", "Third"] {
        running.say(text).await;
    }
    let lines = running.file();
    let told: Vec<String> = outline(&lines)
        .into_iter()
        .filter(|line| ["compaction", "user"].contains(&&**line) || line.contains('/'))
        .collect();
    let expected = ["user", "scripted/other", "user", "scripted/other", "user", "compaction", "scripted/small"];
    assert_eq!(told, expected, "{:?}", error_of(&running.session));
    let asked = running.script.requests().pop().expect("a request").to_string();
    assert!(asked.contains("A summary.") && asked.contains("Third") && !asked.contains("First"), "{asked}");
}

/// The error of the last answer.
fn error_of(session: &AgentSession) -> String {
    let answer = session.last_answer().expect("an answer");
    answer.as_assistant().and_then(|answer| answer.error_message.clone()).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_router_that_names_nobody_fails_the_request_and_is_named() {
    let source = "export default (pi) => {
  const add = (id, route) => pi.registerVirtualModel({ provider: 'bad', id, name: id, route });
  pi.registerProvider('locked', { baseUrl: 'http://localhost', api: 'openai-completions', apiKey: '$NO_SUCH_KEY', models: [{ id: 'm', name: 'm', reasoning: false, input: ['text'], contextWindow: 1, maxTokens: 1, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }] });
  add('throws', () => { throw new Error('no idea'); });
  add('nothing', () => undefined);
  add('self', (request) => ({ model: request.model, thinkingLevel: 'off' }));
  add('unknown', () => ({ model: { provider: 'x', id: 'y' }, thinkingLevel: 'off' }));
  add('locked', (_, ctx) => ({ model: ctx.modelRegistry.find('locked', 'm'), thinkingLevel: 'off' }));
  add('level', (_, ctx) => ({ model: ctx.modelRegistry.find('scripted', 'other'), thinkingLevel: 'huge' }));
  add('gone', () => { throw new Error('never asked'); });
  pi.registerCommand('use', { handler: async (id, ctx) => {
    await pi.setModel(ctx.modelRegistry.find('bad', id));
    if (id === 'gone') pi.unregisterVirtualModel('bad', 'gone');
  } });
};";
    let world = World::new(json!([]));
    let (running, ..) = start(&world, &[("bad.ts", source)]).await;
    let path = world.home.agent_dir().join("extensions/bad.ts");
    let path = path.display();
    let failed =
        |id: &str, error: &str| format!("Virtual model bad/{id}: the router of extension {path} failed: {error}");
    let routed = |id: &str, target: &str, why: &str| {
        format!("Virtual model bad/{id} routed to {target}, which {why} (extension {path}).")
    };
    let place = format!("no idea ({path}:4:");
    let shape = "route() must return { model, thinkingLevel } with a model of the registry";
    let expected = [
        ("throws", failed("throws", &place)),
        ("nothing", failed("nothing", shape)),
        ("self", routed("self", "bad/self", "is not a physical model")),
        ("unknown", routed("unknown", "x/y", "is not a physical model")),
        ("locked", routed("locked", "locked/m", "has no credentials")),
        ("level", failed("level", "route() returned an unknown thinking level: \"huge\"")),
        ("gone", "Virtual model bad/gone is not registered.".to_owned()),
    ];
    for (id, error) in expected {
        running.say(&format!("/use {id}")).await;
        running.say("Go").await;
        assert!(error_of(&running.session).starts_with(&error), "{id}: {}", error_of(&running.session));
    }
    assert!(running.script.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_route_without_a_level_asks_for_as_little_as_the_model_can() {
    let source = "export default (pi) => {
  pi.registerVirtualModel({
    provider: 'plain', id: 'auto', name: 'Auto', thinkingLevels: ['high'],
    route: (_, ctx) => ({ model: ctx.modelRegistry.find('scripted', 'other') }),
  });
  pi.registerCommand('use', { handler: async (_, ctx) => pi.setModel(ctx.modelRegistry.find('plain', 'auto')) });
};";
    let world = World::new(json!(["Done."]));
    let (running, ..) = start(&world, &[("plain.ts", source)]).await;
    running.say("/use").await;
    running.say("Go").await;
    let answer = running.file().into_iter().find(|line| line["message"]["role"] == "assistant").expect("an answer");
    let message = &answer["message"];
    assert_eq!((&message["model"], &message["thinkingLevel"]), (&json!("other"), &json!("off")), "{answer:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_virtual_model_belongs_to_what_loads_and_to_no_other_model() {
    let world = World::new(json!([]));
    let failing = "export default (pi) => {
  pi.registerVirtualModel({ provider: 'lost', id: 'x', name: 'x', route() {} });
  throw new Error('no');
};";
    let taken =
        "export default (pi) => pi.registerVirtualModel({ provider: 'scripted', id: 'other', name: 'x', route() {} });";
    let nameless = "export default (pi) => pi.registerVirtualModel({ provider: ' ', id: 'x', name: 'x', route() {} });";
    let late = "export default (pi) => {
  pi.registerVirtualModel({ provider: 'mine', id: 'early', name: 'x', route() {} });
  pi.registerVirtualModel({ provider: 'mine', id: 'dropped', name: 'x', route() {} });
  pi.unregisterVirtualModel('mine', 'dropped');
  pi.registerCommand('tell', { handler: async (_, ctx) => {
    const said = [];
    const add = (definition) => { try { pi.registerVirtualModel(definition); } catch (error) { said.push(error.message); } };
    add({ provider: 'scripted', id: 'planner', name: 'x', route() {} });
    add({ provider: 'mine', id: 'none' });
    add({ provider: 'mine', id: 'late', name: 'Late', route() {} });
    pi.unregisterVirtualModel('mine', 'early');
    const available = ctx.modelRegistry.getAvailable().filter(({ provider }) => provider === 'mine');
    const late = ctx.modelRegistry.find('mine', 'late');
    pi.events.emit('told', { said, available: available.map(({ id }) => id), levels: late.reasoning, input: late.input });
  } });
};";
    let files = [("failing.ts", failing), ("late.ts", late), ("nameless.ts", nameless), ("taken.ts", taken)];
    let told = hear(&world, "told");
    let (running, scripts, _) = start(&world, &files).await;
    let models = running.session.models();
    assert!(models.find("lost", "x").is_none());
    assert!(models.find("scripted", "other").is_some_and(|model| !model.is_virtual()));
    assert!(models.find("mine", "early").is_some() && models.find("mine", "dropped").is_none());
    let reported = |file: &str| scripts.told_of(file).into_iter().map(|told| told.2).collect::<Vec<_>>().join(" ");
    assert!(reported("taken.ts").contains("Virtual model scripted/other conflicts with a physical model."));
    assert!(reported("nameless.ts").contains("Virtual model provider and id must not be empty."));
    running.say("/tell").await;
    let told = heard(&told, 1).await.remove(0);
    let expected = json!({
        "said": ["Virtual model scripted/planner conflicts with a physical model.", "A virtual model must define route()."],
        "available": ["late"], "levels": false, "input": ["text", "image"],
    });
    assert_eq!(told, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_virtual_model_under_the_former_name_of_a_provider_is_found() {
    let world = World::new(json!([]));
    let source = "export default (pi) => {
  for (const id of ['kept', 'dropped', 'late']) {
    pi.registerVirtualModel({ provider: 'azure-openai-responses', id, name: 'x', route() {} });
  }
  pi.unregisterVirtualModel('azure-openai-responses', 'dropped');
  pi.registerCommand('drop', { handler: () => pi.unregisterVirtualModel('azure-openai-responses', 'late') });
};";
    let (running, _scripts, _) = start(&world, &[("former.ts", source)]).await;
    let models = running.session.models();
    for provider in ["azure", "azure-openai-responses"] {
        assert!(models.find(provider, "kept").is_some_and(|model| model.is_virtual()), "{provider}");
        assert!(models.find(provider, "dropped").is_none() && models.find(provider, "late").is_some(), "{provider}");
    }
    running.say("/drop").await;
    assert!(models.find("azure", "late").is_none() && models.find("azure", "kept").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn models_of_other_types_do_not_converse_and_are_found_by_their_type() {
    let source = "export default (pi) => {
  const model = { name: 'x', reasoning: false, input: ['text'], contextWindow: 1, maxTokens: 1, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
  pi.registerProvider('judge', {
    baseUrl: 'http://localhost', api: 'openai-completions', apiKey: 'key',
    classifiers: { 'my-classifier': { classify: async (model, { state }, { apiKey }) => ({ model: model.id, answers: { said: { type: 'choice', choice: state.said, probabilities: { [apiKey]: 1 }, confidence: 1 } }, stopReason: 'stop' }) } },
    models: [
      { ...model, id: 'talker' },
      { ...model, id: 'judge', type: 'classifier', api: 'my-classifier' },
      { ...model, id: 'painter', type: 'image', api: 'my-images' },
    ],
  });
  pi.registerCommand('tell', { handler: async (_, ctx) => {
    const registry = ctx.modelRegistry;
    const ids = (models) => models.map(({ id }) => id);
    const judge = registry.findOfType('classifier', 'judge', 'judge');
    const answer = await registry.classify(judge, { state: { said: 'yes' }, questions: {} });
    const painted = await registry.generateImages(registry.getModelOfType('image', 'judge', 'painter'), { input: [] });
    pi.events.emit('told', {
      chat: ids(registry.getAll().filter(({ provider }) => provider === 'judge')), found: registry.find('judge', 'judge') ?? null,
      classifiers: ids(registry.getModelsOfType('classifier', 'judge')), images: ids(await registry.getAvailableOfType('image', 'judge')),
      talkers: ids(registry.getModelsOfType('chat', 'judge')), answer: answer.answers, painted: [painted.stopReason, painted.errorMessage, painted.output],
      wrong: (await registry.classify(registry.find('judge', 'talker'), { questions: [] })).errorMessage,
      entries: ctx.sessionManager.getEntryCount() === ctx.sessionManager.getEntries().length && ctx.sessionManager.getEntryCount() > 0,
    });
  } });
};";
    let world = World::new(json!([]));
    let told = hear(&world, "told");
    let (running, ..) = start(&world, &[("judge.ts", source)]).await;
    running.say("/tell").await;
    let expected = json!({
        "chat": ["talker"], "found": null, "classifiers": ["judge"], "images": ["painter"], "talkers": ["talker"],
        "answer": {"said": {"type": "choice", "choice": "yes", "probabilities": {"key": 1}, "confidence": 1}},
        "painted": ["error", "Nothing here speaks \"my-images\", which judge/painter needs for what it does.", []],
        "wrong": "Model judge/talker is not a classifier model",
        "entries": true,
    });
    assert_eq!(heard(&told, 1).await, [expected]);
}

/// Virtual models `bad/ID`, and a command that chooses one.
fn routers(body: &str) -> String {
    format!(
        "export default (pi) => {{
  const add = (id, route) => pi.registerVirtualModel({{ provider: 'bad', id, name: id, route }});
  {body}
  pi.registerCommand('use', {{ handler: async (id, ctx) => pi.setModel(ctx.modelRegistry.find('bad', id)) }});
}};"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_router_that_never_answers_ends_with_its_limit() {
    let world = World::new(json!([])).settings(json!({"tau": {"limits": {"handlerMs": 200}}}));
    let source = routers("add('never', () => new Promise(() => {}));");
    let (running, ..) = start(&world, &[("bad.ts", &source)]).await;
    running.say("/use never").await;
    running.say("Go").await;
    let path = world.home.agent_dir().join("extensions/bad.ts");
    let error = format!(
        "Virtual model bad/never: the router of extension {} failed: did not answer within 200ms, the limit of tau.limits.handlerMs",
        path.display()
    );
    assert_eq!(error_of(&running.session), error);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_router_that_asks_its_own_model_is_refused() {
    let world = World::new(json!([]));
    let source = routers(
        "add('self', async (request, ctx) => {
    const answer = await ctx.modelRegistry.complete(request.model, { messages: [] });
    const text = 'A router must not ask its own model.';
    throw new Error(answer.errorMessage.includes(text) ? text : answer.errorMessage);
  });",
    );
    let (running, ..) = start(&world, &[("bad.ts", &source)]).await;
    running.say("/use self").await;
    running.say("Go").await;
    let error = error_of(&running.session);
    assert!(error.contains("A router must not ask its own model."), "{error}");
    assert!(running.script.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_summary_can_be_stopped_while_a_router_is_asked() {
    let world = World::new(json!(["One."]));
    let source = routers(
        "add('slow', (request, ctx) => {
    if (request.reason !== 'direct') return { model: ctx.modelRegistry.find('scripted', 'other'), thinkingLevel: 'off' };
    pi.events.emit('asked', 1);
    return new Promise(() => {});
  });",
    );
    let asked = hear(&world, "asked");
    let (running, ..) = start(&world, &[("bad.ts", &source)]).await;
    running.say("/use slow").await;
    running.say("Go").await;
    let first = running.session.fork_points()[0].0.clone();
    let session = Arc::clone(&running.session);
    let how = tau_hooks::TreeMove { summarize: true, ..Default::default() };
    let moving = tokio::spawn(async move { session.navigate_tree(&first, how).await });
    heard(&asked, 1).await;
    running.session.abort();
    let done = moving.await.expect("a task").expect("no failure");
    assert!(done.cancelled && done.aborted, "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_virtual_model_is_removed_by_its_own_extension_only() {
    let world = World::new(json!([]));
    let owner = "export default (pi) => {
  pi.registerVirtualModel({ provider: 'jev', id: 'auto', name: 'Auto', route() {} });
  pi.registerCommand('mine', { handler: async () => pi.unregisterVirtualModel('jev', 'auto') });
};";
    let other = "export default (pi) => {
  pi.registerCommand('theirs', { handler: async () => pi.unregisterVirtualModel('jev', 'auto') });
};";
    let (running, ..) = start(&world, &[("owner.ts", owner), ("other.ts", other)]).await;
    let known = || running.session.models().find("jev", "auto").is_some();
    running.say("/theirs").await;
    assert!(known());
    assert!(world.hooks.virtual_model("jev", "auto").is_some());
    running.say("/mine").await;
    assert!(!known());
}

/// What a router threw decides, and not the names of files that the error tells besides.
#[tokio::test(flavor = "multi_thread")]
async fn a_router_that_failed_is_asked_again_by_what_it_threw() {
    for (thrown, tries) in [("no route", 1), ("Overloaded, try your request again", 3)] {
        let router = format!(
            "export default (pi) => {{
              pi.registerVirtualModel({{
                provider: 'jev', id: 'auto', name: 'Auto', thinkingLevels: ['low'], contextWindow: 5000,
                async route({{ reason }}) {{ pi.events.emit('asked', reason); throw new Error('{thrown}'); }},
              }});
              pi.registerCommand('use', {{ handler: async (_, ctx) => {{
                await pi.setModel(ctx.modelRegistry.find('jev', 'auto'));
              }} }});
            }};"
        );
        let world = World::new(json!([])).settings(json!({"retry": {"baseDelayMs": 1, "maxRetries": 2}}));
        let asked = hear(&world, "asked");
        let (running, ..) = start(&world, &[("timeout.ts", &router)]).await;
        running.say("/use").await;
        running.say("Go").await;
        let last = running.session.last_answer().and_then(|last| last.as_assistant()?.error_message.clone());
        let last = last.expect("an error");
        assert!(last.contains("timeout.ts") && last.contains(thrown), "{last}");
        assert_eq!(heard(&asked, tries).await.len(), tries, "{thrown}");
    }
}
