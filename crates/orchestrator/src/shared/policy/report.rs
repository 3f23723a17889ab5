//! Rules and verdicts in words, for the user.

use std::fmt::Write as _;

use tau_policy::rules::{Action, Origin, Verdict};
use tau_policy::{Listed, show};

use super::files::shown;

/// The word for an action.
pub fn word(action: Action) -> &'static str {
    match action {
        Action::Allow => "allow",
        Action::Warn => "warn",
        Action::Rewrite => "rewrite",
        Action::Ask => "ask",
        Action::Block => "block",
    }
}

/// What becomes of a command, in a word.
pub fn outcome(action: Action) -> &'static str {
    match action {
        Action::Allow => "allowed",
        Action::Warn => "allowed with a warning",
        Action::Rewrite => "changed",
        Action::Ask => "asks",
        Action::Block => "blocked",
    }
}

/// Where a rule stands.
pub fn origin(rule: &Listed) -> String {
    match (&rule.place, rule.origin) {
        (Some((path, line)), _) => format!("{}:{line}", shown(path)),
        (None, Origin::Shipped) => "part of tau".to_owned(),
        (None, Origin::User) => "your rules".to_owned(),
        (None, Origin::Project) => "the project's rules".to_owned(),
        (None, Origin::Claude) => "Claude Code's settings".to_owned(),
    }
}

/// All rules, what was allowed for good, and what is wrong with files.
pub fn list(rules: &[Listed], allowed: &[String], problems: &[String]) -> String {
    let (active, idle): (Vec<&Listed>, Vec<&Listed>) = rules.iter().partition(|rule| rule.inactive.is_none());
    let mut text = String::new();
    let width = rules.iter().map(|rule| rule.id.chars().count()).max().unwrap_or_default();
    heading(&mut text, "Rules in force", active.is_empty());
    for rule in active {
        let missing = missing(rule).map(|text| format!(" ({text})")).unwrap_or_default();
        line(&mut text, &format!("{:<7}  {:<width$}  {}{missing}", word(rule.action), rule.id, origin(rule)));
    }
    heading(&mut text, "Rules that are not in force", idle.is_empty());
    for rule in idle {
        let why = rule.inactive.as_deref().unwrap_or_default();
        line(&mut text, &format!("{:<width$}  {}: {why}", rule.id, origin(rule)));
    }
    heading(&mut text, "Allowed always; /policy undo takes the first of these back", allowed.is_empty());
    allowed.iter().for_each(|id| line(&mut text, id));
    heading(&mut text, "Problems", problems.is_empty());
    problems.iter().for_each(|problem| line(&mut text, problem));
    text.trim_end().to_owned()
}

/// What a rule does for want of something.
fn missing(rule: &Listed) -> Option<String> {
    let what = rule.missing.join(", ");
    (!what.is_empty()).then(|| format!("{what} is missing here, so it asks"))
}

/// One rule in full.
pub fn explain(rule: &Listed) -> String {
    let in_force = || missing(rule).map_or("in force".to_owned(), |text| format!("in force; {text}"));
    let state = rule.inactive.as_ref().map_or_else(in_force, |why| format!("not in force: {why}"));
    let rows = [
        ("action", word(rule.action).to_owned()),
        ("from", origin(rule)),
        ("applies", rule.scope.clone()),
        ("state", state),
        ("about", rule.description.clone()),
        ("says", rule.message.clone()),
        ("instead", rule.instead.clone().unwrap_or_default()),
        ("catches", rule.catches.clone()),
        ("cannot", rule.misses.clone()),
    ];
    let mut text = format!("{}\n", rule.id);
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        line(&mut text, &format!("{name:<8} {}", value.replace('\n', "\n           ")));
    }
    text.trim_end().to_owned()
}

/// What the rules say about a command: the outcome, then each finding, then what the command becomes.
pub fn verdict(verdict: &Verdict, edited: Option<&str>) -> String {
    let mut text = outcome(verdict.action).to_owned();
    for finding in &verdict.findings {
        let _infallible = write!(text, "\n\n{}", show(finding, &verdict.evaluation));
    }
    if let Some(edited) = edited {
        let _infallible = write!(text, "\n\nruns as: {edited}");
    }
    if verdict.drops_timeout {
        text.push_str("\n\nruns without a timeout");
    }
    text
}

fn heading(text: &mut String, title: &str, is_empty: bool) {
    if !is_empty {
        let gap = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{gap}{title}\n"));
    }
}

fn line(text: &mut String, row: &str) {
    text.push_str(&format!("  {}\n", row.trim_end()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(id: &str, inactive: Option<&str>) -> Listed {
        Listed {
            id: id.to_owned(),
            description: "about it".to_owned(),
            action: Action::Block,
            message: "no".to_owned(),
            origin: Origin::User,
            place: Some(("/home/policy.json".into(), 3)),
            group: None,
            scope: "everywhere".to_owned(),
            missing: if inactive.is_none() { vec!["program:uv".to_owned()] } else { Vec::new() },
            instead: None,
            inactive: inactive.map(str::to_owned),
            catches: "this".to_owned(),
            misses: String::new(),
        }
    }

    #[test]
    fn a_list_has_the_parts_that_there_is_something_for() {
        let rules = [rule("one", None), rule("other", Some("uv is not there"))];
        let text = list(&rules, &["allow-x".to_owned()], &["policy.json:1:2: no".to_owned()]);
        insta::assert_snapshot!(text, @r"
        Rules in force
          block    one    /home/policy.json:3 (program:uv is missing here, so it asks)

        Rules that are not in force
          other  /home/policy.json:3: uv is not there

        Allowed always; /policy undo takes the first of these back
          allow-x

        Problems
          policy.json:1:2: no
        ");
        assert_eq!(list(&[], &[], &[]), "");
    }

    #[test]
    fn a_rule_in_full_leaves_out_what_it_does_not_say() {
        insta::assert_snapshot!(explain(&rule("one", None)), @r"
        one
          action   block
          from     /home/policy.json:3
          applies  everywhere
          state    in force; program:uv is missing here, so it asks
          about    about it
          says     no
          catches  this
        ");
    }
}
