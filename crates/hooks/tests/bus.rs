//! The event bus, with a second engine that is no more than a queue.

use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tau_hooks::bus::{Bus, BusError, BusEvent, BusHandle, BusListener, BusPayload, EngineId, MAX_DEPTH};

/// What listeners and sinks saw, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn add(&self, line: impl Into<String>) {
        self.0.lock().push(line.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock())
    }

    /// A listener that logs `tag` and the payload.
    fn listener(&self, tag: &str) -> BusListener {
        let (log, tag) = (self.clone(), tag.to_owned());
        Arc::new(move |event| log.add(format!("{tag} {}", text(&event.payload))))
    }
}

fn text(payload: &BusPayload) -> String {
    payload.to_json().map_or_else(|| "-".to_owned(), |json| json.to_string())
}

fn owner(name: &str) -> Arc<str> {
    name.into()
}

fn data(value: impl Into<Value>) -> BusPayload {
    BusPayload::from(value.into())
}

/// A bus whose errors are kept.
fn bus() -> (Bus, Arc<Mutex<Vec<BusError>>>) {
    let errors = Arc::new(Mutex::new(Vec::new()));
    let sink = errors.clone();
    (Bus::new(Arc::new(move |error| sink.lock().push(error))), errors)
}

/// An engine that drains when told to and counts how often it is woken.
struct Engine {
    id: EngineId,
    wakes: Arc<AtomicUsize>,
}

impl Engine {
    fn new(bus: &Bus) -> Self {
        let (id, wakes) = (EngineId::fresh(), Arc::new(AtomicUsize::new(0)));
        let count = wakes.clone();
        bus.attach_engine(
            id,
            Arc::new(move || {
                count.fetch_add(1, Ordering::Relaxed);
            }),
        );
        Self { id, wakes }
    }

    fn wakes(&self) -> usize {
        self.wakes.load(Ordering::Relaxed)
    }
}

fn listen(bus: &Bus, channel: &str, engine: EngineId, by: &str, listener: BusListener) {
    bus.on(channel, engine, owner(by), listener).detach().unwrap();
}

#[test]
fn an_emit_returns_after_the_listeners_of_its_engine_ran_in_order() {
    let (bus, _) = bus();
    let engine = Engine::new(&bus);
    for id in [EngineId::NATIVE, engine.id] {
        let (channel, log) = (format!("channel of {id:?}"), Log::default());
        for tag in ["a", "b", "c"] {
            listen(&bus, &channel, id, "x", log.listener(tag));
        }
        bus.emit(&channel, data(1), id, &owner("x"));
        assert_eq!(log.take(), ["a 1", "b 1", "c 1"]);
    }
    assert_eq!(engine.wakes(), 0);
}

#[test]
fn a_listener_sees_the_whole_event() {
    let (bus, _) = bus();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = seen.clone();
    listen(&bus, "ch", EngineId::NATIVE, "listener", Arc::new(move |event| sink.lock().push(event)));
    bus.emit("ch", BusPayload::Nothing, EngineId::NATIVE, &owner("emitter"));
    bus.emit("other", data("not heard"), EngineId::NATIVE, &owner("emitter"));
    let expected = BusEvent {
        channel: "ch".into(),
        payload: BusPayload::Nothing,
        from: EngineId::NATIVE,
        owner: owner("emitter"),
    };
    assert_eq!(*seen.lock(), [expected]);
}

#[test]
fn other_engines_fetch_their_events_in_order() {
    let (bus, _) = bus();
    let (one, two, log) = (Engine::new(&bus), Engine::new(&bus), Log::default());
    listen(&bus, "a", one.id, "x", log.listener("one:a"));
    listen(&bus, "b", one.id, "x", log.listener("one:b"));
    listen(&bus, "a", two.id, "x", log.listener("two:a"));
    for number in 1..=2 {
        bus.emit("a", data(number), EngineId::NATIVE, &owner("x"));
        bus.emit("b", data(number), EngineId::NATIVE, &owner("x"));
    }
    assert_eq!(log.take(), [""; 0]);
    assert_eq!((one.wakes(), two.wakes()), (1, 1));
    assert_eq!(bus.drain(one.id), 4);
    assert_eq!(log.take(), ["one:a 1", "one:b 1", "one:a 2", "one:b 2"]);
    assert_eq!(bus.drain(two.id), 2);
    assert_eq!(log.take(), ["two:a 1", "two:a 2"]);
    assert_eq!((bus.drain(one.id), bus.drain(two.id)), (0, 0));
    bus.emit("a", data(3), EngineId::NATIVE, &owner("x"));
    assert_eq!((one.wakes(), two.wakes()), (2, 2));
}

#[test]
fn native_listeners_run_at_once_between_those_of_the_emitting_engine() {
    let (bus, _) = bus();
    let (engine, log) = (Engine::new(&bus), Log::default());
    listen(&bus, "a", engine.id, "x", log.listener("engine 1"));
    listen(&bus, "a", EngineId::NATIVE, "x", log.listener("native"));
    listen(&bus, "a", engine.id, "x", log.listener("engine 2"));
    bus.emit("a", data(true), engine.id, &owner("x"));
    assert_eq!(log.take(), ["engine 1 true", "native true", "engine 2 true"]);
    assert_eq!(bus.drain(engine.id), 0);
}

#[test]
fn what_a_listener_emits_comes_after_the_event_in_every_queue() {
    let (bus, _) = bus();
    let (engine, log) = (Engine::new(&bus), Log::default());
    let inner = bus.clone();
    listen(
        &bus,
        "first",
        EngineId::NATIVE,
        "x",
        Arc::new(move |_| inner.emit("second", data(2), EngineId::NATIVE, &owner("x"))),
    );
    listen(&bus, "second", engine.id, "x", log.listener("second"));
    listen(&bus, "first", engine.id, "x", log.listener("first"));
    bus.emit("first", data(1), EngineId::NATIVE, &owner("x"));
    bus.drain(engine.id);
    assert_eq!(log.take(), ["first 1", "second 2"]);
}

/// The producer announces what it has when it is loaded, and again when asked; the consumer listens and asks.
fn register_and_request(producer: EngineId, consumer: EngineId, producer_first: bool) -> Vec<String> {
    let (bus, errors) = bus();
    let log = Log::default();
    for id in [producer, consumer] {
        bus.attach_engine(id, Arc::new(|| {}));
    }
    let drain_all = |bus: &Bus| while bus.drain(producer) + bus.drain(consumer) > 0 {};
    let load_producer = |bus: &Bus| {
        let announce = {
            let (bus, log) = (bus.clone(), log.clone());
            move |why: &str| {
                for name in ["alpha", "beta"] {
                    let log = log.clone();
                    let payload = BusPayload::object([
                        ("name", name.into()),
                        ("why", why.into()),
                        (
                            "handler",
                            BusPayload::function(move |args| {
                                log.add(format!("{name} called with {}", text(&args[0])));
                                async { Ok("done".into()) }
                            }),
                        ),
                    ]);
                    bus.emit("x:register", payload, producer, &owner("producer"));
                }
            }
        };
        let again = announce.clone();
        listen(bus, "x:request", producer, "producer", Arc::new(move |_| again("asked")));
        announce("loaded");
    };
    let load_consumer = |bus: &Bus| {
        let log = log.clone();
        listen(
            bus,
            "x:register",
            consumer,
            "consumer",
            Arc::new(move |event| {
                log.add(text(&event.payload));
                let handler = event.payload.get("handler").unwrap();
                let answer = handler.as_callable().unwrap().call(vec![data(7)]);
                assert_eq!(futures_util::FutureExt::now_or_never(answer), Some(Ok("done".into())));
            }),
        );
        bus.emit("x:request", BusPayload::Nothing, consumer, &owner("consumer"));
    };
    if producer_first {
        load_producer(&bus);
        drain_all(&bus);
        load_consumer(&bus);
    } else {
        load_consumer(&bus);
        drain_all(&bus);
        load_producer(&bus);
    }
    drain_all(&bus);
    assert_eq!(*errors.lock(), []);
    log.take()
}

#[test]
fn a_late_listener_gets_everything_again_whichever_engines_the_two_run_on() {
    let (one, two) = (EngineId::fresh(), EngineId::fresh());
    for (producer, consumer) in
        [(EngineId::NATIVE, EngineId::NATIVE), (EngineId::NATIVE, one), (one, EngineId::NATIVE), (one, one), (one, two)]
    {
        for (producer_first, why) in [(true, "asked"), (false, "loaded")] {
            assert_eq!(
                register_and_request(producer, consumer, producer_first),
                [
                    format!(r#"{{"name":"alpha","why":"{why}"}}"#),
                    "alpha called with 7".to_owned(),
                    format!(r#"{{"name":"beta","why":"{why}"}}"#),
                    "beta called with 7".to_owned(),
                ],
                "{producer:?} to {consumer:?}, producer first: {producer_first}"
            );
        }
    }
}

#[test]
fn a_handle_comes_back_as_the_same_thing() {
    let (bus, _) = bus();
    let engine = Engine::new(&bus);
    let context = Arc::new(vec![1, 2, 3]);
    let handle = BusHandle::opaque(engine.id, context.clone());
    let returned = Arc::new(Mutex::new(None));
    let (echo, slot) = (bus.clone(), returned.clone());
    listen(
        &bus,
        "there",
        EngineId::NATIVE,
        "x",
        Arc::new(move |event| echo.emit("back", event.payload.get("ctx").unwrap(), EngineId::NATIVE, &owner("x"))),
    );
    listen(&bus, "back", engine.id, "x", Arc::new(move |event| *slot.lock() = Some(event.payload)));
    bus.emit("there", BusPayload::object([("ctx", handle.clone().into())]), engine.id, &owner("x"));
    bus.drain(engine.id);

    let returned = returned.lock().take().unwrap();
    let returned = returned.as_handle().unwrap();
    assert!(returned.same(&handle));
    assert_eq!(returned.engine(), engine.id);
    assert!(Arc::ptr_eq(&returned.downcast::<Vec<i32>>().unwrap(), &context));
    assert!(returned.downcast::<String>().is_none());
    assert!(returned.as_callable().is_none());
}

#[test]
fn an_engine_that_calls_its_own_listeners_reaches_only_the_others() {
    let (bus, _) = bus();
    let (engine, other, log) = (Engine::new(&bus), Engine::new(&bus), Log::default());
    listen(&bus, "ch", engine.id, "x", log.listener("own"));
    let alone = bus.version();
    assert!(!bus.listens_elsewhere("ch", engine.id));

    listen(&bus, "ch", EngineId::NATIVE, "x", log.listener("native"));
    let later = bus.on("ch", other.id, owner("y"), log.listener("other"));
    assert_ne!(bus.version(), alone);
    assert!(bus.listens_elsewhere("ch", engine.id));
    assert!(!bus.listens_elsewhere("another", engine.id));
    bus.emit_abroad("ch", data(json!({"a": 1})), engine.id, &owner("x"));
    bus.drain(other.id);
    assert_eq!(log.take(), [r#"native {"a":1}"#, r#"other {"a":1}"#]);

    let before = bus.version();
    later.off();
    assert_ne!(bus.version(), before);
    bus.emit_abroad("ch", data(2), engine.id, &owner("x"));
    bus.drain(other.id);
    assert_eq!(log.take(), ["native 2"]);
}

#[test]
fn the_listeners_are_those_of_the_moment_of_the_emit() {
    let (bus, _) = bus();
    let log = Log::default();
    let (inner, added) = (bus.clone(), log.clone());
    listen(
        &bus,
        "ch",
        EngineId::NATIVE,
        "x",
        Arc::new(move |_| listen(&inner, "ch", EngineId::NATIVE, "x", added.listener("added"))),
    );
    bus.emit("ch", data(1), EngineId::NATIVE, &owner("x"));
    assert_eq!(log.take(), [""; 0]);
    bus.emit("ch", data(2), EngineId::NATIVE, &owner("x"));
    assert_eq!(log.take(), ["added 2"]);
}

#[test]
fn a_listener_that_is_taken_off_still_gets_the_running_event_but_none_that_waits() {
    let (bus, _) = bus();
    let (engine, log) = (Engine::new(&bus), Log::default());
    let victims = Arc::new(Mutex::new(Vec::new()));
    let (list, inner) = (victims.clone(), bus.clone());
    listen(
        &bus,
        "ch",
        EngineId::NATIVE,
        "x",
        Arc::new(move |_| {
            for id in list.lock().drain(..) {
                assert!(inner.off(id));
                assert!(!inner.off(id));
            }
        }),
    );
    for (id, tag) in [(EngineId::NATIVE, "native"), (engine.id, "engine")] {
        victims.lock().push(bus.on("ch", id, owner("x"), log.listener(tag)).detach().unwrap());
    }
    bus.emit("ch", data(1), EngineId::NATIVE, &owner("x"));
    bus.drain(engine.id);
    bus.emit("ch", data(2), EngineId::NATIVE, &owner("x"));
    bus.drain(engine.id);
    assert_eq!(log.take(), ["native 1"]);
}

#[test]
fn a_subscription_ends_with_its_value_unless_it_is_detached() {
    let (bus, _) = bus();
    let log = Log::default();
    let on = |tag| bus.on("ch", EngineId::NATIVE, owner("x"), log.listener(tag));
    let kept = on("kept");
    drop(on("dropped"));
    on("off").off();
    let detached = on("detached").detach().unwrap();
    bus.emit("ch", data(1), EngineId::NATIVE, &owner("x"));
    assert_eq!(log.take(), ["kept 1", "detached 1"]);
    assert!(bus.off(detached));
    drop(kept);
    bus.emit("ch", data(2), EngineId::NATIVE, &owner("x"));
    assert_eq!(log.take(), [""; 0]);
}

#[test]
fn an_extension_that_goes_is_not_even_called_for_running_events() {
    let (bus, _) = bus();
    let (engine, log) = (Engine::new(&bus), Log::default());
    let inner = bus.clone();
    listen(&bus, "ch", EngineId::NATIVE, "stays", Arc::new(move |_| inner.remove_owner("goes")));
    listen(&bus, "ch", EngineId::NATIVE, "goes", log.listener("goes, native"));
    listen(&bus, "ch", engine.id, "goes", log.listener("goes, engine"));
    listen(&bus, "ch", EngineId::NATIVE, "stays", log.listener("stays, native"));
    listen(&bus, "ch", engine.id, "stays", log.listener("stays, engine"));
    bus.emit("ch", data(1), EngineId::NATIVE, &owner("goes"));
    bus.drain(engine.id);
    assert_eq!(log.take(), ["stays, native 1", "stays, engine 1"]);
}

#[test]
fn an_engine_that_goes_takes_its_listeners_and_its_queue_along() {
    let (bus, errors) = bus();
    let (engine, log) = (Engine::new(&bus), Log::default());
    let held = Arc::new(());
    let subscription = bus.on("ch", engine.id, owner("js"), log.listener("engine"));
    bus.emit("ch", BusHandle::opaque(EngineId::NATIVE, held.clone()).into(), EngineId::NATIVE, &owner("x"));
    assert_eq!(Arc::strong_count(&held), 2);
    bus.remove_engine(engine.id);
    assert_eq!(Arc::strong_count(&held), 1);
    assert_eq!(bus.drain(engine.id), 0);
    drop(subscription);

    assert_eq!(bus.on("ch", engine.id, owner("js"), log.listener("late")).detach(), None);
    bus.emit("ch", data(1), EngineId::NATIVE, &owner("x"));
    assert_eq!(log.take(), [""; 0]);
    let message = "cannot listen: the engine is not attached".to_owned();
    assert_eq!(*errors.lock(), [BusError { channel: "ch".into(), owner: owner("js"), message }]);
}

#[test]
fn a_panic_is_reported_and_stops_nobody_else() {
    let (bus, errors) = bus();
    let (engine, log) = (Engine::new(&bus), Log::default());
    let panics =
        || -> BusListener { Arc::new(|event| panic::resume_unwind(Box::new(format!("no {}", text(&event.payload))))) };
    // A channel of this name is one like any other, with and without listeners.
    bus.emit("error", data(0), EngineId::NATIVE, &owner("x"));
    for id in [EngineId::NATIVE, engine.id] {
        listen(&bus, "error", id, "bad", panics());
        listen(&bus, "error", id, "good", log.listener("good"));
    }
    bus.emit("error", data(1), EngineId::NATIVE, &owner("x"));
    bus.drain(engine.id);
    bus.emit("error", data(2), engine.id, &owner("x"));
    assert_eq!(log.take(), ["good 1", "good 1", "good 2", "good 2"]);
    let error =
        |number| BusError { channel: "error".into(), owner: owner("bad"), message: format!("panicked: no {number}") };
    assert_eq!(*errors.lock(), [error(1), error(1), error(2), error(2)]);
    assert_eq!(errors.lock()[0].to_string(), r#"bus channel "error", bad: panicked: no 1"#);
}

#[test]
fn listeners_report_what_is_no_panic_themselves() {
    let (bus, errors) = bus();
    let error = BusError { channel: "ch".into(), owner: owner("js"), message: "TypeError at x.ts:3".into() };
    bus.report(error.clone());
    assert_eq!(*errors.lock(), [error]);
}

#[test]
fn emits_inside_listeners_are_bounded() {
    let (bus, errors) = bus();
    let count = Arc::new(AtomicUsize::new(0));
    let (inner, calls) = (bus.clone(), count.clone());
    listen(
        &bus,
        "loop",
        EngineId::NATIVE,
        "x",
        Arc::new(move |event| {
            calls.fetch_add(1, Ordering::Relaxed);
            inner.emit("loop", event.payload, EngineId::NATIVE, &owner("looper"));
        }),
    );
    bus.emit("loop", BusPayload::Nothing, EngineId::NATIVE, &owner("x"));
    assert_eq!(count.load(Ordering::Relaxed), MAX_DEPTH);
    let message = "emit refused: 64 listeners are nested in one another".to_owned();
    assert_eq!(*errors.lock(), [BusError { channel: "loop".into(), owner: owner("looper"), message }]);
    // The next emit starts from the top again.
    bus.emit("loop", BusPayload::Nothing, EngineId::NATIVE, &owner("x"));
    assert_eq!(count.load(Ordering::Relaxed), 2 * MAX_DEPTH);
}

#[test]
fn a_circle_across_engines_is_bounded_too() {
    let (bus, errors) = bus();
    let (engine, count) = (Engine::new(&bus), Arc::new(AtomicUsize::new(0)));
    for (id, from, to) in [(EngineId::NATIVE, "ping", "pong"), (engine.id, "pong", "ping")] {
        let (inner, calls) = (bus.clone(), count.clone());
        listen(
            &bus,
            from,
            id,
            "x",
            Arc::new(move |_| {
                calls.fetch_add(1, Ordering::Relaxed);
                inner.emit(to, BusPayload::Nothing, id, &owner("x"));
            }),
        );
    }
    bus.emit("ping", BusPayload::Nothing, EngineId::NATIVE, &owner("x"));
    while bus.drain(engine.id) > 0 {}
    assert_eq!(count.load(Ordering::Relaxed), MAX_DEPTH);
    assert_eq!(errors.lock().len(), 1);
}

#[test]
fn a_drain_leaves_what_comes_in_meanwhile_and_wakes_for_it() {
    let (bus, _) = bus();
    let (engine, log) = (Engine::new(&bus), Log::default());
    let (inner, id, seen) = (bus.clone(), engine.id, log.clone());
    listen(
        &bus,
        "ch",
        engine.id,
        "x",
        Arc::new(move |event| {
            seen.add(text(&event.payload));
            if event.payload == data(1) {
                inner.emit("ch", data(3), EngineId::NATIVE, &owner("x"));
                assert_eq!(inner.drain(id), 0, "a drain inside a drain would get ahead of it");
            }
        }),
    );
    bus.emit("ch", data(1), EngineId::NATIVE, &owner("x"));
    bus.emit("ch", data(2), EngineId::NATIVE, &owner("x"));
    assert_eq!(bus.drain(engine.id), 2);
    assert_eq!(log.take(), ["1", "2"]);
    assert_eq!(engine.wakes(), 2);
    assert_eq!(bus.drain(engine.id), 1);
    assert_eq!(log.take(), ["3"]);
    assert_eq!(engine.wakes(), 2);
}

#[test]
fn attaching_again_keeps_the_queue_and_wakes_at_once() {
    let (bus, _) = bus();
    let (engine, log) = (Engine::new(&bus), Log::default());
    listen(&bus, "ch", engine.id, "x", log.listener("engine"));
    bus.emit("ch", data(1), EngineId::NATIVE, &owner("x"));
    let again = Arc::new(AtomicUsize::new(0));
    let count = again.clone();
    bus.attach_engine(
        engine.id,
        Arc::new(move || {
            count.fetch_add(1, Ordering::Relaxed);
        }),
    );
    bus.emit("ch", data(2), EngineId::NATIVE, &owner("x"));
    assert_eq!((engine.wakes(), again.load(Ordering::Relaxed)), (1, 1));
    bus.drain(engine.id);
    assert_eq!(log.take(), ["engine 1", "engine 2"]);
}

#[test]
fn no_event_is_lost_between_threads() {
    let (bus, _) = bus();
    let id = EngineId::fresh();
    let (wake, woken) = std::sync::mpsc::channel();
    bus.attach_engine(id, Arc::new(move || wake.send(()).unwrap()));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = seen.clone();
    listen(
        &bus,
        "ch",
        id,
        "x",
        Arc::new(move |event| sink.lock().push(event.payload.to_json().unwrap().as_u64().unwrap())),
    );
    const EACH: u64 = 500;
    let emitters = [0, EACH].map(|start| {
        let bus = bus.clone();
        thread::spawn(move || {
            for number in start..start + EACH {
                bus.emit("ch", data(number), EngineId::NATIVE, &owner("x"));
            }
        })
    });
    let mut delivered = 0;
    while delivered < 2 * EACH as usize {
        woken.recv().unwrap();
        delivered += bus.drain(id);
    }
    for emitter in emitters {
        emitter.join().unwrap();
    }
    let seen = seen.lock();
    for start in [0, EACH] {
        let part = seen.iter().copied().filter(|number| (start..start + EACH).contains(number)).collect::<Vec<_>>();
        assert_eq!(part, (start..start + EACH).collect::<Vec<_>>());
    }
}

/// Emits when it is dropped: the bus must not hold its lock then.
struct LastWords(Bus);

impl Drop for LastWords {
    fn drop(&mut self) {
        self.0.emit("died", BusPayload::Nothing, EngineId::NATIVE, &owner("x"));
    }
}

#[test]
fn destructors_may_use_the_bus() {
    let (bus, _) = bus();
    let (engine, log) = (Engine::new(&bus), Log::default());
    listen(&bus, "died", EngineId::NATIVE, "log", log.listener("died"));
    let words = || BusPayload::from(BusHandle::opaque(EngineId::NATIVE, Arc::new(LastWords(bus.clone()))));
    let holds = |words: BusPayload| -> BusListener { Arc::new(move |_| drop(words.clone())) };

    let subscription = bus.on("ch", engine.id, owner("one"), holds(words()));
    bus.emit("ch", words(), EngineId::NATIVE, &owner("x"));
    bus.drain(engine.id);
    assert_eq!(log.take(), ["died -"]);
    drop(subscription);
    assert_eq!(log.take(), ["died -"]);

    listen(&bus, "ch", engine.id, "one", holds(words()));
    bus.remove_owner("one");
    assert_eq!(log.take(), ["died -"]);

    listen(&bus, "ch", engine.id, "two", holds(words()));
    bus.emit("ch", words(), EngineId::NATIVE, &owner("x"));
    bus.remove_engine(engine.id);
    assert_eq!(log.take(), ["died -", "died -"]);
}

#[tokio::test]
async fn a_rust_function_can_be_called_and_cannot_unwind_into_the_caller() {
    let add = BusPayload::function(|args| async move {
        let sum = args.iter().map(|arg| arg.to_json().and_then(|json| json.as_i64()));
        sum.sum::<Option<i64>>().map(data).ok_or_else(|| "not a number".to_owned())
    });
    let add = add.as_callable().unwrap();
    assert_eq!(add.call(vec![data(1), data(2)]).await, Ok(data(3)));
    assert_eq!(add.call(vec!["x".into()]).await, Err("not a number".into()));

    let at_once = BusPayload::function(|args| -> std::future::Ready<Result<BusPayload, String>> {
        panic::resume_unwind(Box::new(format!("{} arguments", args.len())))
    });
    let later = BusPayload::function(|_| async {
        tokio::task::yield_now().await;
        panic::resume_unwind(Box::new("later"))
    });
    assert_eq!(at_once.as_callable().unwrap().call(vec![]).await, Err("panicked: 0 arguments".into()));
    assert_eq!(later.as_callable().unwrap().call(vec![]).await, Err("panicked: later".into()));
}

#[test]
fn payloads_turn_into_json_without_their_handles() {
    let handle = || BusPayload::from(BusHandle::opaque(EngineId::NATIVE, Arc::new(())));
    let mixed = BusPayload::object([
        ("name", "x".into()),
        ("handler", handle()),
        ("list", BusPayload::list([data(1), handle(), BusPayload::Nothing])),
        ("inner", BusPayload::object([("only", handle())])),
        ("gone", BusPayload::Nothing),
    ]);
    assert_eq!(mixed.to_json(), Some(json!({"name": "x", "list": [1, null, null], "inner": {}})));
    assert_eq!(mixed.get("name").as_ref().and_then(BusPayload::as_str), Some("x"));
    assert_eq!(mixed.get("none"), None);
    assert_eq!(data(json!({"a": {"b": 1}})).get("a"), Some(data(json!({"b": 1}))));
    assert_eq!(BusPayload::object([("a", data(1)), ("a", data(2))]).get("a"), Some(data(2)));
    assert_eq!(handle().to_json(), None);
    assert_eq!(BusPayload::Nothing.to_json(), None);
    assert_ne!(handle(), handle());
    assert_eq!(data(String::from("x")), BusPayload::from(String::from("x")));
}
