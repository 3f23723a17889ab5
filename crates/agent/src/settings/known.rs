//! The keys that tau reads, with the type each must have.

use std::fmt;

use serde_json::Value;

use super::interrupt::RuleInterrupt;
use super::tools;

/// Levels of the log file, from nothing to everything.
pub const LOG_LEVELS: &[&str] = &["off", "error", "warn", "info", "debug", "trace"];

/// The type of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number, zero or more.
    Count,
    /// A whole number, where zero is no limit.
    Limit,
    /// Text.
    Text,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A list of texts.
    TextList,
    /// A list of names of tools, or of changes to one.
    ToolList,
    /// A text or a list of texts.
    TextOrList,
    /// A boolean or a text.
    BoolOrText,
    /// A boolean or a list of texts.
    BoolOrTextList,
    /// A boolean or an object.
    BoolOrObject,
    /// An object.
    Object,
    /// Any list.
    List,
    /// A whole number, zero or more, or one of these words.
    CountOr(&'static [&'static str]),
    /// A boolean, or one of these words.
    BoolOr(&'static [&'static str]),
}

/// A key that tau reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownKey {
    /// The key, dotted.
    pub key: &'static str,
    /// Its type.
    pub kind: Kind,
}

pub(super) const fn key(key: &'static str, kind: Kind) -> KnownKey {
    KnownKey { key, kind }
}

const THINKING: Kind = Kind::OneOf(&["off", "minimal", "low", "medium", "high", "xhigh", "max"]);
const QUEUE: Kind = Kind::OneOf(&["all", "one-at-a-time"]);

/// Every key that tau reads, in the order of the documentation.
pub const KNOWN_KEYS: &[KnownKey] = &[
    key("defaultProvider", Kind::Text),
    key("defaultModel", Kind::Text),
    key("defaultThinkingLevel", THINKING),
    key("modelThinkingLevels", Kind::Object),
    key("thinkingBudgets.minimal", Kind::Count),
    key("thinkingBudgets.low", Kind::Count),
    key("thinkingBudgets.medium", Kind::Count),
    key("thinkingBudgets.high", Kind::Count),
    key("enabledModels", Kind::TextList),
    key("steeringMode", QUEUE),
    key("followUpMode", QUEUE),
    key(tools::KEY, Kind::ToolList),
    key("appendSystemPrompt", Kind::TextOrList),
    key("images.autoResize", Kind::Bool),
    key("images.blockImages", Kind::Bool),
    key("shellPath", Kind::Text),
    key("shellCommandPrefix", Kind::Text),
    key("sessionDir", Kind::Text),
    key("extensions", Kind::TextList),
    key("packages", Kind::List),
    key("skills", Kind::TextList),
    key("prompts", Kind::TextList),
    key("themes", Kind::TextList),
    key("enableSkillCommands", Kind::Bool),
    key("theme", Kind::Text),
    key("quietStartup", Kind::BoolOr(&["header"])),
    key("hideThinkingBlock", Kind::Bool),
    key("externalEditor", Kind::Text),
    key("doubleEscapeAction", Kind::OneOf(&["fork", "tree", "none"])),
    key("editorPaddingX", Kind::Count),
    key("outputPad", Kind::Count),
    key("autocompleteMaxVisible", Kind::Count),
    key("showHardwareCursor", Kind::Bool),
    key("terminal.hyperlinks", Kind::BoolOr(&["auto"])),
    key("terminal.trueColor", Kind::BoolOr(&["auto"])),
    key("branchSummary.skipPrompt", Kind::Bool),
    key("treeFilterMode", Kind::OneOf(&["default", "no-tools", "user-only", "labeled-only", "all"])),
    key("defaultProjectTrust", Kind::OneOf(&["ask", "always", "never"])),
    key("hooks", Kind::TextList),
    key("hookTimeout", Kind::Count),
    key("disabledProviders", Kind::TextList),
    key("discovery.disabledExtensions", Kind::TextList),
    key("httpProxy", Kind::Text),
    key("httpIdleTimeoutMs", Kind::CountOr(&["disabled"])),
    key("retry.enabled", Kind::Bool),
    key("retry.maxRetries", Kind::Count),
    key("retry.baseDelayMs", Kind::Count),
    key("retry.maxAgentDelayMs", Kind::Count),
    key("retry.provider.maxRetryDelayMs", Kind::Count),
    key("branchSummary.reserveTokens", Kind::Count),
    key("compaction.enabled", Kind::Bool),
    key("compaction.reserveTokens", Kind::Count),
    key("compaction.keepRecentTokens", Kind::Count),
    key("compaction.modelOverrides", Kind::Object),
    key("ttsr.enabled", Kind::Bool),
    key("ttsr.contextMode", Kind::OneOf(&["discard", "keep"])),
    key("ttsr.repeatMode", Kind::OneOf(&["once", "after-gap"])),
    key("ttsr.repeatGap", Kind::Count),
    key("ttsr.interruptMode", Kind::OneOf(RuleInterrupt::WORDS)),
    key("todo.enabled", Kind::Bool),
    key("todo.reminders", Kind::BoolOrObject),
    key("todo.reminders.enabled", Kind::Bool),
    key("todo.reminders.max", Kind::Count),
    key("todoCompletion.enabled", Kind::Bool),
    key("todoCompletion.maxReminders", Kind::Count),
    key("tau.toolExecution", Kind::OneOf(&["sequential", "parallel"])),
    key("tau.required", Kind::TextList),
    key("tau.trust.askOnChange", Kind::Bool),
    key("tau.statusLine", Kind::Text),
    key("tau.trace.jsonl", Kind::BoolOrText),
    key("tau.log.level", Kind::OneOf(LOG_LEVELS)),
    key("tau.limits.softMs", Kind::Limit),
    key("tau.limits.observeMs", Kind::Limit),
    key("tau.limits.handlerMs", Kind::Limit),
    key("tau.limits.stretchMs", Kind::Limit),
    key("tau.limits.memoryMb", Kind::Limit),
    key("tau.limits.isolatedMemoryMb", Kind::Limit),
    key("tau.limits.loadMs", Kind::Limit),
    key("tau.limits.shutdownMs", Kind::Limit),
    key("tau.isolate", Kind::BoolOrTextList),
    key("tau.extensions", Kind::Object),
    key("tau.shellHooks.onFailure", Kind::OneOf(&["block", "allow"])),
    key("tau.shellHooks.strict", Kind::Bool),
    key("tau.shellHooks.allowInputRewrite", Kind::Bool),
    key("tau.shellHooks.timeoutMs", Kind::Limit),
    key("tau.shellHooks.claudeSettings", Kind::Bool),
    key("tau.shellHooks.providers", Kind::TextList),
];

impl Kind {
    /// Whether `value` is of this type.
    pub fn accepts(self, value: &Value) -> bool {
        let is_text_list = |value: &Value| value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
        match self {
            Self::Bool => value.is_boolean(),
            Self::Count | Self::Limit => value.is_u64(),
            Self::Text => value.is_string(),
            Self::OneOf(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Self::TextList => is_text_list(value),
            Self::ToolList => tools::check_setting(value) == Some(Ok(())),
            Self::TextOrList => value.is_string() || is_text_list(value),
            Self::BoolOrText => value.is_boolean() || value.is_string(),
            Self::BoolOrTextList => value.is_boolean() || is_text_list(value),
            Self::BoolOrObject => value.is_boolean() || value.is_object(),
            Self::Object => value.is_object(),
            Self::List => value.is_array(),
            Self::CountOr(words) => value.is_u64() || Self::OneOf(words).accepts(value),
            Self::BoolOr(words) => value.is_boolean() || Self::OneOf(words).accepts(value),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "true or false",
            Self::Count => "a whole number, zero or more",
            Self::Limit => "a whole number, or 0 for no limit",
            Self::Text => "a text",
            Self::OneOf(words) => return write!(f, "one of {}", words.join(", ")),
            Self::TextList => "a list of texts",
            Self::ToolList => "a list of exact names of tools, or only of +name and -name",
            Self::TextOrList => "a text or a list of texts",
            Self::BoolOrText => "true, false or a text",
            Self::BoolOrTextList => "true, false or a list of texts",
            Self::BoolOrObject => "true, false or an object",
            Self::Object => "an object",
            Self::List => "a list",
            Self::CountOr(words) => return write!(f, "a whole number, zero or more, or {}", words.join(" or ")),
            Self::BoolOr(words) => return write!(f, "true, false or {}", words.join(" or ")),
        })
    }
}
