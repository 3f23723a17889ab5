//! The table of settings: every key of a settings file, one row each.
//!
//! From it come the typed constants that code reads settings with ([`keys`]), the defaults, what a project may not do, the
//! flags and variables that outrank the files, the JSON Schema, the listing of `tau config list` and the tables of
//! `docs/settings.md`. Settings that extensions declare are in [`super::Declared`].

#[macro_use]
mod macros;
mod guard;
mod key;
mod kind;
mod rows;
mod setting;

use std::sync::LazyLock;

pub use guard::{Guard, Rule};
pub use key::{Any, CountOrWord, Key, SettingType, Texts};
pub use kind::{Kind, LOG_LEVEL_VARIABLE, LOG_LEVELS};
pub use rows::{SETTINGS, keys};
pub use setting::{DefaultValue, Setting, UsedBy};

/// Every guard of the table once, in the order of its rows.
pub(crate) static GUARDS: LazyLock<Vec<Guard>> = LazyLock::new(|| {
    let mut all: Vec<Guard> = Vec::new();
    for guard in SETTINGS.iter().filter_map(|row| row.guard) {
        if !all.contains(&guard) {
            all.push(guard);
        }
    }
    all
});

/// The rows that tau acts on, in the order of the documentation.
pub(crate) fn known() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(|row| row.used_by == UsedBy::Tau)
}

/// The rows of pi's keys that tau does not use.
pub(crate) fn of_pi() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(|row| row.used_by == UsedBy::Pi)
}

/// The rows of older names.
pub(crate) fn older() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(|row| matches!(row.used_by, UsedBy::Renamed(_)))
}

/// The row of a key, dotted.
pub fn setting(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|row| row.key == key)
}

#[cfg(test)]
mod tests;
