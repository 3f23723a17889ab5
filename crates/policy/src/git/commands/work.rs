//! A call of one command while its effects are found out.

use std::path::{Path, PathBuf};

use crate::argument::Arg;
use crate::evaluation::Reason;
use crate::invocation::Invocation;
use crate::site::Site;
use crate::text::Text;
use crate::world::World;

use super::super::options::Parsed;
use super::super::place::Located;
use super::super::settings::Settings;
use super::super::state::{Made, Repositories};
use super::super::{Effect, GitEffect, Head, Runs, Target};
use super::{Row, When};

/// What is left when a command fails.
pub(in crate::git) enum Failure {
    /// What was there before.
    Unchanged,
    /// It cannot fail as far as anyone can tell.
    Never,
    /// Something else.
    State(Repositories),
}

/// What was found out.
pub(in crate::git) struct Outcome {
    pub(in crate::git) effects: Vec<GitEffect>,
    pub(in crate::git) stages: Vec<Arg>,
    pub(in crate::git) publishes: Vec<Target>,
    pub(in crate::git) changes: Vec<Target>,
    pub(in crate::git) runs: Vec<Runs>,
    pub(in crate::git) opaque: Option<Reason>,
    /// What is left when it succeeds.
    pub(in crate::git) after: Repositories,
    pub(in crate::git) failure: Failure,
}

impl Outcome {
    /// Nothing so far.
    pub(in crate::git) fn new(state: &Repositories) -> Self {
        Self {
            effects: Vec::new(),
            stages: Vec::new(),
            publishes: Vec::new(),
            changes: Vec::new(),
            runs: Vec::new(),
            opaque: None,
            after: state.clone(),
            failure: Failure::Unchanged,
        }
    }

    /// Adds an effect, with what says so.
    pub(in crate::git) fn effect(&mut self, kind: Effect, site: Site) {
        match self.effects.iter_mut().find(|effect| effect.kind == kind) {
            Some(effect) if effect.sites.contains(&site) => {}
            Some(effect) => effect.sites.push(site),
            None => self.effects.push(GitEffect { kind, sites: vec![site] }),
        }
    }

    /// What it does depends on arguments that are not known.
    pub(in crate::git) fn unknown(&mut self, command: &str) {
        self.opaque.get_or_insert_with(|| Reason::Arguments { program: format!("git {command}") });
    }
}

/// A call of one command.
pub(in crate::git) struct Work<'a> {
    pub(in crate::git) invocation: &'a Invocation,
    pub(in crate::git) world: &'a dyn World,
    pub(in crate::git) state: &'a Repositories,
    pub(in crate::git) located: &'a Located,
    pub(in crate::git) settings: &'a Settings,
    /// The command.
    pub(in crate::git) name: &'static str,
    /// Where the command stands.
    pub(in crate::git) site: Site,
    pub(in crate::git) parsed: Parsed,
    /// The arguments behind the command as they stand.
    pub(in crate::git) arguments: &'a [Arg],
    /// Where the head may be.
    pub(in crate::git) heads: Vec<Head>,
    pub(in crate::git) outcome: Outcome,
}

impl Work<'_> {
    /// Finds out what a row says.
    pub(in crate::git) fn run(&mut self, row: &Row) {
        for (when, effect) in row.effects {
            if let Some(site) = self.applies(when) {
                self.effect(*effect, site);
            }
        }
        (row.act)(self);
        if self.parsed.is_unknown {
            self.unknown();
        }
    }

    fn applies(&self, when: &When) -> Option<Site> {
        match when {
            When::Always => Some(self.site),
            When::With(names) => Some(self.parsed.any(names)?.site),
            When::Without(names) => self.parsed.any(names).is_none().then_some(self.site),
            When::First(words) => {
                let first = self.parsed.operands.first()?;
                first.known().is_some_and(|word| words.contains(&word)).then_some(first.site)
            }
        }
    }

    /// Adds an effect.
    pub(in crate::git) fn effect(&mut self, kind: Effect, site: Site) {
        self.outcome.effect(kind, site);
    }

    /// Adds an effect that the command itself says.
    pub(in crate::git) fn does(&mut self, kind: Effect) {
        self.effect(kind, self.site);
    }

    /// Adds an effect if one of these options is on.
    pub(in crate::git) fn does_with(&mut self, names: &[&str], kind: Effect) {
        if let Some(site) = self.site_of(names) {
            self.effect(kind, site);
        }
    }

    /// Whether one of these options is on.
    pub(in crate::git) fn has(&self, names: &[&str]) -> bool {
        self.parsed.any(names).is_some()
    }

    /// Where one of these options stands.
    pub(in crate::git) fn site_of(&self, names: &[&str]) -> Option<Site> {
        self.parsed.any(names).map(|given| given.site)
    }

    /// The first operand, if it is known.
    pub(in crate::git) fn first(&self) -> Option<&str> {
        self.parsed.operand(0)
    }

    /// What it does cannot be known.
    pub(in crate::git) fn unknown(&mut self) {
        self.outcome.unknown(self.name);
    }

    /// A path that is given to it.
    pub(in crate::git) fn path(&self, text: &str) -> Option<PathBuf> {
        Some(self.located.directory.known()?.join(text))
    }

    /// The shared folder of git.
    pub(in crate::git) fn common(&self) -> Option<&Path> {
        self.located.common.as_deref()
    }

    /// Moves the head of this work tree, so that `-` leads back.
    pub(in crate::git) fn move_head(&mut self, heads: Vec<Head>) {
        if let Some(git_dir) = self.located.git_dir() {
            self.outcome.after.move_head(git_dir, &self.heads, heads);
        }
    }

    /// Puts the head of this work tree somewhere else without a note of where it was.
    pub(in crate::git) fn put_head(&mut self, heads: Vec<Head>) {
        if let Some(git_dir) = self.located.git_dir() {
            self.outcome.after.put_head(git_dir, heads);
        }
    }

    /// Makes or deletes a branch. A head on it has a commit then, or none.
    pub(in crate::git) fn set_branch(&mut self, name: &str, is_there: bool) {
        if let Some(common) = self.located.common.as_deref() {
            self.outcome.after.set_branch(common, name, is_there);
        }
        let changed = |head: &Head| match head {
            Head::Branch(on) if on == name && !is_there => Head::Unborn(on.clone()),
            Head::Unborn(on) if on == name && is_there => Head::Branch(on.clone()),
            head => head.clone(),
        };
        let heads: Vec<Head> = self.heads.iter().map(changed).collect();
        if heads != self.heads {
            self.put_head(heads);
        }
    }

    /// Whether a branch is there; `None` if nobody knows.
    pub(in crate::git) fn has_branch(&self, name: &str) -> Option<bool> {
        self.located.has_branch(name, self.state)
    }

    /// Makes a setting of this repository.
    pub(in crate::git) fn set(&mut self, key: String, value: Option<Text>) {
        if let Some(common) = self.located.common.clone() {
            self.outcome.after.set(Made { scope: Some(common), key, value });
        }
    }

    /// The branches that the head may be on.
    pub(in crate::git) fn branches(&self) -> Vec<String> {
        let branch = |head: &Head| match head {
            Head::Branch(name) | Head::Unborn(name) => Some(name.clone()),
            Head::Detached | Head::Unknown => None,
        };
        self.heads.iter().filter_map(branch).collect()
    }

    /// A text that git gives to a shell.
    pub(in crate::git) fn shell(&mut self, text: Text, site: Site) {
        self.effect(Effect::RunsCode, site);
        let is_known = |runs: &Runs| matches!(runs, Runs::Shell { text: known, .. } if *known == text);
        if !self.outcome.runs.iter().any(is_known) {
            self.outcome.runs.push(Runs::Shell { text, site });
        }
    }

    /// Texts of an option that git gives to a shell.
    pub(in crate::git) fn shells(&mut self, names: &[&str]) {
        let given = self.parsed.options.iter().filter(|given| names.contains(&given.name.as_str()));
        let texts: Vec<_> = given.filter_map(|given| Some((given.value.clone()?, given.site))).collect();
        for (text, site) in texts {
            self.shell(text, site);
        }
    }

    /// A program with its arguments that git starts.
    pub(in crate::git) fn program(&mut self, argv: Vec<Arg>) {
        if let Some(first) = argv.first() {
            self.effect(Effect::RunsCode, first.site);
            self.outcome.runs.push(Runs::Program(argv));
        }
    }

    /// The commit of the branch is there now.
    pub(in crate::git) fn is_born(&mut self) {
        let born = |head: &Head| match head {
            Head::Unborn(name) => Head::Branch(name.clone()),
            head => head.clone(),
        };
        if self.heads.iter().any(|head| matches!(head, Head::Unborn(_))) {
            let heads: Vec<Head> = self.heads.iter().map(born).collect();
            for name in self.branches() {
                self.set_branch(&name, true);
            }
            self.put_head(heads);
        }
    }
}
