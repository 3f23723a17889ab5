//! The list of messages that a handler of `context` gets is an array of objects, although they are made when it looks.

use serde_json::{Value, json};

use crate::bus::{hear, heard};
use crate::common::{World, calls};
use crate::support::Scripts;

/// What handlers do with the list: they give another one, or change it.
const BODIES: &[&str] = &[
    "list => list.filter(m => m.role !== 'custom')",
    "list => list.map(m => m)",
    "list => list.map(m => ({ ...m }))",
    "list => structuredClone(list)",
    "list => structuredClone(list[1]) && list.map(m => structuredClone(m))",
    "list => JSON.parse(JSON.stringify(list))",
    "list => [...list].reverse()",
    "list => list.toReversed()",
    "list => list.slice(1, 3)",
    "list => list.concat([{ role: 'user', content: 'more', timestamp: 1 }])",
    "list => Array.from(list, m => Object.assign({}, m))",
    "list => Object.values(list)",
    "list => new Proxy([...list], {})",
    "list => [list[2], list[0], list[2]]",
    "list => list.flatMap((m, i) => i % 2 ? [m, m] : [])",
    "list => { list.splice(1, 1); }",
    "list => { list.reverse(); }",
    "list => { list.sort((a, b) => a.role < b.role ? -1 : 1); }",
    "list => { list.length = 2; }",
    "list => { list.push({ role: 'user', content: 'more', timestamp: 1 }); }",
    "list => { list.unshift(list.pop()); }",
    "list => { [list[0], list[1]] = [list[1], list[0]]; }",
    "list => { for (const m of list) if (m.role === 'user') m.content = 'changed'; }",
    "list => { list.findLast(m => m.role === 'toolResult').content[0].text += '!'; }",
    "list => { list[1].timestamp = 5; }",
    "list => { list[0].mine = { deep: [1] }; }",
    "list => { delete list[3].details; }",
    "list => { Object.defineProperty(list[0], 'content', { get: () => 'mine', enumerable: true, configurable: true }); }",
    "list => { for (const m of list) Object.defineProperty(m, 'timestamp', { value: 7, enumerable: true }); }",
    "list => { const m = list.find(m => m.role === 'custom'); m.customType = 'other'; m.content = [{ type: 'text', text: 'C' }]; }",
    "list => { list.forEach(m => { for (const key in m) m[key]; }); }",
    "list => { list[0] = { ...list[0], content: 'spread' }; return list; }",
    "list => { list.length = 0; return list; }",
    "list => list.filter(m => m.role === 'user').map(m => (m.content = 'both', m))",
    "list => { list.fill({ role: 'user', content: 'same', timestamp: 1 }, 1, 3); }",
    "list => { list.copyWithin(0, 1, 2); }",
    "list => list.with(0, { role: 'user', content: 'with', timestamp: 1 })",
    "list => { Object.assign(list, { 1: list[0] }); }",
    "list => { const [first, ...rest] = list; return [...rest, first]; }",
    "list => { list.map(m => m.content); }",
    "list => list.map(m => { const p = new Proxy(m, {}); return { role: 'user', content: p.content, timestamp: 1 }; })",
    "list => list.map(m => ({ role: 'user', content: Object.create(m).content, timestamp: 1 }))",
    "list => { const p = new Proxy(list[0], {}); p.content = 'through'; }",
    "list => { const child = Object.create(list[0]); child.content = 'mine'; list[1] = { ...list[0] }; }",
    "list => { Object.defineProperty(list, '2', { writable: false }); }",
    "list => { Object.defineProperty(list, '2', { value: list[0] }); }",
    "list => { Object.freeze(list); }",
    "list => Object.seal(list)",
    "list => { list.forEach(m => { Object.freeze(m); m.content.length; }); }",
    "list => { Object.freeze(list[0]); try { list[0].content = 'no'; } catch {} return list.map(m => ({ ...m })); }",
    "list => { const last = list.at(-1); Object.freeze(last); const c = last.content; if (c === last.content && c.push) c.push({ type: 'text', text: 'deep' }); }",
    "list => { try { list.length = -1; } catch {} }",
    "list => { try { Object.freeze(list); list.push({}); } catch {} }",
    "list => { try { Object.freeze(list); delete list[1]; } catch {} }",
    "list => { Object.preventExtensions(list); list[0] = { ...list[0], content: 'same place' }; }",
    "list => { if (!require('util').inspect(list).includes('role')) list.length = 0; }",
    "list => Object.keys(list).map(k => list[k]).filter(m => 'content' in m)",
];

#[tokio::test(flavor = "multi_thread")]
async fn what_handlers_do_with_the_list_is_what_they_would_do_with_an_array() {
    let mut replies = vec![calls([("1", "plain", json!({"a": 1}))])];
    replies.extend(BODIES.iter().map(|_| json!("Said.")));
    replies.push(json!("Said."));
    let world = World::new(json!(replies));
    let scripts = Scripts::new(&world);
    let before = "export default (pi) => {
  pi.registerTool({ name: 'plain', description: 'p', parameters: { type: 'object', properties: {} },
    execute: async () => ({ content: [{ type: 'text', text: 'T' }], details: { d: [1] } }) });
  pi.on('before_agent_start', () => ({ message: { customType: 'k', content: 'A', display: false, details: { x: 1 } } }));
  pi.on('context', ({ messages }) => { globalThis.copy = JSON.stringify(messages); });
};";
    let bodies = BODIES.join(",\n");
    let under_test = format!(
        "const bodies = [list => list, {bodies}];
let at = 0;
export default (pi) => {{
  pi.on('context', (event) => {{
    if (!event.messages.some(m => m.role === 'toolResult')) return;
    const body = bodies[at++];
    const plain = JSON.parse(globalThis.copy);
    pi.events.emit('told', [String(body), JSON.parse(JSON.stringify(body(plain) ?? plain))]);
    const messages = body(event.messages);
    return messages && {{ messages }};
  }});
}};"
    );
    let after = "export default (pi) => {
  pi.on('context', ({ messages }) => {
    if (globalThis.copy.includes('toolResult')) pi.events.emit('seen', JSON.parse(JSON.stringify(messages)));
  });
};";
    scripts.load(&world, &[("before.ts", before), ("bodies.ts", &under_test), ("later.ts", after)]).await;
    let (told, seen) = (hear(&world, "told"), hear(&world, "seen"));
    let running = world.start().await;
    for _ in 0..=BODIES.len() {
        running.say("Hi").await;
    }
    assert_eq!(world.reports.all(), []);
    let count = BODIES.len() + 1;
    for (told, seen) in heard(&told, count).await.into_iter().zip(heard(&seen, count).await) {
        assert_eq!(told[1], seen, "{}", told[0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_list_takes_no_messages_away() {
    for body in ["event.messages = 5;", "event.messages = { length: 0 };", "event.messages = undefined;"] {
        let world = World::new(json!(["Hello."]));
        let source = format!("export default (pi) => {{ pi.on('context', (event) => {{ {body} }}); }};");
        let scripts = Scripts::new(&world);
        scripts.load(&world, &[("odd.ts", &source)]).await;
        let running = world.start().await;
        running.say("Hi").await;
        assert_eq!(running.asked(), [crate::common::messages([("user", "Hi")])], "{body}");
        let told: Vec<Value> = world.reports.all().into_iter().map(|(_, _, text)| json!(text)).collect();
        assert!(!told.is_empty() || !scripts.told.all().is_empty(), "{body}: no report");
    }
}
