//! When the prompts of a session are kept in the cache of their provider.

/// While a session is at what its prompt is kept cached; each refresh costs money.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CacheWarming {
    /// Never.
    Off,
    /// During runs.
    #[default]
    Streaming,
    /// During runs, and for a while after them.
    Idle,
}

impl CacheWarming {
    /// The words of settings files.
    pub const WORDS: &[&str] = &["off", "streaming", "idle"];

    /// The mode of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "off" => Self::Off,
            "streaming" => Self::Streaming,
            "idle" => Self::Idle,
            _ => return None,
        })
    }

    /// The word of settings files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Streaming => "streaming",
            Self::Idle => "idle",
        }
    }
}
