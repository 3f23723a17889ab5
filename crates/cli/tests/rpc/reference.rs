//! `docs/rpc.md` is made from the types.

use std::path::Path;

use tau_agent::SessionEvent;
use tau_rpc::COMMANDS;

fn reference() -> String {
    tau_rpc::reference::<SessionEvent>()
}

/// With `UPDATE_DOCS=1` in the environment the file is written instead.
#[test]
fn the_reference_is_what_the_types_say() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rpc.md");
    if std::env::var_os("UPDATE_DOCS").is_some_and(|value| value == "1") {
        std::fs::write(&file, reference()).expect("docs/rpc.md");
    }
    let there = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(there == reference(), "bring it up to date with UPDATE_DOCS=1 cargo test -p tau --test it the_reference");
}

#[test]
fn every_type_has_its_section_and_none_is_named_as_in_rust() {
    let page = reference();
    let sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let cells = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").nth(1));
    // A type begins with a capital, and nothing else in the second column of a table does.
    let types = cells.flat_map(|cell| cell.split(|c: char| !c.is_ascii_alphanumeric()));
    for name in types.filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase())) {
        assert!(sections.contains(&name), "{name} is not described");
    }
    assert!(!page.contains("::"), "{:?}", page.lines().find(|line| line.contains("::")));
}

#[test]
fn every_command_and_event_has_its_section() {
    let page = reference();
    let sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("#### ")).collect();
    let mut wanted: Vec<&str> = COMMANDS.iter().map(|row| row.name).collect();
    wanted.sort_by_key(|name| sections.iter().position(|section| section == name));
    assert_eq!(sections, wanted);
    for event in ["session", "message_update", "tool_execution_end", "agent_settled", "bash_execution_update"] {
        assert!(page.contains(&format!("\n### {event}\n")), "{event}");
    }
    for method in ["select", "confirm", "input", "editor", "notify", "setStatus", "setWidget", "setTitle"] {
        assert!(page.contains(&format!("\n### {method}\n")), "{method}");
    }
}
