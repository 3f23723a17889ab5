//! References that are written by name.

use crate::argument::Arg;
use crate::invocation::Stdin;
use crate::text::Text;

use super::super::options::End;
use super::super::{Effect, Head, Target};
use super::{Row, When, Work};

pub(super) const ROWS: &[Row] = &[
    Row {
        names: &["tag"],
        options: "l list, n=?, d delete, v verify, a annotate, m message=, F file=, trailer=, e edit, s sign, cleanup=, \
            u local-user=, f force, create-reflog, column=?, contains with=, no-contains without=, \
            merged=, no-merged=, omit-empty, \
            sort=, points-at=, format=, color=?, i ignore-case",
        end: End::Dashes,
        effects: &[(When::With(&["delete"]), Effect::DeletesReference)],
        act: super::only,
    },
    Row {
        names: &["update-ref"],
        options: "m=, d, no-deref, z, stdin, create-reflog, batch-updates",
        end: End::Dashes,
        effects: &[],
        act: update,
    },
    Row {
        names: &["symbolic-ref"],
        options: "q quiet, d delete, short, recurse, m=",
        end: End::Dashes,
        effects: &[(When::With(&["delete"]), Effect::DeletesReference)],
        act: symbolic,
    },
    Row {
        names: &["fast-import"],
        options: "",
        end: End::Dashes,
        effects: &[
            (When::Always, Effect::Commits),
            (When::Always, Effect::CreatesBranch),
            (When::Always, Effect::Rewrites),
        ],
        act: fast_import,
    },
    Row {
        names: &["receive-pack", "fetch-pack", "unpack-objects"],
        options: "",
        end: End::Operand,
        effects: &[],
        act: plumbing,
    },
];

fn update(work: &mut Work<'_>) {
    if work.has(&["stdin"]) {
        return update_many(work);
    }
    let operands = work.parsed.operands.clone();
    let Some(name) = operands.first() else { return };
    let new = operands.get(1).and_then(Arg::known);
    let is_zero = new.is_some_and(|id| id.is_empty() || id.bytes().all(|byte| byte == b'0'));
    if let Some(site) = work.site_of(&["d"]) {
        delete(work, name, site);
    } else if is_zero {
        delete(work, name, name.site);
    } else {
        write(work, name);
    }
}

/// Lines as `update refs/heads/x id` and `delete refs/heads/x`.
fn update_many(work: &mut Work<'_>) {
    let text = match &work.invocation.stdin {
        Stdin::Text(text) => text.known().map(str::to_owned),
        Stdin::Inherited => None,
    };
    let Some(text) = text else {
        work.does(Effect::Rewrites);
        return work.unknown();
    };
    let site = work.site;
    // With `-z` fields end with a zero byte.
    let lines: Vec<String> = text.split(['\n', '\0']).map(str::to_owned).collect();
    for line in lines {
        let mut words = line.split_whitespace();
        let (Some(verb), Some(name)) = (words.next(), words.next()) else { continue };
        let name = super::stage::made(name.trim_matches('"'), site);
        match verb {
            "delete" => delete(work, &name, site),
            "update" | "create" | "symref-update" | "symref-create" => write(work, &name),
            "symref-delete" => work.does(Effect::DeletesReference),
            _ => {}
        }
    }
}

fn delete(work: &mut Work<'_>, name: &Arg, site: crate::site::Site) {
    work.effect(Effect::DeletesReference, site);
    if let Some(branch) = name.known().and_then(|name| name.strip_prefix("refs/heads/")).map(str::to_owned) {
        work.set_branch(&branch, false);
    }
}

fn write(work: &mut Work<'_>, name: &Arg) {
    match name.known() {
        Some("HEAD" | "@") if work.has(&["no-deref"]) => {
            work.effect(Effect::MovesHead, name.site);
            work.put_head(vec![Head::Detached]);
        }
        Some("HEAD" | "@") => {
            work.effect(Effect::MovesHead, name.site);
            work.effect(Effect::Rewrites, name.site);
            work.is_born();
        }
        Some(full) => {
            let Some(branch) = full.strip_prefix("refs/heads/").map(str::to_owned) else { return };
            if work.has_branch(&branch) == Some(false) {
                work.effect(Effect::CreatesBranch, name.site);
            } else {
                work.effect(Effect::Rewrites, name.site);
            }
            work.set_branch(&branch, true);
            work.outcome.changes.push(Target { remote: None, branch: Some(Text::new(branch)), site: name.site });
        }
        None => {
            work.effect(Effect::Rewrites, name.site);
            work.outcome.changes.push(Target { remote: None, branch: Some(name.text.clone()), site: name.site });
        }
    }
}

fn symbolic(work: &mut Work<'_>) {
    let operands = work.parsed.operands.clone();
    let (Some(name), Some(to)) = (operands.first(), operands.get(1)) else { return };
    if !matches!(name.known(), Some("HEAD" | "@") | None) {
        return;
    }
    work.effect(Effect::MovesHead, to.site);
    let head = match to.known() {
        Some(full) => work.located.on(full.strip_prefix("refs/heads/").unwrap_or(full), work.state),
        None => Head::Unknown,
    };
    work.put_head(vec![head]);
}

fn fast_import(work: &mut Work<'_>) {
    work.parsed.is_unknown = false;
}

/// Another program tells them what to do.
fn plumbing(work: &mut Work<'_>) {
    work.parsed.is_unknown = false;
    if work.name == "receive-pack" {
        work.does(Effect::Rewrites);
        work.unknown();
    }
}
