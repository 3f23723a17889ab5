//! Children that JavaScript waits for without giving the thread back.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use rquickjs::{Array, Ctx, IntoJs, Object, Value};
use tau_sys::process::{Flow, Leftovers, Manner, Rules, Sink, Stopped};
use tokio::net::UnixStream;

use super::command::{Prepared, Spec};
use crate::engine::{Activity, Charge, Memory, Waiting};
use crate::ops::table::typed;
use crate::ops::{Bytes, OpError, OpHost};

/// What a child came to.
pub(super) struct Outcome {
    pid: i32,
    status: Option<ExitStatus>,
    /// The code of the limit that it broke.
    broke: Option<&'static str>,
    output: Vec<Option<Said>>,
}

/// What a child said on one stream, and the room that JavaScript's copy of it needs.
type Said = (Vec<u8>, Option<Charge>);

typed! {
    Outcome = "{ pid: number; status: number | null; signal: number | null; broke: string | undefined; output: (Uint8Array | null)[] }";
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

/// What a child has to do with the engine that waits for it.
#[derive(Clone, Copy)]
struct Around<'a> {
    activity: &'a Arc<Activity>,
    memory: &'a Arc<Memory>,
    waiting: &'a Waiting,
}

/// Runs a child to its end. The engine's own event loop stands still meanwhile, so there is another one on a thread
/// of its own. Whoever ends the waiting ends the child and everything in its group. What the child leaves running ends with
/// the session.
pub(super) fn run(spec: &Spec, input: Option<Vec<u8>>, host: &OpHost, waiting: &Waiting) -> Result<Outcome, OpError> {
    let prepared = spec.command(host)?;
    let around = Around { activity: host.activity(), memory: host.memory(), waiting };
    let leftovers = spec.leftovers(host);
    let worker = || -> std::io::Result<Outcome> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let outcome = runtime.block_on(to_end(spec, prepared, input, leftovers, around));
        runtime.shutdown_background();
        outcome
    };
    let done = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("tau-js-child".to_owned()).spawn_scoped(scope, worker)?;
        thread.join().unwrap_or_else(|_| Err(std::io::Error::other("the waiting thread failed")))
    });
    done.map_err(|error| spec.error(&error))
}

/// What a child says, up to a limit for each stream.
struct Collected<'a> {
    limit: Option<usize>,
    memory: &'a Arc<Memory>,
    /// By stream; nothing for those that are no pipes.
    said: Vec<Option<Said>>,
}

impl Collected<'_> {
    /// A stream more, which is a pipe or not.
    fn add(&mut self, is_pipe: bool) {
        self.said.push(is_pipe.then(|| (Vec::new(), self.memory.charge(0).ok())));
    }
}

impl Sink for Collected<'_> {
    fn take(&mut self, stream: usize, bytes: &[u8]) -> Flow {
        let Some(Some((into, counted))) = self.said.get_mut(stream) else { return Flow::More };
        let mut room = self.limit.map_or(bytes.len(), |limit| limit.saturating_sub(into.len()).min(bytes.len()));
        // Twice, because JavaScript gets a copy. What does not fit into memory is beyond the limit too.
        let wanted = into.len() + room;
        let fits = counted.as_mut().is_some_and(|counted| counted.resize(wanted.saturating_mul(2)).is_ok());
        if !fits {
            room = 0;
        }
        into.extend_from_slice(&bytes[..room]);
        if room < bytes.len() { Flow::Enough } else { Flow::More }
    }
}

async fn to_end(
    spec: &Spec,
    prepared: Prepared,
    input: Option<Vec<u8>>,
    leftovers: Option<Leftovers>,
    Around { activity, memory, waiting }: Around<'_>,
) -> std::io::Result<Outcome> {
    let (process, extra, foreground) = prepared.spawn(spec.place())?;
    let mut process = process.leave_to(leftovers);
    let pid = process.pid();
    let _group = activity.keep(process.handle());
    waiting.set_group(Some(pid));
    let limit = spec.max_buffer.filter(|limit| limit.is_finite()).map(|limit| limit.max(0.0) as usize);
    let mut collected = Collected { limit, memory, said: Vec::new() };
    collected.add(process.child().stdout.is_some());
    collected.add(process.child().stderr.is_some());
    let (stdin, mut streams) = process.pipes();
    for end in extra {
        let open = |end: std::os::unix::net::UnixStream| {
            end.set_nonblocking(true)?;
            UnixStream::from_std(end)
        };
        collected.add(end.is_some());
        streams.add(end.map(open).transpose()?);
    }
    let timeout = Duration::try_from_secs_f64(spec.timeout / 1_000.0).ok().filter(|timeout| !timeout.is_zero());
    let input = input.unwrap_or_default();
    let rules = Rules { timeout, input, ..Rules::new(Manner::Wait(spec.kill_signal), waiting.ended().clone()) };
    let ended = tau_sys::process::run(process, (stdin, streams), rules, &mut collected).await;
    drop(foreground);
    waiting.set_group(None);
    let broke = match ended.stopped {
        Some(Stopped::TimedOut) => Some("ETIMEDOUT"),
        Some(Stopped::Full) => Some("ENOBUFS"),
        Some(Stopped::Cancelled | Stopped::Open) | None => None,
    };
    // The first is standard input.
    let output = [None].into_iter().chain(collected.said).collect();
    Ok(Outcome { pid: pid.as_raw_nonzero().get(), status: ended.status?, broke, output })
}
