//! Requests to models by extensions, over the wire formats that tau itself uses.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use futures_util::{FutureExt, StreamExt};
use rquickjs::Ctx;
use serde::Deserialize;
use serde_json::{Value as JsonValue, json};
use tau_ai::{
    CacheRetention, Message, MessageStream, Model, RequestHooks, ResponseHead, Secret, Sources, StreamApi,
    StreamOptions, StreamRequest, ThinkingLevel, ToolDeclaration, WrittenMessages, builtin_apis,
};
use tokio::sync::Mutex;

use super::port::{self, Arg, Caller, Reply};
use super::stream_event;
use crate::ops::table::{Host, Promised, ops};
use crate::ops::{Json, OpError, OpHost};

ops! {
    /// Requests to models by extensions, over the wire formats that tau itself uses.
    pub(crate) static OPS: watched;

    /// Starts a request; gives the number of its answer.
    fn piStreamOpen(rid, api, request) = pi_stream_open, Refused;
    /// A promise of the next events; null at the end.
    fn piStreamNext(rid, answer) -> "object[] | undefined" = pi_stream_next, Recorded;
}

/// Events that are handed over at once when they are there anyway.
const BATCH: usize = 64;

type Apis = Vec<(&'static str, Arc<dyn StreamApi>)>;

/// The formats hold the connections, which every engine of the process may use.
static APIS: LazyLock<Apis> = LazyLock::new(builtin_apis);

/// An answer that is being read.
struct Answer(Mutex<Option<MessageStream>>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    model: Model,
    system: Option<String>,
    messages: Vec<Arc<Message>>,
    #[serde(default)]
    tools: Vec<ToolDeclaration>,
    #[serde(default)]
    options: Options,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    api_key: Option<String>,
    headers: BTreeMap<String, Option<String>>,
    env: BTreeMap<String, String>,
    reasoning: ThinkingLevel,
    thinking_budgets: BTreeMap<ThinkingLevel, u64>,
    max_tokens: Option<u64>,
    temperature: Option<f64>,
    session_id: Option<String>,
    cache_retention: CacheRetention,
    max_retries: Option<u32>,
    disable_continuation: bool,
    /// JavaScript wants to see the request's body.
    on_payload: bool,
    /// JavaScript wants to see the answer's head.
    on_response: bool,
    /// JavaScript wants to see each event of the answer as it comes.
    on_provider_stream_event: bool,
}

/// What JavaScript does to a request.
pub(super) struct JsHooks {
    caller: Caller,
    removed: Vec<String>,
    payload: bool,
    response: bool,
    wire: bool,
}

#[async_trait]
impl RequestHooks for JsHooks {
    async fn headers(&self, mut headers: BTreeMap<String, Option<String>>) -> BTreeMap<String, Option<String>> {
        headers.extend(self.removed.iter().map(|name| (name.to_lowercase(), None)));
        headers
    }

    fn wants_payload(&self) -> bool {
        self.payload
    }

    async fn payload(&self, payload: JsonValue) -> JsonValue {
        match self.caller.call("payload", vec![Arg::Json(payload.clone())]).await {
            Ok(Reply::Json(changed)) if !changed.is_null() => changed,
            _ => payload,
        }
    }

    async fn response(&self, head: ResponseHead) {
        if self.response {
            let head = json!({ "status": head.status, "headers": head.headers });
            // What a listener throws is its own affair.
            let _ = self.caller.call("response", vec![Arg::Json(head)]).await;
        }
    }

    fn wants_wire_events(&self) -> bool {
        self.wire
    }

    async fn wire_event(&self, data: JsonValue) {
        // What a listener throws is its own affair.
        let _ = self.caller.call("wire", vec![Arg::Json(data)]).await;
    }
}

impl JsHooks {
    /// The hooks of a request that JavaScript wants to see in part, and the headers that are sent; a header without a value
    /// is removed.
    pub(super) fn of(
        caller: Caller,
        headers: BTreeMap<String, Option<String>>,
        (payload, response, wire): (bool, bool, bool),
    ) -> (Option<Arc<dyn RequestHooks>>, BTreeMap<String, String>) {
        let removed: Vec<String> =
            headers.iter().filter(|(_, value)| value.is_none()).map(|(name, _)| name.clone()).collect();
        let watched = payload || response || wire || !removed.is_empty();
        let hooks =
            watched.then(|| Arc::new(Self { caller, removed, payload, response, wire }) as Arc<dyn RequestHooks>);
        (hooks, headers.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
    }
}

/// Adds what the environment says of a provider to what is given.
pub(super) fn add_settings(host: &OpHost, model: &Model, env: &mut BTreeMap<String, String>) {
    let of = [tau_ai::provider_name(&model.provider), &model.api];
    let settings = tau_ai::PROVIDER_SETTINGS.iter().filter(|(name, _)| of.contains(name));
    let known = host.env();
    for name in settings.flat_map(|(_, names)| *names) {
        if let Some(value) = known.get(*name) {
            env.entry((*name).to_owned()).or_insert_with(|| value.clone());
        }
    }
}

fn open(api: &dyn StreamApi, request: Request, port: &port::Port, sources: Sources) -> MessageStream {
    let Request { model, system, messages, tools, options } = request;
    let seen = (options.on_payload, options.on_response, options.on_provider_stream_event);
    let (hooks, headers) = JsHooks::of(port.caller(), options.headers, seen);
    api.stream(StreamRequest {
        model: Arc::new(model),
        system,
        messages,
        tools: tools.into(),
        options: StreamOptions {
            api_key: options.api_key.map(Secret::new),
            headers,
            env: options.env,
            thinking: options.reasoning,
            thinking_budgets: options.thinking_budgets,
            max_tokens: options.max_tokens,
            temperature: options.temperature,
            session_id: options.session_id,
            cache_retention: options.cache_retention,
            sources,
            written: WrittenMessages::default(),
            repeats: options.max_retries,
            disable_continuation: options.disable_continuation,
        },
        hooks,
        cancel: port.cancelled(),
    })
}

fn pi_stream_open<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32, api: String, request: Json) -> rquickjs::Result<u32> {
    let (_, api) = APIS
        .iter()
        .find(|(name, _)| *name == api)
        .ok_or_else(|| OpError::message(format!("tau has no wire format {api}")).throw(&ctx))?;
    open_over(&ctx, &host, rid, &**api, request)
}

/// Starts a request over a wire format, for the port `rid`; gives the number of the answer, which `piStreamNext` reads.
///
/// # Errors
/// When there is no such port, and for what is no request.
pub(crate) fn open_over(
    ctx: &Ctx<'_>,
    host: &OpHost,
    rid: u32,
    api: &dyn StreamApi,
    request: Json,
) -> rquickjs::Result<u32> {
    let port = port::port(ctx, host, rid)?;
    let mut request: Request = serde_json::from_value(request.0)
        .map_err(|error| OpError::type_error("ERR_INVALID_ARG_VALUE", error.to_string()).throw(ctx))?;
    add_settings(host, &request.model, &mut request.options.env);
    let answer = Answer(Mutex::new(Some(open(api, request, &port, host.sources()))));
    Ok(host.resources().add(Rc::new(answer)))
}

fn pi_stream_next<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    rid: u32,
    answer: u32,
) -> rquickjs::Result<Promised<'js, Option<Json>>> {
    let answer = host.resources().get::<Answer>(answer).map_err(|error| error.throw(&ctx))?;
    port::serve(&ctx, &host, rid, async move |_, _| {
        let mut slot = answer.0.lock().await;
        let Some(stream) = slot.as_mut() else { return Ok(None) };
        let Some(first) = stream.next().await else {
            *slot = None;
            return Ok(None);
        };
        let mut events = vec![stream_event::to_json(&first)];
        while events.len() < BATCH {
            match stream.next().now_or_never() {
                Some(Some(item)) => events.push(stream_event::to_json(&item)),
                Some(None) => {
                    *slot = None;
                    break;
                }
                None => break,
            }
        }
        Ok(Some(Json(JsonValue::Array(events))))
    })
}
