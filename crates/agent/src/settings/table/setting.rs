//! A row of the table.

use std::borrow::Cow;

use serde_json::Value;

use super::guard::{Guard, GuardColumn};
use super::kind::Kind;

/// A setting: a row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The key, dotted.
    pub key: &'static str,
    /// The heading that the manual lists it under.
    pub group: &'static str,
    /// The type of its value.
    pub kind: Kind,
    /// What holds when nobody says anything.
    pub default: DefaultValue,
    /// What the default is besides, where it is not the same everywhere.
    pub but: Option<&'static str>,
    /// Who acts on it.
    pub used_by: UsedBy,
    /// What a project may not do to it; `None` when its value counts before the user's.
    pub guard: Option<Guard>,
    /// Flags that outrank the files, long names with their dashes; of several that are given the first one counts.
    pub flags: &'static [&'static str],
    /// Variables that outrank the files; of several that are set the first one counts.
    pub variables: &'static [&'static str],
    /// What it does, in Markdown.
    pub doc: &'static str,
}

/// Who acts on a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsedBy {
    /// tau.
    Tau,
    /// pi, which shares the files. tau keeps and checks the value.
    Pi,
    /// Nobody any more: it is read as this key.
    Renamed(&'static str),
}

/// What holds for a setting when neither files nor flags nor variables say anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultValue {
    /// Nothing.
    Nothing,
    /// A boolean.
    Bool(bool),
    /// A number.
    Count(u64),
    /// A text.
    Text(&'static str),
    /// A list of texts.
    Texts(&'static [&'static str]),
    /// What it depends on, in words.
    Depends(&'static str),
}

impl DefaultValue {
    /// The value; `None` when there is none or when it depends on something.
    pub fn value(self) -> Option<Value> {
        match self {
            Self::Nothing | Self::Depends(_) => None,
            Self::Bool(on) => Some(on.into()),
            Self::Count(count) => Some(count.into()),
            Self::Text(text) => Some(text.into()),
            Self::Texts(texts) => Some(texts.into()),
        }
    }
}

/// The columns that a row may have besides key, type, default and doc.
impl Setting {
    pub(super) const fn new(key: &'static str, group: &'static str, kind: Kind, default: DefaultValue) -> Self {
        Self {
            key,
            group,
            kind,
            default,
            but: None,
            used_by: UsedBy::Tau,
            guard: None,
            flags: &[],
            variables: &[],
            doc: "",
        }
    }

    pub(super) const fn but(self, but: &'static str) -> Self {
        Self { but: Some(but), ..self }
    }

    pub(super) const fn used_by(self, used_by: UsedBy) -> Self {
        Self { used_by, ..self }
    }

    pub(super) const fn guard(self, guard: GuardColumn) -> Self {
        Self { guard: Some(guard.of(self.key)), ..self }
    }

    pub(super) const fn flags(self, flags: &'static [&'static str]) -> Self {
        Self { flags, ..self }
    }

    pub(super) const fn variables(self, variables: &'static [&'static str]) -> Self {
        Self { variables, ..self }
    }

    pub(super) const fn doc(self, doc: &'static str) -> Self {
        Self { doc, ..self }
    }

    /// The row, once all its columns are there.
    pub(super) const fn checked(self) -> Self {
        assert!(!self.doc.is_empty(), "a setting needs the column `doc`");
        self
    }
}

impl Setting {
    /// The default in words, if there is one: JSON, unless it depends on something.
    pub(crate) fn default_text(&self) -> Option<Cow<'static, str>> {
        let text = match self.default {
            DefaultValue::Depends(text) => Cow::Borrowed(text),
            default => Cow::Owned(default.value()?.to_string()),
        };
        Some(match self.but {
            Some(but) => Cow::Owned(format!("{text}, {but}")),
            None => text,
        })
    }
}
