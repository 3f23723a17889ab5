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
    unused("allowedFallbackModels"),
    read("cacheControlFormat", OPENAI, r#"`"anthropic"`: mark the prompt cache in Anthropic's form"#),
    unused("chatTemplateArgs"),
    read("chatTemplateKwargs", OPENAI, r#"fields of `chat_template_kwargs` for the format `chat-template`; `{"$var": "thinking.enabled"}` and `{"$var": "thinking.effort", "omitWhenOff": true}` stand for the level"#),
    read("forceAdaptiveThinking", ANTHROPIC, "`true`: the model decides how long it thinks, within an effort, instead of within a budget"),
    unused("imageInput"),
    read("maxTokensField", OPENAI, "the field that limits the answer: `max_tokens` or `max_completion_tokens`"),
    read("openRouterRouting", OPENAI, "OpenRouter's `provider` object"),
    unused("promptCacheKeyMode"),
    read("requiresAssistantAfterToolResult", OPENAI, "`true`: a message of the user must not follow a tool result"),
    unused("requiresNonNullAssistantContent"),
    read("requiresReasoningContentOnAssistantMessages", OPENAI, "`true`: each answer of a thinking model is sent back with `reasoning_content`"),
    read("requiresThinkingAsText", OPENAI, "`true`: thinking is sent back as text"),
    read("requiresToolResultName", OPENAI, "`true`: tool results name their tool"),
    unused("requiresToolsWithToolHistory"),
    unused("sendImageOptInHeader"),
    read("sendSessionAffinityHeaders", BOTH, "`true`: headers name the session, so that a router picks the same server again"),
    read("sessionAffinityFormat", OPENAI, "which headers do: `openai`, `openai-nosession` or `openrouter`"),
    unused("supportsAdditionalTools"),
    read("supportsCacheControlOnTools", ANTHROPIC, "`false`: no mark of the prompt cache on tools"),
    read("supportsDeveloperRole", OPENAI, "`false`: the system prompt of a thinking model has the role `system`, not `developer`"),
    read("supportsEagerToolInputStreaming", ANTHROPIC, "`false`: a beta header asks for tool arguments in pieces, not a field of each tool"),
    unused("supportsExplicitPromptCacheMode"),
    read("supportsFinishReason", OPENAI, "`false`: the last chunk does not say why the answer ended"),
    read("supportsLongCacheRetention", BOTH, "`false`: the prompt cache has no long lifetime"),
    unused("supportsMaxOutputTokens"),
    unused("supportsMessageThreads"),
    read("supportsMidConvoEffort", ANTHROPIC, "`true`: the model binds its thinking to what came before and can be asked to drop what no longer fits"),
    unused("supportsMidConvoSystemMessages"),
    unused("supportsMidConvoToolAdditions"),
    unused("supportsMidConvoToolChanges"),
    unused("supportsOpenAIGrammarTools"),
    read("supportsReasoningEffort", OPENAI, "`false`: do not send `reasoning_effort`"),
    read("supportsStore", OPENAI, "`false`: do not send `store: false`"),
    unused("supportsStrictMode"),
    unused("supportsStrictTools"),
    read("supportsTemperature", ANTHROPIC, "`false`: do not send `temperature`"),
    unused("supportsThinkingTokenBudget"),
    unused("supportsToolSearch"),
    read("supportsUsageInStreaming", OPENAI, "`false`: do not ask for token counts in the stream"),
    read("thinkingFormat", OPENAI, "how thinking is switched: `openai`, `openrouter`, `deepseek`, `zai`, `qwen`, `qwen-chat-template`, `chat-template`, `together` or `string-thinking`"),
    unused("thinkingTokenBudgetField"),
    read("vercelGatewayRouting", OPENAI, "routing preferences of Vercel's gateway"),
    read("vllmPriority", OPENAI, "vLLM's `priority`"),
    unused("zaiToolStream"),
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
