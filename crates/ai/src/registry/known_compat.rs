//! The keys that a `compat` object may have. Some are for wire formats, or for features, that tau does not have yet; they
//! are no typing errors.

use crate::JsonMap;

/// All of them, whatever the wire format, sorted.
const KNOWN: &[&str] = &[
    "allowEmptySignature",
    "allowedFallbackModels",
    "cacheControlFormat",
    "chatTemplateArgs",
    "chatTemplateKwargs",
    "forceAdaptiveThinking",
    "imageInput",
    "maxTokensField",
    "openRouterRouting",
    "promptCacheKeyMode",
    "requiresAssistantAfterToolResult",
    "requiresNonNullAssistantContent",
    "requiresReasoningContentOnAssistantMessages",
    "requiresThinkingAsText",
    "requiresToolResultName",
    "requiresToolsWithToolHistory",
    "sendImageOptInHeader",
    "sendSessionAffinityHeaders",
    "sessionAffinityFormat",
    "supportsAdditionalTools",
    "supportsCacheControlOnTools",
    "supportsDeveloperRole",
    "supportsEagerToolInputStreaming",
    "supportsExplicitPromptCacheMode",
    "supportsFinishReason",
    "supportsLongCacheRetention",
    "supportsMaxOutputTokens",
    "supportsMessageThreads",
    "supportsMidConvoEffort",
    "supportsMidConvoSystemMessages",
    "supportsMidConvoToolAdditions",
    "supportsMidConvoToolChanges",
    "supportsOpenAIGrammarTools",
    "supportsReasoningEffort",
    "supportsStore",
    "supportsStrictMode",
    "supportsStrictTools",
    "supportsTemperature",
    "supportsThinkingTokenBudget",
    "supportsToolSearch",
    "supportsUsageInStreaming",
    "thinkingFormat",
    "thinkingTokenBudgetField",
    "vercelGatewayRouting",
    "vllmPriority",
    "zaiToolStream",
];

/// The keys that nothing reads.
pub(super) fn unknown(compat: &JsonMap) -> impl Iterator<Item = &str> {
    compat.keys().map(String::as_str).filter(|key| KNOWN.binary_search(key).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(KNOWN.is_sorted(), "it is searched by halves");
    }
}
