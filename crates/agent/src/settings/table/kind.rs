//! The types of settings.

use std::fmt;

use serde_json::Value;

use crate::settings::tools;

/// Levels of the log file, from nothing to everything.
pub const LOG_LEVELS: &[&str] = &["off", "error", "warn", "info", "debug", "trace"];

/// The variable with the level of the log file.
pub const LOG_LEVEL_VARIABLE: &str = "TAU_LOG_LEVEL";

/// The type of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number, zero or more.
    Count,
    /// A whole number from the first of these to the second. One beyond them is reported, and the nearest is used.
    Within(u64, u64),
    /// The same, or one of these words.
    WithinOr(u64, u64, &'static [&'static str]),
    /// A whole number, where zero is no limit.
    Limit,
    /// Text.
    Text,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A list of texts.
    TextList,
    /// A list of names of tools, or of changes to one.
    ToolList,
    /// A text or a list of texts.
    TextOrList,
    /// A boolean or a text.
    BoolOrText,
    /// A boolean or a list of texts.
    BoolOrTextList,
    /// A boolean or an object.
    BoolOrObject,
    /// An object.
    Object,
    /// Any list.
    List,
    /// A whole number, zero or more, or one of these words.
    CountOr(&'static [&'static str]),
    /// A boolean, or one of these words.
    BoolOr(&'static [&'static str]),
}

impl Kind {
    /// Whether `value` is of this type.
    pub fn accepts(self, value: &Value) -> bool {
        let is_text_list = |value: &Value| value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
        match self {
            Self::Bool => value.is_boolean(),
            Self::Count | Self::Limit => value.is_u64(),
            Self::Text => value.is_string(),
            Self::OneOf(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Self::TextList => is_text_list(value),
            Self::ToolList => tools::check_setting(value) == Some(Ok(())),
            Self::TextOrList => value.is_string() || is_text_list(value),
            Self::BoolOrText => value.is_boolean() || value.is_string(),
            Self::BoolOrTextList => value.is_boolean() || is_text_list(value),
            Self::BoolOrObject => value.is_boolean() || value.is_object(),
            Self::Object => value.is_object(),
            Self::List => value.is_array(),
            Self::CountOr(words) => value.is_u64() || Self::OneOf(words).accepts(value),
            Self::BoolOr(words) => value.is_boolean() || Self::OneOf(words).accepts(value),
            Self::Within(least, most) => value.as_u64().is_some_and(|count| (least..=most).contains(&count)),
            Self::WithinOr(least, most, words) => {
                Self::Within(least, most).accepts(value) || Self::OneOf(words).accepts(value)
            }
        }
    }

    /// What is used in place of a number that is too small or too large.
    pub fn nearest(self, value: &Value) -> Option<u64> {
        let (Self::Within(least, most) | Self::WithinOr(least, most, _)) = self else { return None };
        value.as_u64().map(|count| count.clamp(least, most)).filter(|nearest| Some(*nearest) != value.as_u64())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "true or false",
            Self::Count => "a whole number, zero or more",
            Self::Limit => "a whole number, or 0 for no limit",
            Self::Text => "a text",
            Self::OneOf(words) => return write!(f, "one of {}", words.join(", ")),
            Self::TextList => "a list of texts",
            Self::ToolList => "a list of exact names of tools, or only of +name and -name",
            Self::TextOrList => "a text or a list of texts",
            Self::BoolOrText => "true, false or a text",
            Self::BoolOrTextList => "true, false or a list of texts",
            Self::BoolOrObject => "true, false or an object",
            Self::Object => "an object",
            Self::List => "a list",
            Self::CountOr(words) => return write!(f, "a whole number, zero or more, or {}", words.join(" or ")),
            Self::BoolOr(words) => return write!(f, "true, false or {}", words.join(" or ")),
            Self::Within(least, most) => return write!(f, "a whole number from {least} to {most}"),
            Self::WithinOr(least, most, words) => {
                return write!(f, "a whole number from {least} to {most}, or {}", words.join(" or "));
            }
        })
    }
}
