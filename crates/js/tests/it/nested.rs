//! `ctx.tools` and `ctx.executeTool`: tools of scripts that call tools.

use serde_json::{Value, json};

use crate::bus::{hear, heard};
use crate::common::{World, calls};
use crate::support::Scripts;

/// A tool `outer` that runs this, with `ctx`, `call` for `ctx.executeTool`, and the time to tell things; and tools to call.
fn source(body: &str) -> String {
    format!(
        "export default (pi) => {{
  const parameters = {{ type: 'object', properties: {{ n: {{ type: 'number' }} }} }};
  const text = (text) => [{{ type: 'text', text }}];
  pi.registerTool({{ name: 'inner', description: 'i', parameters, async execute(id, {{ n }}, signal, onUpdate) {{
    onUpdate({{ content: text('half'), details: {{}} }});
    if (n === 2) throw new Error('boom');
    if (n === 3) return {{ isError: true, content: text('soft'), details: {{ k: 1 }}, structuredContent: {{ s: 1 }} }};
    return {{ content: text('got ' + n), details: {{ n }}, structuredContent: {{ v: n }} }};
  }} }});
  pi.registerTool({{ name: 'outer', description: 'o', parameters: {{ type: 'object', properties: {{}} }}, async execute(id, _, signal, onUpdate, ctx) {{
    const call = (...args) => ctx.executeTool(...args);
    const tell = (told) => pi.events.emit('told', told);
    {body}
    return {{ content: text('done') }};
  }} }});
}};"
    )
}

fn world() -> World {
    World::new(json!([calls([("c1", "outer", json!({}))]), "Done."])).with_builtin_tools()
}

/// What a script told.
async fn told(body: &str, times: usize) -> Vec<Value> {
    let world = world();
    let scripts = Scripts::new(&world);
    scripts.load(&world, &[("nested.ts", &source(body))]).await;
    let log = hear(&world, "told");
    let running = world.start().await;
    running.say("Go").await;
    assert_eq!(running.conversation()[2].1, "done", "{:?}", scripts.told.all());
    assert_eq!(scripts.told.all(), []);
    heard(&log, times).await
}

#[tokio::test(flavor = "multi_thread")]
async fn outcomes_are_what_the_tool_and_the_handlers_made_of_them() {
    let body = "const partials = [];
    const watch = (partial) => partials.push(partial.content[0].text);
    const all = [
      await call('inner', { n: '1' }, { onUpdate: watch }), await call('inner', { n: 2 }), await call('inner', { n: 3 }),
      await call('nope'), await call('inner', 'text'),
    ];
    tell(all.map(({ durationMs, ...outcome }) => ({ ...outcome, took: Number.isInteger(durationMs) })));
    tell(partials);";
    let told = told(body, 2).await;
    let outcomes = told[0].as_array().expect("a list");
    let call = |n: usize, name: &str, arguments: Value| json!({"type": "toolCall", "id": format!("c1/{n}"), "name": name, "arguments": arguments});
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    assert_eq!(
        outcomes[..4],
        [
            json!({"toolCall": call(1, "inner", json!({"n": "1"})), "isError": false, "took": true,
                "result": {"content": text("got 1"), "details": {"n": 1}, "structuredContent": {"v": 1}}}),
            json!({"toolCall": call(2, "inner", json!({"n": 2})), "isError": true, "took": true,
                "result": {"content": text("boom"), "details": {}, "isError": true}}),
            json!({"toolCall": call(3, "inner", json!({"n": 3})), "isError": true, "took": true,
                "result": {"content": text("soft"), "details": {"k": 1}, "structuredContent": {"s": 1}, "isError": true}}),
            json!({"toolCall": call(4, "nope", json!({})), "isError": true, "took": false,
                "result": {"content": text("Tool nope not found"), "details": {}, "isError": true}}),
        ]
    );
    let refused = outcomes[4]["result"]["content"][0]["text"].as_str().expect("a text");
    assert!(refused.starts_with("Validation failed for tool \"inner\":"), "{refused}");
    assert_eq!((&outcomes[4]["toolCall"], &outcomes[4]["took"]), (&call(5, "inner", json!("text")), &json!(false)));
    assert_eq!(told[1], json!(["half"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_tool_at_work_has_them_and_copies_do_not() {
    let body = "const inner = ctx.tools.find((tool) => tool.name === 'inner');
    tell([Object.keys(ctx).filter((name) => name === 'tools' || name === 'executeTool'), { ...ctx }.executeTool === undefined,
      inner.description, inner.execute === undefined, ctx.tools.map((tool) => tool.name).includes('bash')]);
    globalThis.late = ctx;";
    let more = "export default (pi) => {
  pi.on('tool_call', (event, ctx) => { pi.events.emit('told', [event.toolCallId, event.parentToolCallId ?? null, 'executeTool' in ctx]); });
  pi.registerCommand('late', { handler: async () => {
    const { isError, result } = await globalThis.late.executeTool('inner', { n: 1 });
    pi.events.emit('told', [isError, result.content[0].text]);
  } });
};";
    let world = world();
    let scripts = Scripts::new(&world);
    scripts.load(&world, &[("nested.ts", &source(body)), ("more.ts", more)]).await;
    let log = hear(&world, "told");
    let running = world.start().await;
    running.say("Go").await;
    running.say("/late").await;
    let told = heard(&log, 3).await;
    assert_eq!(told[0], json!(["c1", null, false]));
    assert_eq!(told[1], json!([[], true, "i", true, true]));
    assert_eq!(told[2], json!([true, "Tool inner was not run: tools can be called only while a tool is at work"]));
}

/// Every kind of script sees nested calls, and what it takes out does not reach the caller.
#[tokio::test(flavor = "multi_thread")]
async fn gates_and_filters_of_scripts_see_nested_calls() {
    let body = "tell((await call('bash', { command: 'echo no' })).result);
    tell((await call('bash', { command: 'echo my secret' })).result);
    tell((await call('inner', { n: 7 })).result);";
    let guard = "export default (pi) => {
  pi.on('tool_call', (event) => {
    if (event.toolName === 'bash' && event.input.command === 'echo no') return { block: true, reason: 'no ' + event.parentToolCallId };
  });
  pi.on('tool_result', (event) => {
    if (event.toolName === 'bash') return { content: [{ type: 'text', text: event.content[0].text.replace('secret', '[hidden]') }] };
    if (event.toolName === 'inner') return { isError: true };
  });
};";
    let world = world();
    let scripts = Scripts::new(&world);
    scripts.load(&world, &[("nested.ts", &source(body)), ("guard.ts", guard)]).await;
    let log = hear(&world, "told");
    let running = world.start().await;
    running.say("Go").await;
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    assert_eq!(
        heard(&log, 3).await,
        [
            json!({"content": text("no c1"), "details": {}, "isError": true}),
            json!({"content": text("my [hidden]\n")}),
            json!({"content": text("got 7"), "details": {"n": 7}, "isError": true}),
        ]
    );
}

/// A script whose deadline has come, and one that does not wait for its calls.
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_a_call_and_so_does_the_return_of_the_tool() {
    let body = "const stop = new AbortController();
    const command = (pid) => `echo $$ > ${pid}; exec sleep 1000`;
    const fs = await import('node:fs');
    const written = async (file) => { while (!fs.existsSync(file) || !fs.readFileSync(file, 'utf8').endsWith('\\n')) await new Promise((done) => setTimeout(done, 5)); };
    const first = call('bash', { command: command('first') }, { signal: stop.signal });
    await written(ctx.cwd + '/first');
    stop.abort();
    const { isError, result } = await first;
    tell([isError, result.content[0].text.split('\\n').pop()]);
    void call('bash', { command: command('second') });
    await written(ctx.cwd + '/second');";
    let world = world();
    let scripts = Scripts::new(&world);
    scripts.load(&world, &[("nested.ts", &source(body))]).await;
    let log = hear(&world, "told");
    let running = world.start().await;
    running.say("Go").await;
    assert_eq!(heard(&log, 1).await, [json!([true, "Command aborted"])]);
    for file in ["first", "second"] {
        let pid = std::fs::read_to_string(world.home.cwd().join(file)).expect("a number");
        let stat = std::path::Path::new("/proc").join(pid.trim()).join("stat");
        let is_gone = || std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "));
        while !is_gone() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }
    let ends: Vec<Value> =
        running.events.all().into_iter().filter(|event| event["type"] == "tool_execution_end").collect();
    let ids: Vec<&Value> = ends.iter().map(|end| &end["toolCallId"]).collect();
    assert_eq!(ids, ["c1/1", "c1/2", "c1"]);
    assert_eq!(ends[0]["parentToolCallId"], "c1");
}

/// The limit on uninterrupted code ends the tool, and with it what it called.
#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_is_stopped_ends_its_calls() {
    let body = "const fs = await import('node:fs');
    void call('bash', { command: 'echo $$ > pid; exec sleep 1000' });
    while (!fs.existsSync(ctx.cwd + '/pid')) await new Promise((done) => setTimeout(done, 5));
    for (;;) {}";
    let world = world();
    let scripts = Scripts::new(&world).tau(json!({"limits": {"stretchMs": 200}}));
    scripts.load(&world, &[("nested.ts", &source(body))]).await;
    let running = world.start().await;
    running.say("Go").await;
    let ends: Vec<Value> =
        running.events.all().into_iter().filter(|event| event["type"] == "tool_execution_end").collect();
    let ids: Vec<(&Value, &Value)> = ends.iter().map(|end| (&end["toolCallId"], &end["isError"])).collect();
    assert_eq!(ids, [(&json!("c1/1"), &json!(true)), (&json!("c1"), &json!(true))]);
}

/// A gate cannot wait for a call that waits for the gate.
#[tokio::test(flavor = "multi_thread")]
async fn a_handler_cannot_call_tools_with_the_context_of_a_tool() {
    let body = "globalThis.stolen = ctx;
    tell((await call('inner', { n: 1 })).result.content[0].text);";
    let gate = "export default (pi) => {
  pi.on('tool_call', async (event) => {
    if (event.toolName !== 'inner') return;
    const { result } = await globalThis.stolen.executeTool('inner', { n: 7 });
    return { block: true, reason: result.content[0].text };
  });
};";
    let world = world();
    let scripts = Scripts::new(&world);
    scripts.load(&world, &[("nested.ts", &source(body)), ("gate.ts", gate)]).await;
    let log = hear(&world, "told");
    let running = world.start().await;
    running.say("Go").await;
    let told = heard(&log, 1).await;
    let text = told[0].as_str().expect("a text");
    assert!(text.starts_with("a tool cannot be called in an event handler"), "{text}");
}

/// Behind its first `await` a handler is not known as one: its call waits for its own gate, until the limit or an abort.
#[tokio::test(flavor = "multi_thread")]
async fn a_gate_that_waits_for_a_call_behind_itself_stays_shut() {
    let body = "globalThis.stolen = ctx;
    tell((await call('inner', { n: 1 })).result.content[0].text);";
    let gate = "export default (pi) => {
  pi.on('tool_call', async (event) => {
    if (event.toolName !== 'inner' || event.input.n !== 1) return;
    await null;
    await new Promise((done) => setTimeout(done, 1));
    pi.events.emit('asked', 1);
    await globalThis.stolen.executeTool('inner', { n: 7 });
  });
};";
    for limited in [true, false] {
        let world = world();
        let world = if limited { world.settings(json!({"tau": {"limits": {"handlerMs": 300}}})) } else { world };
        let scripts = Scripts::new(&world);
        scripts.load(&world, &[("nested.ts", &source(body)), ("gate.ts", gate)]).await;
        let (log, asked) = (hear(&world, "told"), hear(&world, "asked"));
        let running = world.start().await;
        let run = running.say_later("Go");
        heard(&asked, 1).await;
        if !limited {
            running.session.abort();
        }
        run.await.expect("a task").expect("a run");
        running.session.wait_until_idle().await;
        let text = heard(&log, 1).await.remove(0).to_string();
        let expected = if limited { "tau.limits.handlerMs" } else { "abort" };
        assert!(text.contains(expected), "{text}");
        assert!(!text.contains("got 1"), "{text}");
    }
}
