//! `gh`: what it changes on a forge.

use crate::argument::Arg;
use crate::evaluation::Reason;
use crate::site::Site;
use crate::text::Text;

use super::commands::Outcome;
use super::options::{End, Parsed};
use super::place::Located;
use super::words::unknown;
use super::{Effect, Head, Runs, Target};

/// Options of the commands of `gh` that are looked at.
const TABLE: &str = "R repo=, b body branch=, F field body-file=, f raw-field=, X method=, H header=, q jq=, t template subject=, \
    p preview=, input=, hostname=, cache=, i include, paginate, slurp, silent, verbose, d delete-branch, m merge, r rebase, \
    s squash shell source=?, A author-email=, admin, auto, disable-auto, match-head-commit=, force, clobber, yes, draft, \
    title=, notes=, n notes-file=, target=, base=, B, head=, l label=, a assignee=, json=, detach, recurse-submodules";

/// Words of the first level that only read, or change nothing in a repository.
const QUIET: &[&str] = &[
    "auth",
    "browse",
    "cache",
    "codespace",
    "completion",
    "config",
    "gist",
    "gpg-key",
    "help",
    "issue",
    "label",
    "org",
    "project",
    "preview",
    "ruleset",
    "run",
    "search",
    "secret",
    "ssh-key",
    "status",
    "variable",
    "version",
    "workflow",
    "attestation",
    "agent-task",
    "copilot",
];

/// What a command of two words does.
const COMMANDS: &[(&str, &[&str], &[Effect])] = &[
    ("pr", &["merge"], &[Effect::MergesPublished, Effect::Publishes]),
    ("pr", &["update-branch", "revert"], &[Effect::Publishes]),
    ("pr", &["checkout", "co"], &[Effect::MovesHead, Effect::CreatesBranch]),
    ("repo", &["sync"], &[Effect::Publishes]),
    ("repo", &["delete"], &[Effect::DeletesReference]),
    ("release", &["create", "edit"], &[Effect::Publishes]),
    ("release", &["delete"], &[Effect::DeletesReference]),
    ("alias", &["set", "import", "delete"], &[Effect::Configures]),
    ("extension", &["exec", "install", "upgrade"], &[Effect::RunsCode]),
];

/// Words of the first level of which the others change nothing.
const KNOWN: &[&str] = &["pr", "repo", "release", "alias", "extension", "extensions", "ext", "api"];

/// Methods that change nothing.
const READS: &[&str] = &["GET", "HEAD", "OPTIONS"];

/// Mutations of the other interface, and what they do.
const MUTATIONS: &[(&str, Effect)] = &[
    ("mergePullRequest", Effect::MergesPublished),
    ("enablePullRequestAutoMerge", Effect::MergesPublished),
    ("enqueuePullRequest", Effect::MergesPublished),
    ("mergeBranch", Effect::Publishes),
    ("createCommitOnBranch", Effect::Publishes),
    ("createRef", Effect::Publishes),
    ("updateRef", Effect::Publishes),
    ("deleteRef", Effect::DeletesReference),
    ("updatePullRequestBranch", Effect::Publishes),
];

/// Finds out what a call does; its command.
pub(super) fn look(arguments: &[Arg], site: Site, located: &Located, outcome: &mut Outcome) -> Option<String> {
    let parsed = Parsed::new(arguments, TABLE, End::Dashes);
    let first = parsed.operands.first()?;
    let Some(word) = first.known() else {
        unknown_arguments(outcome);
        return None;
    };
    let verb = parsed.operand(1).unwrap_or_default();
    match word {
        "api" => api(&parsed, outcome),
        _ if QUIET.contains(&word) => {}
        _ if KNOWN.contains(&word) => pair(word, verb, &parsed, site, located, outcome),
        // An alias or an extension.
        _ => {
            outcome.effect(Effect::RunsCode, first.site);
            unknown_arguments(outcome);
        }
    }
    let is_unknown = parsed.operands.get(1).is_some_and(|verb| verb.known().is_none());
    if KNOWN.contains(&word) && is_unknown && word != "api" {
        unknown_arguments(outcome);
    }
    Some(if verb.is_empty() || word == "api" { word.to_owned() } else { format!("{word} {verb}") })
}

fn unknown_arguments(outcome: &mut Outcome) {
    outcome.opaque.get_or_insert_with(|| Reason::Arguments { program: "gh".to_owned() });
}

fn pair(word: &str, verb: &str, parsed: &Parsed, site: Site, located: &Located, outcome: &mut Outcome) {
    let verb_site = parsed.operands.get(1).map_or(site, |verb| verb.site);
    let effects = COMMANDS.iter().filter(|(first, second, _)| *first == word && second.contains(&verb));
    for effect in effects.flat_map(|(_, _, effects)| *effects) {
        outcome.effect(*effect, verb_site);
    }
    match (word, verb) {
        ("pr", "merge") => {
            if let Some(given) = parsed.on("delete-branch") {
                outcome.effect(Effect::DeletesReference, given.site);
            }
            // Its base is known to the forge alone.
            outcome.publishes.push(Target { remote: None, branch: Some(unknown()), site: verb_site });
        }
        ("pr", "checkout" | "co") => {
            if let Some(git_dir) = located.git_dir() {
                outcome.after.move_head(git_dir, &[Head::Unknown], vec![Head::Unknown]);
            }
        }
        ("repo", "sync") => {
            let branch = parsed.value("body").cloned().unwrap_or_else(unknown);
            outcome.publishes.push(Target { remote: None, branch: Some(branch), site: verb_site });
            if let Some(given) = parsed.on("force") {
                outcome.effect(Effect::ForcePublishes, given.site);
            }
        }
        ("alias", "set") => {
            let Some(value) = parsed.operands.get(3) else { return };
            let command = value.text.prefix().strip_prefix('!');
            if command.is_some() || parsed.on("squash").is_some() {
                let text = super::words::after(&value.text, usize::from(command.is_some()));
                outcome.effect(Effect::RunsCode, value.site);
                outcome.runs.push(Runs::Shell { text, site: value.site });
            }
        }
        _ => {}
    }
}

/// Calls of the forge's interface that merge, or change references.
fn api(parsed: &Parsed, outcome: &mut Outcome) {
    let Some(path) = parsed.operands.get(1) else { return };
    let sends = parsed.any(&["field", "raw-field", "input"]).is_some();
    let method = match parsed.value("method") {
        Some(method) => method.known().map(str::to_ascii_uppercase),
        None => Some(if sends { "POST" } else { "GET" }.to_owned()),
    };
    let (Some(method), Some(name)) = (method, path.known()) else {
        if sends || parsed.on("method").is_some() {
            unknown_arguments(outcome);
        }
        return;
    };
    if name.trim_matches('/') == "graphql" {
        return graphql(parsed, path.site, outcome);
    }
    if READS.contains(&method.as_str()) {
        return;
    }
    let name = name.split('?').next().unwrap_or_default();
    let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty()).collect();
    let site = path.site;
    match parts.as_slice() {
        [.., "pulls", _, "merge"] => {
            outcome.effect(Effect::MergesPublished, site);
            publish(None, site, outcome);
        }
        [.., "merges"] => publish(field(parsed, "base"), site, outcome),
        [.., "merge-upstream"] => publish(field(parsed, "branch"), site, outcome),
        [.., "pulls", _, "update-branch"] => publish(None, site, outcome),
        [.., "branches", _, "rename"] => {
            publish(None, site, outcome);
            outcome.effect(Effect::DeletesReference, site);
        }
        [_, .., "contents", _] | [_, _, _, "contents", _, ..] => publish(field(parsed, "branch"), site, outcome),
        [_, _, _, "git", "refs", rest @ ..] => {
            let reference = rest.join("/");
            let branch = reference.strip_prefix("heads/").map(Text::new).or_else(|| field(parsed, "ref"));
            match method.as_str() {
                "DELETE" => {
                    outcome.effect(Effect::DeletesReference, site);
                    publish(branch, site, outcome);
                }
                _ => {
                    let is_forced = field(parsed, "force").is_some_and(|value| value.known() != Some("false"));
                    if is_forced {
                        outcome.effect(Effect::ForcePublishes, site);
                    }
                    publish(branch, site, outcome);
                }
            }
        }
        _ => {}
    }
}

fn publish(branch: Option<Text>, site: Site, outcome: &mut Outcome) {
    outcome.effect(Effect::Publishes, site);
    let branch = branch.unwrap_or_else(unknown);
    let start = "refs/heads/";
    let branch = if branch.prefix().starts_with(start) { super::words::after(&branch, start.len()) } else { branch };
    outcome.publishes.push(Target { remote: None, branch: Some(branch), site });
}

/// The value of `-f name=value`.
fn field(parsed: &Parsed, name: &str) -> Option<Text> {
    let given = parsed.options.iter().filter(|given| matches!(given.name.as_str(), "field" | "raw-field"));
    let mut values = given.filter_map(|given| super::words::split(given.value.as_ref()?, '='));
    values.find_map(|(key, value)| (key.known() == Some(name)).then_some(value))
}

fn graphql(parsed: &Parsed, site: Site, outcome: &mut Outcome) {
    let query = field(parsed, "query").filter(|query| !query.prefix().starts_with('@'));
    let Some(query) = query else { return unknown_arguments(outcome) };
    let text = query.shown();
    for (name, effect) in MUTATIONS.iter().filter(|(name, _)| text.contains(name)) {
        outcome.effect(*effect, site);
        if matches!(*effect, Effect::Publishes | Effect::MergesPublished) && !name.is_empty() {
            publish(None, site, outcome);
        }
    }
    if query.is_unknown() {
        unknown_arguments(outcome);
    }
}
