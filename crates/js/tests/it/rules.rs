//! The expressions of stream rules are JavaScript's, see all of a text, and come to an end.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tau_js::RuleEngine;
use tau_script::{Expression, PatternEngine, Patterns, Search, Seen, Started, Try};

use crate::common::World;

/// Processor time that is enough for everything here that comes to an end.
const ENOUGH: Duration = Duration::from_secs(20);

fn start(sources: &[&str]) -> Started {
    let expression = |source: &&str| Expression { source: (*source).to_owned(), flags: String::new() };
    RuleEngine.start(sources.iter().map(expression).collect()).expect("an engine")
}

/// Adds to the first text and looks for expressions, each from a place.
async fn look(patterns: &dyn Patterns, more: &str, tries: &[(usize, usize)], limit: Duration) -> Vec<Seen> {
    let tries = tries.iter().map(|(expression, from)| Try { expression: *expression, from: *from }).collect();
    let search = Search { text: 0, more: more.to_owned(), tries, limit };
    let found = patterns.search(search).await.expect("an engine");
    found.into_iter().map(|found| found.seen).collect()
}

#[tokio::test]
async fn expressions_are_those_of_javascript() {
    let cases = [
        (r"(?<!no )panic", "panic", "no panic"),
        (r"(?<a>x)\k<a>", "xx", "xy"),
        (r"\u0041\d+$", "A12", "A12 "),
        (r"[^]{3}", "a\nb", "ab"),
        (r"^b", "b", "a\nb"),
        (r"a.b", "axb", "a\nb"),
        (r"caf\u00e9", "café", "cafe"),
        (r"^..$", "😀", "x"),
        (r"a(?=b)(?!bc)", "ab", "abc"),
        ("", "anything", "\0never"),
    ];
    let started = start(&cases.map(|(source, ..)| source));
    assert_eq!(started.invalid, vec![None; cases.len()]);
    for (place, (source, match_in, none_in)) in cases.into_iter().enumerate() {
        for (text, expected) in [(match_in, Seen::Match), (none_in, Seen::Nothing)] {
            if text != "\0never" {
                started.patterns.forget();
                assert_eq!(
                    look(&*started.patterns, text, &[(place, 0)], ENOUGH).await,
                    [expected],
                    "{source} {text:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn what_is_invalid_is_told_and_the_others_work() {
    let started = start(&["(", "a", "[z-a]", "(?i)a", "b{2,1}"]);
    let invalid: Vec<bool> = started.invalid.iter().map(Option::is_some).collect();
    assert_eq!(invalid, [true, false, true, true, true], "{:?}", started.invalid);
    assert!(started.invalid.iter().flatten().all(|why| !why.is_empty()), "{:?}", started.invalid);
    assert_eq!(look(&*started.patterns, "a", &[(0, 0), (1, 0)], ENOUGH).await, [Seen::Nothing, Seen::Match]);
    let flagged = Expression { source: "^b".to_owned(), flags: "im".to_owned() };
    let started = RuleEngine.start(vec![flagged]).expect("an engine");
    assert_eq!(look(&*started.patterns, "a\nB", &[(0, 0)], ENOUGH).await, [Seen::Match]);
}

#[tokio::test]
async fn a_search_that_begins_late_sees_the_text_before() {
    let started = start(&["^new", "(?<=old )new", "new", r"\bnew", "^o"]);
    let tries: Vec<(usize, usize)> = (0..5).map(|expression| (expression, 4)).collect();
    assert_eq!(look(&*started.patterns, "old ", &[], ENOUGH).await, []);
    let seen = look(&*started.patterns, "new", &tries, ENOUGH).await;
    assert_eq!(seen, [Seen::Nothing, Seen::Match, Seen::Match, Seen::Match, Seen::Nothing]);
    // Behind it there is none.
    assert_eq!(look(&*started.patterns, "", &[(2, 5), (2, 0)], ENOUGH).await, [Seen::Nothing, Seen::Match]);
    // In units of two bytes.
    let started = start(&["x"]);
    assert_eq!(look(&*started.patterns, "😀x", &[(0, 2), (0, 3)], ENOUGH).await, [Seen::Match, Seen::Nothing]);
}

#[tokio::test]
async fn an_expression_without_end_is_given_up_and_the_others_go_on() {
    let started = start(&["(x+x+)+y", "x", "((a*)*)*b", "^(?:x|xx)+$"]);
    let text = format!("{}!{}", "x".repeat(60), "a".repeat(60));
    let tries = [(0, 0), (1, 0), (2, 0), (3, 0)];
    let limit = Duration::from_millis(50);
    let search = Search {
        text: 0,
        more: text,
        tries: tries.iter().map(|(expression, from)| Try { expression: *expression, from: *from }).collect(),
        limit,
    };
    let found = started.patterns.search(search).await.expect("an engine");
    let seen: Vec<Seen> = found.iter().map(|found| found.seen).collect();
    assert_eq!(seen, [Seen::GaveUp, Seen::Match, Seen::GaveUp, Seen::GaveUp]);
    assert!(found.iter().all(|found| found.seen == Seen::Match || found.spent >= limit), "{found:?}");
    // It looks for others as before.
    assert_eq!(look(&*started.patterns, "y", &[(1, 100)], ENOUGH).await, [Seen::Nothing]);
}

#[tokio::test]
async fn more_memory_than_there_is_ends_it_too() {
    let started = start(&["(?:(a)|(b)|(c)|(d)|.)*$(?<=z)", "ab"]);
    let text = "abcd".repeat(200_000);
    let seen = look(&*started.patterns, &text, &[(0, 0), (1, 0)], ENOUGH).await;
    assert_eq!(seen[1], Seen::Match);
    assert_ne!(seen[0], Seen::Match);
    started.patterns.forget();
    assert_eq!(look(&*started.patterns, "ab", &[(1, 0)], ENOUGH).await, [Seen::Match]);
}

#[tokio::test]
async fn texts_are_apart_and_can_be_forgotten() {
    let started = start(&["ab"]);
    let search = |text, more: &str| Search {
        text,
        more: more.to_owned(),
        tries: vec![Try { expression: 0, from: 0 }],
        limit: ENOUGH,
    };
    let mut seen = Vec::new();
    for (text, more) in [(3, "a"), (0, "b"), (3, "b"), (0, "")] {
        seen.push(started.patterns.search(search(text, more)).await.expect("an engine")[0].seen);
    }
    started.patterns.forget();
    seen.push(started.patterns.search(search(3, "")).await.expect("an engine")[0].seen);
    assert_eq!(seen, [Seen::Nothing, Seen::Nothing, Seen::Match, Seen::Nothing, Seen::Nothing]);
}

#[tokio::test]
async fn a_session_goes_on_with_an_expression_without_end() {
    let text = format!("{} and then a panic", "x".repeat(60));
    let mut world = World::new(json!([[{"text": text, "chunk": 20}], "Fine."]));
    world.patterns = Some(Arc::new(RuleEngine));
    world.home.write_agent("rules/endless.md", "---\ncondition: (x+x+)+y\n---\nNever.");
    world.home.write_agent("rules/calm.md", "---\ncondition: (?<=a )panic\n---\nKeep calm.");
    world.home.write_agent("rules/broken.md", "---\ncondition: \"(?<=a panic\"\n---\nNever.");
    let running = world.start().await;
    running.say("How?").await;
    let asked = running.asked();
    assert_eq!((asked.len(), asked[1].len(), asked[1][1].1.contains("Keep calm.")), (2, 2, true));
    let reports: Vec<String> = world
        .reports
        .all()
        .into_iter()
        .map(|(_, event, text)| {
            let text = text.replace(&world.home.agent_dir().display().to_string(), "<agent>");
            format!("{event} {}", text.split(": ").take(2).collect::<Vec<_>>().join(": "))
        })
        .collect();
    assert_eq!(
        reports,
        [
            "resources <agent>/rules/broken.md:2: the expression \"(?<=a panic\" is passed over",
            "ttsr <agent>/rules/endless.md:2: the expression \"(x+x+)+y\" takes too long and is off until the rules are read again",
        ]
    );
}
