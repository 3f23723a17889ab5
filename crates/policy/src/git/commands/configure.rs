//! What changes settings, and programs that settings name.

use std::path::PathBuf;

use crate::argument::Arg;
use crate::text::Text;

use super::super::Effect;
use super::super::options::End;
use super::super::settings::normal;
use super::super::state::Made;
use super::{Row, When, Work};
use super::{hooks, runs};

pub(super) const ROWS: &[Row] = &[
    Row {
        names: &["config"],
        options: "global, system, local, worktree, f file=, blob=, get, get-all, get-regexp, get-urlmatch, replace-all, add, \
            unset, unset-all, rename-section, remove-section, l list, fixed-value, e edit, get-color, get-colorbool, \
            t type=, bool, int, bool-or-int, bool-or-str, path, expiry-date, z null, name-only, includes, show-origin, \
            show-scope, show-names, default=, comment=, all, value=, regexp, url=, append",
        end: End::Dashes,
        effects: &[],
        act: config,
    },
    Row {
        names: &["maintenance"],
        options: "auto, schedule=?, quiet, task=, scheduler=, config-file=, force, detach",
        end: End::Dashes,
        effects: &[(When::First(&["start", "stop", "register", "unregister"]), Effect::Configures)],
        act: super::only,
    },
];

/// Options and words that only read.
const READS: &[&str] = &["get", "get-all", "get-regexp", "get-urlmatch", "list", "get-color", "get-colorbool", "blob"];

/// What `git config` does with a setting.
enum Change {
    Set,
    Unset,
    /// A whole section is removed or gets another name.
    Section,
    Edit,
}

fn config(work: &mut Work<'_>) {
    let Some((change, operands)) = change(work) else { return };
    let site = operands.first().map_or(work.site, |operand| operand.site);
    work.effect(Effect::Configures, site);
    let key = operands.first().map(|key| key.text.clone()).unwrap_or_default();
    match change {
        // The editor decides.
        Change::Edit => {}
        Change::Section => {
            if key.known().is_none_or(|name| name.eq_ignore_ascii_case("core")) {
                set(work, "core.hookspath".to_owned(), None, site);
            }
        }
        Change::Set | Change::Unset => match key.known() {
            Some(key) => {
                let value = operands.get(1).map(|value| value.text.clone());
                let value = value.filter(|_| matches!(change, Change::Set));
                set(work, normal(key), value, site);
            }
            None => work.unknown(),
        },
    }
}

/// What it changes, and what the change is about; `None` if it only reads.
fn change(work: &Work<'_>) -> Option<(Change, Vec<Arg>)> {
    let all = work.parsed.operands.clone();
    if work.has(READS) {
        return None;
    }
    let behind = || work.parsed.from(1).to_vec();
    let by_option = [
        (&["edit"][..], Change::Edit),
        (&["unset", "unset-all"], Change::Unset),
        (&["rename-section", "remove-section"], Change::Section),
        (&["add", "replace-all"], Change::Set),
    ];
    if let Some((_, change)) = by_option.into_iter().find(|(names, _)| work.has(names)) {
        return Some((change, all));
    }
    match work.first() {
        Some("get" | "list") => None,
        Some("set") => Some((Change::Set, behind())),
        Some("unset") => Some((Change::Unset, behind())),
        Some("edit") => Some((Change::Edit, behind())),
        Some("rename-section" | "remove-section") => Some((Change::Section, behind())),
        _ => (all.len() > 1).then_some((Change::Set, all)),
    }
}

fn set(work: &mut Work<'_>, key: String, value: Option<Text>, site: crate::site::Site) {
    let leads_away = match &value {
        Some(value) => hooks::leads_away(work, &key, value),
        None => key == "core.hookspath" && work.settings.get(&key).is_some(),
    };
    if leads_away {
        work.effect(Effect::BypassesHooks, site);
    }
    if let Some(value) = value.as_ref().filter(|_| key.starts_with("alias.") || runs::is_program(&key)) {
        // It runs later, and is looked at now.
        let command = value.prefix().strip_prefix('!');
        if command.is_some() || !key.starts_with("alias.") {
            let skipped = usize::from(command.is_some());
            work.shell(super::super::words::after(value, skipped), site);
        }
    }
    let is_everywhere = work.has(&["global", "system"]);
    if work.invocation.is_elsewhere() {
        return;
    }
    let scope: Option<PathBuf> = if is_everywhere { None } else { work.common().map(std::path::Path::to_owned) };
    if is_everywhere || scope.is_some() {
        work.outcome.after.set(Made { scope, key, value });
    }
}
