//! The steps of a reply.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::matcher::Matcher;
use super::template::{JsonTemplate, Template};
use crate::{StopReason, Usage};

/// One thing that happens in a reply.
#[derive(Debug, Clone)]
pub enum Step {
    /// A block of text.
    Text(Template, Pace),
    /// A block of thinking.
    Thinking { text: Template, signature: Option<String>, redacted: bool, pace: Pace },
    /// A tool call.
    ToolCall(CallStep, Pace),
    /// Nothing, for that many milliseconds.
    Delay(u64),
    /// The end of a failed answer.
    Error(ErrorStep),
    /// A usage report.
    Usage(UsageStep),
    /// How the answer will end, if not in the usual way.
    StopReason(StopReason),
    /// A claim about the request.
    Expect(Box<Matcher>),
}

/// How a block is cut into deltas.
#[derive(Debug, Clone, Default)]
pub struct Pace {
    /// Characters of a delta.
    pub chunk: Option<usize>,
    /// The whole text that many times.
    pub repeat: Option<u64>,
    /// Milliseconds before each delta.
    pub delta_ms: Option<u64>,
}

/// The call of a `tool_call` step.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallStep {
    /// Taken from a counter when absent.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The arguments.
    #[serde(default)]
    pub arguments: Option<JsonTemplate>,
    /// The arguments as they go over the wire, for JSON that is none.
    pub raw_arguments: Option<String>,
}

/// The failure of an `error` step.
#[derive(Debug, Clone)]
pub struct ErrorStep {
    /// What the message says.
    pub message: Option<Template>,
    /// The HTTP status of an answer that never began.
    pub status: Option<u16>,
    /// How long the provider asks to wait.
    pub retry_after_ms: Option<u64>,
    /// The answer counts as stopped by the user.
    pub aborted: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FullError {
    message: Option<Template>,
    status: Option<u16>,
    retry_after_ms: Option<u64>,
    #[serde(default)]
    aborted: bool,
}

/// The tokens of a `usage` step.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UsageStep {
    input: u32,
    output: u32,
    #[serde(alias = "cacheRead")]
    cache_read: u32,
    #[serde(alias = "cacheWrite")]
    cache_write: u32,
    #[serde(alias = "totalTokens")]
    total_tokens: Option<u32>,
}

#[derive(Deserialize)]
enum End {
    #[serde(rename = "stop")]
    Stop,
    #[serde(rename = "length")]
    Length,
    #[serde(rename = "toolUse", alias = "tool_use")]
    ToolUse,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FullStep {
    text: Option<Template>,
    thinking: Option<Template>,
    tool_call: Option<CallStep>,
    delay_ms: Option<u64>,
    error: Option<ErrorStep>,
    usage: Option<UsageStep>,
    stop_reason: Option<End>,
    expect: Option<Box<Matcher>>,
    chunk: Option<usize>,
    repeat_delta: Option<u64>,
    delta_ms: Option<u64>,
    signature: Option<String>,
    #[serde(default)]
    redacted: bool,
}

impl Step {
    /// A text block.
    pub fn plain_text(text: &str) -> Result<Self, String> {
        Ok(Self::Text(Template::parse(text)?, Pace::default()))
    }

    /// Whether the step adds a block to the answer.
    pub fn is_output(&self) -> bool {
        matches!(self, Self::Text(..) | Self::Thinking { .. } | Self::ToolCall(..))
    }

    /// Refuses steps that could never happen.
    pub fn check_order(steps: &[Self]) -> Result<(), String> {
        let Some(at) = steps.iter().position(|step| matches!(step, Self::Error(_))) else {
            return Ok(());
        };
        if at + 1 < steps.len() {
            return Err("an `error` ends the reply: no step can follow it".to_owned());
        }
        let has_status = matches!(&steps[at], Self::Error(error) if error.head_status().is_some());
        if has_status && steps[..at].iter().any(Self::is_output) {
            return Err("an `error` with `status` or `retry_after_ms` comes instead of an answer, not after the \
                        beginning of one"
                .to_owned());
        }
        Ok(())
    }
}

impl FullStep {
    fn into_step(self) -> Result<Step, String> {
        let kinds = [
            ("text", self.text.is_some()),
            ("thinking", self.thinking.is_some()),
            ("tool_call", self.tool_call.is_some()),
            ("delay_ms", self.delay_ms.is_some()),
            ("error", self.error.is_some()),
            ("usage", self.usage.is_some()),
            ("stop_reason", self.stop_reason.is_some()),
            ("expect", self.expect.is_some()),
        ];
        let given: Vec<&str> = kinds.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
        let [kind] = given[..] else {
            let all = kinds.map(|(name, _)| name).join(", ");
            return Err(match given.as_slice() {
                [] => format!("a step needs one of {all}"),
                several => format!("a step does one thing, this one has {}", several.join(" and ")),
            });
        };
        let options = [
            ("chunk", self.chunk.is_some(), &["text", "thinking", "tool_call"][..]),
            ("repeat_delta", self.repeat_delta.is_some(), &["text", "thinking"]),
            ("delta_ms", self.delta_ms.is_some(), &["text", "thinking", "tool_call"]),
            ("signature", self.signature.is_some(), &["thinking"]),
            ("redacted", self.redacted, &["thinking"]),
        ];
        if let Some((option, _, kinds)) = options.iter().find(|(_, given, kinds)| *given && !kinds.contains(&kind)) {
            return Err(format!("`{option}` goes with {}, not with {kind}", kinds.join(", ")));
        }
        if self.chunk == Some(0) {
            return Err("`chunk` is a number of characters from 1".to_owned());
        }
        let pace = Pace { chunk: self.chunk, repeat: self.repeat_delta, delta_ms: self.delta_ms };
        let (signature, redacted) = (self.signature, self.redacted);
        let step = None
            .or_else(|| self.text.map(|text| Step::Text(text, pace.clone())))
            .or_else(|| self.thinking.map(|text| Step::Thinking { text, signature, redacted, pace: pace.clone() }))
            .or_else(|| self.tool_call.map(|call| Step::ToolCall(call, pace)))
            .or_else(|| self.delay_ms.map(Step::Delay))
            .or_else(|| self.error.map(Step::Error))
            .or_else(|| self.usage.map(Step::Usage))
            .or_else(|| self.stop_reason.map(|end| Step::StopReason(end.into())))
            .or_else(|| self.expect.map(Step::Expect));
        match step {
            Some(Step::ToolCall(call, _)) if call.arguments.is_some() && call.raw_arguments.is_some() => {
                Err("a tool call has either `arguments` or `raw_arguments`".to_owned())
            }
            Some(step) => Ok(step),
            None => Err("a step does something".to_owned()),
        }
    }
}

impl ErrorStep {
    /// The status that goes to whoever watches responses; none when the connection itself failed.
    pub fn head_status(&self) -> Option<u16> {
        self.status.or(self.retry_after_ms.map(|_| 429))
    }
}

impl UsageStep {
    /// The report, without its price.
    pub fn to_usage(&self) -> Usage {
        let [input, output, cache_read, cache_write] =
            [self.input, self.output, self.cache_read, self.cache_write].map(u64::from);
        Usage {
            input,
            output,
            cache_read,
            cache_write,
            total_tokens: self.total_tokens.map_or(input + output + cache_read + cache_write, u64::from),
            ..Usage::default()
        }
    }
}

impl From<End> for StopReason {
    fn from(end: End) -> Self {
        match end {
            End::Stop => Self::Stop,
            End::Length => Self::Length,
            End::ToolUse => Self::ToolUse,
        }
    }
}

struct StepVisitor;

impl<'de> Visitor<'de> for StepVisitor {
    type Value = Step;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a step: a text, or a map such as `tool_call: {name: ls}`")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Step, E> {
        Step::plain_text(text).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Step, A::Error> {
        FullStep::deserialize(MapAccessDeserializer::new(map))?.into_step().map_err(A::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StepVisitor)
    }
}

struct ErrorVisitor;

impl<'de> Visitor<'de> for ErrorVisitor {
    type Value = ErrorStep;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an error: its message, or a map with `message`")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<ErrorStep, E> {
        let message = Some(Template::parse(text).map_err(E::custom)?);
        Ok(ErrorStep { message, status: None, retry_after_ms: None, aborted: false })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ErrorStep, A::Error> {
        let FullError { message, status, retry_after_ms, aborted } =
            FullError::deserialize(MapAccessDeserializer::new(map))?;
        if message.is_none() && !aborted {
            return Err(A::Error::missing_field("message"));
        }
        if status.is_some_and(|status| !(400..600).contains(&status)) {
            return Err(A::Error::custom("the `status` of an error is between 400 and 599"));
        }
        Ok(ErrorStep { message, status, retry_after_ms, aborted })
    }
}

impl<'de> Deserialize<'de> for ErrorStep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ErrorVisitor)
    }
}
