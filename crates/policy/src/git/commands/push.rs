//! What changes branches of a remote.

use crate::argument::Arg;
use crate::site::Site;
use crate::text::Text;

use super::super::options::End;
use super::super::words::{after, split, unknown};
use super::super::{Effect, Head, Target};
use super::{Row, Work};

pub(super) const ROWS: &[Row] = &[
    Row {
        names: &["push"],
        options: "v verbose, q quiet, repo=, all branches, mirror, d delete, tags, n dry-run, porcelain, f force, \
            force-with-lease=?, force-if-includes, recurse-submodules=, thin, receive-pack exec=, u set-upstream, \
            progress, prune, no-verify, follow-tags, signed=?, atomic, o push-option=, 4 ipv4, 6 ipv6",
        end: End::Dashes,
        effects: &[],
        act: push,
    },
    Row {
        names: &["send-pack"],
        options: "v verbose, q quiet, receive-pack exec=, remote=, n dry-run, f force, mirror, all, push-option=, \
            signed=?, atomic, thin, stateless-rpc, stdin, helper-status, progress, force-with-lease=?, force-if-includes",
        end: End::Dashes,
        effects: &[],
        act: push,
    },
    Row {
        names: &["http-push"],
        options: "all, force, dry-run, verbose, d delete, D",
        end: End::Dashes,
        effects: &[],
        act: push,
    },
];

fn push(work: &mut Work<'_>) {
    work.shells(&["receive-pack"]);
    if work.has(&["dry-run"]) {
        return;
    }
    work.does(Effect::Publishes);
    work.does_with(&["no-verify"], Effect::BypassesHooks);
    for name in ["force", "force-with-lease", "mirror"] {
        work.does_with(&[name], Effect::ForcePublishes);
    }
    for name in ["delete", "D", "prune", "mirror"] {
        work.does_with(&[name], Effect::DeletesReference);
    }
    let operands = work.parsed.operands.clone();
    let remote = match operands.first() {
        Some(remote) => Some(remote.text.clone()),
        None => work.parsed.value("repo").cloned(),
    };
    if let Some(remote) = &remote {
        super::remote::helper(work, remote, operands.first().map_or(work.site, |remote| remote.site));
    }
    let is_deletion = work.has(&["delete", "D"]);
    let mut refspecs = operands.iter().skip(1).peekable();
    let names_any = refspecs.peek().is_some();
    if let Some(site) = work.site_of(&["all", "mirror"]) {
        target(work, remote.clone(), None, site);
    }
    while let Some(refspec) = refspecs.next() {
        // `tag x` is the tag `x`.
        if refspec.known() == Some("tag") && refspecs.peek().is_some() {
            refspecs.next();
            continue;
        }
        add_refspec(work, remote.clone(), refspec, is_deletion);
    }
    if work.has(&["stdin"]) {
        target(work, remote.clone(), Some(unknown()), work.site);
        work.unknown();
    }
    let is_said = names_any || work.has(&["all", "mirror", "stdin"]) || (work.has(&["tags"]) && remote.is_some());
    if !is_said {
        chosen(work, remote);
    }
    if work.has(&["set-upstream"]) {
        set_upstream(work);
    }
}

fn target(work: &mut Work<'_>, remote: Option<Text>, branch: Option<Text>, site: Site) {
    work.outcome.publishes.push(Target { remote, branch, site });
}

/// What one refspec changes.
pub(super) fn add_refspec(work: &mut Work<'_>, remote: Option<Text>, refspec: &Arg, is_deletion: bool) {
    let site = refspec.site;
    let mut text = refspec.text.clone();
    if text.prefix().starts_with('^') {
        return;
    }
    if text.prefix().starts_with('+') {
        work.effect(Effect::ForcePublishes, site);
        text = after(&text, 1);
    }
    let (from, to) = match split(&text, ':') {
        Some((from, to)) => (Some(from), to),
        None => (None, text),
    };
    let is_matching = from.as_ref().is_some_and(|from| from.pieces().is_empty()) && to.pieces().is_empty();
    if is_matching {
        return target(work, remote, None, site);
    }
    if is_deletion || from.as_ref().is_some_and(|from| from.known() == Some("")) {
        work.effect(Effect::DeletesReference, site);
    }
    // What has no name for the other side has the same one there.
    match to.known() {
        Some("HEAD" | "@") if from.is_none() => {
            for branch in heads(work) {
                target(work, remote.clone(), Some(branch), site);
            }
        }
        Some(name) if name.contains('*') => target(work, remote, None, site),
        Some(name) => {
            if let Some(name) = branch_name(work, name, from.is_none() && !is_deletion) {
                target(work, remote, Some(Text::new(name)), site);
            }
        }
        None => {
            let start = ["refs/heads/", "heads/"].into_iter().find(|start| to.prefix().starts_with(start));
            let name = start.map_or_else(|| to.clone(), |start| after(&to, start.len()));
            if !to.prefix().starts_with("refs/tags/") {
                target(work, remote, Some(name), site);
            }
        }
    }
}

/// The branch that a name stands for on a remote; `None` for a tag.
fn branch_name(work: &Work<'_>, name: &str, is_here: bool) -> Option<String> {
    if name.starts_with("refs/tags/") || name.starts_with("tags/") {
        return None;
    }
    let is_tag = || {
        let has = |kind: &str| work.located.has_reference(&format!("refs/{kind}/{name}"));
        has("tags") == Some(true) && work.has_branch(name) == Some(false)
    };
    if is_here && is_tag() {
        return None;
    }
    let name = ["refs/heads/", "heads/"].into_iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name);
    Some(name.to_owned())
}

/// The names of the branches that the head may be on.
fn heads(work: &Work<'_>) -> Vec<Text> {
    let name = |head: &Head| match head {
        Head::Branch(name) | Head::Unborn(name) => Some(Text::new(name.clone())),
        Head::Unknown => Some(unknown()),
        Head::Detached => None,
    };
    work.heads.iter().filter_map(name).collect()
}

/// What is pushed when nothing is named: what the remote's settings name, else what `push.default` says.
fn chosen(work: &mut Work<'_>, remote: Option<Text>) {
    let site = work.site;
    for head in work.heads.clone() {
        let name = match head {
            Head::Branch(name) | Head::Unborn(name) => name,
            Head::Unknown => {
                target(work, remote.clone(), Some(unknown()), site);
                continue;
            }
            Head::Detached => continue,
        };
        let to = remote.clone().or_else(|| remote_of(work, &name));
        let remote_name = to.as_ref().and_then(Text::known).unwrap_or("origin").to_owned();
        if let Some(value) = work.settings.get(&format!("remote.{remote_name}.mirror"))
            && value.known() != Some("false")
        {
            work.does(Effect::ForcePublishes);
            target(work, to, None, site);
            continue;
        }
        if let Some(refspec) = work.settings.get(&format!("remote.{remote_name}.push")) {
            let refspec = Arg { text: refspec, is_many: false, site, is_exact: false };
            add_refspec(work, to, &refspec, false);
            continue;
        }
        let kind = work.settings.get("push.default");
        match kind.as_ref().map(Text::known) {
            Some(Some("nothing")) => {}
            Some(Some("matching")) => target(work, to, None, site),
            Some(Some("upstream" | "tracking")) => {
                let merged = work.settings.get(&format!("branch.{name}.merge"));
                let branch = merged.map_or_else(
                    || Text::new(name.clone()),
                    |full| if full.prefix().starts_with("refs/heads/") { after(&full, 11) } else { full },
                );
                target(work, to, Some(branch), site);
            }
            Some(None) => target(work, to, Some(unknown()), site),
            // `simple` and `current` push to the branch of the same name, or not at all.
            _ => target(work, to, Some(Text::new(name)), site),
        }
    }
}

/// The remote that a branch is pushed to when none is named.
fn remote_of(work: &Work<'_>, branch: &str) -> Option<Text> {
    let keys =
        [format!("branch.{branch}.pushRemote"), "remote.pushDefault".to_owned(), format!("branch.{branch}.remote")];
    keys.iter().find_map(|key| work.settings.get(key))
}

/// The branches that are pushed follow what they are pushed to.
fn set_upstream(work: &mut Work<'_>) {
    let pairs: Vec<(String, Text, Text)> = work
        .branches()
        .into_iter()
        .zip(&work.outcome.publishes)
        .filter_map(|(name, target)| Some((name, target.remote.clone()?, target.branch.clone()?)))
        .collect();
    for (name, remote, branch) in pairs {
        let mut full = Text::new("refs/heads/");
        full.append(&branch);
        work.set(format!("branch.{name}.remote"), Some(remote));
        work.set(format!("branch.{name}.merge"), Some(full));
    }
}
