//! Which programs are git, or work like it.

use crate::argument::Arg;
use crate::invocation::Invocation;
use crate::site::Site;

use super::commands;

/// A call of a program that the model knows.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Program<'a> {
    /// `git`, or `hub`, which takes the same arguments.
    Git {
        /// The arguments.
        arguments: &'a [Arg],
        /// Whether it is `hub`, which has commands of its own.
        is_hub: bool,
    },
    /// A command of git that is a program of its own, as `git-commit`.
    Command {
        /// Its name without `git-`.
        name: &'static str,
        /// Where it stands.
        site: Site,
        /// Its arguments.
        arguments: &'a [Arg],
    },
    /// `gh`.
    Forge(&'a [Arg]),
}

/// What the program of an invocation is; `None` if it has nothing to do with git.
pub(super) fn of(invocation: &Invocation) -> Option<Program<'_>> {
    let (first, arguments) = invocation.argv.split_first()?;
    // The folder may be unknown, as in `$(git --exec-path)/git-commit`.
    let name = match first.text.known() {
        Some(path) => path.rsplit('/').next()?,
        None => first.text.suffix().rsplit_once('/')?.1,
    };
    match name {
        "git" | "hub" => Some(Program::Git { arguments, is_hub: name == "hub" }),
        "gh" => Some(Program::Forge(arguments)),
        _ => {
            let name = commands::canonical(name.strip_prefix("git-")?)?;
            Some(Program::Command { name, site: first.site, arguments })
        }
    }
}
