//! How the rows of the table are written.
//!
//! A row is `NAME: Type = default, key: "dotted.key", column: value, …, doc: "…";`. `NAME` is the constant that code reads the
//! setting with, or `_` when no code of tau does. The default is a literal of the type, a list in brackets, `Nothing`, or
//! `Depends("on this")`.

/// The table: a static with all rows, and a constant for each one that has a name.
macro_rules! settings {
    ($(
        $group:literal {
            $(
                $name:tt: $kind:ident $(($($words:tt)*))? = $default:tt $(($depends:literal))?,
                key: $key:literal
                $(, $column:ident: $value:expr)*;
            )*
        }
    )*) => {
        /// A constant for each setting that tau reads. What is not in the table has none.
        pub mod keys {
            use super::*;

            $($(
                #[doc = concat!("`", $key, "`")]
                pub const $name: Key<setting_type!($kind, $default)> =
                    Key::new($key, Kind::$kind $(($($words)*))?, typed_default!($kind, $default));
            )*)*
        }

        /// Every key of a settings file, in the order of the documentation.
        pub static SETTINGS: &[Setting] = &[$($(
            {
                const ROW: Setting = {
                    let row = Setting::new(
                        $key,
                        $group,
                        Kind::$kind $(($($words)*))?,
                        stated_default!($kind, $default $(($depends))?),
                    );
                    $(let row = column!(row, $column, $value);)*
                    row.checked()
                };
                ROW
            },
        )*)*];
    };
}

/// Fills a column of a row.
macro_rules! column {
    ($row:ident, but, $value:expr) => {
        $row.but($value)
    };
    ($row:ident, used_by, $value:expr) => {
        $row.used_by($value)
    };
    ($row:ident, guard, $value:expr) => {
        $row.guard($value)
    };
    ($row:ident, flags, $value:expr) => {
        $row.flags(&$value)
    };
    ($row:ident, variables, $value:expr) => {
        $row.variables(&$value)
    };
    ($row:ident, doc, $value:expr) => {
        $row.doc($value)
    };
    ($row:ident, $other:ident, $value:expr) => {
        compile_error!(concat!(
            "a setting has no column `",
            stringify!($other),
            "`: there are key, but, used_by, guard, flags, variables, doc"
        ))
    };
}

/// The type that code reads a setting as.
macro_rules! setting_type {
    (Bool, $default:literal) => { bool };
    (Bool, $default:tt) => { Option<bool> };
    (Count, $default:literal) => { u64 };
    (Count, $default:tt) => { Option<u64> };
    (Within, $default:literal) => { u64 };
    (WithinOr, $default:tt) => { Option<CountOrWord<'static>> };
    (Limit, $default:literal) => { u64 };
    (Limit, $default:tt) => { Option<u64> };
    (Text, $default:literal) => { &'static str };
    (Text, $default:tt) => { Option<&'static str> };
    (OneOf, $default:literal) => { &'static str };
    (OneOf, $default:tt) => { Option<&'static str> };
    (CountOr, $default:literal) => { CountOrWord<'static> };
    (TextList, $default:tt) => { Option<Texts> };
    (ToolList, $default:tt) => { Option<Texts> };
    ($other:ident, $default:tt) => { Option<Any> };
}

/// The default that goes with this type.
macro_rules! typed_default {
    (Bool, $default:literal) => {
        $default
    };
    (Count, $default:literal) => {
        $default
    };
    (Within, $default:literal) => {
        $default
    };
    (Limit, $default:literal) => {
        $default
    };
    (Text, $default:literal) => {
        $default
    };
    (OneOf, $default:literal) => {
        $default
    };
    (CountOr, $default:literal) => {
        CountOrWord::Count($default)
    };
    ($other:ident, $default:tt) => {
        None
    };
}

/// The default as the row states it.
macro_rules! stated_default {
    ($kind:ident, Nothing) => { DefaultValue::Nothing };
    ($kind:ident, Depends($text:literal)) => { DefaultValue::Depends($text) };
    ($kind:ident, [$($text:expr),*]) => { DefaultValue::Texts(&[$($text),*]) };
    (Count, $default:literal) => { DefaultValue::Count($default) };
    (Within, $default:literal) => { DefaultValue::Count($default) };
    (Limit, $default:literal) => { DefaultValue::Count($default) };
    (CountOr, $default:literal) => { DefaultValue::Count($default) };
    (Text, $default:literal) => { DefaultValue::Text($default) };
    (OneOf, $default:literal) => { DefaultValue::Text($default) };
    ($boolean:ident, $default:literal) => { DefaultValue::Bool($default) };
}
