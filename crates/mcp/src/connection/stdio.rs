//! A server that is a program: it leads a process group, and whatever is in the group ends with the connection.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::pin::Pin;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use parking_lot::Mutex;
use tau_sys::process::{GroupChild, Place};
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::MOST;
use super::fate::Ending;
use crate::config::ResolvedTransport;

/// How long a program may take to end by itself once its input is closed.
const GRACE: Duration = Duration::from_millis(500);
/// How long it may take after it was asked to end.
const TERM: Duration = Duration::from_secs(2);
/// How much of its errors is kept.
const TAIL: usize = 8 * 1024;
/// How long the output of a program that has ended is read. Something that it left running may keep it open.
pub(super) const LAST_WORDS: Duration = Duration::from_millis(200);

/// The end of what a program writes to its standard error.
#[derive(Clone, Default)]
pub(super) struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock();
        kept.extend(bytes);
        let excess = kept.len().saturating_sub(TAIL);
        kept.drain(..excess);
    }

    /// As text, without what a cut left of a character.
    pub(super) fn text(&self) -> String {
        let bytes: Vec<u8> = self.0.lock().iter().copied().collect();
        String::from_utf8_lossy(&bytes).trim_start_matches('\u{fffd}').trim().to_owned()
    }
}

/// A running program.
pub(super) struct Program {
    child: GroupChild,
    /// Says that it has ended.
    _over: DropGuard,
}

/// The ends of its pipes.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: Limited<ChildStdout>,
    pub(super) stderr: ChildStderr,
    /// Fires when the program has ended.
    pub(super) over: CancellationToken,
}

/// The variables of a server: those of the session without keys of model providers, then its own.
fn environment(session: &[(OsString, OsString)], own: &[(String, String)]) -> Vec<(OsString, OsString)> {
    let is_key = |name: &OsString| name.to_str().is_some_and(tau_ai::is_provider_secret);
    let mut all: Vec<_> = session.iter().filter(|(name, _)| !is_key(name)).cloned().collect();
    all.extend(own.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
    all
}

impl Program {
    /// Starts it.
    pub(super) fn start(transport: &ResolvedTransport, session: &[(OsString, OsString)]) -> io::Result<(Self, Pipes)> {
        let ResolvedTransport::Stdio { command: program, args, env, cwd } = transport else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no program"));
        };
        let is_bad = |text: &str| text.contains('\0');
        if is_bad(program)
            || args.iter().any(|arg| is_bad(arg))
            || env.iter().any(|(name, value)| is_bad(name) || is_bad(value) || name.is_empty() || name.contains('='))
        {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a name or a value holds a character that none may have",
            ));
        }
        if !cwd.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotFound, format!("{} is no folder", cwd.display())));
        }
        let mut command = Command::new(program);
        command.args(args).current_dir(cwd).env_clear().envs(environment(session, env));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = GroupChild::spawn(command, Place::Group)?;
        let pipes = child.child();
        let (Some(stdin), Some(stdout), Some(stderr)) = (pipes.stdin.take(), pipes.stdout.take(), pipes.stderr.take())
        else {
            return Err(io::Error::other("the program has no pipes"));
        };
        let over = CancellationToken::new();
        let program = Self { child, _over: over.clone().drop_guard() };
        Ok((program, Pipes { stdin, stdout: Limited::new(stdout), stderr, over }))
    }

    /// Ends it, once its input is closed: it may end by itself, then it is asked to, then it is killed with everything in its
    /// group. Gives how it ended by itself.
    pub(super) async fn stop(mut self) -> Option<Ending> {
        let ended = tokio::time::timeout(GRACE, self.child.wait()).await;
        if ended.is_err() {
            self.child.ask_to_end();
            if tokio::time::timeout(TERM, self.child.wait()).await.is_err() {
                self.child.kill_rest();
                if let Err(error) = self.child.wait().await {
                    tracing::debug!(%error, "an MCP server cannot be waited for");
                }
            }
        }
        self.child.kill_rest();
        ended.ok()?.ok().map(Ending)
    }
}

/// Reads the errors of a program to their end, or until shortly after the program has ended.
pub(super) async fn follow_errors(mut stderr: ChildStderr, tail: Tail, over: CancellationToken) {
    let all = async {
        let mut piece = vec![0; 4096];
        while let Ok(read @ 1..) = stderr.read(&mut piece).await {
            tail.push(&piece[..read]);
        }
    };
    let end = async {
        over.cancelled().await;
        tokio::time::sleep(LAST_WORDS).await;
    };
    tokio::select! {
        biased;
        () = all => {}
        () = end => {}
    }
}

/// Ends at a line that is longer than any message may be.
pub(super) struct Limited<R> {
    inner: R,
    line: usize,
    exceeded: Arc<AtomicBool>,
}

impl<R> Limited<R> {
    fn new(inner: R) -> Self {
        Self { inner, line: 0, exceeded: Arc::default() }
    }

    /// Whether such a line was met.
    pub(super) fn exceeded(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.exceeded)
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Limited<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        let new = &buf.filled()[before..];
        self.line = match new.iter().rposition(|byte| *byte == b'\n') {
            Some(at) => new.len() - at - 1,
            None => self.line + new.len(),
        };
        if self.line > MOST {
            self.exceeded.store(true, Ordering::SeqCst);
            // After an error nothing else is sent.
            buf.set_filled(before);
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, "a message is too large")));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_providers_stay_here_unless_they_are_named() {
        let session: Vec<(OsString, OsString)> = [("PATH", "/bin"), ("OPENAI_API_KEY", "a"), ("GEMINI_API_KEY", "b")]
            .map(|(n, v)| (n.into(), v.into()))
            .into();
        let own = [("GEMINI_API_KEY".to_owned(), "c".to_owned())];
        let all = environment(&session, &own);
        let expected: Vec<(OsString, OsString)> =
            [("PATH", "/bin"), ("GEMINI_API_KEY", "c")].map(|(n, v)| (n.into(), v.into())).into();
        assert_eq!(all, expected);
    }

    #[test]
    fn the_end_of_the_errors_is_kept() {
        let tail = Tail::default();
        tail.push("ä".repeat(TAIL).as_bytes());
        tail.push(b"x end\n");
        let text = tail.text();
        assert!(text.ends_with("x end") && text.starts_with('ä') && text.len() <= TAIL, "{}", text.len());
    }

    #[tokio::test]
    async fn a_line_without_an_end_ends_the_stream() {
        let text = [b"{}\n".repeat(10), vec![b'x'; MOST + 1]].concat();
        let mut limited = Limited::new(&text[..]);
        let exceeded = limited.exceeded();
        let mut all = Vec::new();
        let error = limited.read_to_end(&mut all).await.expect_err("an end");
        assert_eq!((error.kind(), exceeded.load(Ordering::SeqCst)), (io::ErrorKind::InvalidData, true));
    }
}
