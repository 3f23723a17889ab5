//! What people and models see of a finding.

use std::sync::Arc;

use tau_policy::rules::{Action, Finding, Origin};
use tau_policy::{Evaluation, Script, ScriptKind, Site, Span, show};

use crate::support::{Scene, script};

fn finding(sites: &[(usize, usize, usize)]) -> Finding {
    let site = |(script, start, end): &(usize, usize, usize)| Site {
        script: *script,
        span: Span { start: *start, end: *end },
    };
    Finding {
        rule: "test-rule".to_owned(),
        origin: Origin::Shipped,
        group: None,
        action: Action::Block,
        message: "Not this.".to_owned(),
        sites: sites.iter().map(site).collect(),
        invocations: Vec::new(),
        instead: Some("that".to_owned()),
    }
}

/// The text of one script with the place of a part of it underlined.
fn shown(text: &str, part: &str) -> String {
    let start = text.find(part).expect("the part");
    let evaluation = Evaluation { scripts: vec![script(text)], ..Evaluation::default() };
    show(&finding(&[(0, start, start + part.len())]), &evaluation)
}

#[test]
fn the_place_is_underlined() {
    let long = format!("echo {} && rm -rf src && echo {}", "a".repeat(150), "b".repeat(150));
    let texts = [
        shown("rm -rf src", "-rf"),
        shown("echo 日本 && rm 🦀 -rf x", "-rf"),
        shown("\techo\tx\trm -rf", "rm -rf"),
        shown("first\nrm -rf \\\n  src\nlast", "rm -rf \\\n  src"),
        shown(&long, "rm -rf"),
        shown("echo \u{1b}[31m\u{202e}x; rm\r\nls", "rm"),
        shown("a\nb\nc\nd\ne\nf\ng\nh", "a\nb\nc\nd\ne\nf\ng\nh"),
    ];
    insta::assert_snapshot!(texts.join("\n\n"));
}

#[test]
fn a_place_in_a_nested_text_says_where_it_comes_from() {
    let nested = |kind, text: &str, parent, start, end| Script {
        kind,
        text: Arc::from(text),
        parent: Some(Site { script: parent, span: Span { start, end } }),
    };
    let evaluation = Evaluation {
        scripts: vec![
            script("bash ./x.sh"),
            nested(ScriptKind::File("./x.sh".into()), "#!/bin/sh\nsh -c 'rm -rf y'\n", 0, 5, 11),
            nested(ScriptKind::Text, "rm -rf y", 1, 16, 26),
        ],
        ..Evaluation::default()
    };
    insta::assert_snapshot!(show(&finding(&[(2, 0, 2), (2, 3, 6), (0, 0, 4)]), &evaluation));
}

#[test]
fn a_finding_of_a_rule_is_shown_with_its_command() {
    let verdict = Scene::new().judge("ls src;rm -r -f src");
    insta::assert_snapshot!(show(&verdict.findings[0], &verdict.evaluation));
}
