//! In what a server of a Responses interface differs from OpenAI: guessed from its address, overruled by a model's `compat`
//! object.

use serde::Deserialize;
use serde_json::Value;

use crate::{JsonMap, Model};

/// Which of the Responses interfaces is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::wire) enum Dialect {
    /// OpenAI's own, which routers and other servers have too.
    OpenAi,
    /// The one for plans of ChatGPT.
    Codex,
    /// The one of OpenAI models at Microsoft.
    Azure,
}

/// Resolved differences. What a dialect does not look at has its usual value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Compat {
    /// Models that think take their instructions in role `developer`.
    pub supports_developer_role: bool,
    /// Instructions may stand inside the conversation.
    pub supports_mid_convo_system_messages: bool,
    /// Which headers name the session.
    pub session_affinity_format: Affinity,
    /// When the body names the session.
    pub prompt_cache_key_mode: CacheKey,
    /// The provider has a long prompt cache.
    pub supports_long_cache_retention: bool,
    /// Functions say whether their arguments follow their schema strictly.
    pub supports_strict_mode: bool,
    /// Tools may take text that follows a grammar.
    pub supports_grammar_tools: bool,
    /// Tools may be declared inside the conversation.
    pub supports_additional_tools: bool,
    /// Tools that are added later may be declared as results of a search for tools.
    pub supports_tool_search: bool,
    /// `prompt_cache_options` is understood.
    pub supports_explicit_prompt_cache_mode: bool,
    /// `max_output_tokens` is understood.
    pub supports_max_output_tokens: bool,
    /// The effort may change inside the conversation.
    pub supports_mid_convo_effort: bool,
}

/// Which headers name the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Affinity {
    Openai,
    OpenaiNosession,
    Openrouter,
}

/// When `prompt_cache_key` is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CacheKey {
    Auto,
    Enabled,
    Disabled,
}

/// How tools that change inside a conversation are declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolChanges {
    /// All tools in the request, as they are now.
    InRequest,
    /// The first ones in the request, later ones as results of a search.
    Additions,
    /// All inside the conversation, where they come and go.
    InConversation,
}

impl Compat {
    pub fn of(model: &Model, dialect: Dialect) -> Self {
        let open_router = model.provider == "openrouter" || model.base_url.contains("openrouter.ai");
        let mut compat = Self {
            supports_developer_role: true,
            supports_mid_convo_system_messages: false,
            session_affinity_format: if open_router { Affinity::Openrouter } else { Affinity::Openai },
            prompt_cache_key_mode: CacheKey::Auto,
            supports_long_cache_retention: true,
            supports_strict_mode: dialect != Dialect::OpenAi,
            supports_grammar_tools: false,
            supports_additional_tools: false,
            supports_tool_search: false,
            supports_explicit_prompt_cache_mode: false,
            supports_max_output_tokens: true,
            supports_mid_convo_effort: false,
        };
        if let Some(Value::Object(given)) = model.extra.get("compat") {
            compat.overrule(given, dialect);
        }
        compat
    }

    /// How tools that change are declared.
    pub fn tool_changes(&self) -> ToolChanges {
        if self.supports_mid_convo_system_messages && self.supports_additional_tools {
            ToolChanges::InConversation
        } else if self.supports_tool_search {
            ToolChanges::Additions
        } else {
            ToolChanges::InRequest
        }
    }

    /// Takes over every field that is given, readable, and of interest to the dialect.
    fn overrule(&mut self, given: &JsonMap, dialect: Dialect) {
        fn set<T: serde::de::DeserializeOwned>(given: &JsonMap, key: &str, slot: &mut T) {
            if let Some(value) = given.get(key)
                && let Ok(value) = serde_json::from_value(value.clone())
            {
                *slot = value;
            }
        }
        set(given, "supportsDeveloperRole", &mut self.supports_developer_role);
        set(given, "supportsMidConvoSystemMessages", &mut self.supports_mid_convo_system_messages);
        set(given, "supportsStrictMode", &mut self.supports_strict_mode);
        set(given, "supportsOpenAIGrammarTools", &mut self.supports_grammar_tools);
        set(given, "supportsAdditionalTools", &mut self.supports_additional_tools);
        set(given, "supportsToolSearch", &mut self.supports_tool_search);
        if dialect == Dialect::Codex {
            return;
        }
        set(given, "promptCacheKeyMode", &mut self.prompt_cache_key_mode);
        if dialect == Dialect::Azure {
            return;
        }
        set(given, "sessionAffinityFormat", &mut self.session_affinity_format);
        set(given, "supportsLongCacheRetention", &mut self.supports_long_cache_retention);
        set(given, "supportsExplicitPromptCacheMode", &mut self.supports_explicit_prompt_cache_mode);
        set(given, "supportsMaxOutputTokens", &mut self.supports_max_output_tokens);
        set(given, "supportsMidConvoEffort", &mut self.supports_mid_convo_effort);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn compat(given: Value, dialect: Dialect) -> Compat {
        let model = json!({"id": "m", "provider": "mine", "baseUrl": "http://localhost", "compat": given});
        Compat::of(&serde_json::from_value(model).expect("a model"), dialect)
    }

    /// What the table says about keys is what they do.
    #[test]
    fn the_keys_of_the_table_are_those_that_are_read() {
        let samples = [json!(true), json!(false), json!("openrouter"), json!("disabled")];
        for (dialect, api) in [
            (Dialect::OpenAi, "openai-responses"),
            (Dialect::Codex, "openai-codex-responses"),
            (Dialect::Azure, "azure-openai-responses"),
        ] {
            let plain = compat(Value::Null, dialect);
            for key in crate::COMPAT_KEYS {
                let is_read = samples.iter().any(|sample| compat(json!({key.name: sample}), dialect) != plain);
                assert_eq!(is_read, key.apis.contains(&api), "{} of {api}", key.name);
            }
        }
    }

    #[test]
    fn the_address_of_a_router_picks_its_header() {
        let model = json!({"id": "m", "provider": "mine", "baseUrl": "https://openrouter.ai/api/v1",
            "compat": {"sessionAffinityFormat": 7}});
        let model = serde_json::from_value(model).expect("a model");
        assert_eq!(Compat::of(&model, Dialect::OpenAi).session_affinity_format, Affinity::Openrouter);
    }
}
