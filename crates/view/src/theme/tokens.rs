//! What a theme gives colours to.

/// One thing that has a colour.
pub(super) struct Token {
    pub name: &'static str,
    /// Whose colour it has when a theme leaves it out; themes must not leave out the others.
    pub fallback: Option<&'static str>,
    /// Whether it is the colour behind text.
    pub background: bool,
}

const fn text(name: &'static str) -> Token {
    Token { name, fallback: None, background: false }
}

const fn behind(name: &'static str) -> Token {
    Token { name, fallback: None, background: true }
}

const fn like(token: Token, other: &'static str) -> Token {
    Token { fallback: Some(other), ..token }
}

/// Everything that has a colour. A theme may name more; extensions can use those too.
pub(super) const TOKENS: &[Token] = &[
    text("accent"),
    text("border"),
    text("borderAccent"),
    text("borderMuted"),
    text("success"),
    text("error"),
    text("warning"),
    text("muted"),
    text("dim"),
    text("text"),
    text("thinkingText"),
    like(text("scrollbarTrack"), "muted"),
    like(text("scrollbarThumb"), "text"),
    behind("selectedBg"),
    like(behind("searchMatchBg"), "selectedBg"),
    like(text("searchMatchText"), "text"),
    behind("userMessageBg"),
    text("userMessageText"),
    behind("customMessageBg"),
    text("customMessageText"),
    text("customMessageLabel"),
    behind("toolPendingBg"),
    behind("toolSuccessBg"),
    behind("toolErrorBg"),
    text("toolTitle"),
    text("toolOutput"),
    text("mdHeading"),
    text("mdLink"),
    text("mdLinkUrl"),
    text("mdCode"),
    text("mdCodeBlock"),
    text("mdCodeBlockBorder"),
    text("mdQuote"),
    text("mdQuoteBorder"),
    text("mdHr"),
    text("mdListBullet"),
    text("toolDiffAdded"),
    text("toolDiffRemoved"),
    text("toolDiffContext"),
    text("syntaxComment"),
    text("syntaxKeyword"),
    text("syntaxFunction"),
    text("syntaxVariable"),
    text("syntaxString"),
    text("syntaxNumber"),
    text("syntaxType"),
    text("syntaxOperator"),
    text("syntaxPunctuation"),
    text("thinkingOff"),
    text("thinkingMinimal"),
    text("thinkingLow"),
    text("thinkingMedium"),
    text("thinkingHigh"),
    text("thinkingXhigh"),
    like(text("thinkingMax"), "thinkingXhigh"),
    text("bashMode"),
];
