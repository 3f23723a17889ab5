use tau_view::fuzzy::{fuzzy_filter, fuzzy_match};

#[test]
fn characters_must_occur_in_order() {
    assert_eq!(fuzzy_match("", "anything"), Some(0.0));
    assert_eq!(fuzzy_match("cba", "abc"), None);
    assert!(fuzzy_match("RDM", "README.md").is_some());
}

#[test]
fn words_and_runs_beat_scattered_characters() {
    let names = ["the room slot lid", "stooling", "src/tool.rs", "tool", "xyz"];
    assert_eq!(
        fuzzy_filter(names.to_vec(), "tool", |name| name),
        ["tool", "src/tool.rs", "stooling", "the room slot lid"]
    );
}

#[test]
fn every_word_must_match() {
    let names = ["claude-opus-4", "claude-sonnet-4", "gpt-4"];
    assert_eq!(fuzzy_filter(names.to_vec(), "son/clau", |name| name), ["claude-sonnet-4"]);
    assert_eq!(fuzzy_filter(names.to_vec(), "  ", |name| name), names);
}

#[test]
fn letters_and_digits_may_be_swapped() {
    assert!(fuzzy_match("opus4", "4opus").is_some());
    assert!(fuzzy_match("opus4", "4opus") > fuzzy_match("4opus", "4opus"));
}
