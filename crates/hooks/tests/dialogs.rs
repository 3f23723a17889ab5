//! The dialog broker, with front ends that are no more than a receiver.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use parking_lot::Mutex;
use serde_json::json;
use tau_hooks::dialogs::{
    AnswerError, ClosedBy, DialogAnswer, DialogBackEnd, DialogBroker, DialogEvent, DialogKind, DialogRequest,
    NotifyLevel, PromptEdge, PromptKind, PromptPhase, UiCall, UiEvent, WidgetContent, WidgetPlacement,
};
use tau_hooks::mount::{Draws, Space, UiHandle, mount};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

fn owner() -> Arc<str> {
    "ext".into()
}

fn select(title: &str) -> DialogKind {
    DialogKind::Select { title: title.into(), options: vec!["a".into(), "b".into()] }
}

fn confirm() -> DialogKind {
    DialogKind::Confirm { title: "Sure?".into(), message: "It is gone then.".into() }
}

fn input() -> DialogKind {
    DialogKind::Input { title: "Name".into(), placeholder: None }
}

fn editor() -> DialogKind {
    DialogKind::Editor { title: "Text".into(), prefill: Some("x".into()) }
}

/// A factory of components that show nothing.
fn handle() -> UiHandle {
    struct Nothing;

    impl Draws for Nothing {
        fn lines(&mut self, _: Space) -> Vec<String> {
            Vec::new()
        }
    }

    mount(|_| Nothing)
}

fn custom() -> DialogKind {
    DialogKind::Custom { handle: handle(), overlays: false, blocked: None }
}

fn all_kinds() -> [DialogKind; 5] {
    [select("Pick"), confirm(), input(), editor(), custom()]
}

/// Asks in a task of its own; the dialog is open when this returns.
async fn ask(broker: &DialogBroker, kind: DialogKind) -> JoinHandle<DialogAnswer> {
    let broker = broker.clone();
    let task =
        tokio::spawn(
            async move { broker.ask(DialogRequest::new(owner(), kind), &CancellationToken::new(), || ()).await },
        );
    tokio::task::yield_now().await;
    task
}

fn events(back_end: &mut DialogBackEnd) -> Vec<DialogEvent> {
    std::iter::from_fn(|| back_end.try_recv()).collect()
}

fn opened(back_end: &mut DialogBackEnd) -> Arc<DialogRequest> {
    match back_end.try_recv() {
        Some(DialogEvent::Opened(request)) => request,
        other => panic!("a dialog should have opened, not {other:?}"),
    }
}

/// Answers the question that is next.
fn reply(back_end: &mut DialogBackEnd, answer: DialogAnswer) {
    let id = opened(back_end).id();
    assert_eq!(back_end.answer(id, answer), Ok(()));
}

fn value(text: &str) -> DialogAnswer {
    DialogAnswer::Value(text.into())
}

#[tokio::test]
async fn every_kind_is_shown_and_answered() {
    let broker = DialogBroker::new();
    let mut back_end = broker.subscribe_mounting();
    let answers =
        [value("b"), DialogAnswer::Confirmed(true), value("Ann"), value("long"), DialogAnswer::Custom(json!({"x": 1}))];
    for (kind, answer) in all_kinds().into_iter().zip(answers) {
        let asked = ask(&broker, kind.clone()).await;
        let request = opened(&mut back_end);
        assert_eq!((&request.kind, &*request.owner, request.deadline), (&kind, "ext", None));
        assert_eq!(broker.open_dialogs(), std::slice::from_ref(&request));
        assert_eq!(back_end.answer(request.id(), answer.clone()), Ok(()));
        assert_eq!(asked.await.unwrap(), answer);
        let closed = DialogEvent::Closed { id: request.id(), by: ClosedBy::BackEnd(back_end.id()) };
        assert_eq!(events(&mut back_end), [closed]);
        assert_eq!(broker.open_dialogs(), []);
    }
}

#[tokio::test]
async fn the_user_may_leave_any_dialog() {
    let broker = DialogBroker::new();
    let mut back_end = broker.subscribe_mounting();
    for kind in all_kinds() {
        let asked = ask(&broker, kind).await;
        reply(&mut back_end, DialogAnswer::Cancelled);
        assert_eq!(asked.await.unwrap(), DialogAnswer::Cancelled);
        events(&mut back_end);
    }
}

#[tokio::test]
async fn the_first_answer_wins_and_all_back_ends_learn_who_gave_it() {
    let broker = DialogBroker::new();
    let (mut one, mut two) = (broker.subscribe(), broker.subscribe());
    let asked = ask(&broker, select("Pick")).await;
    let id = opened(&mut one).id();
    assert_eq!(opened(&mut two).id(), id);
    assert_eq!(two.answer(id, value("b")), Ok(()));
    assert_eq!(one.answer(id, value("a")), Err(AnswerError::NotOpen));
    assert_eq!(two.answer(id, value("a")), Err(AnswerError::NotOpen));
    assert_eq!(asked.await.unwrap(), value("b"));
    let closed = DialogEvent::Closed { id, by: ClosedBy::BackEnd(two.id()) };
    assert_eq!(events(&mut one), std::slice::from_ref(&closed));
    assert_eq!(events(&mut two), [closed]);
    assert_ne!(one.id(), two.id());
}

#[tokio::test]
async fn an_answer_of_the_wrong_kind_is_refused_and_the_dialog_stays() {
    let broker = DialogBroker::new();
    let mut back_end = broker.subscribe_mounting();
    let answers = [
        value("x"),
        value("a"),
        DialogAnswer::Confirmed(true),
        DialogAnswer::Custom(json!(1)),
        DialogAnswer::Failed("why".into()),
        DialogAnswer::Cancelled,
    ];
    let right = |kind: PromptKind, answer: &DialogAnswer| match answer {
        DialogAnswer::Value(text) if kind == PromptKind::Select => text == "a",
        DialogAnswer::Value(_) => !matches!(kind, PromptKind::Confirm | PromptKind::Custom),
        DialogAnswer::Confirmed(_) => kind == PromptKind::Confirm,
        DialogAnswer::Custom(_) | DialogAnswer::Failed(_) => kind == PromptKind::Custom,
        DialogAnswer::Cancelled => true,
    };
    for kind in all_kinds() {
        let name = kind.name();
        let asked = ask(&broker, kind).await;
        let id = opened(&mut back_end).id();
        for wrong in answers.iter().filter(|answer| !right(name, answer)) {
            let refusal = back_end.answer(id, wrong.clone()).unwrap_err();
            assert_eq!(refusal, AnswerError::WrongKind(name));
            assert_eq!(refusal.to_string(), format!("the answer does not fit the {} dialog", name.as_str()));
        }
        assert!(!asked.is_finished());
        let answer = answers.iter().find(|answer| right(name, answer)).unwrap();
        assert_eq!(broker.answer(back_end.id(), id, answer.clone()), Ok(()));
        assert_eq!(asked.await.unwrap(), *answer);
        events(&mut back_end);
    }
}

#[tokio::test]
async fn without_a_user_interface_the_default_is_the_answer_at_once() {
    let broker = DialogBroker::new();
    broker.set_prompt_observer(Arc::new(|edge| panic!("{edge:?}")));
    assert!(!broker.has_back_end());
    let mut answers = Vec::new();
    for kind in all_kinds() {
        let request = DialogRequest::new(owner(), kind).with_deadline(Duration::MAX);
        let cancel = CancellationToken::new();
        let asked = broker.ask(request, &cancel, || panic!("no dialog opened"));
        answers.push(asked.now_or_never().unwrap());
    }
    let no = DialogAnswer::Confirmed(false);
    let left = DialogAnswer::Cancelled;
    assert_eq!(answers, [left.clone(), no, left.clone(), left.clone(), left]);
}

#[tokio::test]
async fn a_custom_dialog_is_only_for_back_ends_that_can_mount_it() {
    let broker = DialogBroker::new();
    let mut plain = broker.subscribe();
    assert_eq!(ask(&broker, custom()).await.await.unwrap(), DialogAnswer::Cancelled);
    let mut mounting = broker.subscribe_mounting();
    let asked = ask(&broker, custom()).await;
    let id = opened(&mut mounting).id();
    assert_eq!(mounting.answer(id, DialogAnswer::Custom(json!([1]))), Ok(()));
    assert_eq!(asked.await.unwrap(), DialogAnswer::Custom(json!([1])));
    assert_eq!(events(&mut plain), []);

    let asked = ask(&broker, custom()).await;
    drop(mounting);
    assert_eq!(asked.await.unwrap(), DialogAnswer::Cancelled);
    assert_eq!(events(&mut plain), []);
}

#[tokio::test(start_paused = true)]
async fn the_deadline_gives_the_default() {
    let broker = DialogBroker::new();
    let mut back_end = broker.subscribe_mounting();
    for kind in all_kinds() {
        let (default, start) = (kind.default_answer(), Instant::now());
        let request = DialogRequest::new(owner(), kind).with_deadline(Duration::from_secs(90));
        let id = request.id();
        assert_eq!(broker.ask(request, &CancellationToken::new(), || ()).await, default);
        assert_eq!(start.elapsed().as_secs(), 90);
        assert_eq!(back_end.answer(id, DialogAnswer::Cancelled), Err(AnswerError::NotOpen));
        opened(&mut back_end);
        assert_eq!(events(&mut back_end), [DialogEvent::Closed { id, by: ClosedBy::Deadline }]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_before_the_deadline_counts() {
    let broker = DialogBroker::new();
    let mut back_end = broker.subscribe();
    let request = DialogRequest::new(owner(), confirm()).with_deadline(Duration::from_secs(60));
    let cancel = CancellationToken::new();
    let (answer, ()) = tokio::join!(broker.ask(request, &cancel, || ()), async {
        tokio::time::sleep(Duration::from_secs(59)).await;
        reply(&mut back_end, DialogAnswer::Confirmed(true));
    });
    assert!(answer.is_yes());
}

#[tokio::test]
async fn an_abort_gives_the_default() {
    let broker = DialogBroker::new();
    let mut back_end = broker.subscribe();
    let cancel = CancellationToken::new();
    let request = DialogRequest::new(owner(), confirm());
    let id = request.id();
    let (answer, ()) = tokio::join!(broker.ask(request, &cancel, || ()), async { cancel.cancel() });
    assert_eq!(answer, DialogAnswer::Confirmed(false));
    opened(&mut back_end);
    assert_eq!(events(&mut back_end), [DialogEvent::Closed { id, by: ClosedBy::Abort }]);

    let late = broker.ask(DialogRequest::new(owner(), confirm()), &cancel, || panic!("no dialog opened"));
    assert_eq!(late.now_or_never(), Some(DialogAnswer::Confirmed(false)));
    assert_eq!(events(&mut back_end), []);
}

#[tokio::test]
async fn an_answer_that_was_accepted_beats_an_abort() {
    let broker = DialogBroker::new();
    let mut back_end = broker.subscribe();
    let cancel = CancellationToken::new();
    let (answer, ()) = tokio::join!(broker.ask(DialogRequest::new(owner(), input()), &cancel, || ()), async {
        reply(&mut back_end, value("x"));
        cancel.cancel();
    });
    assert_eq!(answer.into_value().as_deref(), Some("x"));
}

#[tokio::test]
async fn a_dropped_question_leaves_nothing_behind() {
    let broker = DialogBroker::new();
    let edges = observe(&broker);
    let mut back_end = broker.subscribe();
    let held = Arc::new(());
    let cancel = CancellationToken::new();
    let mut asked = Box::pin(broker.ask(DialogRequest::new(owner(), select("Pick")), &cancel, || held.clone()));
    assert!(asked.as_mut().now_or_never().is_none());
    let id = opened(&mut back_end).id();
    assert_eq!(Arc::strong_count(&held), 2);
    drop(asked);
    assert_eq!(Arc::strong_count(&held), 1);
    assert_eq!(broker.open_dialogs(), []);
    assert_eq!(events(&mut back_end), [DialogEvent::Closed { id, by: ClosedBy::Abort }]);
    assert_eq!(back_end.answer(id, value("a")), Err(AnswerError::NotOpen));
    assert_eq!(edges.lock().len(), 2);
}

#[tokio::test]
async fn the_guard_lives_while_the_dialog_is_open() {
    struct Guard(Arc<AtomicUsize>);
    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let (broker, paused) = (DialogBroker::new(), Arc::new(AtomicUsize::new(0)));
    let mut back_end = broker.subscribe();
    let (cancel, count) = (CancellationToken::new(), paused.clone());
    let asked = broker.ask(DialogRequest::new(owner(), input()), &cancel, move || {
        count.fetch_add(1, Ordering::Relaxed);
        Guard(count)
    });
    assert_eq!(paused.load(Ordering::Relaxed), 0);
    let mut asked = Box::pin(asked);
    assert!(asked.as_mut().now_or_never().is_none());
    assert_eq!(paused.load(Ordering::Relaxed), 1);
    reply(&mut back_end, value("x"));
    assert_eq!(asked.as_mut().now_or_never(), Some(value("x")));
    assert_eq!(paused.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn dialogs_that_are_open_at_once_do_not_disturb_one_another() {
    let broker = DialogBroker::new();
    let mut back_end = broker.subscribe();
    let first = ask(&broker, select("First")).await;
    let second = ask(&broker, select("Second")).await;
    let third = ask(&broker, confirm()).await;
    let ids = [(); 3].map(|()| opened(&mut back_end).id());
    back_end.answer(ids[1], value("b")).unwrap();
    assert_eq!(second.await.unwrap(), value("b"));
    assert_eq!(broker.open_dialogs().iter().map(|dialog| dialog.id()).collect::<Vec<_>>(), [ids[0], ids[2]]);
    back_end.answer(ids[2], DialogAnswer::Confirmed(true)).unwrap();
    back_end.answer(ids[0], value("a")).unwrap();
    assert_eq!((first.await.unwrap(), third.await.unwrap()), (value("a"), DialogAnswer::Confirmed(true)));
}

#[tokio::test]
async fn a_late_back_end_sees_what_is_open() {
    let broker = DialogBroker::new();
    let mut early = broker.subscribe_mounting();
    let first = ask(&broker, select("First")).await;
    let _second = ask(&broker, custom()).await;
    let third = ask(&broker, input()).await;
    let ids = [(); 3].map(|()| opened(&mut early).id());
    let mut late = broker.subscribe();
    assert_eq!([(); 2].map(|()| opened(&mut late).id()), [ids[0], ids[2]]);
    late.answer(ids[0], value("a")).unwrap();
    late.answer(ids[2], value("text")).unwrap();
    assert_eq!((first.await.unwrap(), third.await.unwrap()), (value("a"), value("text")));
}

#[tokio::test]
async fn when_the_last_back_end_leaves_the_default_is_the_answer() {
    let broker = DialogBroker::new();
    let (one, two) = (broker.subscribe(), broker.subscribe());
    let asked = ask(&broker, confirm()).await;
    drop(one);
    assert_eq!(broker.open_dialogs().len(), 1);
    drop(two);
    assert_eq!(asked.await.unwrap(), DialogAnswer::Confirmed(false));
    assert_eq!(broker.open_dialogs(), []);
    assert!(!broker.has_back_end());
}

#[tokio::test]
async fn the_dialogs_of_an_extension_go_with_it() {
    let broker = DialogBroker::new();
    let mut back_end = broker.subscribe();
    let asked = ask(&broker, confirm()).await;
    let id = opened(&mut back_end).id();
    let cancel = CancellationToken::new();
    let mut other = Box::pin(broker.ask(DialogRequest::new("other".into(), input()), &cancel, || ()));
    assert!(other.as_mut().now_or_never().is_none());
    opened(&mut back_end);
    broker.remove_owner(&owner());
    assert_eq!(asked.await.unwrap(), DialogAnswer::Confirmed(false));
    assert_eq!(
        events(&mut back_end),
        [DialogEvent::Closed { id, by: ClosedBy::OwnerRemoved }, DialogEvent::OwnerRemoved(owner())]
    );
    assert!(other.as_mut().now_or_never().is_none());
}

#[tokio::test]
async fn calls_reach_every_back_end_in_order_with_the_dialogs() {
    let broker = DialogBroker::new();
    broker.notify(owner(), "nobody sees this", NotifyLevel::Error);
    let (mut one, mut two) = (broker.subscribe(), broker.subscribe());
    let calls = [
        UiCall::Notify { message: "hi".into(), level: Some(NotifyLevel::Warning) },
        UiCall::SetStatus { key: "k".into(), text: None },
        UiCall::SetWidget {
            key: "w".into(),
            content: Some(WidgetContent::Lines(vec!["line".into()])),
            placement: Some(WidgetPlacement::BelowEditor),
        },
        UiCall::SetTitle("title".into()),
        UiCall::SetEditorText("text".into()),
        UiCall::SetFooter(Some(handle())),
    ];
    broker.notify(owner(), "hi", NotifyLevel::Warning);
    for call in &calls[1..] {
        broker.call(owner(), call.clone());
    }
    let asked = ask(&broker, select("Pick")).await;
    for back_end in [&mut one, &mut two] {
        for call in &calls {
            let event = UiEvent { owner: owner(), call: call.clone() };
            assert_eq!(back_end.recv().await, Some(DialogEvent::Ui(Arc::new(event))));
        }
        opened(back_end);
    }
    asked.abort();
    drop(broker);
    let _ = asked.await;
    assert!(matches!(one.recv().await, Some(DialogEvent::Closed { .. })));
    assert_eq!(one.recv().await, None);
    assert_eq!(one.answer(uuid::Uuid::nil(), value("x")), Err(AnswerError::NotOpen));
}

#[tokio::test]
async fn the_editor_text_is_what_a_back_end_reported_last() {
    let broker = DialogBroker::new();
    assert_eq!(broker.editor_text(), "");
    let (one, two) = (broker.subscribe(), broker.subscribe());
    one.report_editor_text("one");
    two.report_editor_text("two");
    assert_eq!(broker.editor_text(), "two");
    drop(two);
    assert_eq!(broker.editor_text(), "two");
    drop(one);
    assert_eq!(broker.editor_text(), "");
}

fn observe(broker: &DialogBroker) -> Arc<Mutex<Vec<PromptEdge>>> {
    let edges = Arc::new(Mutex::new(Vec::new()));
    let sink = edges.clone();
    broker.set_prompt_observer(Arc::new(move |edge| sink.lock().push(edge)));
    edges
}

fn edge(phase: PromptPhase, kind: PromptKind, title: Option<&str>) -> PromptEdge {
    PromptEdge { phase, kind, title: title.map(str::to_owned) }
}

#[tokio::test]
async fn only_the_outermost_dialog_is_observed() {
    let broker = DialogBroker::new();
    let edges = observe(&broker);
    let mut back_end = broker.subscribe_mounting();
    let first = ask(&broker, select("First")).await;
    let second = ask(&broker, input()).await;
    let ids = [(); 2].map(|()| opened(&mut back_end).id());
    assert_eq!(*edges.lock(), [edge(PromptPhase::Start, PromptKind::Select, Some("First"))]);
    back_end.answer(ids[0], value("a")).unwrap();
    first.await.unwrap();
    assert_eq!(edges.lock().len(), 1);
    back_end.answer(ids[1], value("x")).unwrap();
    second.await.unwrap();
    events(&mut back_end);

    for kind in [custom(), DialogKind::Confirm { title: String::new(), message: "m".into() }] {
        let asked = ask(&broker, kind).await;
        reply(&mut back_end, DialogAnswer::Cancelled);
        asked.await.unwrap();
        events(&mut back_end);
    }
    assert_eq!(
        *edges.lock(),
        [
            edge(PromptPhase::Start, PromptKind::Select, Some("First")),
            edge(PromptPhase::End, PromptKind::Select, Some("First")),
            edge(PromptPhase::Start, PromptKind::Custom, None),
            edge(PromptPhase::End, PromptKind::Custom, None),
            edge(PromptPhase::Start, PromptKind::Confirm, None),
            edge(PromptPhase::End, PromptKind::Confirm, None),
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn edges_alternate_however_many_threads_ask() {
    let broker = DialogBroker::new();
    let edges = observe(&broker);
    let mut back_end = broker.subscribe();
    let askers = (0..8).map(|_| {
        let broker = broker.clone();
        tokio::spawn(async move {
            for _ in 0..50 {
                let answer = broker.ask(DialogRequest::new(owner(), input()), &CancellationToken::new(), || ()).await;
                assert_eq!(answer, value("x"));
            }
        })
    });
    let askers = askers.collect::<Vec<_>>();
    for _ in 0..8 * 50 {
        let id = loop {
            match back_end.recv().await {
                Some(DialogEvent::Opened(request)) => break request.id(),
                Some(_) => {}
                None => panic!("the broker is gone"),
            }
        };
        back_end.answer(id, value("x")).unwrap();
    }
    for asker in askers {
        asker.await.unwrap();
    }
    let edges = edges.lock();
    assert!(edges.len() >= 2);
    assert!(edges.len().is_multiple_of(2));
    for (position, edge) in edges.iter().enumerate() {
        let phase = if position % 2 == 0 { PromptPhase::Start } else { PromptPhase::End };
        assert_eq!(edge.phase, phase);
    }
}

#[tokio::test]
async fn an_observer_may_use_the_broker_and_even_panic() {
    let broker = DialogBroker::new();
    let mut back_end = broker.subscribe();
    let inner = broker.clone();
    broker.set_prompt_observer(Arc::new(move |edge| {
        inner.notify(owner(), format!("{:?}", edge.phase), NotifyLevel::Info);
        std::panic::resume_unwind(Box::new("observer"));
    }));
    for _ in 0..2 {
        let asked = ask(&broker, input()).await;
        let id = opened(&mut back_end).id();
        back_end.answer(id, value("x")).unwrap();
        assert_eq!(asked.await.unwrap(), value("x"));
        let call = |message: &str| {
            let call = UiCall::Notify { message: message.into(), level: Some(NotifyLevel::Info) };
            DialogEvent::Ui(Arc::new(UiEvent { owner: owner(), call }))
        };
        let closed = DialogEvent::Closed { id, by: ClosedBy::BackEnd(back_end.id()) };
        assert_eq!(events(&mut back_end), [call("Start"), closed, call("End")]);
    }
}

/// The future of a question has to be movable between threads: handlers run on a runtime.
#[test]
fn asking_is_send() {
    fn is_send(future: impl Future + Send) -> impl Future {
        future
    }
    let (broker, cancel) = (DialogBroker::new(), CancellationToken::new());
    drop(is_send(broker.ask(DialogRequest::new(owner(), input()), &cancel, || ())));
}

#[tokio::test]
async fn a_back_end_is_asked_what_it_can_show() {
    let broker = DialogBroker::new();
    let about: Arc<str> = "call".into();
    assert!(!broker.can_ask(Some(&about)));
    let mut calls = broker.subscribe_for(|request| request.tool_call.is_some());
    assert_eq!((broker.can_ask(Some(&about)), broker.can_ask(None)), (true, false));
    let cancel = CancellationToken::new();
    let left = broker.ask(DialogRequest::new(owner(), confirm()), &cancel, || panic!("no dialog opened"));
    assert_eq!(left.await, DialogAnswer::Confirmed(false));
    let mut request = DialogRequest::new(owner(), confirm());
    request.tool_call = Some(about);
    let (broker, id) = (broker.clone(), request.id());
    let asked = tokio::spawn(async move { broker.ask(request, &CancellationToken::new(), || ()).await });
    let opened = std::future::poll_fn(|cx| calls.poll_recv(cx)).await;
    assert!(matches!(opened, Some(DialogEvent::Opened(request)) if request.id() == id));
    calls.answer(id, DialogAnswer::Confirmed(true)).unwrap();
    assert_eq!(asked.await.unwrap(), DialogAnswer::Confirmed(true));
}

#[tokio::test]
async fn a_back_end_that_is_called_hears_everything_at_once_and_in_order() {
    let broker = DialogBroker::new();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let back_end = broker.subscribe_with({
        let heard = Arc::clone(&heard);
        move |event| heard.lock().push(event)
    });
    assert!(broker.has_back_end());
    broker.notify(owner(), "before", NotifyLevel::Info);
    let asked = ask(&broker, confirm()).await;
    let [_, DialogEvent::Opened(request)] = &heard.lock().clone()[..] else { panic!("a notice, then a dialog") };
    // What needs a component is not for it.
    assert_eq!(ask(&broker, custom()).await.await.unwrap(), DialogAnswer::Cancelled);
    broker.answer(back_end.id(), request.id(), DialogAnswer::Confirmed(true)).unwrap();
    assert_eq!(asked.await.unwrap(), DialogAnswer::Confirmed(true));
    let closed = DialogEvent::Closed { id: request.id(), by: ClosedBy::BackEnd(back_end.id()) };
    assert_eq!(heard.lock()[2..], [closed]);

    let asked = ask(&broker, confirm()).await;
    drop(back_end);
    assert_eq!(asked.await.unwrap(), DialogAnswer::Confirmed(false));
    assert!(!broker.has_back_end());
    broker.notify(owner(), "after", NotifyLevel::Info);
    assert_eq!(heard.lock().len(), 4);
}
