//! Children that JavaScript waits for without giving the thread back.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rquickjs::{Array, Ctx, IntoJs, Object, Value};
use rustix::process::Pid;
use tau_tools::{Leftovers, Starting};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::task::JoinSet;

use super::command::{Prepared, Spec};
use super::signals;
use crate::engine::{Activity, Charge, Memory, Waiting};
use crate::ops::{Bytes, OpError, OpHost};

/// How long a child that was killed may take to be gone: one that the system does not let go is not waited for.
const REAPING: Duration = Duration::from_secs(1);

/// What a child came to.
pub(super) struct Outcome {
    pid: u32,
    status: Option<ExitStatus>,
    /// The code of the limit that it broke.
    broke: Option<&'static str>,
    output: Vec<Option<(Vec<u8>, Option<Charge>)>>,
}

impl<'js> IntoJs<'js> for Outcome {
    fn into_js(self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        let object = Object::new(ctx.clone())?;
        object.set("pid", self.pid)?;
        let null = || Value::new_null(ctx.clone());
        let number = |number: Option<i32>| number.map_or_else(null, |number| Value::new_int(ctx.clone(), number));
        object.set("status", number(self.status.and_then(|status| status.code())))?;
        object.set("signal", number(self.status.and_then(|status| status.signal())))?;
        object.set("broke", self.broke)?;
        let output = Array::new(ctx.clone())?;
        for (at, bytes) in self.output.into_iter().enumerate() {
            match bytes {
                Some((bytes, counted)) => {
                    // What was kept free for the copy is taken now.
                    drop(counted);
                    output.set(at, Bytes(bytes))?;
                }
                None => output.set(at, null())?,
            }
        }
        object.set("output", output)?;
        Ok(object.into_value())
    }
}

/// Runs a child to its end. The engine's own event loop stands still meanwhile, so there is another one on a thread
/// of its own. Whoever ends the waiting ends the child and everything in its group. What the child leaves running ends with
/// the session.
pub(super) fn run(spec: &Spec, input: Option<Vec<u8>>, host: &OpHost, waiting: &Waiting) -> Result<Outcome, OpError> {
    let prepared = spec.command(host)?;
    let activity = Arc::clone(host.activity());
    let memory = Arc::clone(host.memory());
    let leftovers = spec.leftovers(host);
    let worker = || -> std::io::Result<Outcome> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let outcome = runtime.block_on(to_end(spec, prepared, input, (&activity, waiting, leftovers), &memory));
        runtime.shutdown_background();
        outcome
    };
    let done = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("tau-js-child".to_owned()).spawn_scoped(scope, worker)?;
        thread.join().unwrap_or_else(|_| Err(std::io::Error::other("the waiting thread failed")))
    });
    done.map_err(|error| spec.error(&error))
}

/// What was read so far; shared, because a child that is ended early keeps what it had said.
type Collected = Arc<Mutex<(Vec<u8>, Option<Charge>)>>;

type Pipe = Box<dyn AsyncRead + Unpin + Send>;

/// Reads to the end. At the limit it gives the pipe back: closing it would end the child by another signal.
async fn collect(mut pipe: Pipe, into: Collected, limit: Option<usize>) -> Result<(), Pipe> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = pipe.read(&mut buffer).await.unwrap_or(0);
        let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else { return Ok(()) };
        let mut held = into.lock();
        let (into, counted) = &mut *held;
        let mut room = limit.map_or(count, |limit| limit.saturating_sub(into.len()).min(count));
        // Twice, because JavaScript gets a copy. What does not fit into memory is beyond the limit too.
        let wanted = into.len() + room;
        let fits = counted.as_mut().is_some_and(|counted| counted.resize(wanted.saturating_mul(2)).is_ok());
        if !fits {
            room = 0;
        }
        into.extend(bytes.iter().take(room));
        if room < count {
            drop(held);
            return Err(pipe);
        }
    }
}

async fn to_end(
    spec: &Spec,
    prepared: Prepared,
    input: Option<Vec<u8>>,
    (activity, waiting, leftovers): (&Arc<Activity>, &Waiting, Option<Leftovers>),
    memory: &Arc<Memory>,
) -> std::io::Result<Outcome> {
    let starting = Starting::begin()?;
    let mut process = {
        // Dropped at once: it holds the child's ends of the pipes.
        let mut command = spec.finish(prepared.command)?;
        command.spawn()?
    };
    let pid = process.id().unwrap_or_default();
    let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let _group = number.map(|group| activity.keep(group));
    drop(starting);
    waiting.set_group(number);
    let limit = spec.max_buffer.filter(|limit| limit.is_finite()).map(|limit| limit.max(0.0) as usize);
    let mut readers = JoinSet::new();
    let mut output: Vec<Option<Collected>> = vec![None];
    let mut gather = |pipe: Option<Pipe>| {
        output.push(pipe.map(|pipe| {
            let into = Arc::new(Mutex::new((Vec::new(), memory.charge(0).ok())));
            readers.spawn(collect(pipe, Arc::clone(&into), limit));
            into
        }));
    };
    gather(process.stdout.take().map(|pipe| Box::new(pipe) as _));
    gather(process.stderr.take().map(|pipe| Box::new(pipe) as _));
    for end in prepared.extra {
        let open = |end: std::os::unix::net::UnixStream| {
            end.set_nonblocking(true)?;
            UnixStream::from_std(end)
        };
        gather(end.map(open).transpose()?.map(|pipe| Box::new(pipe) as _));
    }
    if let Some(mut stdin) = process.stdin.take() {
        tokio::spawn(async move {
            // A child that does not read to the end is no error.
            let _ = stdin.write_all(&input.unwrap_or_default()).await;
        });
    }

    let timeout = Duration::try_from_secs_f64(spec.timeout / 1_000.0).ok().filter(|timeout| !timeout.is_zero());
    let overdue = async {
        match timeout {
            Some(timeout) => tokio::time::sleep(timeout).await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(overdue);
    let given_up = async {
        waiting.ended().await;
        tokio::time::sleep(REAPING).await;
    };
    tokio::pin!(given_up);
    let mut status = None;
    let mut broke = None;
    let mut open = true;
    let mut full = Vec::new();
    while status.is_none() || open {
        let breaks = tokio::select! {
            ended = process.wait(), if status.is_none() => {
                status = Some(ended?);
                None
            }
            reader = readers.join_next(), if open => match reader {
                Some(Ok(Err(pipe))) => {
                    full.push(pipe);
                    Some("ENOBUFS")
                }
                Some(_) => None,
                None => {
                    open = false;
                    None
                }
            },
            () = &mut overdue, if broke.is_none() => Some("ETIMEDOUT"),
            () = waiting.ended(), if open => {
                // The processes were ended by whoever ended the waiting; others may hold the pipes.
                readers.abort_all();
                open = false;
                None
            }
            () = &mut given_up => break,
        };
        if let Some(code) = breaks.filter(|_| broke.is_none()) {
            broke = Some(code);
            if let (Some(pid), None) = (number, status) {
                let _ = signals::send(pid, spec.kill_signal);
            }
            // Whatever else holds the pipes open is not waited for.
            readers.abort_all();
        }
    }
    waiting.set_group(None);
    // One that is not over was ended with its group.
    if let (Some(leftovers), Some(group), Some(_)) = (leftovers, number, status) {
        leftovers.take(group);
    }
    let output = output.into_iter().map(|bytes| bytes.map(|held| std::mem::take(&mut *held.lock()))).collect();
    Ok(Outcome { pid, status, broke, output })
}
