//! What each command of git does: rows of a table, and functions for what a row cannot say.

mod branches;
mod checkout;
mod commit;
mod configure;
mod discard;
mod history;
pub(super) mod hooks;
mod make;
mod names;
mod push;
mod reading;
mod references;
mod remote;
pub(super) mod runs;
mod stage;
mod work;

pub(super) use make::place;
pub(super) use reading::with_arguments;
pub(super) use remote::COMMAND;
pub(super) use work::{Failure, Outcome, Work};

use super::Effect;
use super::options::End;

/// When a row has an effect.
pub(super) enum When {
    /// Always.
    Always,
    /// With one of these options.
    With(&'static [&'static str]),
    /// Unless one of these options is on.
    Without(&'static [&'static str]),
    /// If the first operand is one of these.
    First(&'static [&'static str]),
}

/// A command.
pub(super) struct Row {
    /// The commands that it describes.
    pub(super) names: &'static [&'static str],
    /// Its options.
    pub(super) options: &'static str,
    /// Where they end.
    pub(super) end: End,
    /// What it does.
    pub(super) effects: &'static [(When, Effect)],
    /// What a row cannot say.
    pub(super) act: fn(&mut Work<'_>),
}

/// A row whose effects say everything.
fn only(_: &mut Work<'_>) {}

/// The rows, by what they are about.
const TABLES: &[&[Row]] = &[
    stage::ROWS,
    commit::ROWS,
    history::ROWS,
    checkout::ROWS,
    discard::ROWS,
    branches::ROWS,
    references::ROWS,
    make::ROWS,
    push::ROWS,
    remote::ROWS,
    configure::ROWS,
    reading::ROWS,
];

/// All rows.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    TABLES.iter().copied().flatten()
}

/// The row of a command.
pub(super) fn row(name: &str) -> Option<&'static Row> {
    rows().find(|row| row.names.contains(&name))
}

/// Names of commands that stand for another one.
const SYNONYMS: &[(&str, &str)] = &[("stage", "add"), ("init-db", "init")];

/// The name of a command that git brings along; `None` for every other word.
pub(super) fn canonical(name: &str) -> Option<&'static str> {
    if let Some((_, name)) = SYNONYMS.iter().find(|(known, _)| *known == name) {
        return Some(name);
    }
    let names = rows().flat_map(|row| row.names).chain(reading::NAMES);
    names.copied().find(|known| *known == name)
}
