//! What the documents at the root promise must exist: tests that hold invariants and differences, and links.

mod circles;
mod limits;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Whether a crate is there for tests only.
fn is_testkit(folder: &Path) -> bool {
    ["testkit", "agent-testkit"].iter().any(|name| folder.ends_with(name))
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

/// Parts of pages that are made from data of the program: the page, the name of the part, and its text.
fn made_parts() -> Vec<(&'static str, &'static str, String)> {
    let code = |name: &str| format!("`{name}`");
    let list = |names: &[&str]| names.iter().map(|name| code(name)).collect::<Vec<_>>().join(", ");
    let mut providers = "| Provider | Variables |\n|---|---|\n".to_owned();
    for (name, variables) in tau_ai::PROVIDER_VARIABLES {
        providers.push_str(&format!("| `{name}` | {} |\n", list(variables)));
    }
    let mut compat = "| Key | Wire formats | Meaning |\n|---|---|---|\n".to_owned();
    for key in tau_ai::COMPAT_KEYS.iter().filter(|key| !key.apis.is_empty()) {
        compat.push_str(&format!("| `{}` | {} | {} |\n", key.name, list(key.apis), key.meaning));
    }
    let unused: Vec<&str> = tau_ai::COMPAT_KEYS.iter().filter(|key| key.apis.is_empty()).map(|key| key.name).collect();
    compat.push_str(
        "\nThese are for wire formats or features that tau does not have yet. They do nothing and are not reported:\n",
    );
    compat.push_str(&format!("{}.\n", list(&unused)));
    let mut entries = "| `type` | Meaning | Fields |\n|---|---|---|\n".to_owned();
    let sentence = |about: &str| about.trim().trim_end_matches('.').replace("`None`", "no value");
    for entry in tau_session::ENTRY_TYPES {
        let field = |field: &tau_session::EntryField| {
            let mark = if field.may_be_absent { "?" } else { "" };
            format!("`{}{mark}`: {}", field.name, sentence(field.about))
        };
        let fields: Vec<String> = entry.fields.iter().map(field).collect();
        entries.push_str(&format!("| `{}` | {} | {} |\n", entry.name, sentence(entry.about), fields.join("; ")));
    }
    let mut parts = vec![
        ("docs/environment.md", "providers", providers),
        ("docs/models.md", "compat", compat),
        ("docs/session-format.md", "entries", entries),
    ];
    parts.push(("docs/settings.md", "limits", limits::table()));
    parts.push(("docs/usage.md", "flags", tau::args::markdown()));
    parts.push(("docs/policy.md", "rules", rules_about_commands()));
    parts.extend(tau_agent::settings::manual().map(|(name, text)| ("docs/settings.md", name, text)));
    parts
}

/// The rules about commands that come with tau.
fn rules_about_commands() -> String {
    let mut table = "| Rule | Does | Catches | Cannot catch |\n|---|---|---|---|\n".to_owned();
    for rule in tau_policy::catalogue() {
        let cell = |text: &str| text.replace('\n', " ").replace('|', "\\|");
        let action = tau_orchestrator::shared::policy::report::word(rule.action);
        let (catches, misses) = (cell(&rule.catches), cell(&rule.misses));
        table.push_str(&format!("| `{}` | {action} | {catches} | {misses} |\n", rule.id));
    }
    table
}

/// With `UPDATE_DOCS=1` in the environment the pages are written instead.
#[test]
fn the_made_parts_of_pages_are_what_the_program_says() {
    let update = std::env::var_os("UPDATE_DOCS").is_some_and(|value| value == "1");
    for (page, name, wanted) in made_parts() {
        let text = read(page);
        let (before, rest) = text.split_once(&format!("<!-- begin {name}:")).expect("the beginning of the part");
        let (remark, rest) = rest.split_once("-->\n").expect("the end of the remark");
        let end = format!("<!-- end {name} -->");
        let (there, after) = rest.split_once(&end).expect("the end of the part");
        let wanted = format!("\n{wanted}\n");
        if update {
            let page_text = format!("{before}<!-- begin {name}:{remark}-->\n{wanted}{end}{after}");
            std::fs::write(root().join(page), page_text).expect("the page");
        } else {
            assert_eq!(
                there, wanted,
                "bring {page} up to date with UPDATE_DOCS=1 cargo test -p tau --test it documents"
            );
        }
    }
}

/// What looks like a variable for readers of the manual and is none: for work on tau itself, or a constant of a module.
const NO_VARIABLES: &[&str] = &["TAU_JS_RUNTIME", "PI_AI_VERSION", "PI_ATTRIBUTION"];

/// The text of every source file that is part of the program.
fn sources() -> String {
    fn collect(folder: &Path, text: &mut String) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            if path.is_dir() {
                if !["tests", "target", "node_modules", "snapshots"].contains(&name.as_str()) {
                    collect(&path, text);
                }
            } else if name.ends_with(".rs") || name.ends_with(".ts") {
                let file = std::fs::read_to_string(&path).expect("a file");
                // The tests of a file are at its end.
                text.push_str(file.split("#[cfg(test)]").next().unwrap_or_default());
            }
        }
    }
    let mut text = String::new();
    for entry in std::fs::read_dir(root().join("crates")).expect("crates") {
        let folder = entry.expect("an entry").path();
        if is_testkit(&folder) {
            continue;
        }
        for part in ["src", "runtime"] {
            if folder.join(part).is_dir() {
                collect(&folder.join(part), &mut text);
            }
        }
    }
    text
}

#[test]
fn every_variable_of_tau_and_pi_is_in_the_manual() {
    let (sources, page) = (sources(), read("docs/environment.md"));
    let is_part = |character: char| character.is_ascii_uppercase() || character.is_ascii_digit() || character == '_';
    let mut found = BTreeSet::new();
    for word in sources.split(|character: char| !is_part(character) && !character.is_ascii_lowercase()) {
        let is_variable = word.chars().all(is_part) && (word.starts_with("PI_") || word.starts_with("TAU_"));
        if is_variable && !word.ends_with('_') {
            found.insert(word);
        }
    }
    assert!(found.contains("PI_CODING_AGENT_DIR") && found.len() > 10, "{found:?}");
    let missing: Vec<&str> =
        found.into_iter().filter(|name| !NO_VARIABLES.contains(name) && !page.contains(&format!("`{name}`"))).collect();
    assert_eq!(missing, [""; 0], "docs/environment.md does not name these variables");
}

/// The modules that may call what `clippy.toml` refuses to all others: the clock, ids, randomness, variables and programs
/// have few owners, and a task begins where somebody thought about the runtime on which it runs.
const OWNERS: &[&str] = &[
    "agent/src/parts/lane.rs",
    "agent/src/pipeline/bash.rs",
    "agent/src/pipeline/run.rs",
    "agent/src/pipeline/tool_call/run.rs",
    "agent/src/session/compact.rs",
    "agent/src/shell_hooks/load.rs",
    "ai/src/clock.rs",
    "ai/src/ids.rs",
    "cli/src/acp/conversation.rs",
    "cli/src/acp/dialogs.rs",
    "cli/src/acp/lane.rs",
    "cli/src/acp/open.rs",
    "cli/src/acp/requests.rs",
    "cli/src/rpc/mod.rs",
    "cli/src/signals.rs",
    "engine/src/ops/child/running.rs",
    "engine/src/ops/crypto/encoding.rs",
    "engine/src/ops/crypto/key_ops.rs",
    "engine/src/ops/crypto/mod.rs",
    "engine/src/ops/host.rs",
    "engine/src/raw/code/files.rs",
    "hooks/src/dispatch/call.rs",
    "hooks/src/queue.rs",
    "http/src/lib.rs",
    "interactive/src/lib.rs",
    "js/src/bridge/host.rs",
    "js/src/bridge/models.rs",
    "js/src/bridge/signal.rs",
    "sys/src/lock/directory.rs",
    "sys/src/private.rs",
    "sys/src/process/group.rs",
    "sys/src/process/page.rs",
    "sys/src/replace.rs",
    "sys/src/variables.rs",
    "tools/src/support.rs",
];

/// The source files below a folder with their paths; without tests and comments.
fn code_below(dir: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "tests" {
                code_below(&path, found);
            }
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            let text = std::fs::read_to_string(&path).expect("a source");
            let code = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
            let lines =
                code.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n"));
            let path = path.strip_prefix(root().join("crates")).expect("below the crates").display().to_string();
            found.push((path, lines.collect()));
        }
    }
}

#[test]
fn the_clock_ids_variables_and_tasks_have_their_modules() {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).expect("crates") {
        let folder = entry.expect("an entry").path();
        if !is_testkit(&folder) {
            code_below(&folder.join("src"), &mut files);
        }
    }
    assert!(files.len() > 500, "{}", files.len());
    let says_so = |code: &str| {
        let mut lines = code.lines().filter(|line| line.contains("clippy::disallowed_methods"));
        lines.any(|line| !line.contains("cfg_attr(test"))
    };
    let mut owners: Vec<&str> = files.iter().filter(|(_, code)| says_so(code)).map(|(path, _)| path.as_str()).collect();
    owners.sort_unstable();
    assert_eq!(owners, OWNERS);
    assert!(read("clippy.toml").contains("disallowed-methods"), "who checks it");
}
