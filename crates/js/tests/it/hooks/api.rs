//! The `pi` and the contexts of hooks.

use serde_json::{Value, json};
use tau_hooks::Mode;

use super::{Hooked, omp, original};
use crate::bus::heard;
use crate::common::World;

async fn logged(source: String) -> Value {
    let hooked = Hooked::new(World::new(json!(["one"])), &[source]).await;
    hooked.say("hi").await;
    assert_eq!(hooked.told(), []);
    heard(&hooked.log, 1).await.remove(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_are_run_by_the_api_or_by_the_context() {
    let context = "pi.on('agent_start', async (event, ctx) => {
  pi.events.emit('log', [await ctx.exec('sh', ['-c', 'echo out; echo err >&2; pwd; exit 3']), await ctx.exec('/no/such/program', []), ctx.cwd]);
});";
    let [done, missing, cwd] =
        logged(original(context)).await.as_array().expect("a list").clone().try_into().expect("three");
    let out = format!("out\n{}\n", cwd.as_str().expect("a path"));
    assert_eq!(done, json!({"stdout": out, "stderr": "err\n", "code": 3}));
    assert_eq!((&missing["code"], missing.get("killed")), (&json!(1), None));

    let api = "pi.on('agent_start', async () => {
  const signal = AbortSignal.abort();
  pi.events.emit('log', [
    await pi.exec('sh', ['-c', 'pwd'], { cwd: '/' }), await pi.exec('sleep', ['60'], { timeout: 20 }), await pi.exec('sleep', ['60'], { signal }),
    await pi.exec('/no/such/program', []),
    await pi.exec('sh', ['-c', 'printf 123456; exec sleep 60'], { maxBuffer: 5 }),
    await pi.exec('true', [], { maxBuffer: -1 }).catch((error) => `${error}`),
  ]);
});";
    let results = logged(omp(api)).await;
    assert_eq!(results[0], json!({"stdout": "/\n", "stderr": "", "code": 0, "killed": false, "truncated": false}));
    assert_eq!([&results[1]["killed"], &results[2]["killed"]], [&json!(true), &json!(true)]);
    assert_eq!([&results[3]["code"], &results[3]["stderr"]], [&json!(1), &json!("spawn /no/such/program ENOENT")]);
    assert_eq!(results[4], json!({"stdout": "12345", "stderr": "", "code": 1, "killed": true, "truncated": true}));
    assert_eq!(results[5], json!("RangeError: maxBuffer must be an integer between 0 and 536870888 bytes"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_hooks_know_of_their_api_and_contexts_is_there() {
    let body = "pi.on('agent_start', (event, ctx) => {
  const { Type } = pi.typebox;
  pi.events.emit('log', {
    schema: Type.Object({ a: Type.String() }), pi: typeof pi.pi.isBashToolResult, logger: Object.keys(pi.logger),
    idle: ctx.isIdle(), queued: ctx.hasQueuedMessages(), model: ctx.model.id, sameFile: ctx.sessionFile === ctx.sessionManager.getSessionFile(),
    methods: ['getCwd', 'getSessionDir', 'getSessionId', 'getSessionFile', 'getEntries', 'getHeader', 'getEntry', 'getLabel', 'getBranch', 'getTree', 'getLeafId', 'getLeafEntry']
      .filter((name) => typeof ctx.sessionManager[name] !== 'function'),
    members: ['setWidget', 'setTitle'].map((name) => typeof ctx.ui[name]).concat(['registerFlag', 'registerShortcut', 'getActiveTools', 'setActiveTools'].map((name) => typeof pi[name])),
  });
  ctx.abort;
});";
    let expected = json!({
        "schema": {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}, "pi": "function",
        "logger": ["debug", "info", "warn", "error"], "idle": false, "queued": false, "model": "planner", "sameFile": true,
        "methods": [], "members": ["function", "function", "function", "function", "function", "function"],
    });
    assert_eq!(logged(omp(body)).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_without_a_file_has_null_for_it() {
    let body = "pi.on('agent_start', (event, ctx) => pi.events.emit('log', [ctx.sessionFile]));";
    let world = World::new(json!(["one"]));
    let session = tau_session::Session::in_memory(&world.home.cwd(), tau_session::NewSession::default());
    let hooked = Hooked::new(world.resume(session.expect("a session")), &[original(body)]).await;
    hooked.say("hi").await;
    assert_eq!(heard(&hooked.log, 1).await, [json!([null])]);
}

#[tokio::test(flavor = "multi_thread")]
async fn handlers_of_no_event_are_taken_without_a_word() {
    let body = "pi.on('no_such_event', () => {}); pi.on('agent_start', () => pi.events.emit('log', 'ran'));";
    for source in [omp(body), original(body)] {
        assert_eq!(logged(source).await, json!("ran"));
    }
    let hooked = Hooked::new(World::new(json!(["one"])), &[super::pi(body)]).await;
    assert_eq!(hooked.told().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_commands_and_renderers_of_a_name_the_first_counts() {
    let hook = |mark: &str| {
        omp(&format!(
            "pi.registerCommand('deploy', {{ handler: async (args) => pi.events.emit('log', ['{mark}', args]) }});
pi.registerMessageRenderer('note', () => undefined);"
        ))
    };
    let mut world = World::new(json!([]));
    world.mode = Mode::Rpc;
    let hooked = Hooked::new(world, &[hook("first"), hook("second")]).await;
    let running = hooked.world.start().await;
    running.say("/deploy  the thing").await;
    assert_eq!(heard(&hooked.log, 1).await, [json!(["first", " the thing"])]);
    let hooks = &hooked.world.hooks;
    let names: Vec<_> = hooks.commands().into_iter().map(|entry| (entry.name, entry.owner.name.to_string())).collect();
    assert_eq!(names, [("deploy".to_owned(), "hook1".to_owned())]);
    let (owner, _) = hooks.message_renderer("note").expect("a renderer");
    assert_eq!(&*owner.name, "hook1");
}

#[tokio::test(flavor = "multi_thread")]
async fn packages_of_hooks_are_there_under_all_their_names() {
    let body = "const guards = ['isBashToolResult', 'isReadToolResult', 'isEditToolResult', 'isWriteToolResult', 'isGrepToolResult', 'isFindToolResult', 'isLsToolResult'];
const values = [...guards, 'execCommand', 'discoverAndLoadHooks', 'loadHooks', 'HookRunner', 'HookToolWrapper', 'wrapToolsWithHooks', 'wrapToolWithHooks'];
const scopes = ['@mariozechner', '@oh-my-pi', '@earendil-works'];
const subpaths = ['hooks', 'extensibility/hooks', 'extensibility/extensions', 'core/hooks', 'core/hooks/index.js', 'hooks/types'];
pi.on('agent_start', async () => {
  const missing = [];
  for (const scope of scopes) for (const subpath of subpaths) {
    const module = await import(`${scope}/pi-coding-agent/${subpath}`);
    missing.push(...values.filter((name) => typeof module[name] !== 'function').map((name) => `${scope} ${subpath} ${name}`));
    if (!module.isBashToolResult({ toolName: 'bash' }) || module.isBashToolResult({ toolName: 'read' })) missing.push('guard');
  }
  for (const scope of scopes) for (const name of ['pi-coding-agent', 'pi-ai', 'pi-tui', 'pi-agent-core']) await import(`${scope}/${name}`);
  const { isEnoent, logger } = await import('@oh-my-pi/pi-utils');
  const natives = await import('@oh-my-pi/pi-natives');
  let refused;
  try { natives.grep(); } catch (error) { refused = error.message; }
  pi.events.emit('log', [missing, isEnoent(Object.assign(new Error(), { code: 'ENOENT' })), typeof logger.warn, refused]);
});";
    let refused = "@oh-my-pi/pi-natives.grep is not available in tau (used by hook1)";
    assert_eq!(logged(omp(body)).await, json!([[], true, "function", refused]));
}
