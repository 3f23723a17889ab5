//! The keys that a `compat` object may have. Some are for wire formats, or for features, that tau does not have yet; they
//! are no typing errors.

use crate::JsonMap;

/// A key of a `compat` object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompatKey {
    /// The key.
    pub name: &'static str,
    /// The wire formats that read it; none when nothing here does.
    pub apis: &'static [&'static str],
    /// What it does, as Markdown; empty when nothing here reads it.
    pub meaning: &'static str,
}

const ANTHROPIC: &[&str] = &["anthropic-messages"];
const OPENAI: &[&str] = &["openai-completions"];
const BOTH: &[&str] = &["anthropic-messages", "openai-completions"];
const SYSTEM_ONE: &[&str] = &["cloudflare-workers-ai-system-one", "typesafe-system-one"];
const RESPONSES: &[&str] = &["openai-responses"];
const ALL_RESPONSES: &[&str] = &["openai-responses", "openai-codex-responses", "azure-openai-responses"];
const OPENAI_AND_ALL_RESPONSES: &[&str] =
    &["openai-completions", "openai-responses", "openai-codex-responses", "azure-openai-responses"];
const BEDROCK_OPENAI_AND_ALL_RESPONSES: &[&str] = &[
    "bedrock-converse-stream",
    "openai-completions",
    "openai-responses",
    "openai-codex-responses",
    "azure-openai-responses",
];
const OPENAI_AND_RESPONSES_WITH_KEY: &[&str] = &["openai-completions", "openai-responses", "azure-openai-responses"];
const ANTHROPIC_AND_ALL_RESPONSES: &[&str] =
    &["anthropic-messages", "openai-responses", "openai-codex-responses", "azure-openai-responses"];
const ANTHROPIC_AND_RESPONSES: &[&str] = &["anthropic-messages", "openai-responses"];
const BOTH_AND_RESPONSES: &[&str] = &["anthropic-messages", "openai-completions", "openai-responses"];

/// A key that wire formats read.
const fn read(name: &'static str, apis: &'static [&'static str], meaning: &'static str) -> CompatKey {
    CompatKey { name, apis, meaning }
}

/// A key for what tau does not have.
const fn unused(name: &'static str) -> CompatKey {
    CompatKey { name, apis: &[], meaning: "" }
}

/// All of them, whatever the wire format, sorted by name.
#[rustfmt::skip]
pub const COMPAT_KEYS: &[CompatKey] = &[
    read("allowEmptySignature", ANTHROPIC, "`true`: thinking without a signature is sent back as thinking, not as text"),
    read("allowedFallbackModels", ANTHROPIC, "models that may answer what the model refuses: a list of `{provider, model, cost}`"),
    read("cacheControlFormat", OPENAI, r#"`"anthropic"`: mark the prompt cache in Anthropic's form"#),
    read("chatTemplateArgs", OPENAI, r#"fields of `chat_template_args` for the format `baseten`, as in `chatTemplateKwargs`"#),
    read("chatTemplateKwargs", OPENAI, r#"fields of `chat_template_kwargs` for the format `chat-template`; `{"$var": "thinking.enabled"}` and `{"$var": "thinking.effort", "omitWhenOff": true}` stand for the level, `{"$var": "thinking.budget"}` for its tokens"#),
    read("forceAdaptiveThinking", ANTHROPIC, "`true`: the model decides how long it thinks, within an effort, instead of within a budget"),
    read("imageInput", SYSTEM_ONE, "how a classifier takes pictures: `assets`, `images` (data URLs) or `state-image-urls` (parts of the state, as at OpenRouter)"),
    read("maxTokensField", OPENAI, "the field that limits the answer: `max_tokens` or `max_completion_tokens`"),
    read("openRouterRouting", OPENAI, "OpenRouter's `provider` object"),
    read("promptCacheKeyMode", OPENAI_AND_RESPONSES_WITH_KEY, "when `prompt_cache_key` names the session: `auto` (for `openai-completions` to OpenAI, and where the cache has a long lifetime), `enabled` or `disabled`"),
    read("requiresAssistantAfterToolResult", OPENAI, "`true`: a message of the user must not follow a tool result"),
    read("requiresNonNullAssistantContent", OPENAI, "`true`: an answer without text is sent back with an empty one, not with `null`"),
    read("requiresReasoningContentOnAssistantMessages", OPENAI, "`true`: each answer of a thinking model is sent back with `reasoning_content`"),
    read("requiresThinkingAsText", OPENAI, "`true`: thinking is sent back as text"),
    read("requiresToolResultName", OPENAI, "`true`: tool results name their tool"),
    read("requiresToolsWithToolHistory", OPENAI, "`true`: a conversation with calls is sent with `tools`, if with an empty list"),
    read("sendImageOptInHeader", SYSTEM_ONE, "`true`: pictures come with TypeSafe's header that opts in to them"),
    read("sendSessionAffinityHeaders", BOTH, "`true`: headers name the session, so that a router picks the same server again"),
    read("sessionAffinityFormat", BOTH_AND_RESPONSES, "which headers do: `openai`, `openai-nosession` or `openrouter`"),
    read("supportsAdditionalTools", ALL_RESPONSES, "`true`: tools may be declared inside the conversation, so that a change of tools keeps the cache; needs `supportsMidConvoSystemMessages`"),
    read("supportsCacheControlOnTools", ANTHROPIC, "`false`: no mark of the prompt cache on tools"),
    read("supportsDeveloperRole", OPENAI_AND_ALL_RESPONSES, "`false`: the system prompt of a thinking model has the role `system`, not `developer`"),
    read("supportsEagerToolInputStreaming", ANTHROPIC, "`false`: a beta header asks for tool arguments in pieces, not a field of each tool"),
    read("supportsExplicitPromptCacheMode", RESPONSES, "`true`: the lifetime of the prompt cache is set by `prompt_cache_options`"),
    read("supportsFinishReason", OPENAI, "`false`: the last chunk does not say why the answer ended"),
    read("supportsLongCacheRetention", BOTH_AND_RESPONSES, "`false`: the prompt cache has no long lifetime"),
    read("supportsMaxOutputTokens", RESPONSES, "`false`: do not send `max_output_tokens`"),
    read("supportsMessageThreads", ANTHROPIC, "`true`: the provider keeps the conversation, and a request sends only what is new"),
    read("supportsMidConvoEffort", ANTHROPIC_AND_RESPONSES, "`true`: the level of thinking is said inside the conversation, so that another one keeps the cache; a model of Anthropic binds its thinking to what came before, and drops what no longer fits"),
    read("supportsMidConvoSystemMessages", ANTHROPIC_AND_ALL_RESPONSES, "`true`: changes of the system prompt are said inside the conversation"),
    unused("supportsMidConvoToolAdditions"),
    read("supportsMidConvoToolChanges", ANTHROPIC, "`true`, with `supportsMidConvoSystemMessages`: so are changes of the tools"),
    read("supportsOpenAIGrammarTools", OPENAI_AND_ALL_RESPONSES, "`true`: tools may have grammars in the forms of OpenAI"),
    read("supportsReasoningEffort", OPENAI, "`false`: do not send `reasoning_effort`"),
    read("supportsStore", OPENAI, "`false`: do not send `store: false`"),
    read("supportsStrictMode", BEDROCK_OPENAI_AND_ALL_RESPONSES, "`true`: tools say whether they are strict, and those that ask for it are"),
    read("supportsStrictTools", ANTHROPIC, "`true`: tools that ask for it are strict"),
    read("supportsTemperature", ANTHROPIC, "`false`: do not send `temperature`"),
    read("supportsThinkingTokenBudget", OPENAI, "`true`: as `thinkingTokenBudgetField` with `thinking_token_budget`"),
    read("supportsToolSearch", ALL_RESPONSES, "`true`: tools that are added later are declared as what a search for tools found, so that they keep the cache"),
    read("supportsUsageInStreaming", OPENAI, "`false`: do not ask for token counts in the stream"),
    read("thinkingFormat", OPENAI, "how thinking is switched: `openai`, `openrouter`, `deepseek`, `zai`, `qwen`, `qwen-chat-template`, `chat-template`, `together`, `baseten`, `string-thinking` or `ant-ling`"),
    read("thinkingTokenBudgetField", OPENAI, "the field for the tokens to think with: `thinking_token_budget` (vLLM), `thinking_budget` (Qwen, SGLang) or `thinking_budget_tokens` (llama.cpp)"),
    read("vercelGatewayRouting", OPENAI, "routing preferences of Vercel's gateway"),
    read("vllmPriority", OPENAI, "vLLM's `priority`"),
    read("zaiToolStream", OPENAI, "`true`: `tool_stream` asks for tool calls in pieces"),
];

/// The keys that nothing reads.
pub(super) fn unknown(compat: &JsonMap) -> impl Iterator<Item = &str> {
    compat.keys().map(String::as_str).filter(|key| COMPAT_KEYS.binary_search_by(|known| known.name.cmp(key)).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(COMPAT_KEYS.is_sorted_by_key(|key| key.name), "it is searched by halves");
    }
}
