//! How code names a setting: a constant that knows its type and its default.

use serde_json::Value;

use super::kind::Kind;

/// A setting as code reads it. The constants are in [`keys`](super::keys), one for each row, so that a key which is not in
/// the table does not compile.
#[derive(Debug, Clone, Copy)]
pub struct Key<T> {
    name: &'static str,
    kind: Kind,
    default: T,
}

impl<T> Key<T> {
    pub(super) const fn new(name: &'static str, kind: Kind, default: T) -> Self {
        Self { name, kind, default }
    }

    /// The key, dotted.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The last name of the key.
    pub(crate) fn last_name(&self) -> &'static str {
        self.name.rsplit('.').next().unwrap_or(self.name)
    }
}

impl<T: SettingType> Key<T> {
    /// The default, as the row states it.
    pub const fn default(&self) -> T {
        self.default
    }

    /// The value of this key that a file has; `None` when it is none for this key.
    pub fn read<'a>(&self, value: &'a Value) -> Option<T::Plain<'a>> {
        // Of a list the entries that are texts are used, so a list need not fit as a whole.
        let is_no_word = matches!(self.kind, Kind::OneOf(_)) && !self.kind.accepts(value);
        if is_no_word { None } else { T::plain(value).map(|plain| T::bounded(plain, self.kind.nearest(value))) }
    }
}

/// A type that code reads a setting as.
pub trait SettingType: Copy {
    /// A value that a file has.
    type Plain<'a>;
    /// What applies: the value of a file, or the default.
    type Effective<'a>;

    /// The value, if it is of this type.
    fn plain(value: &Value) -> Option<Self::Plain<'_>>;

    /// The value, or the number `nearest` in place of one that is too small or too large.
    fn bounded<'a>(plain: Self::Plain<'a>, nearest: Option<u64>) -> Self::Plain<'a> {
        let _ = nearest;
        plain
    }

    /// What applies when the files say `plain` and this is the default.
    fn effective<'a>(self, plain: Option<Self::Plain<'a>>) -> Self::Effective<'a>;
}

impl SettingType for bool {
    type Plain<'a> = bool;
    type Effective<'a> = bool;

    fn plain(value: &Value) -> Option<bool> {
        value.as_bool()
    }

    fn effective<'a>(self, plain: Option<Self::Plain<'a>>) -> Self::Effective<'a> {
        plain.unwrap_or(self)
    }
}

impl SettingType for u64 {
    type Plain<'a> = u64;
    type Effective<'a> = u64;

    fn plain(value: &Value) -> Option<u64> {
        value.as_u64()
    }

    fn bounded<'a>(plain: Self::Plain<'a>, nearest: Option<u64>) -> Self::Plain<'a> {
        nearest.unwrap_or(plain)
    }

    fn effective<'a>(self, plain: Option<Self::Plain<'a>>) -> Self::Effective<'a> {
        plain.unwrap_or(self)
    }
}

impl SettingType for &'static str {
    type Plain<'a> = &'a str;
    type Effective<'a> = &'a str;

    fn plain(value: &Value) -> Option<&str> {
        value.as_str()
    }

    fn effective<'a>(self, plain: Option<Self::Plain<'a>>) -> Self::Effective<'a> {
        plain.unwrap_or(self)
    }
}

/// A list of texts; entries of another type are left out.
#[derive(Debug, Clone, Copy)]
pub struct Texts;

impl SettingType for Texts {
    type Plain<'a> = Vec<String>;
    type Effective<'a> = Vec<String>;

    fn plain(value: &Value) -> Option<Vec<String>> {
        let list = value.as_array()?;
        Some(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
    }

    fn effective<'a>(self, plain: Option<Self::Plain<'a>>) -> Self::Effective<'a> {
        plain.unwrap_or_default()
    }
}

/// A value that its reader takes apart.
#[derive(Debug, Clone, Copy)]
pub struct Any;

impl SettingType for Any {
    type Plain<'a> = &'a Value;
    type Effective<'a> = &'a Value;

    fn plain(value: &Value) -> Option<&Value> {
        Some(value)
    }

    fn effective<'a>(self, plain: Option<Self::Plain<'a>>) -> Self::Effective<'a> {
        plain.unwrap_or(&Value::Null)
    }
}

/// A number, or a word in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountOrWord<'a> {
    /// A number.
    Count(u64),
    /// A word.
    Word(&'a str),
}

impl SettingType for CountOrWord<'static> {
    type Plain<'a> = CountOrWord<'a>;
    type Effective<'a> = CountOrWord<'a>;

    fn plain(value: &Value) -> Option<CountOrWord<'_>> {
        value.as_u64().map(CountOrWord::Count).or_else(|| value.as_str().map(CountOrWord::Word))
    }

    fn bounded<'a>(plain: Self::Plain<'a>, nearest: Option<u64>) -> Self::Plain<'a> {
        nearest.map_or(plain, CountOrWord::Count)
    }

    fn effective<'a>(self, plain: Option<Self::Plain<'a>>) -> Self::Effective<'a> {
        plain.unwrap_or(self)
    }
}

/// A setting without a default, or with one that depends on something.
impl<T: SettingType> SettingType for Option<T> {
    type Plain<'a> = T::Plain<'a>;
    type Effective<'a> = Option<T::Plain<'a>>;

    fn plain(value: &Value) -> Option<T::Plain<'_>> {
        T::plain(value)
    }

    fn bounded<'a>(plain: Self::Plain<'a>, nearest: Option<u64>) -> Self::Plain<'a> {
        T::bounded(plain, nearest)
    }

    fn effective<'a>(self, plain: Option<Self::Plain<'a>>) -> Self::Effective<'a> {
        plain
    }
}
