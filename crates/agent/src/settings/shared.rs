//! Keys of the shared settings files that pi acts on and tau does not. They are kept as they are; what is written with
//! tau's help is checked all the same, and the user hears that it has no effect here.

use super::known::{Kind, KnownKey, key};

/// All of them, in the order of the documentation.
pub const SHARED_KEYS: &[KnownKey] = &[
    key("$schema", Kind::Text),
    key("transport", Kind::OneOf(&["auto", "sse", "websocket", "websocket-cached"])),
    key("websocketConnectTimeoutMs", Kind::CountOr(&["disabled"])),
    key("retry.provider.timeoutMs", Kind::Count),
    key("retry.provider.maxRetries", Kind::Count),
    key("cacheWarming", Kind::OneOf(&["off", "streaming", "idle"])),
    key("showCacheMissNotices", Kind::Bool),
    key("npmCommand", Kind::TextList),
    key("selfUpdateCommand", Kind::TextList),
    key("codemode.mode", Kind::OneOf(&["on", "only"])),
    key("codemode.inlineBudget", Kind::Count),
    key("sessionShareDestination", Kind::OneOf(&["auto", "gist", "radius"])),
    key("enableInstallTelemetry", Kind::Bool),
    key("enableAnalytics", Kind::Bool),
    key("trackingId", Kind::Text),
    key("deviceId", Kind::Text),
    key("lastChangelogVersion", Kind::Text),
    key("extensionChangelogVersions", Kind::Object),
    key("collapseChangelog", Kind::Bool),
    key("tuiMode", Kind::OneOf(&["regular", "fullscreen"])),
    key("fullscreenExitOutput", Kind::OneOf(&["transcript", "resume-hint"])),
    key("fullscreenScrollbar", Kind::OneOf(&["auto", "always", "hidden"])),
    key("fullscreenCopyOnSelect", Kind::Bool),
    key("fullscreenWheelScrollLines", Kind::CountOr(&["auto"])),
    key("terminal.showImages", Kind::Bool),
    key("terminal.imageWidthCells", Kind::Count),
    key("terminal.clearOnShrink", Kind::Bool),
    key("terminal.showTerminalProgress", Kind::Bool),
    key("terminal.images", Kind::BoolOr(&["kitty", "iterm2", "auto"])),
    key("markdown.codeBlockIndent", Kind::Text),
    key("markdown.mermaid", Kind::OneOf(&["off", "final", "streaming"])),
    key("warnings.anthropicExtraUsage", Kind::Bool),
];

/// Older names of keys, which [`super::migrate`](super) reads as today's.
pub const OLDER_KEYS: &[KnownKey] = &[
    key("queueMode", Kind::OneOf(&["all", "one-at-a-time"])),
    key("websockets", Kind::Bool),
    key("retry.maxDelayMs", Kind::Count),
];
