//! Patterns for words and paths, matched against texts that may be partly unknown.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use super::context::Context;
use crate::rules::document::Node;
use crate::rules::problem::Fault;
use crate::text::Text;
use crate::truth::Truth;

/// A glob.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    text: String,
    matcher: GlobMatcher,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Pattern {
    /// A glob for words: `*` also stands for `/`.
    pub(crate) fn word(node: &Node) -> Result<Self, Fault> {
        Self::read(node, false)
    }

    /// A glob for paths: `*` stands for no `/`, `**` does.
    pub(crate) fn path(node: &Node) -> Result<Self, Fault> {
        Self::read(node, true)
    }

    fn read(node: &Node, is_path: bool) -> Result<Self, Fault> {
        let text = node.text("a pattern")?;
        Self::new(text, is_path).map_err(|why| node.fault(format!("the pattern \"{text}\" is not valid: {why}")))
    }

    pub(crate) fn new(text: &str, is_path: bool) -> Result<Self, String> {
        let glob =
            GlobBuilder::new(text).literal_separator(is_path).backslash_escape(true).empty_alternates(true).build();
        let glob = glob.map_err(|error| error.kind().to_string())?;
        Ok(Self { text: text.to_owned(), matcher: glob.compile_matcher() })
    }

    /// A glob for exactly this text.
    pub(crate) fn exact(text: &str) -> Result<Self, String> {
        Self::new(&escaped(text), false)
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.matcher.is_match(text)
    }

    /// Whether it matches an absolute path; a leading `~` of the pattern is the home folder.
    pub(crate) fn is_path(&self, path: &Path, context: &Context<'_>) -> bool {
        let Some(rest) = self.text.strip_prefix('~') else { return self.matcher.is_match(path) };
        let home = context.places.home.as_deref();
        let below = home.and_then(|home| path.strip_prefix(home).ok());
        below.is_some_and(|below| match rest.strip_prefix('/') {
            None => below.as_os_str().is_empty(),
            Some(rest) => Self::new(rest, true).is_ok_and(|rest| rest.matcher.is_match(below)),
        })
    }

    /// Whether a text matches, as far as it is known.
    pub(crate) fn truth(&self, text: &Text) -> Truth {
        if let Some(known) = text.known() {
            return self.is_match(known).into();
        }
        if let Some(pattern) = text.pattern()
            && self.is_match(&pattern)
        {
            return Truth::Yes;
        }
        let is_special = |ch: char| "*?[{\\".contains(ch);
        let start = self.text.split(is_special).next().unwrap_or_default();
        let end = self.text.rsplit(|ch: char| "*?]}".contains(ch)).next().unwrap_or_default();
        let end = if self.text.contains('\\') { "" } else { end };
        let fits = |one: &str, other: &str| one.starts_with(other) || other.starts_with(one);
        let ends = |one: &str, other: &str| one.ends_with(other) || other.ends_with(one);
        // Only an exact pattern has to be as long as the text.
        let is_possible = fits(text.prefix(), start) && ends(text.suffix(), end);
        let is_too_long =
            !self.text.contains(is_special) && text.prefix().len() + text.suffix().len() > self.text.len();
        if is_possible && !is_too_long { Truth::Maybe } else { Truth::No }
    }
}

/// A glob for exactly this text, as it is written.
pub(crate) fn escaped(text: &str) -> String {
    text.chars().flat_map(|ch| "*?[]{}\\".contains(ch).then_some('\\').into_iter().chain([ch])).collect()
}

/// The strongest that one of several patterns says.
pub(crate) fn any_truth(patterns: &[Pattern], text: &Text) -> Truth {
    patterns.iter().map(|pattern| pattern.truth(text)).max().unwrap_or(Truth::No)
}
