//! Tasks and timers of extensions: how long they live, and what becomes of those that fail.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tau_hooks::events::AgentStart;
use tau_hooks::payload::Empty;
use tau_hooks::{Api, HandlerError, Hooks, RunningTask, Task};
use tau_testkit::Stage;
use tau_testkit::host::extension;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn push(&self, text: impl Into<String>) {
        self.0.lock().push(text.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock())
    }
}

/// Works until it is told to end.
async fn until_told(task: Task, log: Log) {
    log.push("begun");
    task.ends().cancelled().await;
    log.push("told");
}

fn running(stage: &Stage) -> Vec<String> {
    let name = |RunningTask { extension, name }| format!("{extension} {name}");
    stage.hooks.tasks.running().into_iter().map(name).collect()
}

fn explode() {
    panic!("what a day")
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[tokio::test(start_paused = true)]
async fn a_task_ends_with_its_extension_and_no_other() {
    let (stage, log) = (Stage::new(), Log::default());
    let [gone, stays] = ["gone", "stays"].map(|name| {
        stage.add(name, |registrar| {
            let log = log.clone();
            registrar.spawn("watch", move |task| until_told(task, log));
        })
    });
    assert_eq!(running(&stage), ["<native:gone> watch", "<native:stays> watch"]);
    tokio::task::yield_now().await;
    stage.hooks.unload(&gone);
    while running(&stage).len() > 1 {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        (running(&stage), log.take()),
        (vec!["<native:stays> watch".to_owned()], ["begun", "begun", "told"].map(str::to_owned).to_vec())
    );
    stage.hooks.unload(&stays);
    stage.hooks.tasks.done().await;
    assert_eq!((log.take(), stage.take_report_texts()), (vec!["told".to_owned()], vec![]));
}

#[tokio::test(start_paused = true)]
async fn a_failed_registration_begins_no_task() {
    let (stage, log) = (Stage::new(), Log::default());
    let failing = {
        let log = log.clone();
        extension("failing", move |registrar| {
            let log = log.clone();
            registrar.spawn("never", move |task| until_told(task, log));
            Err(HandlerError::msg("no"))
        })
    };
    assert!(stage.load(&failing).is_err());
    assert_eq!(running(&stage), [""; 0]);
    stage.hooks.tasks.done().await;
    assert_eq!(log.take(), [""; 0]);
}

/// Before there is a session there is nothing that a task could do.
#[tokio::test(start_paused = true)]
async fn a_task_waits_for_the_session() {
    let (hooks, log) = (Hooks::new(), Log::default());
    let early = {
        let log = log.clone();
        extension("early", move |registrar| {
            let log = log.clone();
            registrar.spawn("read", move |task| async move {
                log.push(task.ctx()?.cwd().display().to_string());
                Ok::<_, HandlerError>(())
            });
            Ok(())
        })
    };
    hooks.load(&early).expect("it loads");
    assert_eq!(hooks.tasks.running(), []);
    let host: Arc<dyn tau_hooks::Host> = Arc::new(tau_testkit::StaticHost::new());
    hooks.bind(&host);
    hooks.tasks.done().await;
    assert_eq!(log.take(), [host.cwd().display().to_string()]);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_fails_or_panics_is_reported_with_its_extension() {
    let stage = Stage::new();
    stage.add("ext", |registrar| {
        registrar
            .spawn("fails", |_| async { Err::<(), _>(HandlerError::msg("no disk")) })
            .spawn("panics", |_| async { explode() })
            .spawn("panics at once", |_| -> std::future::Ready<()> { panic!("before anything") })
            .spawn("ends", |_| async {});
    });
    stage.hooks.tasks.done().await;
    assert_eq!(
        stage.take_report_texts(),
        [
            "Extension error (<native:ext>): no disk [task:fails]",
            "Extension error (<native:ext>): panicked: what a day [task:panics]",
            "Extension error (<native:ext>): panicked: before anything [task:panics at once]",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_task_that_does_not_end_is_dropped_and_named() {
    let (stage, log) = (Stage::new(), Log::default());
    struct Dropped(Log);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.push("dropped");
        }
    }
    let owner = stage.add("ext", |registrar| {
        let log = log.clone();
        registrar.spawn("deaf", move |_| async move {
            let _guard = Dropped(log);
            pending::<()>().await;
        });
    });
    stage.hooks.unload(&owner);
    stage.hooks.tasks.done().await;
    assert_eq!(log.take(), ["dropped"]);
    assert_eq!(
        stage.take_report_texts(),
        ["Extension error (<native:ext>): did not end within 2s after it was told to, and was dropped [task:deaf]"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_task_of_a_context_ends_with_the_session_and_one_of_the_extension_goes_on() {
    let (stage, log) = (Stage::new(), Log::default());
    stage.add("ext", |registrar| {
        let (mine, its) = (log.clone(), log.clone());
        registrar.spawn("always", move |task| until_told(task, mine)).on::<AgentStart>(move |_, ctx| {
            let log = its.clone();
            async move { ctx.spawn("here", move |task| until_told(task, log)).map_err(HandlerError::from) }
        });
    });
    stage.fire::<AgentStart>(Empty {}).await;
    assert_eq!(running(&stage), ["<native:ext> always", "<native:ext> here"]);
    tokio::task::yield_now().await;
    stage.hooks.tasks.end_session().await;
    assert_eq!(running(&stage), ["<native:ext> always"]);
    assert_eq!(log.take(), ["begun", "begun", "told"]);
    // The next session has tasks of its own.
    stage.fire::<AgentStart>(Empty {}).await;
    assert_eq!(running(&stage), ["<native:ext> always", "<native:ext> here"]);
}

#[tokio::test(start_paused = true)]
async fn at_the_end_all_tasks_end_and_none_begins() {
    let (stage, log) = (Stage::new(), Log::default());
    let api: Arc<Mutex<Option<Api>>> = Arc::default();
    stage.add("ext", |registrar| {
        *api.lock() = Some(registrar.api());
        let log = log.clone();
        registrar.spawn("works", move |task| until_told(task, log)).spawn("deaf", |_| pending::<()>());
    });
    tokio::task::yield_now().await;
    assert_eq!(stage.hooks.tasks.end().await, []);
    assert_eq!((log.take(), running(&stage)), (vec!["begun".to_owned(), "told".to_owned()], vec![]));
    let api = api.lock().take().expect("it was registered");
    api.spawn("late", |_| async { explode() }).expect("nothing is wrong with it");
    assert_eq!(running(&stage), [""; 0]);
    assert_eq!(stage.take_report_texts().len(), 1, "the deaf one");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_task_that_keeps_a_thread_busy_is_counted_at_the_end() {
    let stage = Stage::new();
    let (free, busy) = std::sync::mpsc::channel::<()>();
    let busy = Arc::new(Mutex::new(busy));
    stage.add("ext", |registrar| {
        let busy = Arc::clone(&busy);
        registrar.spawn("busy", move |task| async move {
            task.ends().cancelled().await;
            // Until the test lets it go.
            assert!(busy.lock().recv().is_err());
        });
    });
    let left = stage.hooks.tasks.end().await;
    assert_eq!(left, [RunningTask { extension: "<native:ext>".into(), name: "busy".into() }]);
    drop(free);
    stage.hooks.tasks.done().await;
}

#[tokio::test(start_paused = true)]
async fn timers_fire_once_or_again_and_again_until_the_extension_is_gone() {
    let (stage, log) = (Stage::new(), Log::default());
    let owner = stage.add("ext", |registrar| {
        let (once, often) = (log.clone(), log.clone());
        registrar.after("once", secs(90), move |_| async move { once.push("once") }).every(
            "often",
            secs(60),
            move |ctx| {
                let log = often.clone();
                async move { log.push(format!("often {}", ctx.is_command())) }
            },
        );
    });
    tokio::task::yield_now().await;
    tokio::time::sleep(secs(200)).await;
    assert_eq!(log.take(), ["often true", "once", "often true", "often true"]);
    stage.hooks.unload(&owner);
    stage.hooks.tasks.done().await;
    tokio::time::sleep(secs(1000)).await;
    assert_eq!((log.take(), stage.take_report_texts()), (vec![], vec![]));
}

#[tokio::test(start_paused = true)]
async fn a_round_that_fails_is_reported_once_in_a_row_and_the_next_one_comes() {
    let (stage, rounds) = (Stage::new(), Arc::new(Mutex::new(0)));
    stage.add("ext", |registrar| {
        let rounds = Arc::clone(&rounds);
        registrar.every("often", secs(1), move |_| {
            let round = {
                let mut rounds = rounds.lock();
                *rounds += 1;
                *rounds
            };
            async move {
                match round {
                    1 | 2 => Err(HandlerError::msg("not yet")),
                    4 => panic!("four"),
                    _ => Ok(()),
                }
            }
        });
    });
    while *rounds.lock() < 6 {
        tokio::time::sleep(secs(1)).await;
    }
    assert_eq!(
        stage.take_report_texts(),
        [
            "Extension error (<native:ext>): not yet [task:often]",
            "Extension error (<native:ext>): panicked: four [task:often]",
        ]
    );
}

/// The end of a session waits for its tasks, so one of them must not wait for that end.
#[tokio::test(start_paused = true)]
async fn only_a_task_of_the_extension_may_do_what_commands_may() {
    let (stage, log) = (Stage::new(), Log::default());
    stage.add("ext", |registrar| {
        let (mine, its) = (log.clone(), log.clone());
        registrar
            .spawn("always", move |task| async move {
                mine.push(format!("always {}", task.ctx()?.is_command()));
                Ok::<_, HandlerError>(())
            })
            .on::<AgentStart>(move |_, ctx| {
                let log = its.clone();
                async move {
                    let look = move |task: Task| async move {
                        let ctx = task.ctx()?;
                        log.push(format!("here {} {}", ctx.is_command(), ctx.wait_for_idle().await.is_err()));
                        Ok::<_, HandlerError>(())
                    };
                    ctx.spawn("here", look).map_err(HandlerError::from)
                }
            });
    });
    stage.fire::<AgentStart>(Empty {}).await;
    stage.hooks.tasks.done().await;
    assert_eq!(
        (log.take(), stage.take_report_texts()),
        (["always true", "here false true"].map(str::to_owned).to_vec(), vec![])
    );
}
