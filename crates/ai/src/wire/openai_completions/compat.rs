//! In what a server differs from OpenAI: guessed from its address, overruled by a model's `compat` object.

use serde::Deserialize;
use serde_json::Value;

use crate::{JsonMap, Model};

/// Resolved differences.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Compat {
    /// `store: false` is understood.
    pub supports_store: bool,
    /// Models that think take their instructions in role `developer`.
    pub supports_developer_role: bool,
    /// `reasoning_effort` is understood.
    pub supports_reasoning_effort: bool,
    /// `stream_options.include_usage` is understood.
    pub supports_usage_in_streaming: bool,
    /// The last chunk says why generation ended.
    pub supports_finish_reason: bool,
    /// The field that limits the answer.
    pub max_tokens_field: MaxTokensField,
    /// Tool results must name their tool.
    pub requires_tool_result_name: bool,
    /// A user message must not follow a tool result.
    pub requires_assistant_after_tool_result: bool,
    /// An answer without text has an empty text, not `null`.
    pub requires_non_null_assistant_content: bool,
    /// A conversation with calls has a list of tools, if an empty one.
    pub requires_tools_with_tool_history: bool,
    /// Reasoning only passes as text.
    pub requires_thinking_as_text: bool,
    /// Every answer of a thinking model must have `reasoning_content`.
    pub requires_reasoning_content_on_assistant_messages: bool,
    /// How thinking is switched.
    pub thinking_format: ThinkingFormat,
    /// Values for `chat_template_kwargs`.
    pub chat_template_kwargs: JsonMap,
    /// Values for `chat_template_args`.
    pub chat_template_args: JsonMap,
    /// The field for the number of tokens to think with.
    pub thinking_token_budget_field: Option<BudgetField>,
    /// Tool calls stream only when `tool_stream` asks for it.
    pub zai_tool_stream: bool,
    /// Tools say whether they are strict.
    pub supports_strict_mode: bool,
    /// Tools may have grammars.
    pub supports_openai_grammar_tools: bool,
    /// Markers for the prompt cache in Anthropic's form.
    pub anthropic_cache_control: bool,
    /// The provider has a long prompt cache.
    pub supports_long_cache_retention: bool,
    /// When the body names the session.
    pub prompt_cache_key_mode: CacheKeyMode,
    /// Headers name the session.
    pub send_session_affinity_headers: bool,
    /// Which headers do.
    pub session_affinity_format: Affinity,
    /// The server is OpenAI itself.
    pub is_openai: bool,
    /// OpenRouter's `provider` object.
    pub open_router_routing: Option<Value>,
    /// Vercel's routing preferences.
    pub vercel_gateway_routing: Option<JsonMap>,
    /// vLLM's `priority`.
    pub vllm_priority: Option<Value>,
}

/// The field that limits the answer.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) enum MaxTokensField {
    #[serde(rename = "max_tokens")]
    MaxTokens,
    #[serde(rename = "max_completion_tokens")]
    MaxCompletionTokens,
}

/// How thinking is switched.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ThinkingFormat {
    Openai,
    Openrouter,
    Deepseek,
    Zai,
    Qwen,
    QwenChatTemplate,
    ChatTemplate,
    Together,
    Baseten,
    StringThinking,
    AntLing,
}

/// The field for the number of tokens to think with.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) enum BudgetField {
    /// Of vLLM.
    #[serde(rename = "thinking_token_budget")]
    TokenBudget,
    /// Of Qwen, DashScope and SGLang.
    #[serde(rename = "thinking_budget")]
    Budget,
    /// Of llama.cpp.
    #[serde(rename = "thinking_budget_tokens")]
    BudgetTokens,
}

impl BudgetField {
    pub fn name(self) -> &'static str {
        match self {
            Self::TokenBudget => "thinking_token_budget",
            Self::Budget => "thinking_budget",
            Self::BudgetTokens => "thinking_budget_tokens",
        }
    }
}

/// When the body names the session for the prompt cache.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CacheKeyMode {
    /// To OpenAI itself, and where the cache has a long lifetime.
    Auto,
    /// Whenever the prompt may be cached.
    Enabled,
    /// Never.
    Disabled,
}

/// Which headers name the session.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Affinity {
    Openai,
    OpenaiNosession,
    Openrouter,
}

impl Compat {
    pub fn of(model: &Model) -> Self {
        let mut compat = Self::guess(model);
        if let Some(Value::Object(given)) = model.extra.get("compat") {
            compat.overrule(given);
        }
        compat
    }

    fn guess(model: &Model) -> Self {
        let url = model.base_url.to_ascii_lowercase();
        let is =
            |provider: &str, hosts: &[&str]| model.provider == provider || hosts.iter().any(|host| url.contains(host));
        let zai = is("zai", &["api.z.ai", "open.bigmodel.cn"]) || model.provider == "zai-coding-cn";
        let together = is("together", &["api.together.ai", "api.together.xyz"]);
        let moonshot = is("moonshotai", &["api.moonshot."]) || model.provider == "moonshotai-cn";
        let open_router = is("openrouter", &["openrouter.ai"]);
        let workers_ai = is("cloudflare-workers-ai", &["api.cloudflare.com"]);
        let gateway = is("cloudflare-ai-gateway", &["gateway.ai.cloudflare.com"]);
        let nvidia = is("nvidia", &["integrate.api.nvidia.com"]);
        let cerebras = is("cerebras", &["cerebras.ai"]);
        let deepseek = is("deepseek", &["deepseek.com"]);
        let xai = is("xai", &["api.x.ai"]);
        let opencode = is("opencode", &["opencode.ai"]);
        let ant_ling = is("ant-ling", &["api.ant-ling.com"]);
        let chutes = url.contains("chutes.ai");
        let plain = zai
            || together
            || moonshot
            || workers_ai
            || gateway
            || nvidia
            || cerebras
            || deepseek
            || xai
            || opencode
            || ant_ling
            || chutes;
        let routed_openai = model.id.starts_with("anthropic/") || model.id.starts_with("openai/");
        Self {
            supports_store: !plain,
            supports_developer_role: if open_router { routed_openai } else { !plain },
            supports_reasoning_effort: !(xai || zai || moonshot || together || gateway || nvidia || ant_ling),
            supports_usage_in_streaming: true,
            supports_finish_reason: true,
            max_tokens_field: if chutes || deepseek || moonshot || gateway || together || nvidia || ant_ling || zai {
                MaxTokensField::MaxTokens
            } else {
                MaxTokensField::MaxCompletionTokens
            },
            requires_tool_result_name: false,
            requires_assistant_after_tool_result: false,
            requires_non_null_assistant_content: false,
            requires_tools_with_tool_history: false,
            requires_thinking_as_text: false,
            requires_reasoning_content_on_assistant_messages: deepseek,
            thinking_format: if deepseek {
                ThinkingFormat::Deepseek
            } else if zai {
                ThinkingFormat::Zai
            } else if together {
                ThinkingFormat::Together
            } else if ant_ling {
                ThinkingFormat::AntLing
            } else if open_router {
                ThinkingFormat::Openrouter
            } else {
                ThinkingFormat::Openai
            },
            chat_template_kwargs: JsonMap::new(),
            chat_template_args: JsonMap::new(),
            thinking_token_budget_field: None,
            zai_tool_stream: false,
            supports_strict_mode: false,
            supports_openai_grammar_tools: false,
            anthropic_cache_control: model.provider == "openrouter" && model.id.starts_with("anthropic/"),
            supports_long_cache_retention: !(together || workers_ai || gateway || nvidia || ant_ling),
            prompt_cache_key_mode: CacheKeyMode::Auto,
            send_session_affinity_headers: open_router,
            session_affinity_format: if open_router { Affinity::Openrouter } else { Affinity::Openai },
            is_openai: url.contains("api.openai.com"),
            open_router_routing: None,
            vercel_gateway_routing: None,
            vllm_priority: None,
        }
    }

    /// Takes over every field that is given and readable.
    fn overrule(&mut self, given: &JsonMap) {
        fn set<T: serde::de::DeserializeOwned>(given: &JsonMap, key: &str, slot: &mut T) {
            if let Some(value) = given.get(key)
                && let Ok(value) = serde_json::from_value(value.clone())
            {
                *slot = value;
            }
        }
        set(given, "supportsStore", &mut self.supports_store);
        set(given, "supportsDeveloperRole", &mut self.supports_developer_role);
        set(given, "supportsReasoningEffort", &mut self.supports_reasoning_effort);
        set(given, "supportsUsageInStreaming", &mut self.supports_usage_in_streaming);
        set(given, "supportsFinishReason", &mut self.supports_finish_reason);
        set(given, "maxTokensField", &mut self.max_tokens_field);
        set(given, "requiresToolResultName", &mut self.requires_tool_result_name);
        set(given, "requiresAssistantAfterToolResult", &mut self.requires_assistant_after_tool_result);
        set(given, "requiresNonNullAssistantContent", &mut self.requires_non_null_assistant_content);
        set(given, "requiresToolsWithToolHistory", &mut self.requires_tools_with_tool_history);
        set(given, "requiresThinkingAsText", &mut self.requires_thinking_as_text);
        set(
            given,
            "requiresReasoningContentOnAssistantMessages",
            &mut self.requires_reasoning_content_on_assistant_messages,
        );
        set(given, "thinkingFormat", &mut self.thinking_format);
        set(given, "chatTemplateKwargs", &mut self.chat_template_kwargs);
        set(given, "chatTemplateArgs", &mut self.chat_template_args);
        let mut budget = false;
        set(given, "supportsThinkingTokenBudget", &mut budget);
        self.thinking_token_budget_field = budget.then_some(BudgetField::TokenBudget);
        set(given, "thinkingTokenBudgetField", &mut self.thinking_token_budget_field);
        set(given, "zaiToolStream", &mut self.zai_tool_stream);
        set(given, "supportsStrictMode", &mut self.supports_strict_mode);
        set(given, "supportsOpenAIGrammarTools", &mut self.supports_openai_grammar_tools);
        set(given, "promptCacheKeyMode", &mut self.prompt_cache_key_mode);
        set(given, "supportsLongCacheRetention", &mut self.supports_long_cache_retention);
        set(given, "sendSessionAffinityHeaders", &mut self.send_session_affinity_headers);
        set(given, "sessionAffinityFormat", &mut self.session_affinity_format);
        set(given, "openRouterRouting", &mut self.open_router_routing);
        set(given, "vercelGatewayRouting", &mut self.vercel_gateway_routing);
        set(given, "vllmPriority", &mut self.vllm_priority);
        if let Some(format) = given.get("cacheControlFormat") {
            self.anthropic_cache_control = format == "anthropic";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn compat(provider: &str, base_url: &str, given: Value) -> Compat {
        let model = json!({"id": "m", "provider": provider, "baseUrl": base_url, "compat": given});
        Compat::of(&serde_json::from_value(model).expect("a model"))
    }

    #[test]
    fn the_address_decides_until_the_model_says_otherwise() {
        let openai = compat("openai", "https://api.openai.com/v1", Value::Null);
        assert_eq!(
            (openai.supports_store, openai.supports_developer_role, openai.max_tokens_field, openai.thinking_format),
            (true, true, MaxTokensField::MaxCompletionTokens, ThinkingFormat::Openai)
        );
        let deepseek = compat("mine", "https://api.deepseek.com", Value::Null);
        assert_eq!(
            (
                deepseek.supports_store,
                deepseek.supports_developer_role,
                deepseek.max_tokens_field,
                deepseek.thinking_format
            ),
            (false, false, MaxTokensField::MaxTokens, ThinkingFormat::Deepseek)
        );
        let given = json!({
            "supportsDeveloperRole": true, "maxTokensField": "max_completion_tokens",
            "thinkingFormat": "qwen-chat-template", "supportsStore": "not a boolean",
        });
        let overruled = compat("mine", "https://api.deepseek.com", given);
        assert_eq!(
            overruled,
            Compat {
                supports_developer_role: true,
                max_tokens_field: MaxTokensField::MaxCompletionTokens,
                thinking_format: ThinkingFormat::QwenChatTemplate,
                ..deepseek
            }
        );
    }

    /// What the table says about keys is what they do.
    #[test]
    fn the_keys_of_the_table_are_those_that_are_read() {
        let samples = [
            json!(true),
            json!(false),
            json!("max_tokens"),
            json!("thinking_budget"),
            json!("enabled"),
            json!("openrouter"),
            json!("anthropic"),
            json!({"a": 1}),
            json!(7),
        ];
        let plain = compat("mine", "http://localhost", Value::Null);
        for key in crate::COMPAT_KEYS {
            let changes = |sample: &Value| compat("mine", "http://localhost", json!({key.name: sample})) != plain;
            let is_read = samples.iter().any(changes);
            assert_eq!(is_read, key.apis.contains(&"openai-completions"), "{}", key.name);
        }
    }
}
