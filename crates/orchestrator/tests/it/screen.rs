//! Front ends to test with: one that shows notices, and one that shows a component over its screen.

use std::sync::Arc;

use tau_agent_testkit::{Log, World};
use tau_hooks::dialogs::{DialogAnswer, DialogBackEnd, DialogEvent, DialogKind, DialogRequest, NotifyLevel, UiCall};
use tau_hooks::mount::{Component, Place, Signal, Space, Stage, Turn, Wish};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// A front end without components. Gives the notices that it gets.
pub fn notices(world: &World) -> Log<(NotifyLevel, String)> {
    let (log, mut back_end) = (Log::default(), world.hooks.dialogs.subscribe());
    let told = log.clone();
    tokio::spawn(async move {
        while let Some(event) = back_end.recv().await {
            if let DialogEvent::Ui(event) = event
                && let UiCall::Notify { message, level } = &event.call
            {
                told.push((level.clone().unwrap_or_default(), message.clone()));
            }
        }
    });
    log
}

/// Waits for the first entry of a list.
pub async fn first<T: Clone>(log: &Log<T>) -> T {
    loop {
        if let Some(first) = log.all().into_iter().next() {
            return first;
        }
        tokio::task::yield_now().await;
    }
}

/// A screen with a component over it.
pub struct Screen {
    back_end: DialogBackEnd,
    request: Arc<DialogRequest>,
    component: Arc<dyn Component>,
    wishes: UnboundedReceiver<Wish>,
}

impl Screen {
    /// Waits for a component.
    pub async fn open(mut back_end: DialogBackEnd) -> Self {
        let request = loop {
            match back_end.recv().await.expect("a session") {
                DialogEvent::Opened(request) => break request,
                DialogEvent::Ui(_) => {}
                other => panic!("{other:?}"),
            }
        };
        let DialogKind::Custom { handle, overlays: true, .. } = &request.kind else { panic!("{request:?}") };
        let (told, wishes) = unbounded_channel();
        let stage = Stage::new(Place::Overlay, move |wish| {
            // Nobody listens to a component that is gone.
            told.send(wish).ok();
        });
        let component = handle.0.mount(stage).await.expect("a component");
        Self { back_end, request, component, wishes }
    }

    /// The lines without colours.
    pub async fn lines(&self, (columns, rows): (usize, usize)) -> Vec<String> {
        let space = Some(Space { width: columns, columns, rows });
        let drawn = self.component.turn(Turn { signals: Vec::new(), space }).await.expect("lines");
        let lines = drawn.lines.expect("lines");
        let width = drawn.overlay.expect("a size").room(columns, rows).0;
        assert!(lines.iter().all(|line| tau_view::width::visible_width(line) <= width), "{lines:#?}");
        lines.iter().map(|line| tau_view::untrusted::plain(line)).collect()
    }

    /// Draws until there is this text.
    pub async fn until(&mut self, wanted: &str) -> Vec<String> {
        loop {
            let lines = self.lines((100, 40)).await;
            if lines.iter().any(|line| line.contains(wanted)) {
                return lines;
            }
            while self.wishes.recv().await != Some(Wish::Redraw) {}
        }
    }

    /// Types a key.
    pub async fn key(&self, key: &str) {
        let signals = vec![Signal::Key(key.into())];
        self.component.turn(Turn { signals, space: None }).await.expect("a turn");
    }

    /// Types a key that closes the component.
    pub async fn close(mut self, key: &str) {
        self.key(key).await;
        loop {
            if let Wish::Done(value) = self.wishes.recv().await.expect("a component") {
                self.component.dispose();
                return self.back_end.answer(self.request.id(), DialogAnswer::Custom(value)).expect("it is open");
            }
        }
    }
}
