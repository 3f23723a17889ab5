//! `docs/keys.md`, made from the table of actions. The test is what keeps the page in step.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

use std::fmt::Write as _;
use std::path::Path;

use super::{BINDINGS, Binding, Context, Platform};

/// The contexts, each with its title and what is to be said about it.
const SECTIONS: &[(Context, &str)] = &[
    (Context::Editor, "In the editor"),
    (Context::EmptyEditor, "In the empty editor"),
    (Context::Selection, "When something is selected"),
    (Context::List, "In lists"),
    (Context::Models, "When models are chosen"),
    (Context::ThinkingLevels, "When a thinking level is chosen"),
    (Context::Sessions, "When a session is chosen"),
    (Context::Tree, "In the tree of a session"),
    (Context::Transcript, "In the pager"),
    (Context::Search, "While the transcript is searched"),
];

fn keys(keys: &[&str]) -> String {
    let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    if keys.is_empty() { "none".to_owned() } else { keys.join(", ") }
}

fn row(page: &mut String, binding: &Binding) {
    let mut elsewhere: Vec<(String, Vec<&str>)> = Vec::new();
    for (platform, others) in binding.elsewhere {
        let name = match platform {
            Platform::Mac => "macOS",
            Platform::Windows => "Windows",
            Platform::Wsl => "WSL",
            Platform::Usual => "elsewhere",
        };
        match elsewhere.iter_mut().find(|(text, _)| *text == keys(others)) {
            Some((_, names)) => names.push(name),
            None => elsewhere.push((keys(others), vec![name])),
        }
    }
    let mut all = keys(binding.keys);
    for (text, names) in elsewhere {
        let _ = write!(all, "; {}: {text}", names.join(" and "));
    }
    let kept = if binding.reserved { " (no extension can take its keys)" } else { "" };
    let _ = writeln!(page, "| {all} | {}{kept} | `{}` |", binding.doc, binding.id);
}

fn page() -> String {
    let mut page = "\
# Keys

Made from the table of actions in `crates/view/src/bindings/table.rs`; a test keeps the two in step.

`keybindings.json` in the agent folder gives an action other keys: an object of its name to a key or a list of keys. An empty list
takes its keys away. Keys of one section are free to mean something else in another, but for lists: their keys hold in every
section that chooses from one. `/hotkeys` shows what is in force. What the mouse does in full-screen mode is on
[the page about the terminal](terminal.md#full-screen).
"
    .to_owned();
    for (context, title) in SECTIONS {
        let _ = write!(page, "\n## {title}\n\n| Keys | What they do | Action |\n|---|---|---|\n");
        BINDINGS.iter().filter(|binding| binding.context == *context).for_each(|binding| row(&mut page, binding));
    }
    page
}

/// With `UPDATE_DOCS=1` in the environment the page is written instead.
#[test]
fn the_page_of_keys_is_what_the_table_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/keys.md");
    if std::env::var_os("UPDATE_DOCS").is_some_and(|value| value == "1") {
        std::fs::write(&path, page()).expect("the page");
    }
    let there = std::fs::read_to_string(&path).expect("the page");
    assert!(there == page(), "bring docs/keys.md up to date with UPDATE_DOCS=1 cargo test -p tau-view page_of_keys");
}

#[test]
fn every_action_is_on_the_page() {
    let page = page();
    let lost: Vec<&str> =
        BINDINGS.iter().map(|binding| binding.id).filter(|id| !page.contains(&format!("`{id}`"))).collect();
    assert_eq!(lost, [""; 0]);
}
