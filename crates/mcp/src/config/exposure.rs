//! How tools of a server are reached.

use std::fmt;

/// Who reaches a tool of a server, and how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exposure {
    /// The model calls it: it is declared from the beginning. Scripts can call it, too.
    Direct,
    /// Scripts call it. It is found by their search.
    #[default]
    Codemode,
    /// The model calls it after a search has found it.
    Deferred,
    /// Nobody.
    Hidden,
}

impl Exposure {
    /// All of them, the widest first.
    pub const ALL: [Self; 4] = [Self::Direct, Self::Codemode, Self::Deferred, Self::Hidden];

    /// The word in `mcp.json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Codemode => "codemode",
            Self::Deferred => "deferred",
            Self::Hidden => "hidden",
        }
    }

    /// The exposure of a word, older words included.
    pub fn parse(word: &str) -> Option<Self> {
        if word == "codemode-deferred" {
            return Some(Self::Codemode);
        }
        Self::ALL.into_iter().find(|exposure| exposure.as_str() == word)
    }

    /// The exposure of the tool itself. Tools for scripts and tools for a search are both listed nowhere; they differ in what
    /// is switched on to reach them.
    pub fn of_tool(self) -> tau_tools::Exposure {
        match self {
            Self::Direct => tau_tools::Exposure::Direct,
            Self::Codemode | Self::Deferred => tau_tools::Exposure::Deferred,
            Self::Hidden => tau_tools::Exposure::Hidden,
        }
    }
}

impl fmt::Display for Exposure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether a name fits a pattern in which `*` stands for any characters.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(rest) = pieces.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
    let mut rest = rest;
    for piece in middle {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, does) in [
            ("get_*", "get_item", true),
            ("get_*", "forget_item", false),
            ("*", "", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("*a*a*", "a", false),
            ("ab", "ab", true),
            ("ab", "abc", false),
        ] {
            assert_eq!(fits(pattern, name), does, "{pattern} {name}");
        }
    }

    #[test]
    fn the_older_word_is_known() {
        assert_eq!(Exposure::parse("codemode-deferred"), Some(Exposure::Codemode));
        assert_eq!(Exposure::parse("open"), None);
    }
}
