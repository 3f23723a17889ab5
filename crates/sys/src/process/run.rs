//! The one way in which a program runs to its end.

use std::io;
use std::pin::Pin;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::Signal;
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::group::GroupChild;
use super::streams::Streams;

/// How long pipes may stay silent after the program that opened them has ended. Something it left running in the background
/// may hold the other end for ever.
const QUIET: Duration = Duration::from_millis(100);
/// How long output is still taken after the program ended, however much comes.
const DRAIN: Duration = Duration::from_secs(5);
/// As [`DRAIN`], after everything was killed.
const DRAIN_KILLED: Duration = Duration::from_millis(500);

/// How a program is ended before it ends by itself, and what is waited for then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Its group is killed at once. What others hold open is read until it is silent.
    Kill,
    /// Its group is asked to stop, and killed after this time. What others hold open is read until it is silent.
    Ask(Duration),
    /// The way of Node's synchronous calls: a limit sends this signal to the program alone, and everything is waited for
    /// that holds its pipes open. A cancelled program is killed with its group, and given up when it is not gone after a
    /// second.
    Wait(i32),
}

/// How long a program that was killed may take to be gone in [`Manner::Wait`]: one that the system does not let go is not
/// waited for.
const REAPING: Duration = Duration::from_secs(1);

/// By which rules a program runs.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Asks to end it.
    pub cancel: CancellationToken,
    /// After this it is ended. One that is too large for the clock is none.
    pub timeout: Option<Duration>,
    /// How it is ended.
    pub manner: Manner,
    /// What it reads from its standard input, if that is a pipe.
    pub input: Vec<u8>,
}

impl Rules {
    /// Without a limit and without input.
    pub fn new(manner: Manner, cancel: CancellationToken) -> Self {
        Self { cancel, timeout: None, manner, input: Vec::new() }
    }
}

/// Whether more output is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Yes.
    More,
    /// No: the program is ended.
    Enough,
}

/// Completes when there is room for more output.
pub type Room = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Takes what a program writes.
pub trait Sink {
    /// Takes a piece of one of the streams.
    fn take(&mut self, stream: usize, bytes: &[u8]) -> Flow;

    /// What to wait for before more is taken while the program runs; `None` when there is room.
    fn room(&mut self) -> Option<Room> {
        None
    }

    /// Whether the first stream of a program that ended with this code is a whole answer. `None` when nobody wants one;
    /// else what holds the stream open has the time of the program to make it whole.
    fn is_answer(&self, code: i32) -> Option<bool> {
        let _ = code;
        None
    }

    /// Whether the second stream, which says what went wrong, has said nothing yet. Only asked where answers are wanted.
    fn misses_reason(&self) -> bool {
        false
    }
}

/// Why a program was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The caller wanted it.
    Cancelled,
    /// Its time was over.
    TimedOut,
    /// The sink had enough.
    Full,
    /// It ended by itself, but what it left running kept its first stream open until its time was over, and there was no
    /// whole answer. What was left in its group was killed.
    Open,
}

/// How a program ended.
#[derive(Debug)]
pub struct Ended {
    /// Its status; `None` when it was given up.
    pub status: io::Result<Option<ExitStatus>>,
    /// Why it was ended, if it was.
    pub stopped: Option<Stopped>,
}

impl Ended {
    /// The status, if there is one.
    pub fn status(&self) -> Option<ExitStatus> {
        self.status.as_ref().ok().copied().flatten()
    }
}

/// Follows a program to its end: feeds it, gives its output to `sink`, and ends it by the rules.
pub async fn run(group: GroupChild, pipes: (Option<ChildStdin>, Streams), rules: Rules, sink: &mut impl Sink) -> Ended {
    let Rules { cancel, timeout, manner, input } = rules;
    let (stdin, streams) = pipes;
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let mut run = Run { group, streams, sink, cancel, deadline, manner, stopped: None, kill_at: None };
    let mut feed = Box::pin(feed(stdin, input));
    let status = match manner {
        Manner::Wait(_) => run.until_closed(feed.as_mut()).await,
        Manner::Kill | Manner::Ask(_) => {
            let status = run.until_ended(feed.as_mut()).await;
            run.answer(&status).await;
            run.drain(&status).await;
            status.map(Some)
        }
    };
    Ended { status, stopped: run.stopped }
}

struct Run<'a, S> {
    group: GroupChild,
    streams: Streams,
    sink: &'a mut S,
    cancel: CancellationToken,
    deadline: Option<Instant>,
    manner: Manner,
    stopped: Option<Stopped>,
    /// When a program that was asked to stop is killed.
    kill_at: Option<Instant>,
}

impl<S: Sink> Run<'_, S> {
    /// Ends the program, which still runs.
    fn stop(&mut self, why: Stopped) {
        self.stopped = Some(why);
        match self.manner {
            Manner::Kill => self.group.signal(Signal::KILL),
            Manner::Ask(grace) => {
                self.group.signal(Signal::TERM);
                self.kill_at = Some(Instant::now() + grace);
            }
            Manner::Wait(signal) => {
                if let Err(error) = self.group.handle().send(signal) {
                    tracing::debug!(%error, "signal not delivered");
                }
                // Whatever else holds the pipes open is not waited for.
                self.streams.hold();
            }
        }
    }

    async fn until_ended(&mut self, mut feed: Pin<&mut impl Future<Output = ()>>) -> io::Result<ExitStatus> {
        let mut fed = false;
        loop {
            let mut took = false;
            let enough = tokio::select! {
                biased;
                () = self.cancel.cancelled(), if self.stopped.is_none() => {
                    self.stop(Stopped::Cancelled);
                    false
                }
                () = sleep_until(self.deadline), if self.stopped.is_none() && self.deadline.is_some() => {
                    self.stop(Stopped::TimedOut);
                    false
                }
                () = sleep_until(self.kill_at), if self.kill_at.is_some() => {
                    self.group.signal(Signal::KILL);
                    self.kill_at = None;
                    false
                }
                status = self.group.wait() => return status,
                () = &mut feed, if !fed => {
                    fed = true;
                    false
                }
                (stream, bytes) = self.streams.read(), if self.streams.are_open() => {
                    took = true;
                    give(self.sink, stream, bytes)
                }
            };
            if enough {
                self.streams.close();
                if self.stopped.is_none() {
                    self.stop(Stopped::Full);
                }
            }
            if took && let Some(room) = self.sink.room() {
                tokio::select! {
                    biased;
                    () = self.cancel.cancelled() => {}
                    () = room => {}
                }
            }
        }
    }

    async fn until_closed(&mut self, mut feed: Pin<&mut impl Future<Output = ()>>) -> io::Result<Option<ExitStatus>> {
        let (mut status, mut fed, mut given_up) = (None, false, None);
        while status.is_none() || self.streams.are_open() {
            let enough = tokio::select! {
                biased;
                () = self.cancel.cancelled(), if given_up.is_none() => {
                    self.stopped.get_or_insert(Stopped::Cancelled);
                    self.group.kill_rest();
                    // Others may hold the pipes.
                    self.streams.hold();
                    given_up = Some(Instant::now() + REAPING);
                    false
                }
                () = sleep_until(given_up), if given_up.is_some() => break,
                () = sleep_until(self.deadline), if self.stopped.is_none() && self.deadline.is_some() => {
                    self.stop(Stopped::TimedOut);
                    false
                }
                ended = self.group.wait(), if status.is_none() => {
                    status = Some(ended?);
                    false
                }
                () = &mut feed, if !fed => {
                    fed = true;
                    false
                }
                (stream, bytes) = self.streams.read(), if self.streams.are_open() => give(self.sink, stream, bytes),
            };
            if enough && self.stopped.is_none() {
                self.stop(Stopped::Full);
            }
        }
        Ok(status)
    }

    /// Gives what the program left running the time to make the answer whole.
    async fn answer(&mut self, status: &io::Result<ExitStatus>) {
        let Some(code) = status.as_ref().ok().and_then(|status| status.code()) else { return };
        if self.stopped.is_some() || self.sink.is_answer(code).is_none() {
            return;
        }
        // What came is looked at when it is quiet, and once only.
        let mut quiet_at = Some(Instant::now() + QUIET);
        while self.streams.is_open(0) {
            let is_whole = |sink: &S| sink.is_answer(code).unwrap_or(true);
            let enough = tokio::select! {
                            biased;
                            () = self.cancel.cancelled() => {
                                self.stopped = Some(Stopped::Cancelled);
                                break;
                            }
                            () = sleep_until(self.deadline), if self.deadline.is_some() => {
                                self.stopped = (!is_whole(self.sink)).then_some(Stopped::Open);
                                break;
                            }
                            (stream, bytes) = self.streams.read() => {
                                if stream == 0 {
                                    quiet_at = Some(Instant::now() + QUIET);
                                }
                                give(self.sink, stream, bytes)
                            }
                            () = sleep_until(quiet_at), if quiet_at.is_some() => if is_whole(self.sink) {
            break
            } else {
                                    quiet_at = None;
                                    false
                                },
                        };
            if enough {
                self.stopped = Some(Stopped::Full);
                self.streams.close();
            }
        }
        if self.stopped.is_some() {
            self.group.kill_rest();
        }
    }

    /// Takes what is still in the pipes after the program has ended.
    async fn drain(&mut self, status: &io::Result<ExitStatus>) {
        let was_stopped = self.stopped.is_some();
        let is_killed = was_stopped && self.manner == Manner::Kill;
        let until = Instant::now() + if is_killed { DRAIN_KILLED } else { DRAIN };
        let status = status.as_ref().ok();
        // Where the code says that something is wrong, the reason may be late too.
        let explains =
            !was_stopped && status.is_some_and(|status| !status.success()) && self.sink.is_answer(0).is_some();
        while self.streams.are_open() && Instant::now() < until {
            let is_late = explains && self.streams.is_open(1) && self.sink.misses_reason();
            let quiet_at = (Instant::now() + if is_late { DRAIN } else { QUIET }).min(until);
            let enough = tokio::select! {
                biased;
                () = self.cancel.cancelled(), if self.stopped.is_none() => {
                    self.stopped = Some(Stopped::Cancelled);
                    self.group.kill_rest();
                    false
                }
                (stream, bytes) = self.streams.read() => give(self.sink, stream, bytes),
                () = tokio::time::sleep_until(quiet_at) => break,
            };
            if enough {
                self.stopped = self.stopped.or(Some(Stopped::Full));
                self.streams.close();
            }
        }
        if was_stopped {
            // The program obeyed; what it started, or was starting then, may have not.
            self.group.kill_rest();
        }
    }
}

/// Gives a piece to the sink; whether it has enough.
fn give(sink: &mut impl Sink, stream: usize, bytes: &[u8]) -> bool {
    !bytes.is_empty() && sink.take(stream, bytes) == Flow::Enough
}

/// Writes everything and closes. A program that does not read is none of our business.
async fn feed(stdin: Option<ChildStdin>, input: Vec<u8>) {
    let Some(mut stdin) = stdin else { return };
    let written = stdin.write_all(&input).await;
    let closed = stdin.shutdown().await;
    if let Err(error) = written.and(closed) {
        tracing::debug!(%error, "a program did not read all of its input");
    }
}

/// Sleeps until `deadline`; for ever without one.
async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::super::group::{Place, exit_code};
    use super::*;

    /// Keeps what comes, up to so many bytes, and says when the first came.
    struct Text(Vec<u8>, usize, CancellationToken);

    impl Sink for Text {
        fn take(&mut self, _: usize, bytes: &[u8]) -> Flow {
            self.0.extend_from_slice(bytes);
            self.2.cancel();
            if self.0.len() > self.1 { Flow::Enough } else { Flow::More }
        }
    }

    /// Runs a script; `after` makes the rules of a token that fires when something was said.
    async fn sh(script: &str, most: usize, after: impl FnOnce(CancellationToken) -> Rules) -> (Ended, String) {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut group = GroupChild::spawn(command, Place::Group).expect("a program that starts");
        let (pipes, said) = (group.pipes(), CancellationToken::new());
        let mut text = Text(Vec::new(), most, said.clone());
        let ended = run(group, pipes, after(said), &mut text).await;
        (ended, String::from_utf8(text.0).expect("UTF-8"))
    }

    fn rules(manner: Manner) -> Rules {
        Rules::new(manner, CancellationToken::new())
    }

    #[tokio::test]
    async fn a_group_is_killed_or_asked_first() {
        let script = "trap 'echo asked; exit 7' TERM; echo ready; while :; do sleep 0.01; done";
        let (ended, text) = sh(script, 1000, |said| Rules::new(Manner::Kill, said)).await;
        let code = |ended: &Ended| ended.status().map(exit_code);
        assert_eq!((ended.stopped, code(&ended), text.as_str()), (Some(Stopped::Cancelled), Some(137), "ready\n"));
        let grace = Duration::from_secs(600);
        let (ended, text) = sh(script, 1000, |said| Rules::new(Manner::Ask(grace), said)).await;
        assert_eq!((ended.stopped, code(&ended)), (Some(Stopped::Cancelled), Some(7)));
        assert!(text.starts_with("ready\n") && text.contains("asked\n"), "{text}");
    }

    #[tokio::test]
    async fn the_way_of_node_waits_for_whoever_holds_the_pipes() {
        let script = "(sleep 0.3; echo late) & echo early";
        let (ended, text) = sh(script, 1000, |_| rules(Manner::Wait(15))).await;
        assert_eq!((ended.stopped, text.as_str()), (None, "early\nlate\n"));
    }

    #[tokio::test]
    async fn the_way_of_node_sends_a_signal_to_the_program_and_kills_the_group_when_it_is_cancelled() {
        let full = "trap 'exit 7' TERM; echo 12345; while :; do sleep 0.01; done";
        let (ended, text) = sh(full, 2, |_| rules(Manner::Wait(15))).await;
        assert_eq!((ended.stopped, ended.status().map(exit_code)), (Some(Stopped::Full), Some(7)));
        assert_eq!(text, "12345\n");
        let stubborn = "trap '' TERM; echo ready; while :; do sleep 0.01; done";
        let (ended, _) = sh(stubborn, 1000, |said| Rules::new(Manner::Wait(15), said)).await;
        assert_eq!((ended.stopped, ended.status().map(exit_code)), (Some(Stopped::Cancelled), Some(137)));
    }
}
