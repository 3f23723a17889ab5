//! What a front end can do between the stages.

use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;
use tau_agent::SessionEvent;
use tau_hooks::payload::SessionShutdownReason;
use tau_launch::{FrontEnd, Launcher, Request, Stop, Unasked, Which};

use crate::support::{Log, Place, configured, name, say};

/// Paints whenever it can, and has a conversation.
struct Painter(Log);

#[async_trait(?Send)]
impl FrontEnd for Painter {
    async fn run(self: Box<Self>, launcher: &Launcher, stop: Stop) -> ExitCode {
        let log = self.0;
        let prepared = launcher.prepare(Request::default());
        let ending = prepared.ending();
        log.push("painted");
        let ready = configured(prepared).await.open(Which::Arguments(&Unasked)).await.expect("a session");
        log.push(ready.model().expect("a model").id.to_string());
        stop.watch().expect("signals");
        let unstarted = ready.build().expect("a session file");
        let heard = log.clone();
        let listening = unstarted.session().listen(move |event| {
            if let SessionEvent::MessageEnd { message } = event {
                heard.push(format!("heard {}", message.role()));
            }
        });
        log.push("built");
        let session = unstarted.start().await;
        assert_eq!(say(&session, "Hello").await, "One.");
        // Another session in its place: the front end has the same one.
        say(&session, "/new").await;
        assert_eq!(say(&session, "Hello again").await, "Two.");
        listening.stop();
        assert_eq!(say(&session, "And again").await, "Three.");
        let done = stop.unless(std::future::pending::<()>()).await;
        log.push(format!("stopped {}", done.is_none()));
        session.shut_down(SessionShutdownReason::Quit).await;
        ending.end().await;
        stop.code().unwrap_or(ExitCode::from(ending.code(0)))
    }
}

#[tokio::test]
async fn it_paints_before_anything_loads_and_hears_everything_until_it_leaves() {
    let place = Place::new();
    // The signal comes when it is watched for, and nobody is stopped before that.
    let stop = Stop::new(|stop| {
        assert!(stop.fire(15), "it is the first");
        assert!(!stop.fire(2), "it is the second");
        Ok(())
    });
    let front_end: Box<dyn FrontEnd> = Box::new(Painter(place.log.clone()));
    let code = front_end.run(&place.launcher(&[]), stop).await;
    assert_eq!(code, ExitCode::from(130));
    let cwd = name(&place.home.cwd());
    let (begin, end) = (format!("session_start in {cwd}"), format!("session_shutdown in {cwd}"));
    let wanted = [
        "painted",
        "loaded",
        "scripted",
        "built",
        &begin,
        "heard user",
        "heard assistant",
        &end,
        &begin,
        "heard user",
        "heard assistant",
        "stopped true",
        &end,
    ];
    assert_eq!(place.log.take(), wanted);
    assert_eq!(place.told.take(), [""; 0]);
}

#[tokio::test]
async fn several_sessions_are_open_at_once_and_end_alone() {
    let place = Place::new();
    let launcher = place.launcher(&["--session-dir", "kept"]);
    let mut open = Vec::new();
    for folder in ["first", "second"] {
        place.home.write(&format!("{folder}/note.txt"), "A note.");
        let prepared = launcher.prepare(Request { cwd: Some(place.home.cwd().join(folder)) });
        assert_eq!(name(&prepared.env().cwd), folder);
        let ending = prepared.ending();
        let ready = configured(prepared).await.open(Which::New).await.expect("a session");
        let session = ready.build().expect("a session file").start().await;
        open.push((session, ending));
    }
    let (second, second_ending) = open.pop().expect("the second");
    let (first, first_ending) = open.pop().expect("the first");
    assert!(!Arc::ptr_eq(first.hooks(), second.hooks()));
    assert_eq!(say(&first, "Hello").await, "One.");
    first.shut_down(SessionShutdownReason::Quit).await;
    first_ending.end().await;
    // Each has a script of its own, and the path of the command line leads to where it led.
    assert_eq!(say(&second, "Hello").await, "One.");
    let file = second.session().file().expect("a file").to_owned();
    assert_eq!(file.parent(), Some(&*place.home.cwd().join("kept")));
    second.shut_down(SessionShutdownReason::Quit).await;
    second_ending.end().await;
    let wanted = [
        "loaded",
        "session_start in first",
        "loaded",
        "session_start in second",
        "session_shutdown in first",
        "session_shutdown in second",
    ];
    assert_eq!(place.log.take(), wanted);

    // A session that was saved is opened by its id.
    let open = async |id: &str| {
        let prepared = launcher.prepare(Request { cwd: Some(place.home.cwd().join("first")) });
        let ending = prepared.ending();
        let opened = configured(prepared).await.open(Which::Saved(id)).await;
        ending.end().await;
        opened.map(|ready| ready.id().to_owned()).map_err(|error| error.to_string())
    };
    let id = second.session().id().to_owned();
    assert_eq!(open(&id).await, Ok(id));
    assert_eq!(open("nobody").await, Err("No session found matching 'nobody'".to_owned()));
}

#[tokio::test]
async fn a_start_can_be_given_up_at_every_stage() {
    let place = Place::new();
    let launcher = place.launcher(&[]);
    let prepared = launcher.prepare(Request::default());
    let ending = prepared.ending();
    drop(prepared);
    ending.end().await;
    assert_eq!(place.log.take(), [""; 0]);

    let prepared = launcher.prepare(Request::default());
    let ending = prepared.ending();
    drop(configured(prepared).await);
    ending.end().await;
    assert_eq!(place.log.take(), ["loaded"]);

    let prepared = launcher.prepare(Request::default());
    let ending = prepared.ending();
    let ready = configured(prepared).await.open(Which::New).await.expect("a session");
    let unstarted = ready.build().expect("a session file");
    let session = Arc::clone(unstarted.session());
    drop(unstarted);
    session.shut_down(SessionShutdownReason::Quit).await;
    ending.end().await;
    assert_eq!(ending.code(3), 3);
    assert_eq!(place.log.take(), ["loaded", &format!("session_shutdown in {}", name(&place.home.cwd()))]);
}
