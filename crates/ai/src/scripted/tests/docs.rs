use super::super::filter;
use super::*;

const PAGE: &str = include_str!("../../../../../docs/scripted-models.md");

#[test]
fn every_example_is_a_valid_script() {
    let examples: Vec<&str> =
        PAGE.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect();
    assert_eq!(examples.len(), 4);
    for example in examples {
        script(example);
    }
}

#[test]
fn every_filter_is_described() {
    let missing: Vec<&str> = filter::names().filter(|name| !PAGE.contains(&format!("`{name}"))).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

/// The message of an unknown key lists the valid ones, so the page can be held against it.
#[test]
fn every_key_is_described() {
    let mut missing = Vec::new();
    for yaml in [
        "zz: 1",
        "{replies: [], model: {zz: 1}}",
        "replies: [{zz: 1}]",
        "replies: [[{zz: 1}]]",
        "replies: [[{tool_call: {zz: 1}}]]",
        "replies: [[{error: {zz: 1}}]]",
        "replies: [[{usage: {zz: 1}}]]",
        "replies: [[{expect: {zz: 1}}]]",
        "replies: [[{expect: {tool_result: {zz: 1}}}]]",
    ] {
        let message = ScriptedApi::from_yaml("x", yaml).err().expect("an unknown key").message;
        // Two spellings are accepted for some keys; the page shows the one that fits its surroundings.
        let other = ["context_window", "max_tokens", "thinking_level_map", "cacheRead", "cacheWrite", "totalTokens"];
        let keys = message.split('`').skip(3).step_by(2).filter(|key| !other.contains(key));
        let shown = |key: &str| PAGE.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == key);
        missing.extend(keys.filter(|key| !shown(key)).map(str::to_owned));
    }
    assert_eq!(missing, Vec::<String>::new());
}
