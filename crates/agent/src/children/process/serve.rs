//! The side of the parent: asks its own gates about the calls of processes that it started.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tau_hooks::events::{ToolCall, UserBash};
use tau_hooks::payload::{ToolCallEvent, UserBashEvent};
use tau_hooks::{Dispatched, Hooks, Host, Scope, Shut};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::runtime::Handle;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::host::ProcessHost;
use super::{Announcement, Answer, LONGEST, Question, VARIABLE};

/// What the names of the folders begin with.
const PREFIX: &str = "tau-gates-";

/// How long to wait after a connection that could not be taken.
const PAUSE: Duration = Duration::from_millis(100);

/// The socket of a session, for as long as this is kept.
pub(crate) struct Announced {
    /// Removed with everything in it.
    _folder: Option<Folder>,
    _ends: DropGuard,
}

/// A folder that is this process's own until its end, however that comes.
struct Folder {
    /// None where the file system knows no locks: then others leave the folder alone too.
    _claim: Option<File>,
    _folder: TempDir,
}

impl Announced {
    /// Listens for the questions of processes, once for each session, and announces that to everything the session starts
    /// from now on.
    pub(crate) fn once(hooks: &Arc<Hooks>, runtime: &Handle, announcement: Announcement) {
        if !hooks.variables.is_fixed(VARIABLE) {
            hooks.keep(Box::new(Self::new(hooks, runtime, announcement)));
        }
    }

    /// Where nobody can listen, what is announced leads nowhere: processes that would ask find their gates shut.
    fn new(hooks: &Arc<Hooks>, runtime: &Handle, announcement: Announcement) -> Self {
        let ends = CancellationToken::new();
        let name = announcement.file_name();
        let folder = match listen(hooks, runtime, ends.clone(), &name) {
            Ok((folder, socket)) => {
                hooks.variables.fix(VARIABLE, &socket);
                // A process that was killed could not remove its own.
                runtime.spawn_blocking(|| tau_sys::remove_left_folders(PREFIX));
                Some(folder)
            }
            Err(error) => {
                tracing::warn!(%error, "processes that this session starts cannot ask its gates");
                hooks.variables.fix(VARIABLE, &format!("/dev/null/{name}"));
                None
            }
        };
        Self { _folder: folder, _ends: ends.drop_guard() }
    }
}

fn listen(
    hooks: &Arc<Hooks>,
    runtime: &Handle,
    ends: CancellationToken,
    name: &str,
) -> std::io::Result<(Folder, String)> {
    let folder = tau_sys::private_folder(PREFIX)?;
    let claim = tau_sys::claim(folder.path());
    let claim = claim.inspect_err(|error| tracing::debug!(%error, "the folder of the gates is not claimed")).ok();
    let path = folder.path().join(name);
    let socket = path.to_str().ok_or_else(|| std::io::Error::other("the folder's name is not Unicode"))?.to_owned();
    let _on = runtime.enter();
    let listener = UnixListener::bind(&path)?;
    let (hooks, each) = (Arc::downgrade(hooks), runtime.clone());
    runtime.spawn(async move {
        loop {
            let stream = tokio::select! {
                () = ends.cancelled() => return,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) if tau_sys::is_users(&stream) => stream,
                    Ok(_) => continue,
                    Err(error) => {
                        // Too many files are open, for example. A process that waits for its answer is blocked meanwhile.
                        tracing::warn!(%error, "a process could not ask the gates; trying again");
                        tokio::select! {
                            () = ends.cancelled() => return,
                            () = tokio::time::sleep(PAUSE) => continue,
                        }
                    }
                },
            };
            let (hooks, ends) = (Weak::clone(&hooks), ends.clone());
            each.spawn(async move {
                tokio::select! {
                    () = ends.cancelled() => {}
                    done = converse(&hooks, stream) => {
                        if let Err(error) = done {
                            tracing::debug!(%error, "the question of a process was not answered");
                        }
                    }
                }
            });
        }
    });
    Ok((Folder { _claim: claim, _folder: folder }, socket))
}

/// Answers questions one after another until the process is gone.
async fn converse(hooks: &Weak<Hooks>, stream: UnixStream) -> std::io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    loop {
        let mut line = Vec::new();
        let length = (&mut read).take(LONGEST).read_until(b'\n', &mut line).await?;
        if length == 0 || line.last() != Some(&b'\n') {
            return Ok(());
        }
        let question: Question = serde_json::from_slice(&line).map_err(std::io::Error::other)?;
        let cancel = CancellationToken::new();
        let _ends = cancel.clone().drop_guard();
        let answer = tokio::select! {
            answer = ask(hooks, question, &cancel) => answer,
            // A process that is gone, or says more before it was answered, takes its question back.
            _ = read.fill_buf() => return Ok(()),
        };
        let mut text = serde_json::to_vec(&answer).map_err(std::io::Error::other)?;
        text.push(b'\n');
        write.write_all(&text).await?;
    }
}

fn block(reason: impl Into<String>) -> Answer {
    Answer::Block { reason: reason.into(), terminate: false }
}

fn shut(shut: &Shut) -> Answer {
    block(shut.reason())
}

/// Asks the gates of the session and of those above it.
async fn ask(hooks: &Weak<Hooks>, question: Question, cancel: &CancellationToken) -> Answer {
    let gone = || block("Blocked: the parent session has ended, so nobody can ask its gates");
    let Some(hooks) = hooks.upgrade() else { return gone() };
    let host = match hooks.open_host() {
        Ok(host) => host,
        Err(closed) => return shut(&closed),
    };
    let Question { event, cwd, pid, payload } = question;
    let host = match ProcessHost::new(host, hooks.sources.clone(), cwd, pid) {
        Ok(host) => Arc::new(host) as Arc<dyn Host>,
        Err(error) => return block(error.to_string()),
    };
    let scope = Scope { cancel: cancel.clone(), ..Scope::new(host) };
    match event.as_str() {
        "tool_call" => match serde_json::from_value::<ToolCallEvent>(payload) {
            Ok(call) if !scope.host.allows_tool(&call.tool_name) => {
                block(format!("Blocked: the parent session may not use the tool {}", call.tool_name))
            }
            Ok(call) => about_tool(&hooks, scope, call).await,
            Err(error) => block(format!("Blocked: the question makes no sense: {error}")),
        },
        "user_bash" => match serde_json::from_value::<UserBashEvent>(payload) {
            Ok(command) => about_command(&hooks, scope, command).await,
            Err(error) => block(format!("Blocked: the question makes no sense: {error}")),
        },
        event => block(format!("Blocked: the parent session knows no event {event}")),
    }
}

async fn about_tool(hooks: &Hooks, scope: Scope, call: ToolCallEvent) -> Answer {
    let scope = scope.in_tool_call(&call.tool_call_id);
    let done = hooks.dispatcher.dispatch::<ToolCall>(&scope, || call).await;
    match done {
        Dispatched::Stopped { by, folded } => {
            let answer = folded.output.unwrap_or_default();
            let terminate = answer.terminate == Some(true);
            Answer::Block { reason: by.blocks_with(answer.reason), terminate }
        }
        Dispatched::Shut { shut: closed, .. } => shut(&closed),
        Dispatched::Unheard => Answer::Allow { input: None },
        Dispatched::Done(folded) | Dispatched::Cancelled { folded, .. } | Dispatched::Withheld { folded, .. } => {
            Answer::Allow { input: folded.changed_by.map(|_| folded.payload.input) }
        }
    }
}

async fn about_command(hooks: &Hooks, scope: Scope, command: UserBashEvent) -> Answer {
    let done = hooks.dispatcher.dispatch::<UserBash>(&scope, || command).await;
    let output = match done {
        Dispatched::Shut { shut: closed, .. } => return shut(&closed),
        Dispatched::Unheard => None,
        Dispatched::Done(folded)
        | Dispatched::Stopped { folded, .. }
        | Dispatched::Cancelled { folded, .. }
        | Dispatched::Withheld { folded, .. } => folded.output,
    };
    match output {
        Some(output) if output.operations.is_some() => {
            block("Blocked: the parent session runs such commands by itself, which it cannot do for another process")
        }
        Some(output) => output.result.map_or(Answer::Allow { input: None }, Answer::Done),
        None => Answer::Allow { input: None },
    }
}

/// Whether a path can be the socket of a session.
pub(super) fn is_socket(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket())
}
