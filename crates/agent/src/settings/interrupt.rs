//! When a stream rule interrupts.

/// Which matches of a rule interrupt the model; the others are reported to it when it is done.
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
