//! What `/rules` shows.

use tau_view::untrusted::plain;

use super::choice::{Chosen, Fate};

/// The rules that apply, those that do not with the reason, and what is wrong.
pub(super) fn list(chosen: &[Chosen], unreadable: &[String], untrusted: Option<&str>) -> String {
    let width = chosen.iter().map(|one| plain(&one.source.name).chars().count()).max().unwrap_or_default();
    let line = |one: &Chosen, what: &str| {
        let (name, layer) = (plain(&one.source.name).replace('\n', " "), one.source.layer);
        format!("  {name:width$}  {layer:7}  {what}")
    };
    let is_used = |one: &&Chosen| one.fate == Fate::Applies;
    let used: Vec<String> = chosen.iter().filter(is_used).map(|one| line(one, &use_of(one))).collect();
    let unused = chosen.iter().filter(|one| one.fate != Fate::Applies);
    let unused: Vec<String> = unused.map(|one| line(one, &why(one))).collect();
    let mut parts = vec![if used.is_empty() {
        "No rule is in the system prompt.".to_owned()
    } else {
        format!("Rules in the system prompt:\n{}", used.join("\n"))
    }];
    if !unused.is_empty() {
        parts.push(format!("Not in use:\n{}", unused.join("\n")));
    }
    parts.extend(unreadable.iter().map(|problem| plain(problem)));
    parts.extend(untrusted.map(|folder| {
        format!("The rules in {folder} are not read: the project is not trusted. Trust it with /trust yes, then start tau again.")
    }));
    parts.join("\n\n")
}

fn use_of(one: &Chosen) -> String {
    match &one.source.problem {
        Some(problem) => plain(problem),
        None => plain(&one.source.place),
    }
}

fn why(one: &Chosen) -> String {
    let place = plain(&one.source.place);
    match &one.fate {
        Fate::Applies => place,
        Fate::Replaced(layer) => format!("{place}: replaced by the {layer}'s file of this name"),
        Fate::Off(layer) => format!("{place}: switched off by the {layer}'s empty file of this name"),
        Fate::Empty => format!("{place}: empty"),
        Fate::Idle => {
            let tools = one.source.rule.as_ref().map(|rule| rule.tools.join(", ")).unwrap_or_default();
            format!("{place}: only with one of these tools, and none is active: {}", plain(&tools))
        }
        Fate::StreamRule => format!("{place}: a stream rule, for it has a condition"),
        Fate::Broken => one.source.problem.as_deref().map_or(place, plain),
    }
}
