//! The thread that waits for changes and questions, and has looks done.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::look::Looker;
use super::{Found, Shared};
use crate::{GitError, Stop};

/// Git changes several files at once: how long they must rest.
const SETTLED: Duration = Duration::from_millis(300);
/// How long changes may follow each other before they are looked at all the same.
const LONGEST: Duration = Duration::from_secs(2);
/// How many times as long as a look its thread rests after it: for a question, and for a change.
const REST: u32 = 1;
const REST_OF_CHANGES: u32 = 4;
/// The longest rest.
const LONGEST_REST: Duration = Duration::from_secs(30);

/// Runs until nobody subscribes any more.
pub(super) fn live(shared: &Arc<Shared>) {
    let runtime = Builder::new_current_thread().enable_time().thread_name("tau-git-look").build();
    match runtime {
        Ok(runtime) => {
            runtime.block_on(work(shared, &runtime));
            // A look that does not end is not waited for.
            runtime.shutdown_background();
        }
        Err(error) => {
            let why = format!("no thread can be started: {error}");
            shared.publish(Found::Failed(GitError::Folder { folder: shared.folder.clone(), why }), false, u64::MAX);
            *shared.is_alive.lock() = false;
        }
    }
}

/// Why there is another look.
#[derive(PartialEq, Eq)]
enum Reason {
    Question,
    Change,
}

async fn work(shared: &Arc<Shared>, runtime: &Runtime) {
    let mut looker = Looker::default();
    let mut last: Option<(Instant, Duration)> = None;
    loop {
        let reason = tokio::select! {
            () = shared.view.closed() => {
                if is_over(shared) {
                    return;
                }
                continue;
            }
            () = shared.questions.notified() => Reason::Question,
            () = shared.changes.notified() => Reason::Change,
        };
        if reason == Reason::Change {
            shared.mark();
            settle(shared).await;
        }
        if let Some((ended, took)) = last {
            let times = if reason == Reason::Question { REST } else { REST_OF_CHANGES };
            let rest = (took * times).min(LONGEST_REST);
            tokio::select! {
                () = sleep_until(ended + rest) => {}
                () = shared.view.closed() => continue,
            }
        }
        let began = Instant::now();
        looker = look(shared, looker, runtime).await;
        let ended = Instant::now();
        last = Some((ended, ended - began));
    }
}

/// Whether the thread may end: a subscriber who comes now starts another one.
fn is_over(shared: &Shared) -> bool {
    let mut is_alive = shared.is_alive.lock();
    *is_alive = shared.view.receiver_count() > 0;
    !*is_alive
}

/// Waits until git has done what it does.
async fn settle(shared: &Shared) {
    let until = Instant::now() + LONGEST;
    while timeout(SETTLED, shared.changes.notified()).await.is_ok() && Instant::now() < until {}
}

/// Has one look done. When it takes too long, it is cut; when it does not end even then, what is known says so until it does.
async fn look(shared: &Arc<Shared>, looker: Looker, runtime: &Runtime) -> Looker {
    let question = *shared.asked.lock();
    let stop = Stop::default();
    let mut task = runtime.spawn_blocking({
        let (shared, stop) = (shared.clone(), stop.clone());
        move || looker.look(&shared, &stop)
    });
    let looker = match ended(shared, &mut task, &stop).await {
        Some(ended) => ended,
        None => loop {
            // That is the answer to every question until then.
            let stuck = GitError::Stuck { folder: shared.folder.clone() };
            let asked = *shared.asked.lock();
            shared.publish(Found::Failed(stuck), false, asked);
            tokio::select! {
                ended = &mut task => {
                    // It began before they were asked.
                    shared.questions.notify_one();
                    break ended;
                }
                () = shared.questions.notified() => {}
                // Nobody waits for it: its thread is left to itself.
                () = shared.view.closed() => return Looker::default(),
            }
        },
    };
    match looker {
        Ok((looker, found)) => {
            // Questions that came meanwhile have the next look.
            let is_stale = *shared.asked.lock() > question;
            shared.publish(found, is_stale, question);
            looker
        }
        Err(error) => {
            shared.publish(Found::Failed(shared.defect(&error)), false, question);
            Looker::default()
        }
    }
}

type Looked = Result<(Looker, Found), tokio::task::JoinError>;

/// Waits for a look; `None` when it does not end.
async fn ended(shared: &Shared, task: &mut JoinHandle<(Looker, Found)>, stop: &Stop) -> Option<Looked> {
    let began = Instant::now();
    let limits = &shared.limits;
    tokio::select! {
        ended = &mut *task => return Some(ended),
        () = sleep(limits.time) => stop.stop(),
        () = shared.view.closed() => stop.stop(),
    }
    tokio::select! {
        ended = &mut *task => Some(ended),
        () = sleep_until(began + limits.patience) => None,
    }
}
