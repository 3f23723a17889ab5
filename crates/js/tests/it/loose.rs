//! What extensions leave out or add: what it comes to is what their authors know from pi.

use serde_json::{Value, json};

use crate::bus::{hear, heard};
use crate::common::{World, calls, messages};
use crate::support::Scripts;

/// The last of the requests, as roles and texts.
fn last_asked(running: &crate::common::Running) -> Vec<(String, String)> {
    running.asked().pop().expect("a request")
}

#[tokio::test(flavor = "multi_thread")]
async fn further_fields_of_a_result_reach_those_who_watch_the_call() {
    let world = World::new(json!([calls([("1", "plain", json!({})), ("2", "failed", json!({}))]), "Done."]));
    let source = "export default (pi) => {
  const tool = (name, result) => pi.registerTool({
    name, description: name, parameters: { type: 'object', properties: {} },
    async execute(id, args, signal, onUpdate) {
      onUpdate({ content: [], progress: 0.5 });
      return result;
    },
  });
  const content = [{ type: 'text', text: 'T' }];
  tool('plain', { content, details: { d: 1 }, isError: false, more: [1], nothing: null, terminate: false, lost: () => 1 });
  tool('failed', { content, isError: true, more: 'why' });
  pi.on('tool_execution_update', ({ partialResult }) => pi.events.emit('told', partialResult));
  pi.on('tool_execution_end', ({ result }) => pi.events.emit('told', result));
  // What a handler says of the result leaves those fields alone.
  pi.on('tool_result', ({ toolName }) => toolName === 'failed' ? { content: [{ type: 'text', text: 'F' }] } : undefined);
};";
    let scripts = Scripts::new(&world);
    scripts.load(&world, &[("fields.ts", source)]).await;
    let log = hear(&world, "told");
    let running = world.start().await;
    running.say("Hi").await;
    let partial = json!({"content": [], "progress": 0.5});
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let plain = json!({
        "content": text("T"), "details": {"d": 1}, "isError": false, "more": [1], "nothing": null, "terminate": false,
    });
    let failed = json!({"content": text("F"), "isError": true, "more": "why"});
    assert_eq!(heard(&log, 4).await, [partial.clone(), plain.clone(), partial, failed]);
    let ends = |event: &Value| event["type"] == "tool_execution_end";
    let told: Vec<Value> = running.events.all().into_iter().filter(ends).map(|event| event["result"].clone()).collect();
    assert_eq!(told[0], plain);
    // No message has them.
    assert!(!running.file().iter().any(|entry| entry["message"].get("more").is_some()));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_odd_message_costs_a_handler_of_context_nothing_else() {
    const CUSTOM: &str = "role: 'custom', customType: 'k', content: 'C', timestamp: 1";
    let taken = [
        format!("{{ {CUSTOM}, display: null }}"),
        format!("{{ {CUSTOM} }}"),
        format!("{{ {CUSTOM}, display: false, timestamp: '2026-01-01T00:00:00Z' }}"),
        format!("{{ {CUSTOM}, display: false, timestamp: null }}"),
        "{ role: 'custom', content: 'C', display: false, timestamp: 1 }".to_owned(),
        format!("{{ {CUSTOM}, display: false, customType: null }}"),
    ];
    for item in taken {
        let world = World::new(json!(["Hello."]));
        let source = format!(
            "export default (pi) => {{ pi.on('context', ({{ messages }}) => ({{ messages: [...messages, {item}] }})); }};"
        );
        let scripts = Scripts::new(&world);
        scripts.load(&world, &[("adds.ts", &source)]).await;
        let running = world.start().await;
        running.say("Hi").await;
        assert_eq!(last_asked(&running), messages([("user", "Hi"), ("user", "C")]), "{item}");
        assert_eq!(world.reports.all(), [], "{item}");
    }
    // What is no message is left out and reported once; a result without its call is not sent.
    let odd = [
        ("null", Some("invalid type: null, expected an object with a field `role`")),
        ("'text'", Some("invalid type: string \"text\", expected an object with a field `role`")),
        (
            "{ role: 'user', content: 5 }",
            Some("invalid type: integer `5`, expected a string or a list of content blocks"),
        ),
        (", ", Some("invalid type: null, expected an object with a field `role`")),
        ("{ role: 'toolResult', content: [{ type: 'text', text: 'orphan' }] }", None),
    ];
    for (item, why) in odd {
        let world = World::new(json!(["Hello.", "Again."]));
        let hole = if item == ", " { "delete list[1];" } else { "" };
        let item = if hole.is_empty() { item } else { "0" };
        let source = format!(
            "export default (pi) => {{ pi.on('context', ({{ messages }}) => {{
  const list = [...messages.slice(0, 1), {item}, {{ role: 'user', content: 'added', timestamp: 1 }}];
  {hole}
  return {{ messages: list }};
}}); }};"
        );
        let scripts = Scripts::new(&world);
        scripts.load(&world, &[("odd.ts", &source)]).await;
        let running = world.start().await;
        for text in ["Hi", "You"] {
            running.say(text).await;
            assert!(
                last_asked(&running).ends_with(&messages([("user", "added")])),
                "{item}: {:?}",
                last_asked(&running)
            );
        }
        let said: Vec<String> = world.reports.all().into_iter().map(|(_, _, text)| text).collect();
        let expected = why.map(|why| format!("a message in `messages` is left out: {why}"));
        assert_eq!(said, Vec::from_iter(expected), "{item}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_and_entries_without_a_kind_are_taken() {
    let world = World::new(json!(["Hello."]));
    let source = "export default (pi) => {
  pi.on('before_agent_start', () => ({ message: { content: 'A', display: null } }));
  pi.on('turn_end', () => ({ entries: [
    { type: 'custom_message', content: 'E', display: null }, { type: 'custom', customType: null, data: 1 },
  ] }));
  pi.registerCommand('send', { handler: async () => { pi.sendMessage({ content: 'S' }); } });
};";
    let scripts = Scripts::new(&world);
    scripts.load(&world, &[("bare.ts", source)]).await;
    let running = world.start().await;
    running.say("Hi").await;
    running.say("/send").await;
    assert_eq!(world.reports.all(), []);
    let entries: Vec<Value> = running.file();
    let of_kind = |kind: &str| entries.iter().filter(|entry| entry["type"] == kind).count();
    assert_eq!((of_kind("custom_message"), of_kind("custom")), (3, 1), "{entries:?}");
    // Without `display` nobody wants it shown.
    let shown = entries.iter().filter(|entry| entry["type"] == "custom_message").map(|entry| entry["display"].clone());
    assert_eq!(shown.collect::<Vec<_>>(), [json!(false), json!(false), json!(false)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn display_may_be_anything_that_a_condition_takes() {
    let world = World::new(json!(["Hello."]));
    let source = "export default (pi) => {
  pi.on('before_agent_start', () => ({ message: { customType: 'k', content: 'A', display: 'tool' } }));
  pi.on('turn_end', () => ({ entries: [{ type: 'custom_message', customType: 'k', content: 'E', display: 1 }] }));
  pi.on('context', ({ messages }) => (
    { messages: [...messages, { role: 'custom', customType: 'k', content: 'C', display: {}, timestamp: 1 }] }
  ));
  pi.registerCommand('send', { handler: async () => {
    for (const display of ['tool', '', 1, 0, {}]) pi.sendMessage({ customType: 'k', content: 'S', display });
  } });
};";
    let scripts = Scripts::new(&world);
    scripts.load(&world, &[("shows.ts", source)]).await;
    let running = world.start().await;
    running.say("Hi").await;
    running.say("/send").await;
    assert_eq!(world.reports.all(), []);
    assert_eq!(running.asked(), [messages([("user", "Hi"), ("user", "A"), ("user", "C")])]);
    let entries: Vec<Value> = running.file();
    let shown = entries.iter().filter(|entry| entry["type"] == "custom_message").map(|entry| entry["display"].clone());
    assert_eq!(shown.collect::<Vec<_>>(), [true, true, true, false, true, false, true].map(Value::Bool));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_commands_add_is_in_the_file_from_the_first_prompt_on() {
    let world = World::new(json!(["Hello."]));
    let source = "export default (pi) => {
  pi.registerCommand('send', { handler: async (_, ctx) => {
    pi.sendMessage({ customType: 'k', content: 'S', display: true });
    // Some published extensions write the file themselves where pi lets them.
    pi.events.emit('told', [typeof ctx.sessionManager._rewriteFile, typeof ctx.sessionManager.flushed]);
  } });
};";
    let scripts = Scripts::new(&world);
    scripts.load(&world, &[("sends.ts", source)]).await;
    let log = hear(&world, "told");
    let running = world.start().await;
    running.say("/send").await;
    assert_eq!(heard(&log, 1).await, [json!(["undefined", "undefined"])]);
    assert!(!running.session.session().is_persisted());
    running.say("Hi").await;
    assert!(running.file().iter().any(|entry| entry["type"] == "custom_message"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_handlers_of_the_prompt_s_own_message_send_is_in_its_first_request() {
    for (event, send) in [
        ("message_start", "pi.sendUserMessage('more', { deliverAs: 'steer' })"),
        ("message_end", "pi.sendUserMessage('more', { deliverAs: 'steer' })"),
        ("message_start", "pi.sendMessage({ customType: 'k', content: 'more', display: true })"),
        ("message_end", "pi.sendMessage({ customType: 'k', content: 'more', display: true }, { deliverAs: 'steer' })"),
    ] {
        let world = World::new(json!(["Hello."]));
        let source = format!(
            "export default (pi) => {{ let sent = false; pi.on('{event}', ({{ message }}) => {{
  if (message.role !== 'user' || sent) return;
  sent = true;
  {send};
}}); }};"
        );
        let scripts = Scripts::new(&world);
        scripts.load(&world, &[("sends.ts", &source)]).await;
        let running = world.start().await;
        running.say("Hi").await;
        assert_eq!(running.asked(), [messages([("user", "Hi"), ("user", "more")])], "{event} {send}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_waits_for_the_run_that_it_has_just_begun() {
    let world = World::new(json!(["Hello."]));
    let source = "export default (pi) => {
  pi.registerCommand('go', { handler: async (_, ctx) => {
    pi.sendUserMessage('Hi');
    await ctx.waitForIdle();
    const roles = ctx.sessionManager.getEntries().map((entry) => entry.message?.role);
    pi.events.emit('told', [typeof ctx.modelRegistry.getApiKey, roles.includes('assistant')]);
  } });
};";
    let scripts = Scripts::new(&world);
    scripts.load(&world, &[("goes.ts", source)]).await;
    let log = hear(&world, "told");
    let running = world.start().await;
    running.say("/go").await;
    assert_eq!(heard(&log, 1).await, [json!(["function", true])]);
    assert_eq!(running.asked(), [messages([("user", "Hi")])]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_summary_may_come_with_an_estimate_that_has_a_fraction() {
    let world = World::new(json!(["1.", "2."])).settings(json!({"compaction": {"keepRecentTokens": 1}}));
    let source = "export default (pi) => {
  pi.on('session_before_compact', ({ preparation: { firstKeptEntryId } }) => (
    { compaction: { summary: 'S', firstKeptEntryId, tokensBefore: 10.75 } }
  ));
};";
    let scripts = Scripts::new(&world);
    scripts.load(&world, &[("sums.ts", source)]).await;
    let running = world.start().await;
    for text in ["One", "Two", "/compact"] {
        running.say(text).await;
    }
    assert_eq!(world.reports.all(), []);
    let entries: Vec<Value> = running.file();
    let compaction = entries.iter().find(|entry| entry["type"] == "compaction").expect("a compaction");
    assert_eq!((&compaction["summary"], &compaction["tokensBefore"]), (&json!("S"), &json!(10)));
}
