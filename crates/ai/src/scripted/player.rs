//! Plays one reply as a stream of events.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::block::{Block, Kind};
use super::payload::Payload;
use super::script::Reply;
use super::step::{CallStep, ErrorStep, Step};
use super::template::Scope;
use super::{Chosen, ScriptedApi, wire};
use crate::{
    MessageBuilder, RequestHooks, ResponseHead, StopReason, StreamItem, StreamRequest, ToolCallBlock, tool_args,
};

const ABORTED: &str = "Request was aborted";

/// One answer on its way.
pub struct Player {
    api: ScriptedApi,
    request: StreamRequest,
    builder: MessageBuilder,
    stage: Stage,
}

enum Stage {
    Begin,
    Playing(Box<Playing>),
    Finished,
}

struct Playing {
    chosen: Chosen,
    payload: Arc<Payload>,
    /// The next step.
    step: usize,
    /// The response head was announced.
    opened: bool,
    block: Option<Block>,
    stop_reason: Option<StopReason>,
    called_tools: bool,
}

/// Why playing stopped: the answer's last words.
struct Failure {
    reason: StopReason,
    message: String,
}

impl Player {
    pub fn new(api: ScriptedApi, request: StreamRequest) -> Self {
        let builder =
            MessageBuilder::new(MessageBuilder::head_at(&request.model, request.options.sources.clock.now_ms()));
        Self { api, request, builder, stage: Stage::Begin }
    }

    /// The next event; `None` after the last.
    pub async fn next(&mut self) -> Option<StreamItem> {
        if matches!(self.stage, Stage::Finished) {
            return None;
        }
        // A script is never short of events; without this, nothing else would run beside a long one.
        tokio::task::coop::consume_budget().await;
        let cancel = self.request.cancel.clone();
        let outcome = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(aborted()),
            outcome = self.step() => outcome,
        };
        let item = match outcome {
            Ok(item) => item,
            Err(failure) => self.builder.error(failure.reason, failure.message),
        };
        if item.event.final_message().is_some() {
            self.stage = Stage::Finished;
        }
        Some(item)
    }

    /// The next event, once those who look at the wire have seen it.
    async fn step(&mut self) -> Result<StreamItem, Failure> {
        let item = self.advance().await?;
        if let Some(hooks) = self.request.hooks.as_ref().filter(|hooks| hooks.wants_wire_events()) {
            hooks.wire_event(wire::event(&item.event)).await;
        }
        Ok(item)
    }

    async fn advance(&mut self) -> Result<StreamItem, Failure> {
        if matches!(self.stage, Stage::Begin) {
            let playing = begin(&self.api, &self.request).await?;
            self.stage = Stage::Playing(Box::new(playing));
        }
        let Self { api, request, builder, stage: Stage::Playing(playing) } = self else {
            return Err(script_failure("the answer has already ended".to_owned()));
        };
        loop {
            if let Some(block) = &mut playing.block {
                let item = block.write(builder).await;
                if block.done() {
                    playing.block = None;
                }
                return Ok(item);
            }
            let reply = Arc::clone(&playing.chosen.reply);
            let step = reply.steps.get(playing.step);
            if !playing.opened && step.is_none_or(Step::is_output) {
                playing.open(request.hooks.as_deref(), 200, BTreeMap::new()).await;
                return Ok(builder.start());
            }
            let Some(step) = step else {
                let usual = if playing.called_tools { StopReason::ToolUse } else { StopReason::Stop };
                return Ok(builder.done(playing.stop_reason.take().unwrap_or(usual)));
            };
            playing.step += 1;
            if let Some(item) = playing.play(step, api, request, builder).await? {
                return Ok(item);
            }
        }
    }
}

fn aborted() -> Failure {
    Failure { reason: StopReason::Aborted, message: ABORTED.to_owned() }
}

/// Shows the request to the hooks, records it and chooses the reply.
async fn begin(api: &ScriptedApi, request: &StreamRequest) -> Result<Playing, Failure> {
    let given = request.model.headers.iter().flatten().chain(&request.options.headers);
    let mut headers: BTreeMap<String, Option<String>> =
        given.map(|(name, value)| (name.to_ascii_lowercase(), Some(value.clone()))).collect();
    let mut payload = Payload::new(request);
    let mut replaced = None;
    if let Some(hooks) = &request.hooks {
        headers = hooks.headers(headers).await;
        let sent = hooks.payload(payload.to_value()).await;
        match Payload::from_value(&sent) {
            Ok(read) => payload = read,
            Err(problem) => {
                api.record(headers, Arc::new(payload), Some(sent));
                return Err(script_failure(problem));
            }
        }
        replaced = Some(sent);
    }
    // The request was aborted while the hooks looked at it: it is not made, and takes no reply.
    if request.cancel.is_cancelled() {
        return Err(aborted());
    }
    let payload = Arc::new(payload);
    let number = api.record(headers, Arc::clone(&payload), replaced);
    let chosen = api.choose(&payload, number).map_err(script_failure)?;
    Ok(Playing { chosen, payload, step: 0, opened: false, block: None, stop_reason: None, called_tools: false })
}

impl Playing {
    async fn open(&mut self, hooks: Option<&dyn RequestHooks>, status: u16, headers: BTreeMap<String, String>) {
        self.opened = true;
        if let Some(hooks) = hooks {
            hooks.response(ResponseHead { status, headers }).await;
        }
    }

    async fn play(
        &mut self,
        step: &Step,
        api: &ScriptedApi,
        request: &StreamRequest,
        builder: &MessageBuilder,
    ) -> Result<Option<StreamItem>, Failure> {
        let scope = Scope { payload: &self.payload, vars: &api.vars, request: self.chosen.request };
        let place = |problem: String| script_failure(format!("{}: {problem}", self.place()));
        match step {
            Step::Text(text, pace) => {
                let text = text.render(&scope).map_err(place)?;
                let (index, item) = builder.text_start();
                self.block = Some(Block::new(index, Kind::Text, text, pace, api));
                Ok(Some(item))
            }
            Step::Thinking { text, signature, redacted, pace } => {
                let text = text.render(&scope).map_err(place)?;
                let (index, item) = builder.thinking_start();
                let kind = Kind::Thinking { signature: signature.clone(), redacted: *redacted };
                self.block = Some(Block::new(index, kind, text, pace, api));
                Ok(Some(item))
            }
            Step::ToolCall(call, pace) => {
                let (block, text) = tool_call(call, api, &scope).map_err(place)?;
                let (index, item) = builder.tool_call_start(&block.id, &block.name);
                self.block = Some(Block::new(index, Kind::ToolCall(Box::new(block)), text, pace, api));
                self.called_tools = true;
                Ok(Some(item))
            }
            Step::Delay(ms) => {
                tokio::time::sleep(Duration::from_millis(*ms)).await;
                Ok(None)
            }
            Step::Usage(tokens) => {
                let mut usage = tokens.to_usage();
                usage.price(&request.model.cost);
                builder.set_usage(usage);
                Ok(None)
            }
            Step::StopReason(reason) => {
                self.stop_reason = Some(reason.clone());
                Ok(None)
            }
            Step::Expect(matcher) => {
                matcher
                    .check(&self.payload, self.chosen.request)
                    .map_err(|problem| place(format!("expect.{problem}")))?;
                Ok(None)
            }
            Step::Error(error) => {
                let message = match &error.message {
                    Some(message) => message.render(&scope).map_err(place)?,
                    None => ABORTED.to_owned(),
                };
                if let Some(status) = error.head_status() {
                    self.open(request.hooks.as_deref(), status, retry_headers(error)).await;
                }
                if let Some(millis) = error.retry_after_ms {
                    builder.set_extra(crate::wire::RETRY_AFTER_MS, millis.into());
                }
                let reason = if error.aborted { StopReason::Aborted } else { StopReason::Error };
                Err(Failure { reason, message })
            }
        }
    }

    /// The reply and the step that was just taken, as its author counts them.
    fn place(&self) -> String {
        format!("{}, step {}", label(self.chosen.index, &self.chosen.reply), self.step)
    }
}

/// The call with its arguments, and their text on the wire.
fn tool_call(call: &CallStep, api: &ScriptedApi, scope: &Scope<'_>) -> Result<(ToolCallBlock, String), String> {
    let text = match (&call.raw_arguments, &call.arguments) {
        (Some(raw), _) => raw.clone(),
        (None, given) => given.clone().unwrap_or_default().render(scope)?.to_string(),
    };
    let id = call.id.clone().unwrap_or_else(|| api.fresh_call_id(scope.payload));
    Ok((tool_args::finished_call(id, call.name.clone(), &text), text))
}

fn retry_headers(error: &ErrorStep) -> BTreeMap<String, String> {
    let Some(ms) = error.retry_after_ms else {
        return BTreeMap::new();
    };
    BTreeMap::from([
        ("retry-after".to_owned(), ms.div_ceil(1000).to_string()),
        ("retry-after-ms".to_owned(), ms.to_string()),
    ])
}

/// How error messages name a reply.
pub fn label(index: usize, reply: &Reply) -> String {
    match &reply.name {
        Some(name) => format!("reply {} ({name})", index + 1),
        None => format!("reply {}", index + 1),
    }
}

fn script_failure(problem: String) -> Failure {
    Failure { reason: StopReason::Error, message: format!("Scripted model: {problem}") }
}
