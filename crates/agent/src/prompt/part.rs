//! Parts of a system prompt and their text.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

/// Who wrote a part.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Author {
    /// tau itself.
    Core,
    /// An extension, by its id.
    Extension(String),
    /// A file of the user or the project.
    File(PathBuf),
    /// A text on the command line, by its flag.
    Flag(String),
    /// A text in a settings file.
    Setting(PathBuf),
}

/// How often a part changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stability {
    /// With a new version of tau.
    Fixed,
    /// With tools, files or extensions.
    Session,
    /// With time or place.
    Volatile,
}

/// A piece of the prompt with one author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptPart {
    /// What it is, unique in a prompt: a section, or `section/item`.
    pub name: String,
    /// Who wrote it.
    pub author: Author,
    /// Its text, without the marks around its section.
    pub text: String,
    /// How often it changes.
    pub stability: Stability,
}

/// A system prompt: its text, and which bytes of it are whose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SystemPrompt {
    text: String,
    parts: Vec<PromptPart>,
    ranges: Vec<Range<usize>>,
}

impl SystemPrompt {
    /// A prompt that is one text of one author.
    pub(crate) fn from_text(text: impl Into<String>, author: Author) -> Self {
        let mut prompt = Self::default();
        let text = text.into();
        if !text.is_empty() {
            prompt.push("", PromptPart { name: "replaced".into(), author, text, stability: Stability::Session });
        }
        prompt
    }

    /// The prompt after `author` made `text` of it. When text was only added at the end, the old parts keep their
    /// authors; otherwise everything is the new author's.
    #[must_use]
    pub fn rewritten(&self, text: &str, author: Author) -> Self {
        let Some(added) = text.strip_prefix(&self.text).filter(|_| !self.text.is_empty()) else {
            return Self::from_text(text, author);
        };
        let mut prompt = self.clone();
        if !added.is_empty() {
            let name = format!("added/{author}");
            prompt.push("", PromptPart { name, author, text: added.to_owned(), stability: Stability::Session });
        }
        prompt
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The parts in order.
    pub fn parts(&self) -> &[PromptPart] {
        &self.parts
    }

    /// The parts with the bytes of [`text`](Self::text) that each stands at. Marks between parts belong to nobody.
    pub fn spans(&self) -> impl Iterator<Item = (Range<usize>, &PromptPart)> {
        self.ranges.iter().cloned().zip(&self.parts)
    }

    /// Appends a part after `before`, which belongs to nobody.
    pub(super) fn push(&mut self, before: &str, part: PromptPart) {
        self.text.push_str(before);
        let start = self.text.len();
        self.text.push_str(&part.text);
        self.ranges.push(start..self.text.len());
        self.parts.push(part);
    }

    /// Appends marks that belong to nobody.
    pub(super) fn push_mark(&mut self, mark: &str) {
        self.text.push_str(mark);
    }
}

impl fmt::Display for Author {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Core => f.write_str("core"),
            Self::Extension(id) => f.write_str(id),
            Self::File(path) | Self::Setting(path) => write!(f, "{}", path.display()),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}
