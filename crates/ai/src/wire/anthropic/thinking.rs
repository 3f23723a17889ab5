//! How much a model is asked to think, and what that leaves for the answer.

use serde_json::{Value, json};

use super::compat::Compat;
use crate::wire::estimate::answer_limit;
use crate::{AssistantMessage, StreamRequest, ThinkingLevel};

const MIN_BUDGET: u64 = 1024;
/// Left for the answer when a thinking budget shares its limit.
const MIN_ANSWER: u64 = 1024;
/// The effort of the whole request where messages say the real one: it never changes, and every account may ask for it.
const STANDING_EFFORT: &str = "low";
/// The efforts there are.
const EFFORTS: [&str; 5] = ["low", "medium", "high", "xhigh", "max"];
/// Where an answer notes the effort it was asked for with.
pub(super) const EFFORT_NOTE: &str = "providerThinkingLevel";

/// What a request says about thinking.
#[derive(Debug, PartialEq)]
pub(super) struct Thinking {
    pub on: bool,
    /// The most tokens of thinking and answer.
    pub max_tokens: u64,
    pub settings: Option<Value>,
    /// The effort of the request.
    pub effort: Option<String>,
    /// The effort that messages say, before the answers it was used for and at the end.
    pub marked: Option<String>,
}

impl Thinking {
    pub fn of(request: &StreamRequest, compat: &Compat) -> Self {
        let (model, options) = (&*request.model, &request.options);
        let wanted = options.max_tokens.unwrap_or(model.max_tokens);
        // A model that always thinks has to be told what becomes of its earlier thinking, whatever was asked for.
        let level = match options.thinking {
            ThinkingLevel::Off if !compat.effort_in_messages() => ThinkingLevel::Off,
            wanted => model.clamp_thinking(wanted),
        };
        if level == ThinkingLevel::Off {
            return Self::off(request, wanted);
        }
        if compat.adaptive() || compat.effort_in_messages() {
            return Self::within_effort(request, compat, level, wanted);
        }
        Self::within_budget(request, level, wanted).unwrap_or_else(|| Self::off(request, wanted))
    }

    fn off(request: &StreamRequest, wanted: u64) -> Self {
        let model = &*request.model;
        let off = model.thinking_level_map.as_ref().and_then(|map| map.get(&ThinkingLevel::Off));
        Self {
            on: false,
            max_tokens: answer_limit(request, wanted),
            // A model that always thinks refuses to be told not to.
            settings: (model.reasoning && off != Some(&None)).then(|| json!({"type": "disabled"})),
            effort: None,
            marked: None,
        }
    }

    fn within_effort(request: &StreamRequest, compat: &Compat, level: ThinkingLevel, wanted: u64) -> Self {
        let map = request.model.thinking_level_map.as_ref();
        let effort = match map.and_then(|map| map.get(&level)) {
            Some(Some(name)) => name.clone(),
            _ if level <= ThinkingLevel::Low => "low".to_owned(),
            _ if level == ThinkingLevel::Medium => "medium".to_owned(),
            _ => "high".to_owned(),
        };
        let mut settings = json!({"type": "adaptive", "display": "summarized"});
        let (effort, marked) = if compat.effort_in_messages() {
            settings["block_binding"] = json!({"prefix_mismatch_behavior": "drop_block"});
            (STANDING_EFFORT.to_owned(), Some(effort))
        } else {
            (effort, None)
        };
        Self {
            on: true,
            max_tokens: answer_limit(request, wanted),
            settings: Some(settings),
            effort: Some(effort),
            marked,
        }
    }

    /// `None` when there is no room to think.
    fn within_budget(request: &StreamRequest, level: ThinkingLevel, wanted: u64) -> Option<Self> {
        let own = request.options.thinking_budgets.get(&level.min(ThinkingLevel::High)).copied();
        let budget: u64 = own.unwrap_or(match level {
            ThinkingLevel::Off | ThinkingLevel::Minimal => 1024,
            ThinkingLevel::Low => 2048,
            ThinkingLevel::Medium => 8192,
            ThinkingLevel::High | ThinkingLevel::Xhigh | ThinkingLevel::Max => 16384,
        });
        let most = request.model.max_tokens.max(wanted);
        let max_tokens = answer_limit(request, wanted.saturating_add(budget).min(most));
        let budget = budget.min(max_tokens.saturating_sub(MIN_ANSWER));
        (budget >= MIN_BUDGET).then(|| Self {
            on: true,
            max_tokens,
            settings: Some(json!({"type": "enabled", "budget_tokens": budget, "display": "summarized"})),
            effort: None,
            marked: None,
        })
    }
}

/// The effort that an answer of a provider was asked for with; none where something else was asked.
pub(super) fn noted_effort<'a>(answer: &'a AssistantMessage, api: &str, provider: &str) -> Option<&'a str> {
    let own = answer.api == api && crate::provider_name(&answer.provider) == provider;
    let noted = answer.extra.get(EFFORT_NOTE).filter(|_| own)?.as_str()?;
    EFFORTS.contains(&noted).then_some(noted)
}

/// A message that says with which effort the next answer was, or is to be, given.
pub(super) fn effort_message(effort: &str) -> Value {
    json!({"role": "system", "content": [], "output_config": {"effort": effort}})
}
