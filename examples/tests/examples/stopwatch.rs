use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::json;
use tau_examples::Stopwatch;
use tau_hooks::dialogs::{DialogAnswer, DialogEvent, DialogKind, UiCall};
use tau_hooks::mount::{Place, Signal, Space, Stage as MountStage, Turn, Wish};
use tau_testkit::Stage;
use tokio_util::sync::CancellationToken;

fn turn(keys: &[&str]) -> Turn {
    let signals = keys.iter().map(|key| Signal::Key(Arc::from(*key))).collect();
    Turn { signals, space: Some(Space { width: 80, columns: 80, rows: 24 }) }
}

#[tokio::test]
async fn it_measures_until_it_is_closed() {
    let stage = Stage::new();
    stage.load(&Stopwatch).expect("it loads");
    let mut screen = stage.hooks.dialogs.subscribe_mounting();
    let user = async {
        let Some(DialogEvent::Opened(request)) = screen.recv().await else { panic!("a component") };
        let DialogKind::Custom { handle, overlays: true, .. } = &request.kind else { panic!("{request:?}") };
        let (wishes, wished) = (Arc::new(Mutex::new(Vec::new())), tokio::sync::Notify::new());
        let wished = Arc::new(wished);
        let (list, bell) = (Arc::clone(&wishes), Arc::clone(&wished));
        let place = MountStage::new(Place::Overlay, move |wish| {
            list.lock().push(wish);
            bell.notify_one();
        });
        let component = handle.0.mount(place).await.expect("a component");
        let drawn = component.turn(turn(&[])).await.expect("lines");
        let lines = drawn.lines.expect("lines");
        assert!(lines[1].contains("00:00.0"), "{lines:?}");
        assert!(lines.iter().all(|line| line.chars().count() == 32), "{lines:?}");
        component.turn(turn(&[" "])).await.expect("lines");
        // While it runs it asks for new lines.
        wished.notified().await;
        component.turn(turn(&[" ", "\x1b"])).await.expect("lines");
        let wishes = std::mem::take(&mut *wishes.lock());
        assert_eq!(wishes[0], Wish::Redraw);
        let Some(Wish::Done(seconds)) = wishes.last() else { panic!("{wishes:?}") };
        assert!(seconds.as_f64().expect("a number") > 0.0);
        screen.answer(request.id(), DialogAnswer::Custom(json!(1.25))).expect("it is open");
        loop {
            if let Some(DialogEvent::Ui(event)) = screen.recv().await {
                let UiCall::Notify { message, .. } = &event.call else { panic!("{event:?}") };
                return message.clone();
            }
        }
    };
    let run = stage.hooks.run_command("stopwatch", "", CancellationToken::new());
    let (said, done) = tokio::join!(user, run);
    assert_eq!(done, Some(true));
    assert_eq!(said, "1.2 seconds");
}
