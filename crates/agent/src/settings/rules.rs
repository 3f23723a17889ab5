//! The settings of stream rules.

use super::interrupt::RuleInterrupt;
use super::layers::Settings;
use super::table::keys;

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

impl Settings {
    /// What holds for stream rules.
    pub fn rules(&self) -> RuleSettings {
        // Without a turn in between a rule would interrupt the very answer that was to follow it, for ever.
        let gap = self.of(keys::RULES_REPEAT_GAP).max(1);
        RuleSettings {
            enabled: self.of(keys::RULES_ENABLED),
            context: match self.of(keys::RULES_CONTEXT_MODE) {
                "keep" => RuleContext::Keep,
                _ => RuleContext::Discard,
            },
            repeat: match self.of(keys::RULES_REPEAT_MODE) {
                "after-gap" => RuleRepeat::AfterGap(gap),
                _ => RuleRepeat::Once,
            },
            interrupt: RuleInterrupt::parse(self.of(keys::RULES_INTERRUPT_MODE)).unwrap_or_default(),
        }
    }
}
