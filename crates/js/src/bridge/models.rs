//! Models: what `ctx.modelRegistry` knows, and providers whose wire format is written in JavaScript.
#![expect(clippy::disallowed_methods, reason = "a stream belongs to the runtime of the request that reads it")]

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use rquickjs::function::Func;
use rquickjs::{Ctx as JsCtx, Exception, IntoJs, Object};
use serde_json::{Value as Data, json};
use tau_ai::{
    AssistantMessage, AuthStatus, ContentBlock, Message, MessageBuilder, MessageStream, Model, ModelRegistry,
    PartialMessage, RequestHooks, ResponseHead, Secrets, StopReason, StreamApi, StreamEvent, StreamItem, StreamRequest,
};
use tau_hooks::{ActionError, Api};
use tokio::sync::mpsc;

use super::callback::{making, reading};
use super::extract::Caller;
use super::signal::watch;
use super::{Callback, refused};
use crate::engine::{Charge, Core, EngineGone};
use crate::ops::table::Signature;
use crate::ops::table::{Arguments, Host, Param, Promised, ops};
use crate::ops::{Json, List, OpError, Words, charge, too_large};

ops! {
    /// Models.
    pub(crate) static OPS: always;

    /// All models.
    fn modelsAll(id) -> "Model[] | undefined" = all, Recorded;
    /// The models that there are credentials for.
    fn modelsAvailable(id) -> "Model[] | undefined" = available, Recorded;
    /// The models of a type.
    fn modelsOfType(id, kind) -> "Model[] | undefined" = of_type, Recorded;
    /// A model.
    fn modelsFind(id, provider, model) -> "Model | undefined" = find, Recorded;
    /// Reads the text of a `models.json`.
    fn modelsLoad(id, text) = load, Pure;
    /// What is wrong with the models that were read.
    fn modelsErrors(id) = errors, Recorded;
    /// Whether there are credentials for a provider.
    fn modelsHasAuth(id, provider) = has_auth, Recorded;
    /// Where the credentials of a provider come from.
    fn modelsAuthStatus(id, provider) -> "AuthStatus | undefined" = auth_status, Recorded;
    /// Whether the credentials of a provider come from a login.
    fn modelsUsesLogin(id, provider) = uses_login, Recorded;
    /// The credentials of a model.
    fn modelsAuth(id, model) -> "ModelAuth" = models_auth, Recorded;
    /// Whether the session has a wire format to reach a model with.
    fn modelsSpeaks(id, model) = speaks, Recorded;
    /// Starts a request over the session's wire format of a model, for a port; gives the number of its answer.
    fn modelsStreamOpen(id, port, model, request) = stream_open, Refused;
}

/// The model that JavaScript describes: the registered one of that name, else as it is.
pub(super) fn known(api: &Api, model: &Data) -> Result<Arc<Model>, ActionError> {
    let name = |field: &str| model[field].as_str().unwrap_or_default().to_owned();
    let registry = api.host()?.models();
    let found = registry.and_then(|registry| registry.find(&name("provider"), &name("id")));
    match found {
        Some(found) => Ok(found),
        None => serde_json::from_value::<Model>(model.clone())
            .map(Arc::new)
            .map_err(|error| ActionError::Refused(format!("this is no model: {error}"))),
    }
}

fn list<'a>(models: impl IntoIterator<Item = &'a Arc<Model>>) -> Json {
    Json(models.into_iter().map(|model| tau_ai::to_json(&**model)).collect())
}

/// As the published API tells it; a provider that needs no key has no source.
fn status(status: &AuthStatus) -> Data {
    let source = match status {
        AuthStatus::Missing => return json!({ "configured": false }),
        AuthStatus::Other => return json!({ "configured": true }),
        AuthStatus::Environment(names) => {
            return json!({ "configured": true, "source": "environment", "label": names.join(", ") });
        }
        AuthStatus::Runtime => "runtime",
        AuthStatus::Stored => "stored",
        AuthStatus::Command => "models_json_command",
        AuthStatus::Configured => "models_json_key",
        AuthStatus::Workload => "environment",
        AuthStatus::Registered => "fallback",
    };
    json!({ "configured": true, "source": source })
}

type Ctx<'js> = JsCtx<'js>;

/// A wire format that a function of an extension speaks.
pub(super) fn stream_api(function: Arc<Callback>, provider: &str, extension: Arc<str>) -> Arc<dyn StreamApi> {
    Arc::new(JsApi { function, whose: Arc::new(Whose { provider: provider.to_owned(), extension }) })
}

struct JsApi {
    function: Arc<Callback>,
    whose: Arc<Whose>,
}

/// Whose stream it is, for what goes wrong with it.
struct Whose {
    provider: String,
    extension: Arc<str>,
}

impl Whose {
    /// The function failed. What it says comes first: what is done about a failure depends on how it begins.
    fn failed(&self, why: &str) -> String {
        format!("{why} (streamSimple of provider {})", self.provider)
    }

    /// What it gave makes no sense.
    fn wrong(&self, problem: impl fmt::Display) -> String {
        format!("streamSimple of provider {} (extension {}): {problem}", self.provider, self.extension)
    }
}

impl StreamApi for JsApi {
    fn stream(&self, mut request: StreamRequest) -> MessageStream {
        let (function, whose) = (Arc::clone(&self.function), Arc::clone(&self.whose));
        let (sender, events) = mpsc::unbounded_channel();
        let head = MessageBuilder::head_at(&request.model, request.options.sources.clock.now_ms());
        let cancel = request.cancel.clone();
        let secrets = Secrets::of_request(&request);
        let reader = Reader::new(head, secrets, Arc::clone(&whose));
        let run = async move {
            let failed = sender.clone();
            show_headers(&mut request).await;
            let arguments = making(move |js, core, call| {
                let signal = watch(js, core, call, request.cancel.clone())?;
                let options = crate::convert::to_js(js, &options(&request))?;
                if let Some(options) = options.as_object() {
                    options.set("signal", signal)?;
                    if let Some(hooks) = &request.hooks {
                        offer(core, options, hooks)?;
                    }
                }
                let memory = core.host().memory();
                let said = charge(memory, 0, "the answer").map_err(|error| error.throw(js))?;
                let said = RefCell::new(Some(said));
                let push = move |event: Json| {
                    let event = said_more(&said, event.0);
                    // Nobody listens to an answer that was given up.
                    let _ = sender.send(event);
                };
                Ok(vec![
                    crate::convert::to_js(js, &tau_ai::to_json(&*request.model))?,
                    crate::convert::to_js(js, &context(&request))?,
                    options,
                    Func::from(push).into_js(js)?,
                ])
            });
            let done = function.call(arguments, reading(|_, _, _, _| Ok(()))).await;
            if let Err(error) = done {
                // Nobody listens to an answer that was given up.
                let _ = failed.send(Err(whose.failed(&error.to_string())));
            }
        };
        tokio::spawn(run);
        futures_util::stream::unfold((reader, events, cancel), |(mut reader, mut events, cancel)| async move {
            while !reader.ended {
                let event = tokio::select! {
                    biased;
                    event = events.recv() => event,
                    () = cancel.cancelled() => {
                        reader.ended = true;
                        let item = reader.builder.error(StopReason::Aborted, "Request was aborted");
                        return Some((item, (reader, events, cancel)));
                    }
                };
                let item = match event {
                    Some(Ok(event)) => reader.read(&event),
                    Some(Err(error)) => Some(reader.fail(error)),
                    None => {
                        let why = reader.whose.failed("the provider's stream ended without a final message");
                        Some(reader.fail(why))
                    }
                };
                if let Some(item) = item {
                    return Some((item, (reader, events, cancel)));
                }
            }
            None
        })
        .boxed()
    }
}

/// Gives a provider what it calls so that handlers see its request: functions that give promises.
fn offer<'js>(core: &Rc<Core>, options: &Object<'js>, hooks: &Arc<dyn RequestHooks>) -> rquickjs::Result<()> {
    let wants_wire_events = hooks.wants_wire_events();
    // The engine keeps the functions, so they must not keep it.
    let (core, hooks) = (Rc::downgrade(core), Arc::clone(hooks));
    let asking = move |ask: fn(Arc<dyn RequestHooks>, Data) -> BoxFuture<'static, Data>| {
        let (core, hooks) = (core.clone(), Arc::clone(&hooks));
        Func::from(move |js: Ctx<'js>, data: Json| -> rquickjs::Result<Promised<'js, Json>> {
            let gone = || Exception::throw_message(&js, &EngineGone.to_string());
            let core = core.upgrade().ok_or_else(gone)?;
            let answer = ask(Arc::clone(&hooks), data.0);
            core.host().spawn(&js, async move { Ok(Json(answer.await)) })
        })
    };
    options.set("onPayload", asking(|hooks, payload| Box::pin(async move { hooks.payload(payload).await })))?;
    options.set("onResponse", asking(|hooks, head| Box::pin(async move { seen(&*hooks, head).await })))?;
    if wants_wire_events {
        let wire = asking(|hooks, data| {
            Box::pin(async move {
                hooks.wire_event(data).await;
                Data::Null
            })
        });
        options.set("onProviderStreamEvent", wire)?;
    }
    Ok(())
}

/// Shows the head of an answer; one without a status is none.
async fn seen(hooks: &dyn RequestHooks, head: Data) -> Data {
    if let Ok(head) = serde_json::from_value::<ResponseHead>(head) {
        hooks.response(head).await;
    }
    Data::Null
}

/// Lets handlers change the headers that the provider is given.
async fn show_headers(request: &mut StreamRequest) {
    if let Some(hooks) = &request.hooks {
        let given = request.options.headers.iter().map(|(name, value)| (name.to_lowercase(), Some(value.clone())));
        let wanted = hooks.headers(given.collect()).await;
        request.options.headers = wanted.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    }
}

/// Counts what an event adds to an answer: its text as it is, and as a part of the message. An answer that gets too large
/// ends there.
fn said_more(said: &RefCell<Option<Charge>>, event: Data) -> Result<Data, String> {
    let mut said = said.borrow_mut();
    let full = || "the answer would need more memory than scripts may take".to_owned();
    let counted = said.as_mut().ok_or_else(full)?;
    let more = event["delta"].as_str().map_or(0, str::len).saturating_mul(2);
    match counted.resize(counted.bytes().saturating_add(more)) {
        Ok(()) => Ok(event),
        Err(error) => {
            *said = None;
            Err(too_large("the answer", &error).message)
        }
    }
}

fn context(request: &StreamRequest) -> Data {
    json!({
        "systemPrompt": request.system,
        "messages": request.messages.iter().map(|message| tau_ai::to_json(&**message)).collect::<Vec<_>>(),
        "tools": request.tools.iter().map(tau_ai::to_json).collect::<Vec<_>>(),
    })
}

fn options(request: &StreamRequest) -> Data {
    let options = &request.options;
    let mut object = serde_json::Map::new();
    let mut set = |name: &str, value: Data| {
        if !value.is_null() {
            object.insert(name.to_owned(), value);
        }
    };
    set("apiKey", options.api_key.as_ref().map_or(Data::Null, |key| key.expose().into()));
    set("headers", if options.headers.is_empty() { Data::Null } else { json!(options.headers) });
    set(
        "reasoning",
        match serde_json::to_value(options.thinking) {
            Ok(level) if level != "off" => level,
            _ => Data::Null,
        },
    );
    set("maxTokens", json!(options.max_tokens));
    set("temperature", json!(options.temperature));
    set("sessionId", json!(options.session_id));
    set("maxRetries", json!(options.repeats));
    set("disableContinuation", if options.disable_continuation { true.into() } else { Data::Null });
    Data::Object(object)
}

/// Follows the events of a stream written in JavaScript.
struct Reader {
    builder: MessageBuilder,
    /// Where blocks of the stream are in the message.
    open: Vec<(u64, usize)>,
    ended: bool,
    secrets: Secrets,
    whose: Arc<Whose>,
}

impl Reader {
    fn new(head: AssistantMessage, secrets: Secrets, whose: Arc<Whose>) -> Self {
        let builder = MessageBuilder::new(head).hiding(secrets.clone());
        Self { builder, open: Vec::new(), ended: false, secrets, whose }
    }

    fn wrong(&mut self, problem: impl fmt::Display) -> StreamItem {
        let why = self.whose.wrong(problem);
        self.fail(why)
    }

    fn fail(&mut self, error: String) -> StreamItem {
        self.ended = true;
        self.builder.error(StopReason::Error, error)
    }

    fn place(&self, event: &Data) -> Option<usize> {
        let index = event["contentIndex"].as_u64()?;
        self.open.iter().rev().find(|(known, _)| *known == index).map(|(_, place)| *place)
    }

    fn opened(&mut self, event: &Data, (place, item): (usize, StreamItem)) -> StreamItem {
        self.open.push((event["contentIndex"].as_u64().unwrap_or_default(), place));
        item
    }

    fn read(&mut self, event: &Data) -> Option<StreamItem> {
        let text = |name: &str| event[name].as_str().unwrap_or_default();
        let block = || &event["partial"]["content"][event["contentIndex"].as_u64().unwrap_or_default() as usize];
        let Some(kind) = event["type"].as_str() else {
            return Some(self.wrong("an event is no object with a \"type\""));
        };
        if kind.ends_with("_delta") && !event["delta"].is_string() {
            return Some(self.wrong(format_args!("{kind}: \"delta\" is no text")));
        }
        let builder = &self.builder;
        Some(match kind {
            "start" => builder.start(),
            "text_start" => {
                let opened = builder.text_start();
                self.opened(event, opened)
            }
            "text_delta" => builder.text_delta(self.place(event)?, text("delta")),
            "text_end" => {
                let signature = block()["textSignature"].as_str().map(str::to_owned);
                builder.text_end(self.place(event)?, signature)
            }
            "thinking_start" => {
                let opened = builder.thinking_start();
                self.opened(event, opened)
            }
            "thinking_delta" => builder.thinking_delta(self.place(event)?, text("delta")),
            "thinking_end" => {
                let signature = block()["thinkingSignature"].as_str().map(str::to_owned);
                builder.thinking_end(self.place(event)?, signature, block()["redacted"].as_bool().unwrap_or(false))
            }
            "toolcall_start" => {
                let block = block();
                let opened = builder.tool_call_start(
                    block["id"].as_str().unwrap_or_default(),
                    block["name"].as_str().unwrap_or_default(),
                );
                self.opened(event, opened)
            }
            "toolcall_delta" => builder.tool_call_delta(self.place(event)?, text("delta")),
            "toolcall_end" => {
                let given = Some(&event["toolCall"]).filter(|call| !call.is_null()).unwrap_or_else(block);
                let Ok(ContentBlock::ToolCall(call)) = serde_json::from_value(given.clone()) else {
                    return Some(self.wrong("toolcall_end: \"toolCall\" is no tool call"));
                };
                builder.tool_call_end(self.place(event)?, call)
            }
            "done" => self.end(&event["message"], |message| StreamEvent::Done { message }),
            "error" => self.end(&event["error"], |message| StreamEvent::Error { message }),
            _ => return None,
        })
    }

    fn end(&mut self, message: &Data, event: impl FnOnce(Arc<AssistantMessage>) -> StreamEvent) -> StreamItem {
        self.ended = true;
        // As a message of any role: there the role is read, and does not stay behind among unknown fields.
        match serde_json::from_value::<Message>(message.clone()) {
            Ok(Message::Assistant(mut message)) => {
                self.secrets.hide_in_answer(&mut message);
                let message = Arc::new(message);
                StreamItem { event: event(Arc::clone(&message)), partial: PartialMessage::complete(message) }
            }
            Ok(_) => self.wrong("the role of the final message is not \"assistant\""),
            Err(error) => self.wrong(format_args!("the final message: {error}")),
        }
    }
}

/// The registry of the session of the extension that calls, if there is one.
struct Registry(Option<Arc<ModelRegistry>>);

impl<'js> Param<'js> for Registry {
    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        let Caller { extension, .. } = Caller::take(arguments)?;
        let host = extension.api.host().map_err(|error| refused(arguments.ctx(), &error))?;
        Ok(Self(host.models()))
    }

    fn describe(signature: &mut Signature) {
        Caller::describe(signature);
    }
}

fn all(Registry(registry): Registry) -> Option<Json> {
    registry.map(|registry| list(registry.all().iter()))
}

fn available(Registry(registry): Registry) -> Option<Json> {
    registry.map(|registry| list(registry.available().iter()))
}

fn of_type(Registry(registry): Registry, kind: String) -> Option<Json> {
    registry.map(|registry| list(&registry.all_of_kind(&kind)))
}

fn find(Registry(registry): Registry, provider: Words, model: Words) -> Option<Json> {
    registry?.find(&provider.text(), &model.text()).map(|model| Json(tau_ai::to_json(&*model)))
}

fn load(Registry(registry): Registry, text: String) {
    if let Some(registry) = registry {
        // What is wrong with it is asked for afterwards.
        drop(registry.load_models_json(&text));
    }
}

fn errors(Registry(registry): Registry) -> Option<List<String>> {
    registry.map(|registry| List(registry.errors()))
}

fn has_auth(Registry(registry): Registry, provider: Words) -> Option<bool> {
    registry.map(|registry| registry.has_auth(&provider.text()))
}

fn auth_status(Registry(registry): Registry, provider: Words) -> Option<Json> {
    registry.map(|registry| Json(status(&registry.auth_status(&provider.text()))))
}

fn uses_login(Registry(registry): Registry, provider: Words) -> Option<bool> {
    registry.map(|registry| registry.uses_login(&provider.text()))
}

/// The session's wire format of a model.
fn api_for(registry: Option<&ModelRegistry>, model: &Data) -> Option<Arc<dyn StreamApi>> {
    let model = serde_json::from_value::<Model>(model.clone()).ok()?;
    registry?.api_for(&model)
}

fn speaks(Registry(registry): Registry, model: Json) -> bool {
    api_for(registry.as_deref(), &model.0).is_some()
}

fn stream_open(
    js: Ctx<'_>,
    Host(host): Host,
    Registry(registry): Registry,
    port: u32,
    model: Json,
    request: Json,
) -> rquickjs::Result<u32> {
    let api = api_for(registry.as_deref(), &model.0)
        .ok_or_else(|| OpError::message("the session has no wire format for this model").throw(&js))?;
    crate::pi::open_over(&js, &host, port, &*api, request)
}

fn models_auth<'js>(
    js: Ctx<'js>,
    Caller { bridge, extension, .. }: Caller,
    model: Json,
) -> rquickjs::Result<Promised<'js, Json>> {
    let host = extension.api.host().map_err(|error| refused(&js, &error))?;
    let model = known(&extension.api, &model.0).map_err(|error| refused(&js, &error))?;
    let core = bridge.core(&js)?;
    core.host().spawn(&js, async move {
        Ok(Json(match host.request_auth(&model).await {
            Ok(auth) => {
                let key = auth.api_key.as_ref().map(|key| key.expose().to_owned());
                let mut found = json!({"ok": true, "apiKey": key, "headers": auth.headers});
                if !auth.env.is_empty() {
                    found["env"] = json!(auth.env);
                }
                found
            }
            Err(error) => json!({"ok": false, "error": error.to_string()}),
        }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Memory;

    #[test]
    fn an_answer_that_does_not_fit_into_memory_ends() {
        let memory = Arc::new(Memory::default());
        memory.set_limit(16 << 20);
        let said = RefCell::new(Some(memory.charge(0).expect("room")));
        let delta = || json!({"type": "text_delta", "delta": "x".repeat(1 << 20)});
        let fitted = (0..100).take_while(|_| said_more(&said, delta()).is_ok()).count();
        assert_eq!(fitted, 8, "each counts twice");
        assert_eq!(memory.held(), 0);
        assert!(said_more(&said, json!({"type": "text_end"})).is_err());
    }
}
