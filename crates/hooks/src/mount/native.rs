//! Components that are written in Rust.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::{Component, Drawn, Interrupted, Mount, OverlayOptions, Signal, Space, Stage, Turn, UiHandle};
use crate::error::HandlerError;
use crate::future::BoxFuture;

/// How long a turn may take.
const LIMIT: Duration = Duration::from_secs(1);

/// A component in Rust. It is called on a thread of its own accord, by one at a time, so it may hold what it likes; the
/// screen does not wait for it.
pub trait Draws: Send + 'static {
    /// Its lines, for so many columns. They may hold colours; what is wider is cut.
    fn lines(&mut self, space: Space) -> Vec<String>;

    /// Takes a key, undecoded as the terminal sent it (`tau_view::keys` tells what it is).
    fn input(&mut self, key: &str) {
        let _ = key;
    }

    /// It has the keys now, or no more.
    fn focus(&mut self, has_focus: bool) {
        let _ = has_focus;
    }

    /// How large it is and where it lies, if it lies over the screen.
    fn size(&mut self, space: Space) -> Option<OverlayOptions> {
        let _ = space;
        None
    }

    /// Over the screen, it takes the keys when it comes.
    fn captures(&self) -> bool {
        true
    }

    /// Hears of everything else that happens.
    fn signal(&mut self, signal: &Signal) {
        let _ = signal;
    }

    /// It is not shown any more.
    fn dispose(&mut self) {}
}

/// A factory of components in Rust: `make` gets the stage of each.
pub fn mount<C: Draws>(make: impl Fn(Stage) -> C + Send + Sync + 'static) -> UiHandle {
    UiHandle(Arc::new(Factory(make)))
}

struct Factory<F>(F);

impl<C: Draws, F: Fn(Stage) -> C + Send + Sync> Mount for Factory<F> {
    fn mount(&self, stage: Stage) -> BoxFuture<Result<Arc<dyn Component>, HandlerError>> {
        let made = catch_unwind(AssertUnwindSafe(|| (self.0)(stage.clone())));
        let made = made.map_err(|panic| HandlerError::Panicked(text_of(&*panic)));
        Box::pin(async move {
            let component = made?;
            let captures = component.captures();
            Ok(Arc::new(Native { component: Arc::new(Mutex::new(component)), stage, captures }) as Arc<dyn Component>)
        })
    }
}

struct Native<C> {
    component: Arc<Mutex<C>>,
    stage: Stage,
    captures: bool,
}

impl<C: Draws> Component for Native<C> {
    fn turn(&self, turn: Turn) -> BoxFuture<Result<Drawn, Interrupted>> {
        let (component, stage) = (Arc::clone(&self.component), self.stage.clone());
        Box::pin(async move {
            let told = turn.signals.len();
            let work = tokio::task::spawn_blocking(move || take(&component, &stage, &turn));
            match tokio::time::timeout(LIMIT, work).await {
                Ok(Ok(done)) => done,
                Ok(Err(error)) => Err(Interrupted::drawing(told, HandlerError::msg(error))),
                Err(_) => Err(Interrupted::drawing(told, HandlerError::msg(format!("it took longer than {LIMIT:?}")))),
            }
        })
    }

    fn captures(&self) -> bool {
        self.captures
    }

    fn dispose(&self) {
        let component = Arc::clone(&self.component);
        // It may be at work for long.
        tokio::task::spawn_blocking(move || catch_unwind(AssertUnwindSafe(|| component.lock().dispose())));
    }
}

fn take<C: Draws>(component: &Mutex<C>, stage: &Stage, turn: &Turn) -> Result<Drawn, Interrupted> {
    let begun = Instant::now();
    let Some(mut component) = component.try_lock_for(LIMIT) else {
        let error = HandlerError::msg(format!("it has been at work for {:?}", begun.elapsed()));
        return Err(Interrupted { told: 0, error });
    };
    let guarded = |work: &mut dyn FnMut(&mut C), component: &mut C| {
        catch_unwind(AssertUnwindSafe(|| work(component))).map_err(|panic| HandlerError::Panicked(text_of(&*panic)))
    };
    let mut gave_keys_away = false;
    for (place, signal) in turn.signals.iter().enumerate() {
        if stage.is_done() {
            return Ok(Drawn { untold: turn.signals.len() - place, ..Drawn::default() });
        }
        let mut tell = |component: &mut C| match signal {
            Signal::Key(key) => component.input(key),
            Signal::Focus(has_focus) => component.focus(*has_focus),
            other => component.signal(other),
        };
        let had_keys = !stage.gave_keys_away();
        guarded(&mut tell, &mut component).map_err(|error| Interrupted::at(place, error))?;
        let untold = turn.signals.len() - place - 1;
        gave_keys_away = had_keys && stage.gave_keys_away();
        if gave_keys_away && untold > 0 {
            return Ok(Drawn { untold, gave_keys_away, ..Drawn::default() });
        }
    }
    let mut drawn = Drawn { gave_keys_away, ..Drawn::default() };
    if let Some(space) = turn.space {
        let mut draw = |component: &mut C| {
            drawn.overlay = component.size(space);
            let width = drawn.overlay.map_or(space.width, |overlay| overlay.room(space.columns, space.rows).0);
            drawn.lines = Some(component.lines(Space { width, ..space }));
        };
        guarded(&mut draw, &mut component).map_err(|error| Interrupted::drawing(turn.signals.len(), error))?;
    }
    Ok(drawn)
}

/// What a panic says.
fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it panicked".to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::super::{Place, Wish};
    use super::*;

    #[derive(Default)]
    struct Counter {
        keys: Vec<String>,
        is_gone: Arc<AtomicBool>,
    }

    impl Draws for Counter {
        fn lines(&mut self, space: Space) -> Vec<String> {
            assert!(space.width > 1, "no room");
            vec![format!("{} keys in {} columns", self.keys.len(), space.width)]
        }

        fn input(&mut self, key: &str) {
            assert_ne!(key, "!", "not this key");
            self.keys.push(key.to_owned());
        }

        fn dispose(&mut self) {
            self.is_gone.store(true, Ordering::Release);
        }
    }

    fn turn(keys: &[&str], width: usize) -> Turn {
        let signals = keys.iter().map(|key| Signal::Key(Arc::from(*key))).collect();
        Turn { signals, space: Some(Space { width, columns: 80, rows: 24 }) }
    }

    #[tokio::test]
    async fn a_component_takes_keys_in_order_and_says_where_it_failed() {
        let is_gone = Arc::<AtomicBool>::default();
        let gone = Arc::clone(&is_gone);
        let handle = mount(move |_| Counter { is_gone: Arc::clone(&gone), ..Counter::default() });
        let component = handle.0.mount(Stage::new(Place::Widget, |_| ())).await.expect("a component");
        let drawn = component.turn(turn(&["a", "b"], 20)).await.expect("lines");
        assert_eq!(drawn.lines, Some(vec!["2 keys in 20 columns".to_owned()]));
        let failed = component.turn(turn(&["c", "!", "d"], 20)).await.expect_err("a panic");
        assert_eq!((failed.told, failed.error.kind()), (2, "panicked"));
        let failed = component.turn(turn(&["e"], 1)).await.expect_err("a panic");
        assert_eq!(failed.told, 1);
        let drawn = component.turn(turn(&[], 20)).await.expect("it goes on");
        assert_eq!(drawn.lines, Some(vec!["4 keys in 20 columns".to_owned()]));
        component.dispose();
        while !is_gone.load(Ordering::Acquire) {
            tokio::task::yield_now().await;
        }
    }

    struct Once(Stage, Vec<String>);

    impl Draws for Once {
        fn lines(&mut self, _: Space) -> Vec<String> {
            self.1.clone()
        }

        fn input(&mut self, key: &str) {
            self.1.push(key.to_owned());
            if key == "q" {
                self.0.wish(Wish::Done(serde_json::Value::Null));
            }
        }
    }

    #[tokio::test]
    async fn a_component_that_is_done_hears_no_more_keys() {
        let stage = Stage::new(Place::Dialog, |_| ());
        let handle = mount(|stage| Once(stage, Vec::new()));
        let component = handle.0.mount(stage).await.expect("a component");
        let drawn = component.turn(turn(&["a", "q", "b", "c"], 20)).await.expect("a turn");
        assert_eq!(drawn.untold, 2);
    }
}
