//! What holds for every row.

use std::collections::BTreeSet;
use std::time::Duration;

use super::*;

#[test]
fn every_key_has_one_row() {
    let mut keys = BTreeSet::new();
    for row in SETTINGS {
        assert!(keys.insert(row.key), "{} has two rows", row.key);
        assert!(!row.doc.ends_with('.') && !row.doc.contains('|'), "{}", row.key);
    }
}

#[test]
fn a_default_is_a_value_that_the_key_takes() {
    for row in SETTINGS {
        let fits = row.default.value().is_none_or(|default| row.kind.accepts(&default));
        assert!(fits, "{}: {:?} is no value of it", row.key, row.default);
        assert!(row.but.is_none() || row.default.value().is_some(), "{}: there is no default to except from", row.key);
    }
}

#[test]
fn a_guard_is_of_its_row_or_of_a_section_around_it() {
    for row in SETTINGS {
        let is_around = |guard: Guard| row.key == guard.key || row.key.starts_with(&format!("{}.", guard.key));
        assert!(row.guard.is_none_or(is_around), "{}", row.key);
    }
    // What is below a guarded section is guarded with it, so no row there may lack the guard.
    for guard in GUARDS.iter() {
        let below = SETTINGS.iter().filter(|row| row.key.starts_with(&format!("{}.", guard.key)));
        below.for_each(|row| assert_eq!(row.guard, Some(*guard), "{}", row.key));
    }
}

#[test]
fn flags_and_variables_are_written_as_they_are_typed() {
    for row in SETTINGS {
        assert!(row.flags.iter().all(|flag| flag.starts_with("--")), "{}", row.key);
        assert!(row.flags.is_empty() || row.used_by == UsedBy::Tau, "{}", row.key);
        assert!(row.variables.iter().all(|name| !name.starts_with('$')), "{}", row.key);
    }
}

#[test]
fn an_older_name_is_read_as_a_key_of_the_table() {
    for row in older() {
        let UsedBy::Renamed(today) = row.used_by else { continue };
        assert!(setting(today).is_some(), "{}", row.key);
    }
}

/// What crates below this one use when nobody hands them settings is the same.
#[test]
fn defaults_of_the_crates_below_are_those_of_the_table() {
    let tools = setting(keys::DEFAULT_TOOLS.name()).map(|row| row.default);
    assert_eq!(tools, Some(DefaultValue::Texts(&tau_tools::DEFAULT_ACTIVE)));
    let CountOrWord::Count(silence) = keys::HTTP_IDLE_TIMEOUT_MS.default() else { panic!("a number") };
    assert_eq!(tau_ai::HttpSettings::default().silence, Some(Duration::from_millis(silence)));
    assert_eq!(u64::from(tau_ai::HttpSettings::default().repeats), keys::RETRY_PROVIDER_MAX.default());
    let wanted = Duration::from_millis(keys::RETRY_MAX_PROVIDER_DELAY_MS.default());
    assert_eq!(tau_ai::HttpSettings::default().max_wanted, Some(wanted));
    let hooks = tau_hooks::Limits::default();
    assert_eq!(hooks.hook, Duration::from_millis(keys::HOOK_TIMEOUT.default()));
    assert_eq!(hooks.soft, Duration::from_millis(keys::SOFT_MS.default()));
    assert_eq!(hooks.observe, Duration::from_millis(keys::OBSERVE_MS.default()));
    assert_eq!(hooks.shutdown, Duration::from_millis(keys::SHUTDOWN_MS.default()));
}
