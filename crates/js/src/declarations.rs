//! Tests of `runtime/ops.d.ts` in `tau-engine`: what runtime modules may ask, from the tables of all ops.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tau_engine::ops::table::declare::declarations;

fn runtime() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/runtime")
}

/// Every module of the runtime.
fn modules(folder: &Path, all: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the runtime") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            modules(&path, all);
        } else if path.to_string_lossy().ends_with(".ts") && !path.to_string_lossy().ends_with(".d.ts") {
            let text = std::fs::read_to_string(&path).expect("a module");
            all.insert(path.display().to_string(), text);
        }
    }
}

/// With `UPDATE_DOCS=1` in the environment the file is written instead.
#[test]
fn the_declarations_are_fresh() {
    let text = declarations(&crate::bridge::areas());
    let path = runtime().join("ops.d.ts");
    if tau_sys::variable("UPDATE_DOCS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &text).expect("a file that can be written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == text, "bring it up to date with UPDATE_DOCS=1 cargo test -p tau-js the_declarations_are_fresh");
}

/// An op that no module knows is one too many, and one that is not there would be missed when an extension reaches the
/// line.
#[test]
fn modules_and_tables_name_the_same_ops() {
    let mut all = BTreeMap::new();
    modules(&runtime(), &mut all);
    let asked = regex::Regex::new(r"\bops\??\.(\w+)").expect("an expression");
    // What makes the two forms of a function is given the name of an op.
    let named = regex::Regex::new(r#""(fs[A-Z]\w+)""#).expect("an expression");
    let mut wanted = BTreeMap::new();
    for (path, text) in &all {
        for found in asked.captures_iter(text) {
            wanted.insert(found[1].to_owned(), path.clone());
        }
        for found in named.captures_iter(text) {
            wanted.insert(found[1].to_owned(), path.clone());
            wanted.insert(format!("{}Async", &found[1]), path.clone());
        }
    }
    let areas = crate::bridge::areas();
    let rows = || areas.iter().flat_map(|area| area.rows.iter().copied().flatten());
    let there: BTreeSet<&str> = rows().map(|op| op.name).collect();
    assert_eq!(there.len(), rows().count(), "two ops have the same name");
    let unknown: Vec<_> = wanted.iter().filter(|(name, _)| !there.contains(name.as_str())).collect();
    assert!(unknown.is_empty(), "modules ask for ops that are not there: {unknown:?}");
    let unused: Vec<_> = there.iter().filter(|name| !wanted.contains_key(**name)).collect();
    assert!(unused.is_empty(), "no module asks for these ops: {unused:?}");
}

/// The modules of Node and the web work in an engine without an agent.
#[test]
fn modules_of_node_and_the_web_need_no_ops_of_guests() {
    let own = tau_engine::engine::areas();
    let own: BTreeSet<&str> =
        own.iter().flat_map(|area| area.rows.iter().copied().flatten()).map(|op| op.name).collect();
    let asked = regex::Regex::new(r"\bops\??\.(\w+)").expect("an expression");
    let mut all = BTreeMap::new();
    for folder in ["internal", "node", "web", "typebox"] {
        modules(&runtime().join(folder), &mut all);
    }
    for (path, text) in &all {
        for found in asked.captures_iter(text) {
            assert!(own.contains(&found[1]), "{path} needs `{}`, which only guests have", &found[1]);
        }
    }
}
