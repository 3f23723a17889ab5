//! Messages that hooks send, and sessions that their commands begin.

use serde_json::json;
use tau_hooks::Mode;

use super::{Hooked, omp, original, results};
use crate::bus::heard;
use crate::common::{World, calls, messages};

/// An image of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

fn interactive(replies: serde_json::Value) -> World {
    let mut world = World::new(replies).with_builtin_tools();
    world.mode = Mode::Rpc;
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn text_that_is_sent_while_idle_begins_a_run() {
    let body = "pi.send('too early');
pi.on('agent_end', async (event, ctx) => {
  if (event.messages[0].content[0].text !== 'hi') return;
  setTimeout(() => pi.send('look', [
    { id: '1', type: 'image', fileName: 'a.png', mimeType: 'image/png', size: 1, content: 'PIXEL' },
    { id: '2', type: 'document', fileName: 'b.txt', mimeType: 'text/plain', size: 1, content: 'AA==', extractedText: 'inside' },
  ]), 0);
});
pi.on('turn_end', () => pi.events.emit('log', 'turn'));";
    let hooked = Hooked::new(interactive(json!(["one", "two"])), &[original(&body.replace("PIXEL", PIXEL))]).await;
    let running = hooked.say("hi").await;
    heard(&hooked.log, 2).await;
    running.session.wait_until_idle().await;
    let conversation = running.conversation();
    let look = "look\n\n[Document: b.txt]\ninside|(image)";
    assert_eq!(conversation, messages([("user", "hi"), ("assistant", "one"), ("user", look), ("assistant", "two")]));
    assert_eq!(hooked.told(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn text_that_is_sent_during_a_run_steers_with_what_is_attached() {
    let body = "pi.on('tool_call', () => {
  pi.send('and this', [{ id: '1', type: 'image', fileName: 'a.png', mimeType: 'image/png', size: 1, content: 'PIXEL' }]);
});";
    let world = interactive(json!([calls([("c1", "bash", json!({"command": "true"}))]), "done"]));
    let hooked = Hooked::new(world, &[original(&body.replace("PIXEL", PIXEL))]).await;
    let running = hooked.say("hi").await;
    let said: Vec<_> = running.conversation().into_iter().filter(|(role, _)| role != "toolResult").collect();
    assert_eq!(said[2..], messages([("user", "and this|(image)"), ("assistant", "done")]));
    assert_eq!(results(&running).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn in_print_mode_nothing_is_sent_and_the_user_is_told() {
    for mode in [Mode::Print, Mode::Json] {
        let mut world = World::new(json!(["one"]));
        world.mode = mode;
        let hooked = Hooked::new(world, &[original("pi.on('agent_start', () => pi.send('more'));")]).await;
        let running = hooked.say("hi").await;
        assert_eq!(running.conversation(), messages([("user", "hi"), ("assistant", "one")]));
        let told = ("send".to_owned(), "pi.send() is not supported in print mode".to_owned());
        assert_eq!(hooked.told(), [told]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_are_sent_with_a_boolean_or_with_options() {
    let message = "{ customType: 'note', content: 'NOTE', display: true }";
    let body = format!(
        "pi.registerCommand('go', {{ handler: async (args, ctx) => {{
  const option = {{ no: undefined, yes: true, off: false, options: {{ triggerTurn: true }} }}[args];
  pi.sendMessage({message}, option);
}} }});"
    );
    for (args, runs) in [("no", false), ("yes", true), ("off", false), ("options", true)] {
        let hooked = Hooked::new(interactive(json!(["one"])), &[omp(&body)]).await;
        let running = hooked.say(&format!("/go {args}")).await;
        let mut expected = messages([("custom", "NOTE")]).to_vec();
        if runs {
            expected.extend(messages([("assistant", "one")]));
        }
        assert_eq!(running.conversation(), expected, "{args}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_too_early_is_refused_in_the_words_of_the_dialect() {
    let body = "const said = [];
for (const act of [() => pi.sendMessage({ customType: 'a', content: 'b', display: true }), () => pi.appendEntry('a')]) {
  try { act(); said.push('done'); } catch (error) { said.push(error.message); }
}
pi.on('agent_start', () => pi.events.emit('log', said));";
    let hooked = Hooked::new(interactive(json!(["one"])), &[omp(body)]).await;
    hooked.say("hi").await;
    let expected = json!(["sendMessage handler not initialized", "appendEntry handler not initialized"]);
    assert_eq!(heard(&hooked.log, 1).await, [expected]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_sees_what_a_command_put_into_a_new_session() {
    let body = "pi.registerCommand('handoff', { description: 'Hands over', handler: async (_args, ctx) => {
  await ctx.waitForIdle();
  const { cancelled } = await ctx.newSession({
    parentSession: ctx.sessionManager.getSessionFile(),
    setup: async (sm) => { sm.appendMessage({ role: 'user', content: [{ type: 'text', text: 'SUMMARY' }], timestamp: Date.now() }); },
  });
  if (cancelled) throw new Error('cancelled');
} });";
    let world = interactive(json!(["one", "two"]));
    let hooked = Hooked::new(world, &[omp(body)]).await;
    let running = hooked.say("hi").await;
    let before = running.session.session().file().expect("a file").to_path_buf();
    running.say("/handoff").await;
    running.say("go on").await;
    let asked = running.asked();
    assert_eq!(asked[1], messages([("user", "SUMMARY"), ("user", "go on")]));
    let header = &running.file()[0];
    assert_eq!(header["parentSession"], json!(before));
    assert_eq!(hooked.told(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_branches_and_moves_in_the_tree() {
    let body = "pi.registerCommand('back', { handler: async (_, ctx) => {
  const [first] = ctx.sessionManager.getEntries().filter((entry) => entry.type === 'message');
  pi.events.emit('log', await ctx.branch(first.id));
} });
pi.registerCommand('move', { handler: async (_, ctx) => {
  const entries = ctx.sessionManager.getEntries().filter((entry) => entry.type === 'message');
  const { cancelled } = await ctx.navigateTree(entries[1].id, { summarize: false });
  pi.events.emit('log', { cancelled, leaf: ctx.sessionManager.getLeafId() === entries[1].id });
} });";
    let hooked = Hooked::new(interactive(json!(["one", "two"])), &[omp(body)]).await;
    let running = hooked.say("hi").await;
    running.say("more").await;
    running.say("/move").await;
    let file = running.session.session().file().map(std::path::Path::to_path_buf);
    running.say("/back").await;
    assert_eq!(heard(&hooked.log, 2).await, [json!({"cancelled": false, "leaf": true}), json!({"cancelled": false})]);
    assert_ne!(running.session.session().file().map(std::path::Path::to_path_buf), file);
    assert_eq!(running.conversation(), []);
}
