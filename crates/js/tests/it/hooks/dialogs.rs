//! `ctx.ui` of hooks: what dialogs give that nobody answers, and components.

use serde_json::{Value, json};
use tau_hooks::Mode;
use tau_hooks::dialogs::{DialogAnswer, DialogEvent, DialogKind};

use super::{Hooked, omp, original, pi};
use crate::bus::heard;
use crate::common::World;

const ASK: &str = "pi.on('agent_start', async (event, ctx) => {
  const said = [await ctx.ui.select('t', ['a']), await ctx.ui.input('t', 'p'), await ctx.ui.editor('t')];
  const kind = (value) => (value === null ? 'null' : value === undefined ? 'undefined' : value);
  pi.events.emit('log', [...said.map(kind), await ctx.ui.confirm('t', 'm'), ctx.hasUI]);
  ctx.ui.notify('x'); ctx.ui.setStatus('k', 'v'); ctx.ui.setEditorText('x');
  pi.events.emit('log', [ctx.ui.getEditorText(), kind(await ctx.ui.custom(() => {})), typeof ctx.ui.theme.fg]);
});";

async fn asked(module: &str, mode: Mode, closes: bool) -> Vec<Value> {
    let mut world = World::new(json!(["done"]));
    world.mode = mode;
    let source = match module {
        "pi" => pi(ASK),
        "omp" => omp(ASK),
        _ => original(ASK),
    };
    let hooked = Hooked::new(world, &[source]).await;
    let mut back_end = closes.then(|| hooked.world.hooks.dialogs.subscribe());
    let user = async {
        let Some(back_end) = &mut back_end else { return std::future::pending().await };
        while let Some(event) = back_end.recv().await {
            if let DialogEvent::Opened(request) = event {
                let _ = back_end.answer(request.id(), DialogAnswer::Cancelled);
            }
        }
    };
    tokio::select! {
        _ = hooked.say("hi") => {}
        () = user => {}
    }
    heard(&hooked.log, 2).await
}

#[tokio::test(flavor = "multi_thread")]
async fn closed_dialogs_give_what_the_dialect_has_for_nothing() {
    let nothing =
        |kind: &str, ui: bool| vec![json!([kind, kind, kind, false, ui]), json!(["", "undefined", "function"])];
    // Nobody can be asked.
    assert_eq!(asked("pi", Mode::Print, false).await, nothing("undefined", false));
    assert_eq!(asked("omp", Mode::Print, false).await, nothing("undefined", false));
    assert_eq!(asked("original", Mode::Print, false).await, nothing("null", false));
    // A client shows dialogs, and the user closes them.
    assert_eq!(asked("pi", Mode::Rpc, true).await, nothing("undefined", true));
    assert_eq!(asked("omp", Mode::Rpc, true).await, nothing("undefined", true));
    assert_eq!(asked("original", Mode::Rpc, true).await, nothing("null", false));
    // In a terminal.
    assert_eq!(asked("original", Mode::Tui, true).await, nothing("null", true));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_user_chose_is_the_same_in_every_dialect() {
    for source in [pi(ASK), omp(ASK), original(ASK)] {
        let mut world = World::new(json!(["done"]));
        world.mode = Mode::Rpc;
        let hooked = Hooked::new(world, &[source]).await;
        let mut back_end = hooked.world.hooks.dialogs.subscribe();
        tokio::spawn(async move {
            while let Some(event) = back_end.recv().await {
                if let DialogEvent::Opened(request) = event {
                    let answer = match request.kind {
                        DialogKind::Confirm { .. } => DialogAnswer::Confirmed(true),
                        _ => DialogAnswer::Value("a".to_owned()),
                    };
                    let _ = back_end.answer(request.id(), answer);
                }
            }
        });
        hooked.say("hi").await;
        let first = heard(&hooked.log, 2).await.remove(0);
        assert_eq!(first.as_array().expect("a list")[..4], [json!("a"), json!("a"), json!("a"), json!(true)]);
    }
}
