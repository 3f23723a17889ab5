//! What fetches, and what remotes there are.

use crate::argument::Arg;
use crate::site::Site;
use crate::text::Text;

use super::super::options::End;
use super::super::words::{after, split};
use super::super::{Effect, Target};
use super::{Row, When, Work};

pub(super) const ROWS: &[Row] = &[
    Row {
        names: &["fetch"],
        options: "v verbose, q quiet, all, set-upstream, a append, atomic, upload-pack=, f force, m multiple, t tags, n, \
            j jobs=, prefetch, p prune, P prune-tags, recurse-submodules=?, dry-run, porcelain, write-fetch-head, k keep, \
            u update-head-ok, progress, depth=, shallow-since=, shallow-exclude=, deepen=, unshallow, refetch, \
            update-shallow, refmap=, o server-option=, 4 ipv4, 6 ipv6, negotiation-tip=, negotiate-only, filter=, \
            auto-maintenance, auto-gc, show-forced-updates, write-commit-graph, stdin, submodule-prefix=, \
            recurse-submodules-default=, negotiation-restrict=, negotiation-include=",
        end: End::Dashes,
        effects: &[],
        act: fetch,
    },
    Row {
        names: &["pull"],
        options: "v verbose, q quiet, progress, recurse-submodules=?, r rebase=?, n, stat, summary, compact-summary, log=?, \
            signoff, squash, commit, edit, e, cleanup=, ff, ff-only, no-verify, verify-signatures, autostash, s strategy=, \
            X strategy-option=, S gpg-sign=?, allow-unrelated-histories, all, a append, upload-pack=, f force, t tags, \
            p prune, j jobs=?, dry-run, k keep, depth=, shallow-since=, shallow-exclude=, deepen=, unshallow, \
            update-shallow, refmap=, o server-option=, 4 ipv4, 6 ipv6, negotiation-tip=, show-forced-updates, \
            set-upstream, filter=, negotiation-restrict=, negotiation-include=",
        end: End::Dashes,
        effects: &[
            (When::With(&["rebase"]), Effect::Rewrites),
            (When::With(&["no-ff"]), Effect::Commits),
            (When::With(&["no-verify"]), Effect::BypassesHooks),
        ],
        act: pull,
    },
    Row {
        names: &["remote"],
        options: "v verbose, t track=, m master=, f fetch, tags, mirror=?, add, push, delete, a auto, d, n, dry-run, \
            p prune, all, progress",
        end: End::Dashes,
        effects: &[(
            When::First(&["add", "rename", "remove", "rm", "set-url", "set-head", "set-branches", "update"]),
            Effect::Configures,
        )],
        act: remote,
    },
    Row {
        names: &["submodule"],
        options: "q quiet, cached, b branch=, f force, name=, reference=, depth=, init, remote, N no-fetch, checkout, \
            merge, rebase, recursive, single-branch, recommend-shallow, j jobs=, filter=, progress, files, n summary-limit=, \
            all, d default, ref-format=, dissociate",
        end: End::Operand,
        effects: &[
            (When::First(&["add"]), Effect::Stages),
            (When::First(&["init", "sync", "set-url", "set-branch"]), Effect::Configures),
        ],
        act: submodule,
    },
    Row {
        names: &["ls-remote"],
        options: "q quiet, upload-pack exec=, t tags, b branches heads, h, refs, get-url, sort=, exit-code, symref, \
            o server-option=",
        end: End::Dashes,
        effects: &[],
        act: ask,
    },
    Row {
        names: &["archive"],
        options: "o output=, remote=, exec=, format=, prefix=, add-file=, add-virtual-file=, mtime=, worktree-attributes, \
            v verbose, l list, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9",
        end: End::Dashes,
        effects: &[],
        act: ask,
    },
];

/// What a command for each submodule begins with, so that nobody takes this folder for its own.
const IN_SUBMODULE: &str = "cd \"$(git rev-parse --show-toplevel)\" && ";

/// The scheme of an address whose rest is a command.
pub(in crate::git) const COMMAND: &str = "ext::";

/// A remote whose address is a command, or which is fetched by one.
pub(super) fn helper(work: &mut Work<'_>, remote: &Text, site: Site) {
    let url = match remote.known() {
        Some(name) => work.settings.own_value(&format!("remote.{name}.url")).unwrap_or_else(|| remote.clone()),
        None => remote.clone(),
    };
    if url.prefix().starts_with(COMMAND) {
        work.shell(after(&url, COMMAND.len()), site);
    }
}

fn ask(work: &mut Work<'_>) {
    work.shells(&["upload-pack", "exec"]);
    let named = work.parsed.value("remote").cloned();
    let first = work.parsed.operands.first().filter(|_| work.name == "ls-remote").map(|first| first.text.clone());
    if let Some(remote) = named.or(first) {
        helper(work, &remote, work.site);
    }
}

fn fetch(work: &mut Work<'_>) {
    work.shells(&["upload-pack"]);
    let operands = work.parsed.operands.clone();
    if let Some(remote) = operands.first() {
        helper(work, &remote.text, remote.site);
    }
    if !work.has(&["dry-run"]) {
        for refspec in operands.iter().skip(1) {
            takes(work, refspec);
        }
    }
}

/// A refspec that changes a branch here.
fn takes(work: &mut Work<'_>, refspec: &Arg) {
    let Some((from, to)) = split(&refspec.text, ':') else { return };
    let is_elsewhere = ["refs/remotes/", "refs/tags/", "tags/"].iter().any(|start| to.prefix().starts_with(start));
    if is_elsewhere || to.pieces().is_empty() {
        return;
    }
    let name = if to.prefix().starts_with("refs/heads/") { after(&to, 11) } else { to };
    let known = name.known().filter(|name| !name.contains('*')).map(str::to_owned);
    let is_new = known.as_deref().is_some_and(|name| work.has_branch(name) == Some(false));
    if is_new {
        work.effect(Effect::CreatesBranch, refspec.site);
    }
    if from.prefix().starts_with('+') || (work.has(&["force"]) && !is_new) {
        work.effect(Effect::Rewrites, refspec.site);
    }
    if let Some(name) = &known {
        work.set_branch(name, true);
    }
    let branch = if name.pattern().is_some_and(|name| name.contains('*')) { None } else { Some(name) };
    work.outcome.changes.push(Target { remote: None, branch, site: refspec.site });
}

fn pull(work: &mut Work<'_>) {
    fetch(work);
    if matches!(work.parsed.value("rebase").and_then(Text::known), Some("false" | "no" | "off" | "0")) {
        work.outcome.effects.retain(|effect| effect.kind != Effect::Rewrites);
    }
    // What comes from another branch than the one of the same name is a merge.
    let branches = work.branches();
    let other = work.parsed.from(1).iter().find(|refspec| {
        let name = refspec.known().map(|name| name.strip_prefix("refs/heads/").unwrap_or(name));
        !name.is_some_and(|name| branches.iter().all(|branch| branch == name) && !branches.is_empty())
    });
    if let Some(site) = other.map(|refspec| refspec.site)
        && !work.has(&["rebase", "ff-only", "squash", "no-commit"])
    {
        work.effect(Effect::Commits, site);
    }
    work.is_born();
}

fn remote(work: &mut Work<'_>) {
    let words: Vec<Option<String>> = work.parsed.operands.iter().map(|word| word.known().map(str::to_owned)).collect();
    let site = work.site;
    let url = work.parsed.operands.get(2).map(|url| url.text.clone());
    match (words.first(), words.get(1)) {
        (Some(Some(verb)), Some(Some(name))) if matches!(verb.as_str(), "add" | "set-url") => {
            if let Some(url) = url {
                work.set(format!("remote.{name}.url"), Some(url.clone()));
                if work.has(&["fetch"]) {
                    helper(work, &url, site);
                }
            }
            if work.has(&["mirror"]) {
                work.set(format!("remote.{name}.mirror"), Some(Text::new("true")));
            }
        }
        (Some(Some(verb)), Some(Some(name))) if matches!(verb.as_str(), "remove" | "rm") => {
            work.set(format!("remote.{name}.url"), None);
        }
        (Some(Some(verb)), Some(None)) if matches!(verb.as_str(), "add" | "set-url") => work.unknown(),
        _ => {}
    }
}

fn submodule(work: &mut Work<'_>) {
    let first = work.first().map(str::to_owned);
    let rest = work.parsed.from(1).to_vec();
    let has = |names: &[&str]| rest.iter().find(|word| word.known().is_some_and(|word| names.contains(&word)));
    match first.as_deref() {
        Some("foreach") => {
            let command = rest.iter().skip_while(|word| word.text.prefix().starts_with('-'));
            let words: Vec<&Arg> = command.collect();
            // It runs in folders that are not known here. One word is a text for a shell; several are too, with blanks between
            // them.
            let mut text = Text::new(IN_SUBMODULE);
            for (at, word) in words.iter().enumerate() {
                if at > 0 {
                    text.append(&Text::new(" "));
                }
                let part = if words.len() > 1 { super::super::words::quoted(&word.text) } else { word.text.clone() };
                text.append(&part);
            }
            if let Some(site) = words.first().map(|word| word.site) {
                work.shell(text, site);
            }
        }
        Some("add") => {
            let added = rest.iter().filter(|word| !word.text.prefix().starts_with('-')).nth(1).cloned();
            work.outcome.stages.extend(added);
            for word in &rest {
                helper(work, &word.text, word.site);
            }
        }
        Some("deinit" | "update") => {
            if let Some(site) = has(&["--force", "-f"]).map(|word| word.site) {
                work.effect(Effect::Discards, site);
            }
        }
        _ => {}
    }
    // Its own options stand behind a word that this does not read.
    work.parsed.is_unknown = rest.iter().any(|word| word.is_many && word.text.is_unknown());
    if first.is_none() && !work.parsed.operands.is_empty() {
        work.unknown();
    }
}
