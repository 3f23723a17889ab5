//! What the documents at the root promise must exist: tests that hold invariants and differences, and links.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The rows of every table, without heads and rules.
fn rows(text: &str) -> Vec<Vec<String>> {
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    let cells = |line: &str| {
        let inner = line.trim().trim_matches('|');
        inner.split(" | ").map(|cell| cell.trim().trim_matches('|').trim().to_owned()).collect::<Vec<_>>()
    };
    let is_rule = |line: &str| line.chars().all(|c| matches!(c, '|' | '-' | ' ' | ':'));
    let mut rows = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let is_head = lines.get(index + 1).is_some_and(|next| is_rule(next));
        if !is_rule(line) && !is_head {
            rows.push(cells(line));
        }
    }
    rows
}

/// The paths in back quotes.
fn paths(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_difference_has_an_id_a_reason_and_a_place_that_holds_it() {
    let mut ids = BTreeSet::new();
    let rows = rows(&read("docs/differences.md"));
    assert!(!rows.is_empty(), "docs/differences.md has no rows");
    for row in rows {
        let [id, tau, pi, why, held] = &row[..] else { panic!("a row needs five cells: {row:?}") };
        assert!(ids.insert(id.clone()), "two rows have the id {id}");
        assert!(!tau.is_empty() && !pi.is_empty() && !why.is_empty(), "{id} has an empty cell");
        let paths = paths(held);
        assert!(!paths.is_empty(), "{id} names nothing that holds it");
        for path in paths {
            assert!(root().join(&path).exists(), "{id} names {path}, which does not exist");
        }
    }
}

#[test]
fn the_theme_of_the_manual_loads() {
    let file = read("docs/ocean.json");
    assert!(read("docs/themes.md").contains(&format!("```json\n{file}```\n")), "the page shows the file");
    let theme = tau_view::theme::ColorTheme::parse(&file).expect("a theme");
    assert_eq!(theme.name, "ocean");
}

#[test]
fn no_table_is_split() {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("docs"))
        .expect("the manual")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    files.push(root().join("README.md"));
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a text");
        let lines: Vec<&str> = text.lines().collect();
        for at in (0..lines.len()).filter(|at| lines[*at].starts_with('|')) {
            let begins = at == 0 || !lines[at - 1].starts_with('|');
            let rule = lines.get(at + 1).is_some_and(|next| next.starts_with("|-") || next.starts_with("| -"));
            assert!(!begins || rule, "{}:{}: rows without a head are no table", file.display(), at + 1);
        }
    }
}

#[test]
fn what_conformance_tolerates_is_a_listed_difference() {
    let ids: BTreeSet<String> = rows(&read("docs/differences.md")).into_iter().map(|row| row[0].clone()).collect();
    let known: serde_json::Value = serde_json::from_str(&read("conformance/known-differences.json")).expect("JSON");
    let known = known["differences"].as_array().expect("a list");
    assert!(!known.is_empty());
    for difference in known {
        let id = difference["id"].as_str().expect("an id");
        assert!(
            ids.contains(id),
            "conformance/known-differences.json uses {id}, which has no row in docs/differences.md"
        );
    }
}

#[test]
fn the_tests_that_hold_the_invariants_exist() {
    let text = read("ARCHITECTURE.md");
    assert!(text.lines().count() < 300, "ARCHITECTURE.md is too long");
    let (_, invariants) = text.split_once("## Invariants").expect("a section on invariants");
    let rows = rows(invariants);
    assert!(rows.len() > 10, "the table of invariants could not be read");
    for row in rows {
        let [invariant, held] = &row[..] else { panic!("a row needs two cells: {row:?}") };
        let paths = paths(held);
        assert!(!paths.is_empty(), "nothing holds: {invariant}");
        for path in paths {
            assert!(root().join(&path).exists(), "{invariant}: {path} does not exist");
        }
    }
}

#[test]
fn the_tests_that_hold_the_promises_exist() {
    let text = read("docs/security.md");
    let rows = rows(&text);
    assert!(rows.len() > 10, "the table of promises could not be read");
    for row in rows {
        let [promise, held] = &row[..] else { panic!("a row needs two cells: {row:?}") };
        let paths = paths(held);
        assert!(!paths.is_empty(), "nothing holds: {promise}");
        for path in paths {
            assert!(root().join(&path).exists(), "{promise}: {path} does not exist");
        }
    }
}

#[test]
fn the_manual_lists_every_command_as_it_is_typed() {
    let text = read("docs/usage.md");
    let (_, commands) = text.split_once("\n## Commands\n").expect("a section on commands");
    let (commands, _) = commands.split_once("\n## ").expect("a section after it");
    let listed: BTreeSet<String> =
        rows(commands).iter().flat_map(|row| paths(&row[0])).map(|typed| typed.replace("\\|", "|")).collect();
    let typed = |builtin: &tau_agent::Builtin| format!("/{} {}", builtin.name, builtin.argument).trim_end().to_owned();
    assert_eq!(listed, tau_agent::BUILTINS.iter().map(typed).collect());
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut checked = 0;
    let docs = std::fs::read_dir(root().join("docs")).expect("docs");
    let docs = docs.map(|entry| format!("docs/{}", entry.expect("an entry").file_name().to_string_lossy()));
    let files = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(str::to_owned);
    for file in files.into_iter().chain(docs.filter(|name| name.ends_with(".md"))) {
        let text = read(&file);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            if link.contains("://") || link.starts_with('#') || link.contains(' ') {
                continue;
            }
            let target = link.split('#').next().unwrap_or_default();
            let base = root().join(&file);
            let path = base.parent().expect("a folder").join(target);
            assert!(path.exists(), "{file}: the link {link} leads nowhere");
            checked += 1;
        }
    }
    assert!(checked > 5, "no links were found");
}
