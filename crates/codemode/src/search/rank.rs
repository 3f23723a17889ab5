//! The order of what was found.
//!
//! Okapi BM25 over the descriptions, with the name and the namespace as fields of their own. A tool that has more of the
//! words of the query comes first, whatever its score; the tool that is named exactly comes before all.

use std::collections::{HashMap, HashSet};

use super::document::Document;
use super::words::words;

/// How soon more of a word stops to count.
const K1: f64 = 1.2;
/// How much longer texts count less.
const B: f64 = 0.75;
/// What a word in the name counts, so that it beats any number in the description.
const NAME: f64 = 3.0;
/// What a word in the namespace counts, which all its tools share.
const NAMESPACE: f64 = 0.5;
/// Matches whose score is below this part of the best one are left out.
const CUT: f64 = 0.25;
/// So are those with less than this part of the words that the best one has.
const COVERED: f64 = 0.5;

/// A tool that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// How well it fits; higher is better. The order follows other rules as well.
    pub score: f64,
}

struct Match<'a> {
    document: &'a Document,
    score: f64,
    covered: usize,
    exact: bool,
}

/// The documents that fit the query, best first, at most so many. Where the best one is far better than others, those are
/// left out.
#[expect(clippy::cast_precision_loss, reason = "counts of words and tools are small")]
pub fn rank(query: &str, documents: &[Document], limit: usize) -> Vec<Found> {
    let mut terms = words(query);
    let mut unique = HashSet::new();
    terms.retain(|term| unique.insert(term.clone()));
    if terms.is_empty() || documents.is_empty() {
        return Vec::new();
    }
    let count = documents.len() as f64;
    let total: f64 = documents.iter().map(|document| f64::from(document.length)).sum();
    let average = (total / count).max(1.0);
    let rarity: HashMap<&str, f64> = terms
        .iter()
        .map(|term| {
            let has = |document: &&Document| {
                document.name_words.contains(term)
                    || document.text.contains_key(term)
                    || document.namespace_words.contains(term)
            };
            let having = documents.iter().filter(has).count() as f64;
            (term.as_str(), (1.0 + (count - having + 0.5) / (having + 0.5)).ln())
        })
        .collect();
    let whole_name: f64 = rarity.values().sum();
    let wanted = plain(query);
    let mut matches: Vec<Match<'_>> = Vec::new();
    for document in documents {
        let norm = K1 * (1.0 - B + B * f64::from(document.length) / average);
        let (mut score, mut covered) = (0.0, 0);
        for term in &terms {
            let times = f64::from(document.text.get(term).copied().unwrap_or(0));
            let mut weight = times * (K1 + 1.0) / (times + norm);
            weight += if document.name_words.contains(term) { NAME } else { 0.0 };
            weight += if document.namespace_words.contains(term) { NAMESPACE } else { 0.0 };
            covered += usize::from(weight > 0.0);
            score += rarity[term.as_str()] * weight;
        }
        if covered == 0 {
            continue;
        }
        let local = &document.local_words;
        if !local.is_empty() && local.iter().all(|word| terms.contains(word)) {
            score += whole_name;
        }
        matches.push(Match { document, score, covered, exact: is_named(&wanted, &document.name) });
    }
    matches.sort_by(|one, other| {
        let by_score = || other.score.total_cmp(&one.score);
        other.exact.cmp(&one.exact).then(other.covered.cmp(&one.covered)).then_with(by_score)
    });
    cut(&mut matches);
    let found = matches.into_iter().take(limit);
    found.map(|found| Found { name: found.document.name.clone(), score: found.score }).collect()
}

/// Leaves out what is far below the best.
#[expect(clippy::cast_precision_loss, reason = "a query has few words")]
fn cut(matches: &mut Vec<Match<'_>>) {
    let best = matches.iter().map(|found| found.score).fold(0.0, f64::max);
    let covered = matches.iter().map(|found| found.covered).max().unwrap_or_default() as f64;
    matches.retain(|found| found.exact || (found.score >= CUT * best && found.covered as f64 >= COVERED * covered));
}

/// A name as people write it, whatever stands between its words.
fn plain(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '$' { c.to_ascii_lowercase() } else { '_' };
    name.trim().chars().map(kept).collect()
}

/// Whether a query is the name of a tool, or what stands behind a `__` in it.
fn is_named(wanted: &str, name: &str) -> bool {
    let name = plain(name);
    name == wanted || name.strip_suffix(wanted).is_some_and(|before| before.ends_with("__"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tau_tools::{ToolNamespace, ToolSpec};

    use super::*;

    fn tool(name: &str, description: &str) -> Document {
        let namespace = name
            .rsplit_once("__")
            .map(|(group, _)| ToolNamespace { name: group.to_owned(), ..ToolNamespace::default() });
        Document::of(&ToolSpec {
            name: name.to_owned(),
            description: description.to_owned(),
            namespace,
            ..ToolSpec::default()
        })
    }

    fn names(query: &str, documents: &[Document]) -> Vec<String> {
        rank(query, documents, 8).into_iter().map(|found| found.name).collect()
    }

    #[test]
    fn more_words_of_the_query_come_first_and_an_exact_name_before_all() {
        let tools = [
            tool("mcp__peek__app", "Starts and ends programs."),
            tool("mcp__peek__window", "Moves a window."),
            tool("mcp__peek__capture", "Takes a screenshot of a window or of the screen."),
            tool(
                "mcp__mail__send",
                "Sends a message about an app and its window, screenshot included, window by window.",
            ),
        ];
        assert_eq!(names("screenshot window", &tools)[..2], ["mcp__peek__capture", "mcp__mail__send"]);
        assert_eq!(names("peek__window", &tools)[0], "mcp__peek__window");
        assert_eq!(names("peek app", &tools)[0], "mcp__peek__app");
        assert_eq!(names("app", &tools)[0], "mcp__peek__app");
        assert!(names("nothing of this", &tools).is_empty());
        assert!(names("the of", &tools).is_empty());
        assert_eq!(rank("window", &tools, 1).len(), 1);
    }

    #[test]
    fn far_weaker_matches_are_left_out() {
        let mut tools = vec![tool("mcp__all__echo", "Echoes back the message that it gets.")];
        for n in 0..11 {
            tools.push(tool(
                &format!("mcp__all__other{n}"),
                &format!("Does something else with number {n}, and says so in a message."),
            ));
        }
        assert_eq!(names("echo message", &tools), ["mcp__all__echo"]);
        // Where nothing is far better, all stay.
        assert_eq!(names("message", &tools).len(), 8);
    }

    #[test]
    fn arguments_are_searched_through_references() {
        let spec = ToolSpec {
            name: "find".to_owned(),
            parameters: json!({"type": "object", "properties": {"where": {"$ref": "#/$defs/place"}},
                "$defs": {"place": {"type": "object", "properties": {"zipCode": {"description": "Of the town."}}},
                    "unused": {"description": "elephants"}, "loop": {"$ref": "#/$defs/loop"}}}),
            ..ToolSpec::default()
        };
        let tools = [Document::of(&spec), tool("other", "Nothing."), tool("third", "Nothing.")];
        assert_eq!(names("zip codes", &tools), ["find"]);
        assert_eq!(names("town", &tools), ["find"]);
        assert!(names("elephant", &tools).is_empty());
    }
}
