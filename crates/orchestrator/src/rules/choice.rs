//! Which rules apply.

use std::collections::BTreeMap;

use super::layer::{Layer, Source};

/// A file and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) source: Source,
    pub(super) fate: Fate,
}

/// What becomes of a rule file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is in the prompt.
    Applies,
    /// Another layer has a file of its name.
    Replaced(Layer),
    /// A file of its name in this layer is empty, and switches it off.
    Off(Layer),
    /// It is empty itself.
    Empty,
    /// None of its tools is active.
    Idle,
    /// It has a condition.
    StreamRule,
    /// It could never be read.
    Broken,
}

/// Decides about all files, in the order of their names; `tools` are those that are active. What cannot be read and stream
/// rules replace nothing.
pub(super) fn choose(sources: Vec<Source>, tools: &[String]) -> Vec<Chosen> {
    let mut by_name: BTreeMap<String, Vec<Source>> = BTreeMap::new();
    for source in sources {
        by_name.entry(source.name.clone()).or_default().push(source);
    }
    let mut chosen = Vec::new();
    for mut files in by_name.into_values() {
        files.sort_by_key(|source| source.layer);
        let is_rule = |source: &&Source| source.rule.as_ref().is_some_and(|rule| !rule.is_stream_rule);
        let winner = files.iter().rfind(is_rule).map(|source| (source.layer, is_empty(source)));
        chosen.extend(files.into_iter().map(|source| {
            let fate = fate(&source, winner, tools);
            Chosen { source, fate }
        }));
    }
    chosen
}

fn is_empty(source: &Source) -> bool {
    source.rule.as_ref().is_some_and(|rule| rule.text.is_empty())
}

fn fate(source: &Source, winner: Option<(Layer, bool)>, tools: &[String]) -> Fate {
    let Some(rule) = &source.rule else { return Fate::Broken };
    if rule.is_stream_rule {
        return Fate::StreamRule;
    }
    match winner {
        Some((layer, true)) if layer != source.layer => Fate::Off(layer),
        Some((layer, false)) if layer != source.layer => Fate::Replaced(layer),
        _ if rule.text.is_empty() => Fate::Empty,
        _ if !rule.tools.is_empty() && !rule.tools.iter().any(|tool| tools.contains(tool)) => Fate::Idle,
        _ => Fate::Applies,
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::parse;
    use super::*;

    fn source(name: &str, layer: Layer, text: Option<&str>) -> Source {
        let rule = text.map(|text| parse(text).expect("a rule"));
        Source { name: name.to_owned(), layer, place: name.to_owned(), rule, problem: None }
    }

    #[test]
    fn later_layers_replace_and_switch_off() {
        use Layer::{Project, Suite, User};
        let stream = "---\ncondition: x\n---\nNo.";
        let all = vec![
            source("00", Suite, Some("a")),
            source("10", Suite, Some("a")),
            source("20", Suite, Some("a")),
            source("30", Suite, Some("a")),
            source("40", Suite, Some("---\ntools: [x, y]\n---\na")),
            source("41", Suite, Some("---\ntools: [x, bash]\n---\na")),
            source("10", User, Some("b")),
            source("20", User, Some("")),
            source("30", User, Some(stream)),
            source("80", User, None),
            source("00", Project, None),
            source("10", Project, Some("c")),
            source("41", Project, Some("---\ntools: x\n---\nc")),
            source("90", Project, Some(" ")),
        ];
        let shown: Vec<String> = choose(all, &["bash".to_owned()])
            .into_iter()
            .map(|one| format!("{} {} {:?}", one.source.name, one.source.layer, one.fate))
            .collect();
        assert_eq!(
            shown,
            [
                "00 suite Applies",
                "00 project Broken",
                "10 suite Replaced(Project)",
                "10 user Replaced(Project)",
                "10 project Applies",
                "20 suite Off(User)",
                "20 user Empty",
                "30 suite Applies",
                "30 user StreamRule",
                "40 suite Idle",
                "41 suite Replaced(Project)",
                "41 project Idle",
                "80 user Broken",
                "90 project Empty",
            ]
        );
    }
}
