//! What extensions register beside handlers and tools, and what they are told about it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use serde_json::json;
use tau_ai::ThinkingLevel;
use tau_hooks::events::UserBash;
use tau_hooks::payload::UserBashEvent;
use tau_hooks::{MarkdownKind, Scope, ScopedModel};
use tau_tools::bash::{BashExec, BashExecError, BashOperations};
use tokio_util::sync::CancellationToken;

use crate::bus::{hear, heard};
use crate::common::Running;
use crate::support::Scripts;
use crate::tour;

#[tokio::test(flavor = "multi_thread")]
async fn renderers_of_each_kind_are_kept_apart() {
    let world = tour::world();
    let source = "export default (pi) => {
  pi.registerMessageRenderer('note', () => 1);
  pi.registerEntryRenderer('mark', () => 2);
  pi.registerMarkdownTransformer((text) => text);
  pi.registerMarkdownTransformer((text) => text, { messageTypes: ['summary', 'custom'] });
  pi.registerToolRenderer((name, next) => next());
  pi.registerToolRenderer((name, next) => next());
};";
    let scripts = Scripts::new(&world).tau(json!({}));
    scripts.load(&world, &[("shows.ts", source)]).await;
    let hooks = &world.hooks;
    let found = |kind: &str| (hooks.message_renderer(kind).is_some(), hooks.entry_renderer(kind).is_some());
    assert_eq!((found("note"), found("mark"), found("entry:mark")), ((true, false), (false, true), (false, false)));
    let kinds: Vec<_> = hooks.markdown_transformers().into_iter().map(|(_, transformer)| transformer.kinds).collect();
    assert_eq!(kinds, [MarkdownKind::USUAL.to_vec(), vec![MarkdownKind::Summary, MarkdownKind::Custom]]);
    assert_eq!(hooks.tool_resolvers().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_and_commands_tell_where_they_come_from() {
    let world = tour::world().with_builtin_tools();
    let source = "export default (pi) => {
  pi.registerTool({ name: 'mine', description: 'm', parameters: { type: 'object', properties: {} }, execute() {} });
  pi.registerCommand('tell', { handler: async (_, ctx) => {
    const tools = Object.fromEntries(pi.getAllTools().map((tool) => [tool.name, tool.sourceInfo]));
    const command = pi.getCommands().find((command) => command.name === 'tell');
    const scoped = ctx.scopedModels.map(({ model, thinkingLevel }) => [model.id, thinkingLevel]);
    const prompt = Object.keys(ctx.getSystemPromptOptions()).includes('cwd');
    pi.events.emit('told', { mine: tools.mine, read: tools.read, command: command.sourceInfo, scoped, prompt });
  } });
};";
    let path = world.home.write_agent("extensions/mine.ts", source);
    let scripts = Scripts::new(&world);
    scripts.load_found_in(&world).await;
    let log = hear(&world, "told");
    let running = world.start().await;
    let model = running.session.models().find("scripted", "other").expect("a model");
    running.session.set_scoped_models(vec![ScopedModel { model, thinking_level: Some(ThinkingLevel::Low) }]);
    running.say("/tell").await;
    let base = path.ancestors().nth(2).expect("the agent's folder");

    let own = json!({
        "path": path, "source": "auto", "scope": "user", "origin": "top-level", "baseDir": base,
    });
    let read = json!({"path": "builtin:read", "source": "builtin", "scope": "temporary", "origin": "top-level"});
    let expected = json!({"mine": own, "read": read, "command": own, "scoped": [["other", "low"]], "prompt": true});
    assert_eq!(heard(&log, 1).await, [expected]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_registered_twice_keeps_what_is_not_given_again() {
    let world = tour::world();
    let source = "export default (pi) => {
  const model = { id: 'm', name: 'M', reasoning: false, input: ['text'], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1000, maxTokens: 100 };
  pi.registerProvider('corp', { baseUrl: 'http://one', apiKey: 'key', api: 'openai-completions', models: [model] });
  pi.registerProvider('corp', { baseUrl: 'http://two' });
  pi.registerCommand('again', { handler: async (_, ctx) => {
    pi.registerProvider('corp', { name: 'Corp', models: undefined });
    const found = ctx.modelRegistry.find('corp', 'm');
    pi.events.emit('found', { baseUrl: found?.baseUrl, api: found?.api });
    const { modelRegistry: models } = ctx;
    const provider = models.getProvider('corp');
    pi.events.emit('found', {
      ids: models.getRegisteredProviderIds(), config: models.getRegisteredProviderConfig('corp'),
      native: models.getRegisteredNativeProvider('corp') === undefined, name: models.getProviderDisplayName('corp'),
      provider: [provider.id, provider.name, provider.getModels().map((model) => model.id)],
      auth: await models.getProviderAuth('corp'), status: models.getProviderAuthStatus('corp'),
      unknown: [models.getProvider('nobody') === undefined, models.getProviderAuthStatus('nobody')],
    });
    models.unregisterProvider('corp');
    pi.events.emit('found', { gone: ctx.modelRegistry.find('corp', 'm') === undefined });
  } });
};";
    world.home.write_agent("extensions/corp.ts", source);
    let scripts = Scripts::new(&world);
    scripts.load_found_in(&world).await;
    let log = hear(&world, "found");
    world.start().await.say("/again").await;
    let cost = json!({"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0});
    let model = json!({
        "id": "m", "name": "M", "reasoning": false, "input": ["text"], "cost": cost, "contextWindow": 1000, "maxTokens": 100,
    });
    let told = json!({
        "ids": ["corp"], "config": {"baseUrl": "http://two", "apiKey": "key", "api": "openai-completions", "models": [model], "name": "Corp"}, "native": true, "name": "Corp", "provider": ["corp", "Corp", ["m"]],
        "auth": {"auth": {"apiKey": "key", "headers": {}}}, "status": {"configured": true, "source": "fallback"},
        "unknown": [true, {"configured": false}],
    });
    let expected = [json!({"baseUrl": "http://two", "api": "openai-completions"}), told, json!({"gone": true})];
    assert_eq!(heard(&log, 3).await, expected);
    assert_eq!(scripts.told.all(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_registry_asks_models_of_extensions_too() {
    let world = tour::world();
    let source = "import { createAssistantMessageEventStream } from '@earendil-works/pi-ai';
export default (pi) => {
  const model = { id: 'm', name: 'M', reasoning: false, input: ['text'], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1000, maxTokens: 100 };
  const streamSimple = (model, { messages }, { apiKey }) => {
    const stream = createAssistantMessageEventStream();
    const text = [messages.map(({ role }) => role).join(), apiKey].join(' ');
    stream.push({ type: 'done', reason: 'stop', message: { role: 'assistant', content: [{ type: 'text', text }], stopReason: 'stop' } });
    return stream;
  };
  pi.registerCommand('ask', { handler: async (_, ctx) => {
    pi.registerProvider('own', { baseUrl: 'http://own', apiKey: 'key', api: 'own-api', models: [model], streamSimple });
    const { modelRegistry: models } = ctx;
    const question = { systemPrompt: 's', messages: [{ role: 'user', content: 'hi', timestamp: 0 }] };
    const said = [];
    for (const name of ['complete', 'completeSimple']) said.push((await models[name](models.find('own', 'm'), question)).content[0].text);
    for (const name of ['stream', 'streamSimple']) said.push((await models[name](models.find('own', 'm'), question).result()).content[0].text);
    const failed = await models.complete({ ...model, provider: 'nobody', api: 'openai-completions' }, question);
    const none = await models.complete(models.find('own', 'none'), question);
    pi.events.emit('said', [...said, failed.stopReason, none.stopReason]);
  } });
};";
    world.home.write_agent("extensions/own.ts", source);
    let scripts = Scripts::new(&world);
    scripts.load_found_in(&world).await;
    let log = hear(&world, "said");
    world.start().await.say("/ask").await;
    let said = "system,user key";
    assert_eq!(heard(&log, 1).await, [json!([said, said, said, said, "error", "error"])]);
}

/// What `user_bash` comes to with this answer.
async fn user_bash(
    running: &Running,
    world: &crate::common::World,
) -> (Option<Arc<dyn BashOperations>>, Option<String>) {
    let scope = Scope::new(Arc::clone(&running.session) as _);
    let event = || UserBashEvent { command: "ls".to_owned(), exclude_from_context: false, cwd: "/here".to_owned() };
    let done = tau_testkit::Fired::from(world.hooks.dispatcher.dispatch::<UserBash>(&scope, event).await);
    let operations = done.output.and_then(|output| output.operations);
    let operations = operations.and_then(|handle| handle.get::<Arc<dyn BashOperations>>().cloned());
    (operations, done.shut.map(|shut| shut.reason()))
}

async fn bash(answer: &str) -> (Result<Option<i32>, BashExecError>, String, Option<String>) {
    let world = tour::world();
    let source = format!("export default (pi) => {{\n  pi.on('user_bash', async () => ({answer}));\n}};\n");
    let scripts = Scripts::new(&world).tau(json!({}));
    scripts.load(&world, &[("elsewhere.ts", &source)]).await;
    let running = world.start().await;
    let (operations, shut) = user_bash(&running, &world).await;
    let output = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&output);
    let exec = BashExec {
        on_data: Arc::new(move |data| sink.lock().extend_from_slice(data)),
        cancel: CancellationToken::new(),
        timeout: Some(2.0),
        env: None,
        pace: None,
    };
    let done = match operations {
        Some(operations) => operations.exec("ls -l", Path::new("/there"), exec).await,
        None => Ok(None),
    };
    let output = String::from_utf8_lossy(&output.lock()).into_owned();
    (done, output, shut)
}

#[tokio::test(flavor = "multi_thread")]
async fn operations_for_user_commands_run_in_the_extension() {
    let exec = "{ operations: { async exec(command, cwd, { onData, timeout, signal }) {
      onData(Buffer.from(`${command} in ${cwd}`)); await null; onData(` for ${timeout}s, ${signal.aborted}`);
      return { exitCode: 7 };
    } } }";
    assert_eq!(bash(exec).await, (Ok(Some(7)), "ls -l in /there for 2s, false".to_owned(), None));
    let shapes = [
        ("{ operations: { execute: async (cmd) => `ran ${cmd}` } }", "ran ls -l", Some(0)),
        ("{ operations: { execute: () => ({ stdout: 'out', stderr: 'err', code: 3 }) } }", "outerr", Some(3)),
        ("{ operations: { execute: () => ({ output: 'all', exitCode: 4 }) } }", "all", Some(4)),
        ("{ operations: { execute: () => Buffer.from('bytes') } }", "bytes", Some(0)),
        ("{ operations: { execute: async () => new TextEncoder().encode('view') } }", "view", Some(0)),
        ("{ operations: { execute: () => new TextEncoder().encode('buffer').buffer } }", "buffer", Some(0)),
        (
            "{ operations: { execute: () => ({ stdout: Buffer.from('so '), stderr: new TextEncoder().encode('se') }) } }",
            "so se",
            Some(0),
        ),
        ("{ operations: { execute: () => ({ output: 'ended', exitCode: null }) } }", "ended", None),
    ];
    for (answer, output, code) in shapes {
        assert_eq!(bash(answer).await, (Ok(code), output.to_owned(), None), "{answer}");
    }
    let throws = "{ operations: { exec: async () => { throw new Error('timeout:2'); } } }";
    assert_eq!(bash(throws).await.0, Err(BashExecError::TimedOut(2.0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_operations_names_the_extension() {
    for exec in [
        "async () => { throw new Error('no route') }",
        "() => { throw new Error('no route') }",
        "() => Promise.reject(1)",
    ] {
        let Err(BashExecError::Failed(error)) = bash(&format!("{{ operations: {{ exec: {exec} }} }}")).await.0 else {
            panic!("{exec}");
        };
        let error = error.to_string();
        let message = if exec.contains("reject") { "1" } else { "no route" };
        assert!(error.starts_with(message) && error.contains("(operations of "), "{error}");
        assert!(error.contains("elsewhere.ts:2:"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_whose_result_means_nothing_failed() {
    let execute = "must return text, bytes or an object with output (or stdout and stderr) and exitCode (or code)";
    let exec = "must return an object with an exitCode";
    let mut wrong = Vec::new();
    for value in ["3", "['a']", "undefined", "null", "true", "{}", "{ output: 5 }", "{ exitCode: 'x' }", "() => 1"] {
        wrong.push((format!("execute: async () => ({value})"), format!("operations.execute of PLACE {execute}")));
    }
    for value in ["3", "undefined", "{ exitCode: 'x' }"] {
        wrong.push((format!("exec: async () => ({value})"), format!("operations.exec of PLACE {exec}")));
    }
    let data = "exec: async (c, d, { onData }) => { onData(5); return { exitCode: 0 }; }";
    wrong.push((data.to_owned(), "onData of PLACE takes text or bytes".to_owned()));
    for (operations, message) in wrong {
        let (done, output, shut) = bash(&format!("{{ operations: {{ {operations} }} }}")).await;
        let Err(BashExecError::Failed(error)) = done else { panic!("{operations}: {done:?}") };
        let error = error.to_string();
        let place = error.split_whitespace().find(|word| word.contains("elsewhere.ts:")).expect("a place");
        assert_eq!(error.replace(place, "PLACE"), message, "{operations}");
        assert_eq!((output.as_str(), shut), ("", None), "{operations}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn anything_else_blocks_the_command() {
    let result = "result: { output: '', exitCode: 0, cancelled: false, truncated: false }";
    let both = format!("{{ operations: {{ exec() {{}} }}, {result} }}");
    for answer in ["{ operations: {} }", "{ operations: 5n }", "{ operations: () => 1 }", "{ other: 1 }", "42", &both] {
        let (_, output, shut) = bash(answer).await;
        assert!(shut.is_some(), "{answer}: {output}");
    }
    for answer in ["undefined", "null", &format!("{{ {result} }}")] {
        assert_eq!(bash(answer).await.2, None, "{answer}");
    }
    let shut = bash("{ block: true }").await.2.expect("shut");
    let why = "returned a malformed result: exactly one of `operations` and `result` is needed; it has only fields that \
               `user_bash` does not know: `block`";
    assert!(shut.ends_with(why), "{shut}");
}

/// A command that does not react to being stopped is left behind.
#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_command_is_not_waited_for() {
    let world = tour::world();
    let source = "export default (pi) => { pi.on('user_bash', () => ({ operations: { exec: () => new Promise(() => {}) } })); };";
    let scripts = Scripts::new(&world).tau(json!({}));
    scripts.load(&world, &[("deaf.ts", source)]).await;
    let running = world.start().await;
    let (operations, _) = user_bash(&running, &world).await;
    let (cancel, told) = (CancellationToken::new(), Arc::new(AtomicBool::new(false)));
    let exec = BashExec {
        on_data: Arc::new({
            let told = Arc::clone(&told);
            move |_| told.store(true, Ordering::Relaxed)
        }),
        cancel: cancel.clone(),
        timeout: None,
        env: None,
        pace: None,
    };
    cancel.cancel();
    let done = operations.expect("operations").exec("x", Path::new("/"), exec).await;
    assert_eq!((done, told.load(Ordering::Relaxed)), (Err(BashExecError::Aborted), false));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compaction_hears_what_the_one_who_asked_for_it_wants() {
    let world = crate::common::World::new(json!(["1.", "2."])).settings(json!({"compaction": {"keepRecentTokens": 1}}));
    let source = "export default (pi) => {
  pi.on('session_before_compact', ({ reason, customInstructions }) => {
    pi.events.emit('asked', [reason, customInstructions]);
    return { cancel: true };
  });
  pi.registerCommand('compact-now', { handler: (text, ctx) => new Promise((done) => {
    ctx.compact({ customInstructions: text, onComplete: done, onError: done });
  }) });
};";
    world.home.write_agent("extensions/asks.ts", source);
    let scripts = Scripts::new(&world);
    scripts.load_found_in(&world).await;
    let log = hear(&world, "asked");
    let running = world.start().await;
    for text in ["One", "Two", "/compact-now keep the oars"] {
        running.say(text).await;
    }
    assert_eq!(heard(&log, 1).await, [json!(["manual", "keep the oars"])]);
}
