//! How a provider, or a model, differs from the plain Messages interface: the `compat` object of a model.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::wire::error::WireError;
use crate::wire::reported_cost::is_open_router;
use crate::wire::strict;
use crate::{Model, ModelCost, StreamRequest, ToolDeclaration};

/// Keywords that strict schemas of this provider do not have.
const NOT_STRICT: [&str; 11] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "maxItems",
    "uniqueItems",
    "minContains",
    "maxContains",
    "minProperties",
    "maxProperties",
];
/// The formats of texts that they do have.
const STRICT_FORMATS: [&str; 10] =
    ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

fn strict_refuses(keyword: &str, value: &Value) -> bool {
    match keyword {
        "minItems" => !matches!(value.as_f64(), Some(0.0 | 1.0)),
        "format" => value.as_str().is_none_or(|format| !STRICT_FORMATS.contains(&format)),
        _ => NOT_STRICT.contains(&keyword),
    }
}

/// The `compat` object of a model.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Compat {
    supports_eager_tool_input_streaming: Option<bool>,
    supports_long_cache_retention: Option<bool>,
    supports_cache_control_on_tools: Option<bool>,
    supports_temperature: Option<bool>,
    force_adaptive_thinking: Option<bool>,
    supports_mid_convo_effort: Option<bool>,
    supports_mid_convo_system_messages: Option<bool>,
    supports_mid_convo_tool_changes: Option<bool>,
    supports_message_threads: Option<bool>,
    supports_strict_tools: Option<bool>,
    /// The provider refused the conversation's strict tools.
    #[serde(skip)]
    without_preferences: bool,
    allow_empty_signature: Option<bool>,
    send_session_affinity_headers: Option<bool>,
    session_affinity_format: Option<String>,
    #[serde(deserialize_with = "fallbacks")]
    allowed_fallback_models: Vec<Fallback>,
}

/// A model that may answer what the asked one refuses.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Fallback {
    /// The provider it is of.
    pub provider: String,
    /// Its id.
    pub model: String,
    /// Its prices.
    pub cost: ModelCost,
}

/// One that cannot be read is none.
fn fallbacks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Fallback>, D::Error> {
    let list = Value::deserialize(deserializer)?;
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(list.iter().filter_map(|one| Fallback::deserialize(one).ok()).collect())
}

impl Compat {
    pub fn of(model: &Model) -> Self {
        let compat = model.extra.get("compat").cloned().unwrap_or_default();
        serde_json::from_value(compat).unwrap_or_default()
    }

    /// As [`Compat::of`], with what the conversation has learned of the provider.
    pub fn of_request(request: &StreamRequest) -> Self {
        let compat = Self::of(&request.model);
        if request.options.written.strict_was_refused() { compat.without_preferences() } else { compat }
    }

    /// Tool arguments stream by a flag on the tool; otherwise a beta does it.
    pub fn eager_tool_input(&self) -> bool {
        self.supports_eager_tool_input_streaming.unwrap_or(true)
    }

    /// The prompt cache can live for an hour.
    pub fn long_cache(&self) -> bool {
        self.supports_long_cache_retention.unwrap_or(true)
    }

    /// Tools can carry the mark of the prompt cache.
    pub fn marks_tools(&self) -> bool {
        self.supports_cache_control_on_tools.unwrap_or(true)
    }

    /// The sampling temperature can be chosen.
    pub fn temperature(&self) -> bool {
        self.supports_temperature.unwrap_or(true) && !self.effort_in_messages()
    }

    /// The model decides itself how long to think, within an effort.
    pub fn adaptive(&self) -> bool {
        self.force_adaptive_thinking.unwrap_or(false)
    }

    /// The effort can be said inside the conversation, so that another one does not change the beginning of the request.
    /// Such a model binds its thinking to everything before it, and can be asked to drop thinking that no longer fits
    /// instead of refusing the request for good.
    pub fn effort_in_messages(&self) -> bool {
        self.supports_mid_convo_effort.unwrap_or(false)
    }

    /// The conversation may hold messages with the role `system`.
    pub fn system_messages(&self) -> bool {
        self.supports_mid_convo_system_messages.unwrap_or(false)
    }

    /// Those may add and remove tools.
    pub fn tool_changes(&self) -> bool {
        self.system_messages() && self.supports_mid_convo_tool_changes.unwrap_or(false)
    }

    /// The provider keeps the conversation, and a request says only what is new.
    pub fn message_threads(&self) -> bool {
        self.supports_message_threads.unwrap_or(false)
    }

    /// The strict schema of a tool; `None` for one that gets its own.
    ///
    /// # Errors
    /// When the tool insists on one, and cannot have it.
    pub fn strict_schema(&self, tool: &ToolDeclaration) -> Result<Option<Value>, WireError> {
        if self.without_preferences && strict::prefers(tool) {
            return Ok(None);
        }
        strict::schema_of(tool, self.supports_strict_tools.unwrap_or(false), strict_refuses)
    }

    /// Tools that only prefer a strict schema get their own.
    pub fn without_preferences(mut self) -> Self {
        self.without_preferences = true;
        self
    }

    /// Whether tools that prefer a strict schema get one.
    pub fn has_preferences(&self) -> bool {
        !self.without_preferences
    }

    /// Thinking without a signature goes back as thinking, not as text.
    pub fn empty_signature(&self) -> bool {
        self.allow_empty_signature.unwrap_or(false)
    }

    /// The header that names the session, so that a router picks the same server again; off for most.
    pub fn affinity_header(&self, model: &Model) -> Option<&'static str> {
        let router = is_open_router(model);
        if !self.send_session_affinity_headers.unwrap_or(router) {
            return None;
        }
        let open_router = self.session_affinity_format.as_deref().map_or(router, |format| format == "openrouter");
        Some(if open_router { "x-session-id" } else { "x-session-affinity" })
    }

    /// The models that may answer what the asked one refuses.
    pub fn fallbacks(&self) -> &[Fallback] {
        &self.allowed_fallback_models
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What the table says about keys is what they do.
    #[test]
    fn the_keys_of_the_table_are_those_that_are_read() {
        let compat = |given: Value| serde_json::from_value::<Compat>(given).ok().map(|compat| format!("{compat:?}"));
        let plain = compat(json!({}));
        for key in crate::COMPAT_KEYS {
            let list = json!([{"provider": "p", "model": "m", "cost": {}}, {"model": "incomplete"}]);
            let given = [json!(true), json!(false), json!("openrouter"), list];
            let mut given = given.into_iter().filter_map(|value| compat(json!({ key.name: value })));
            let is_read = given.any(|given| Some(given) != plain);
            assert_eq!(is_read, key.apis.contains(&"anthropic-messages"), "{}", key.name);
        }
    }

    #[test]
    fn some_schemas_cannot_be_strict() {
        for (keyword, value, refused) in [
            ("minimum", json!(1), true),
            ("maxItems", json!(3), true),
            ("minItems", json!(1), false),
            ("minItems", json!(2), true),
            ("format", json!("uri"), false),
            ("format", json!("regex"), true),
            ("pattern", json!("a"), false),
        ] {
            assert_eq!(strict_refuses(keyword, &value), refused, "{keyword} {value}");
        }
    }
}
