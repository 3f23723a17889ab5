//! Calls from Rust into JavaScript while an op runs, such as into operations that an extension wrote.
//!
//! A port is a resource with one function of JavaScript, `dispatch(id, method, args)`. Whoever answers does so with
//! `piPortReply(port, id, ok, value)`; calls with the id 0 are news and have no answer. Rust futures hold a
//! [`Caller`], which may go to any thread; the op that made the port forwards its calls in [`Port::serve`].

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::Future;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rquickjs::{Array, Ctx, Function, IntoJs, Persistent, TypedArray, Value};
use serde_json::Value as Json;
use tau_tools::bash::{OnData, Pace};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::convert;
use crate::engine::ExtensionId;
use crate::ops::table::{Host, Promised, ops};
use crate::ops::{Bytes, Completion, OpError, OpHost};

ops! {
    /// Calls from Rust into JavaScript while an op runs, such as into operations that an extension wrote.
    pub(crate) static OPS: watched;

    /// A port: the op that serves it calls the function with what it has to ask.
    fn piPort(dispatch) = pi_port, Pure;
    /// Answers what was asked through a port.
    fn piPortReply(rid, id, ok, value) = pi_port_reply, Pure;
    /// Answers with a piece of data.
    fn piPortData(rid, id, bytes) = pi_port_data, Pure;
    /// Ends what a port serves.
    fn piPortCancel(rid) = pi_port_cancel, Pure;
}

/// How much of a stream may be on its way to JavaScript, in bytes.
const MOST_WAITING: usize = 1 << 20;

/// One argument of a call.
#[derive(Debug)]
pub(super) enum Arg {
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A piece of a stream of bytes.
    Piece(Vec<u8>, Untaken),
    /// Plain data.
    Json(Json),
}

/// How many bytes of a stream JavaScript has not taken yet, for whoever feeds it to wait for.
#[derive(Debug, Default)]
pub(super) struct Flow {
    waiting: AtomicUsize,
    taken: Notify,
}

/// Bytes of a [`Flow`] that wait as long as this is kept.
#[derive(Debug)]
pub(super) struct Untaken {
    flow: Arc<Flow>,
    bytes: usize,
}

impl Flow {
    /// So many bytes are on their way.
    pub(super) fn send(self: &Arc<Self>, bytes: usize) -> Untaken {
        self.waiting.fetch_add(bytes, Ordering::Relaxed);
        Untaken { flow: Arc::clone(self), bytes }
    }

    /// Waits while too much is on its way.
    pub(super) fn pace(self: &Arc<Self>) -> Pace {
        let flow = Arc::clone(self);
        Arc::new(move || {
            let full = |flow: &Self| flow.waiting.load(Ordering::Relaxed) > MOST_WAITING;
            let flow = Arc::clone(&flow);
            full(&flow).then(|| {
                Box::pin(async move {
                    while full(&flow) {
                        flow.taken.notified().await;
                    }
                }) as _
            })
        })
    }
}

impl Drop for Untaken {
    fn drop(&mut self) {
        self.flow.waiting.fetch_sub(self.bytes, Ordering::Relaxed);
        // Kept for one that begins to wait in this moment.
        self.flow.taken.notify_one();
    }
}

/// What JavaScript answered.
#[derive(Debug)]
pub(super) enum Reply {
    /// A buffer.
    Bytes(Vec<u8>),
    /// Anything else, as `JSON.stringify` sees it.
    Json(Json),
}

/// What JavaScript threw.
#[derive(Debug, Clone, Default)]
pub(super) struct Thrown {
    pub(super) code: Option<String>,
    pub(super) message: String,
}

struct Call {
    method: &'static str,
    args: Vec<Arg>,
    answer: Option<Answer>,
}

struct Answer {
    reply: oneshot::Sender<Result<Reply, Thrown>>,
    on_data: Option<OnData>,
}

/// Calls JavaScript, from any thread.
#[derive(Clone)]
pub(super) struct Caller(UnboundedSender<Call>);

impl Caller {
    /// Calls and waits for the answer.
    pub(super) async fn call(&self, method: &'static str, args: Vec<Arg>) -> Result<Reply, Thrown> {
        self.call_with_data(method, args, None).await
    }

    /// Calls; until the answer comes, data that JavaScript sends goes to `on_data`.
    pub(super) async fn call_with_data(
        &self,
        method: &'static str,
        args: Vec<Arg>,
        on_data: Option<OnData>,
    ) -> Result<Reply, Thrown> {
        let (reply, answered) = oneshot::channel();
        let gone = || Thrown { code: None, message: "the extension is gone".to_owned() };
        self.0.send(Call { method, args, answer: Some(Answer { reply, on_data }) }).map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }

    /// Tells JavaScript something.
    pub(super) fn tell(&self, method: &'static str, args: Vec<Arg>) {
        // Nobody listens any more when this fails.
        let _ = self.0.send(Call { method, args, answer: None });
    }
}

/// A port; see the module.
pub(super) struct Port {
    dispatch: RefCell<Option<Persistent<Function<'static>>>>,
    extension: ExtensionId,
    completions: UnboundedSender<Completion>,
    waiting: RefCell<HashMap<u32, Answer>>,
    last: Cell<u32>,
    calls: RefCell<Option<UnboundedReceiver<Call>>>,
    caller: Caller,
    cancel: CancellationToken,
}

impl Port {
    fn new(host: &OpHost, extension: ExtensionId, dispatch: Persistent<Function<'static>>) -> Self {
        let (sender, calls) = unbounded_channel();
        Self {
            dispatch: RefCell::new(Some(dispatch)),
            extension,
            completions: host.completions(),
            waiting: RefCell::default(),
            last: Cell::new(0),
            calls: RefCell::new(Some(calls)),
            caller: Caller(sender),
            cancel: CancellationToken::new(),
        }
    }

    /// For futures that call JavaScript.
    pub(super) fn caller(&self) -> Caller {
        self.caller.clone()
    }

    /// Fires when JavaScript wants the work to stop.
    pub(super) fn cancelled(&self) -> CancellationToken {
        self.cancel.clone()
    }

    /// Does the work and meanwhile forwards its calls.
    pub(super) async fn serve<T>(self: &Rc<Self>, work: impl Future<Output = T>) -> T {
        let Some(mut calls) = self.calls.borrow_mut().take() else { return work.await };
        let mut work = std::pin::pin!(work);
        let result = loop {
            tokio::select! {
                biased;
                Some(call) = calls.recv() => self.forward(call),
                result = &mut work => break result,
            }
        };
        while let Ok(call) = calls.try_recv() {
            self.forward(call);
        }
        *self.calls.borrow_mut() = Some(calls);
        result
    }

    fn forward(self: &Rc<Self>, Call { method, args, answer }: Call) {
        let id = answer.map_or(0, |answer| {
            let id = self.last.get().wrapping_add(1).max(1);
            self.last.set(id);
            self.waiting.borrow_mut().insert(id, answer);
            id
        });
        let port = Rc::clone(self);
        let call = move |ctx: &Ctx<'_>| {
            let Some(dispatch) = port.dispatch.borrow().clone() else { return Ok(()) };
            let list = Array::new(ctx.clone())?;
            for (index, arg) in args.into_iter().enumerate() {
                match arg {
                    Arg::Text(text) => list.set(index, text)?,
                    Arg::Bytes(bytes) => list.set(index, Bytes(bytes))?,
                    Arg::Piece(bytes, untaken) => {
                        list.set(index, Bytes(bytes))?;
                        drop(untaken);
                    }
                    Arg::Json(json) => list.set(index, convert::to_js(ctx, &json)?)?,
                }
            }
            dispatch.restore(ctx)?.call((id, method, list))
        };
        // The engine has ended when this fails.
        let _ = self.completions.send((self.extension, Box::new(call)));
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// The port of that number.
pub(super) fn port(ctx: &Ctx<'_>, host: &OpHost, rid: u32) -> rquickjs::Result<Rc<Port>> {
    host.resources().get::<Port>(rid).map_err(|error| error.throw(ctx))
}

/// Does work on behalf of a port; JavaScript gets a promise of its result.
pub(super) fn serve<'js, T>(
    ctx: &Ctx<'js>,
    host: &OpHost,
    rid: u32,
    work: impl AsyncFnOnce(Caller, CancellationToken) -> Result<T, OpError> + 'static,
) -> rquickjs::Result<Promised<'js, T>>
where
    T: for<'a> IntoJs<'a> + 'static,
{
    let port = port(ctx, host, rid)?;
    host.spawn(ctx, async move {
        let (caller, cancel) = (port.caller(), port.cancelled());
        port.serve(work(caller, cancel)).await
    })
}

fn reply_of<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> rquickjs::Result<Reply> {
    if let Some(object) = value.as_object()
        && let Some(array) = object.as_typed_array::<u8>()
    {
        return Ok(Reply::Bytes(bytes_of(array)));
    }
    Ok(Reply::Json(convert::from_js(ctx, value)?.unwrap_or_default()))
}

fn bytes_of(array: &TypedArray<'_, u8>) -> Vec<u8> {
    crate::raw::bytes_of(array).unwrap_or_default()
}

fn pi_port<'js>(ctx: Ctx<'js>, Host(host): Host, dispatch: Function<'js>) -> u32 {
    host.resources().add(Rc::new(Port::new(&host, host.asking(&ctx), Persistent::save(&ctx, dispatch))))
}

fn pi_port_reply<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    rid: u32,
    id: u32,
    ok: bool,
    value: Value<'js>,
) -> rquickjs::Result<()> {
    // The work may have ended without waiting for this answer.
    let Ok(port) = host.resources().get::<Port>(rid) else { return Ok(()) };
    let Some(answer) = port.waiting.borrow_mut().remove(&id) else { return Ok(()) };
    let result = if ok {
        Ok(reply_of(&ctx, &value)?)
    } else {
        let json = convert::from_js(&ctx, &value)?.unwrap_or_default();
        let text = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
        Err(Thrown { code: text("code"), message: text("message").unwrap_or_default() })
    };
    // The work that asked may have ended meanwhile.
    let _ = answer.reply.send(result);
    Ok(())
}

fn pi_port_data(Host(host): Host, rid: u32, id: u32, bytes: Bytes) {
    let on_data = host.resources().get::<Port>(rid).ok().and_then(|port| {
        let waiting = port.waiting.borrow();
        waiting.get(&id).and_then(|answer| answer.on_data.clone())
    });
    if let Some(on_data) = on_data {
        on_data(&bytes.0);
    }
}

fn pi_port_cancel(Host(host): Host, rid: u32) {
    if let Ok(port) = host.resources().get::<Port>(rid) {
        port.cancel.cancel();
    }
}
