//! Loading and running hooks from TypeScript, as the packages of hooks allow.

use serde_json::{Value, json};

use super::{Hooked, pi};
use crate::bus::heard;
use crate::common::World;

/// Runs code in an extension that can load these hooks from the working directory; gives what it evaluates to.
async fn run(package: &str, hooks: &[(&str, &str)], code: &str) -> Value {
    let world = World::new(json!(["one"]));
    for (name, source) in hooks {
        std::fs::create_dir_all(world.home.cwd().join(name).parent().expect("a folder")).expect("folders");
        std::fs::write(world.home.cwd().join(name), source).expect("write");
    }
    let body = format!(
        "pi.on('agent_start', async (event, ctx) => {{
  const {{ cwd }} = ctx;
  const work = async () => {{ {code} }};
  pi.events.emit('log', await work().catch((error) => `${{error.message}} ${{error.stack}}`) ?? null);
}});"
    );
    let source = format!("import * as lib from '{package}';\n{}", pi(&body));
    let hooked = Hooked::new(world, &[source]).await;
    hooked.say("hi").await;
    heard(&hooked.log, 1).await.remove(0)
}

const ORIGINAL: &str = "@mariozechner/pi-coding-agent/hooks";
const OMP: &str = "@oh-my-pi/pi-coding-agent/hooks";

#[tokio::test(flavor = "multi_thread")]
async fn hooks_are_loaded_by_path_and_what_fails_is_listed() {
    let hooks = [
        ("one.ts", "export default (pi: any): void => { pi.on('session', () => {}); };"),
        ("value.ts", "export default 1;"),
        ("throws.ts", "throw new Error('at once');"),
        ("late.ts", "export default async (pi) => { await 1; pi.on('branch', () => {}); };"),
    ];
    let code = "const { hooks, errors } = await lib.loadHooks(['one.ts', `${cwd}/late.ts`, 'value.ts', 'throws.ts', 'none.ts'], cwd);
return { hooks: hooks.map(({ path, resolvedPath, handlers }) => [path.replace(cwd, ''), resolvedPath.replace(cwd, ''), [...handlers.keys()]]), errors: errors.map(({ path, error }) => [path, error.split(/[,:] (?:open|Cannot)/)[0]]) };";
    let done = run(ORIGINAL, &hooks, code).await;
    let expected = json!({
        "hooks": [["one.ts", "/one.ts", ["session"]], ["/late.ts", "/late.ts", ["branch"]]],
        "errors": [["value.ts", "Hook must export a default function"], ["throws.ts", "Failed to load hook: at once"], ["none.ts", "Failed to load hook: ENOENT: no such file or directory"]],
    });
    assert_eq!(done, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_are_found_where_each_package_looks() {
    let hook = "export default () => {};";
    let hooks = [(".pi/hooks/b.ts", hook), (".pi/hooks/a.ts", hook), (".pi/hooks/no.js", hook), ("named.ts", hook)];
    let code = "const { hooks, errors } = await lib.discoverAndLoadHooks(['named.ts', '.pi/hooks/a.ts'], cwd);
return [hooks.map(({ resolvedPath }) => resolvedPath.replace(cwd, '')), errors.map(({ path }) => path.replace(cwd, ''))];";
    let expected = json!([["/.pi/hooks/a.ts", "/.pi/hooks/b.ts", "/named.ts"], []]);
    assert_eq!(run(ORIGINAL, &hooks, code).await, expected);

    let hooks = [
        (".omp/hooks/pre/bash.ts", hook),
        (".pi/hooks/pre/hidden.ts", hook),
        (".omp/hooks/pre/read.sh", "no module"),
        (".claude/hooks/pre/read.sh", "no module"),
        (".claude/hooks/post/read.ts", hook),
        (".codex/hooks/post-edit.ts", hook),
        (".omp/hooks/direct.js", hook),
        ("named.ts", hook),
    ];
    let expected = json!([
        [
            "/.omp/hooks/pre/bash.ts",
            "/.claude/hooks/post/read.ts",
            "/.codex/hooks/post-edit.ts",
            "/.omp/hooks/direct.js",
            "/named.ts"
        ],
        ["/.omp/hooks/pre/read.sh"]
    ]);
    assert_eq!(run(OMP, &hooks, &code.replace(", '.pi/hooks/a.ts'", "")).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_runner_of_original_hooks_calls_them_by_their_rules() {
    let hooks = [
        ("one.ts", "export default (pi) => {
  pi.on('session', async (event, ctx) => { globalThis.seen = [event.reason, ctx.sessionFile, ctx.hasUI, ctx.cwd === globalThis.cwd, await ctx.ui.select('t', []), (await ctx.exec('echo', ['x'])).stdout]; });
  pi.on('branch', () => ({ skipConversationRestore: true }));
  pi.on('turn_start', () => { throw new Error('broken'); });
  pi.on('tool_result', () => new Promise(() => {}));
  pi.on('tool_result', () => ({ content: [] }));
  pi.on('tool_call', ({ toolName }) => { if (toolName === 'bash') return { block: true, reason: 'no' }; if (toolName === 'odd') throw new Error('odd'); });
  pi.send('lost'); pi.on('agent_end', () => pi.send('text', [1]));
};"),
        ("two.ts", "export default (pi) => { pi.on('branch', () => ({})); pi.on('tool_call', () => { globalThis.second = true; }); };"),
    ];
    let code = "globalThis.cwd = cwd;
const { hooks, errors: none } = await lib.loadHooks(['one.ts', 'two.ts'], cwd);
const patient = new lib.HookRunner(hooks, cwd);
const runner = new lib.HookRunner(hooks, cwd, 50);
const errors = [], sent = [];
const off = runner.onError((error) => errors.push({ ...error }));
patient.setUIContext({ select: async () => 'chosen' }, true);
patient.setSessionFile('/s.jsonl');
runner.setSendHandler((text, attachments) => sent.push([text, attachments]));
const branch = await runner.emit({ type: 'branch', targetTurnIndex: 0, entries: [] });
await patient.emit({ type: 'session', reason: 'start', entries: [], sessionFile: '/s.jsonl', previousSessionFile: null });
await runner.emit({ type: 'turn_start', turnIndex: 0, timestamp: 0 });
const result = await runner.emit({ type: 'tool_result', toolName: 'ls', toolCallId: '1', input: {}, content: [{ type: 'text', text: 'x' }], details: undefined, isError: false });
await runner.emit({ type: 'agent_end', messages: [] });
off();
await runner.emit({ type: 'turn_start', turnIndex: 1, timestamp: 0 });
const call = (toolName) => runner.emitToolCall({ type: 'tool_call', toolName, toolCallId: '1', input: {} });
const blocked = await call('bash');
const second = globalThis.second ?? false;
const thrown = await call('odd').catch((error) => error.message);
const free = (await call('ls')) ?? 'undefined';
return { none, branch, seen: globalThis.seen, errors, result, sent, blocked, second, thrown, free, has: [runner.hasHandlers('branch'), runner.hasHandlers('agent_start')] };";
    let expected = json!({
        "none": [], "branch": {}, "seen": ["start", "/s.jsonl", true, true, "chosen", "x\n"],
        "errors": [
            {"hookPath": "one.ts", "event": "turn_start", "error": "broken"},
            {"hookPath": "one.ts", "event": "tool_result", "error": "Hook timed out after 50ms"},
        ],
        "result": {"content": []}, "sent": [["text", [1]]], "blocked": {"block": true, "reason": "no"}, "second": false,
        "thrown": "odd", "free": "undefined", "has": [true, false],
    });
    assert_eq!(run(ORIGINAL, &hooks, code).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_runner_of_oh_my_pi_calls_hooks_by_its_rules() {
    let hooks = [
        ("one.ts", "export default (pi) => {
  pi.registerCommand('deploy', { description: 'first', handler: async (args, ctx) => { globalThis.ran = [args, (await ctx.newSession({})).cancelled, (await ctx.branch('e')).cancelled]; } });
  pi.registerMessageRenderer('note', () => 'first');
  pi.on('session_before_switch', () => ({ cancel: true }));
  pi.on('session.compacting', () => ({ context: ['a'] }));
  pi.on('session_before_compact', () => ({ compaction: 1 }));
  pi.on('context', ({ messages }) => { messages[0].text = 'changed'; return { messages: [...messages, 1] }; });
  pi.on('context', () => { throw new Error('broken'); });
  pi.on('before_agent_start', () => ({ message: 'one' }));
  pi.on('agent_start', (event, ctx) => { pi.sendMessage({ customType: 'a' }, true); pi.appendEntry('b', { c: 1 }); globalThis.seen = [ctx.model, ctx.isIdle(), ctx.hasQueuedMessages(), ctx.sessionManager.name, ctx.hasUI]; });
};"),
        ("two.ts", "export default (pi) => {
  pi.registerCommand('deploy', { description: 'second', handler: async () => {} });
  pi.registerMessageRenderer('note', () => 'second');
  pi.on('session_before_switch', () => { globalThis.called = true; });
  pi.on('session.compacting', () => ({ prompt: 'p' }));
  pi.on('session_before_compact', () => ({}));
  pi.on('context', ({ messages }) => ({ messages: [...messages, 2] }));
  pi.on('before_agent_start', ({ prompt }) => { globalThis.prompted = prompt; return { message: 'two' }; });
};"),
    ];
    let code = "const { hooks } = await lib.loadHooks(['one.ts', 'two.ts'], cwd);
const runner = new lib.HookRunner(hooks, cwd, { name: 'manager' }, {});
const errors = [], sent = [];
runner.onError(({ event, error }) => errors.push([event, error]));
await runner.emit({ type: 'agent_start' });
runner.initialize({
  getModel: () => 'model', sendMessageHandler: (...args) => sent.push(args), appendEntryHandler: (...args) => sent.push(args),
  newSessionHandler: async () => ({ cancelled: true }), isIdle: () => false, hasQueuedMessages: () => true, uiContext: {}, hasUI: true,
});
await runner.emit({ type: 'agent_start' });
const messages = [{ text: 'original' }];
const command = runner.getCommand('deploy');
await command.handler('args', runner.createCommandContext());
return {
  errors: errors.slice(), sent, seen: globalThis.seen, ran: globalThis.ran,
  cancel: await runner.emit({ type: 'session_before_switch', reason: 'new' }), called: globalThis.called ?? false,
  compacting: await runner.emit({ type: 'session.compacting' }), compaction: await runner.emit({ type: 'session_before_compact' }),
  context: await runner.emitContext(messages), untouched: messages[0].text,
  start: await runner.emitBeforeAgentStart('hello'), prompted: globalThis.prompted,
  commands: runner.getRegisteredCommands().map(({ name, description }) => [name, description]), first: command.description,
  renderer: runner.getMessageRenderer('note')(), none: runner.getMessageRenderer('other') ?? null, paths: runner.getHookPaths(),
  late: errors.slice(-1),
};";
    let expected = json!({
        "errors": [["agent_start", "sendMessage handler not initialized"]],
        "sent": [[{"customType": "a"}, {"triggerTurn": true}], ["b", {"c": 1}]],
        "seen": ["model", false, true, "manager", true], "ran": ["args", true, false],
        "cancel": {"cancel": true}, "called": false, "compacting": {"prompt": "p"}, "compaction": {},
        "context": [{"text": "changed"}, 1, 2], "untouched": "original", "start": {"message": "one"}, "prompted": "hello",
        "commands": [["deploy", "first"], ["deploy", "second"]], "first": "first", "renderer": "first", "none": null,
        "paths": ["one.ts", "two.ts"], "late": [["context", "broken"]],
    });
    assert_eq!(run(OMP, &hooks, code).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_wrapped_with_hooks() {
    let hooks = [(
        "gate.ts",
        "export default (pi) => {
  pi.on('tool_call', ({ input }) => {
    if (input.stop) return { block: true, reason: input.reason };
    if (input.odd) throw 'odd';
    input.added = true;
  });
  pi.on('tool_result', (event) => {
    globalThis.told = [event.isError, event.content[0].text, event.details ?? null];
    return { content: [{ type: 'text', text: 'CHANGED' }], isError: true, details: null };
  });
};",
    )];
    let code = "const { hooks } = await lib.loadHooks(['gate.ts'], cwd);
const seen = [];
class Tool {
  name = 'tool'; description = 'd'; parameters = {};
  get label() { return 'Label'; }
  async execute(id, params, signal, update) {
    seen.push(params.added ?? false);
    if (params.fail) throw new TypeError('failed');
    return { content: [{ type: 'text', text: `did ${id} ${update}` }], details: { kept: true } };
  }
}
const said = {};
for (const [name, runner] of [['original', new lib.HookRunner(hooks, cwd)], ['omp', new lib.HookRunner(hooks, cwd, {}, {})]]) {
  const [tool] = lib.wrapToolsWithHooks([new Tool()], runner);
  const same = new lib.HookToolWrapper(new Tool(), runner);
  const fails = (params) => tool.execute('1', params).then(() => 'ran', (error) => `${error.name}: ${error.message}`);
  globalThis.told = null;
  const failed = await fails({ fail: true });
  const told = globalThis.told;
  said[name] = {
    failed, told, done: await tool.execute('1', {}, undefined, 'up'), members: [tool.label, tool.name, same.label, same.description, 'parameters' in same],
    wrapped: (await same.execute('2', {})).content[0].text, blocked: [await fails({ stop: true, reason: 'why' }), await fails({ stop: true })], odd: await fails({ odd: true }),
  };
}
return { ...said, seen };";
    let common = |told: Value| {
        json!({
            "failed": "TypeError: failed", "told": told, "done": {"content": [{"type": "text", "text": "CHANGED"}], "details": {"kept": true}},
            "members": ["Label", "tool", "Label", "d", true], "wrapped": "CHANGED",
            "blocked": ["Error: why", "Error: Tool execution was blocked by a hook"], "odd": "Error: Hook failed, blocking execution: odd",
        })
    };
    let expected = json!({
        "original": common(Value::Null), "omp": common(json!([true, "failed", null])),
        "seen": [true, true, true, false, false, false],
    });
    assert_eq!(run(OMP, &hooks, code).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_are_run() {
    let code = "return await lib.execCommand('sh', ['-c', 'pwd; exit 2'], cwd).then(({ stdout, code }) => [stdout.trim() === cwd, code]);";
    assert_eq!(run(OMP, &[], code).await, json!([true, 2]));
}
