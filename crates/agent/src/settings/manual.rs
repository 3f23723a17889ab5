//! The tables of `docs/settings.md`, made of the table of settings.

use std::fmt::Write as _;

use super::table::{self, DefaultValue, GUARDS, Kind, Rule, SETTINGS, Setting, UsedBy};

/// The parts of the page, each with its name.
pub fn manual() -> [(&'static str, String); 4] {
    [("settings", settings()), ("above", above()), ("guards", guards()), ("pi", of_pi())]
}

/// The rows of tau, a table for each heading.
fn settings() -> String {
    let mut text = String::new();
    let mut group = "";
    for row in table::known() {
        if row.group != group {
            group = row.group;
            let line = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{line}### {group}\n\n| Key | Meaning | Value | Default |\n|---|---|---|---|");
        }
        let _ = writeln!(text, "| `{}` | {} | {} | {} |", row.key, row.doc, value(row.kind), default(row));
    }
    text
}

fn value(kind: Kind) -> String {
    let words = |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    match kind {
        Kind::OneOf(all) => words(all),
        Kind::BoolOr(all) => format!("`true`, `false`, {}", words(all)),
        Kind::WithinOr(least, most, all) => format!("{}, {}", Kind::Within(least, most), words(all)),
        Kind::CountOr(all) => format!("a whole number, {}", words(all)),
        Kind::Bool => "`true`, `false`".to_owned(),
        Kind::Count => "a whole number".to_owned(),
        Kind::ToolList => "a list of texts".to_owned(),
        kind => kind.to_string(),
    }
}

fn default(row: &Setting) -> String {
    let text = match row.default {
        DefaultValue::Nothing => "none".to_owned(),
        DefaultValue::Bool(on) => format!("`{on}`"),
        DefaultValue::Count(count) => count.to_string(),
        DefaultValue::Text(text) => format!("`{text}`"),
        DefaultValue::Texts(texts) => texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", "),
        DefaultValue::Depends(text) => text.to_owned(),
    };
    row.but.map_or(text.clone(), |but| format!("{text}, {but}"))
}

/// What outranks the files.
fn above() -> String {
    let mut text = "| Key | Flags | Variables |\n|---|---|---|\n".to_owned();
    for row in table::known().filter(|row| !row.flags.is_empty() || !row.variables.is_empty()) {
        let _ = writeln!(text, "| `{}` | {} | {} |", row.key, names(row.flags), names(row.variables));
    }
    text
}

fn names(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// What a project may not do.
fn guards() -> String {
    let mut text = "| Key | Rule | Reason |\n|---|---|---|\n".to_owned();
    for guard in GUARDS.iter() {
        let rule = match guard.rule {
            Rule::UserOnly => "only your own file applies",
            Rule::UserFirst => "a project's value applies only while you have none",
            Rule::AddOnly => "a project can add entries, not remove any",
            Rule::OnlyOn => "a project can switch it on, not off",
        };
        let is_section = SETTINGS.iter().all(|row| row.key != guard.key);
        let all = if is_section { ".*" } else { "" };
        let _ = writeln!(text, "| `{}{all}` | {rule} | {} |", guard.key, guard.reason);
    }
    text
}

/// The keys that tau does not use, and the older names.
fn of_pi() -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in table::of_pi() {
        match groups.iter_mut().find(|(group, _)| *group == row.group) {
            Some((_, keys)) => keys.push(row.key),
            None => groups.push((row.group, vec![row.key])),
        }
    }
    let mut text = "| Keys | What for |\n|---|---|\n".to_owned();
    for (group, keys) in groups {
        let _ = writeln!(text, "| {} | {} |", names(&keys), group.trim_start_matches("For "));
    }
    let older = SETTINGS.iter().filter_map(|row| match row.used_by {
        UsedBy::Renamed(today) => Some(format!("`{}` (`{today}`)", row.key)),
        UsedBy::Tau | UsedBy::Pi => None,
    });
    let _ = writeln!(text, "\nOlder names are still read: {}.", older.collect::<Vec<_>>().join(", "));
    text
}
