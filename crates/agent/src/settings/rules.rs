//! The settings of stream rules.

use super::layers::Settings;

/// What becomes of an answer that a rule interrupted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RuleContext {
    /// The model does not see it again.
    #[default]
    Discard,
    /// The model sees what it had written.
    Keep,
}

/// Whether the model is told a rule more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleRepeat {
    /// No.
    Once,
    /// Again when at least this many turns have ended since.
    AfterGap(u64),
}

/// Which matches of a rule interrupt the model; after the others it is told when it is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RuleInterrupt {
    /// All.
    #[default]
    Always,
    /// Those in text and thinking.
    ProseOnly,
    /// Those in tool calls.
    ToolOnly,
    /// None.
    Never,
}

/// The settings below `ttsr`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleSettings {
    /// Whether there are stream rules at all.
    pub enabled: bool,
    /// `contextMode`.
    pub context: RuleContext,
    /// `repeatMode` and `repeatGap`.
    pub repeat: RuleRepeat,
    /// `interruptMode`, for rules that say nothing themselves.
    pub interrupt: RuleInterrupt,
}

impl RuleInterrupt {
    /// The words of settings and rule files.
    pub const WORDS: &[&str] = &["always", "prose-only", "tool-only", "never"];

    /// The mode of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "always" => Self::Always,
            "prose-only" => Self::ProseOnly,
            "tool-only" => Self::ToolOnly,
            "never" => Self::Never,
            _ => return None,
        })
    }

    /// The word of the mode.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::ProseOnly => "prose-only",
            Self::ToolOnly => "tool-only",
            Self::Never => "never",
        }
    }
}

impl Settings {
    /// What holds for stream rules.
    pub fn rules(&self) -> RuleSettings {
        // Without a turn in between a rule would interrupt the very answer that was to follow it, for ever.
        let gap = self.count("ttsr.repeatGap").unwrap_or(10).max(1);
        RuleSettings {
            enabled: self.flag("ttsr.enabled").unwrap_or(true),
            context: match self.text("ttsr.contextMode") {
                Some("keep") => RuleContext::Keep,
                _ => RuleContext::Discard,
            },
            repeat: match self.text("ttsr.repeatMode") {
                Some("after-gap") => RuleRepeat::AfterGap(gap),
                _ => RuleRepeat::Once,
            },
            interrupt: self.text("ttsr.interruptMode").and_then(RuleInterrupt::parse).unwrap_or_default(),
        }
    }
}
