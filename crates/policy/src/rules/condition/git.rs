//! Questions about what a call of git does.

use super::answer::{Answer, Evidence};
use super::branch::{BranchState, state};
use super::context::Context;
use super::pattern::Pattern;
use crate::git::{self, Effect, GitPlace, GitUse, Head, Target};
use crate::invocation::Invocation;
use crate::site::Site;
use crate::text::Text;
use crate::truth::Truth;

pub(super) fn effect(usage: &GitUse, wanted: &[Effect]) -> Answer {
    let those = usage.effects.iter().filter(|effect| wanted.contains(&effect.kind));
    let sites: Vec<Vec<Site>> = those.map(|effect| effect.sites.clone()).collect();
    Answer::of((!sites.is_empty()).into(), || Evidence { sites: sites.concat(), ..Evidence::default() })
}

pub(super) fn command(usage: &GitUse, patterns: &[Pattern], site: Site) -> Answer {
    let Some(command) = &usage.command else { return Answer::Maybe(Evidence::at(site)) };
    Answer::of(patterns.iter().any(|pattern| pattern.is_match(command)).into(), || Evidence::at(site))
}

/// Where the head may be on one of several branches, the one that the rule is about counts.
pub(super) fn head(usage: &GitUse, states: &[BranchState], context: &Context<'_>) -> Answer {
    let one = |head: &Head| state(usage, head, states, context);
    usage.heads.iter().map(one).reduce(Answer::or).unwrap_or(Answer::No)
}

/// Whether one of the branches that a call changes is in one of some states.
pub(super) fn targets(
    usage: &GitUse,
    which: fn(&GitUse) -> &Vec<Target>,
    states: &[BranchState],
    context: &Context<'_>,
) -> Answer {
    let one = |target: &Target| {
        let at = |answer: Answer| answer.and(Answer::Yes(Evidence::at(target.site)));
        match target.branch.as_ref().map(|name| (name.known(), name)) {
            Some((Some(name), _)) => {
                let head = Head::Branch(name.trim_start_matches("refs/heads/").to_owned());
                at(state(usage, &head, states, context))
            }
            Some((None, name)) => at(partly(usage, name, states, context)),
            // All branches are those that are protected, too.
            None if states.contains(&BranchState::Protected) => {
                Answer::Yes(Evidence::at(target.site).with("branch", "all branches"))
            }
            None => Answer::No,
        }
    };
    which(usage).iter().map(one).reduce(Answer::or).unwrap_or(Answer::No)
}

/// A branch of which a part is unknown: only whether it may be a protected one is asked.
fn partly(usage: &GitUse, name: &Text, states: &[BranchState], context: &Context<'_>) -> Answer {
    if !states.contains(&BranchState::Protected) {
        return Answer::No;
    }
    let may_be = |known: &String| Pattern::exact(known).is_ok_and(|pattern| pattern.truth(name) != Truth::No);
    let is_possible = protected(usage, context).iter().any(may_be);
    let evidence = Evidence { unknown: Some(name.shown()), ..Evidence::default() };
    if is_possible { Answer::Maybe(evidence.with("branch", name.shown())) } else { Answer::No }
}

/// The names of protected branches, as far as they are known.
fn protected(usage: &GitUse, context: &Context<'_>) -> Vec<String> {
    let mut names = ["main", "master"].map(str::to_owned).to_vec();
    if let GitPlace::Repository { git_dir, work_tree } = &usage.place
        && let Ok(Some(repository)) = context.world.repository(work_tree.as_ref().unwrap_or(git_dir))
    {
        names.extend(repository.facts(&tau_git::Stop::default()).default_branch.map(|branch| branch.name));
        names.extend(context.world.protected(&repository).branches);
    }
    names
}

pub(super) fn ignored(invocation: &Invocation, context: &Context<'_>) -> Option<Answer> {
    invocation.git.as_ref()?;
    // What cannot be read is opaque, and a rule of its own decides about it.
    let found = git::ignored(invocation, context.world).unwrap_or_default();
    let one = |arg: &crate::Arg| Answer::Yes(Evidence::at(arg.site).with("file", arg.text.shown()));
    Some(found.iter().map(one).reduce(Answer::or).unwrap_or(Answer::No))
}
