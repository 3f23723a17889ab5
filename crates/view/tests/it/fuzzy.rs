use tau_view::fuzzy::{fuzzy_match, fuzzy_match_words};

/// The names that match, best first.
fn ranked<'a>(names: &[&'a str], query: &str) -> Vec<&'a str> {
    let mut ranked: Vec<(f64, &str)> =
        names.iter().filter_map(|name| Some((fuzzy_match_words(query, name)?, *name))).collect();
    ranked.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    ranked.into_iter().map(|(_, name)| name).collect()
}

#[test]
fn characters_must_occur_in_order() {
    assert_eq!(fuzzy_match("", "anything"), Some(0.0));
    assert_eq!(fuzzy_match("cba", "abc"), None);
    assert!(fuzzy_match("RDM", "README.md").is_some());
}

#[test]
fn words_and_runs_beat_scattered_characters() {
    let names = ["the room slot lid", "stooling", "src/tool.rs", "tool", "xyz"];
    assert_eq!(ranked(&names, "tool"), ["tool", "src/tool.rs", "stooling", "the room slot lid"]);
}

#[test]
fn every_word_must_match() {
    let names = ["claude-opus-4", "claude-sonnet-4", "gpt-4"];
    assert_eq!(ranked(&names, "son/clau"), ["claude-sonnet-4"]);
    assert_eq!(ranked(&names, "  "), names);
}

#[test]
fn letters_and_digits_may_be_swapped() {
    assert!(fuzzy_match("opus4", "4opus").is_some());
    assert!(fuzzy_match("opus4", "4opus") > fuzzy_match("4opus", "4opus"));
}
