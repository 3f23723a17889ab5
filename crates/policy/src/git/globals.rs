//! The options of git itself, before the command.

use crate::argument::Arg;

use super::options::{End, Given, Parsed};

/// The options before the command.
const TABLE: &str = "C=, c=, git-dir=, work-tree=, namespace=, super-prefix=, config-env=, exec-path=?, p paginate, \
    P no-pager, bare, no-replace-objects, no-lazy-fetch, no-optional-locks, no-advice, literal-pathspecs, glob-pathspecs, \
    noglob-pathspecs, icase-pathspecs, attr-source=, list-cmds=, html-path, man-path, info-path, v version, h help, \
    shallow-file=";

/// Options after which no command runs.
const ANSWERS: &[&str] = &["version", "help", "html-path", "man-path", "info-path", "list-cmds"];

/// What stands before the command, and the command with its arguments.
#[derive(Debug, Clone, Default)]
pub(super) struct Globals {
    /// The options, in their order.
    pub(super) options: Vec<Given>,
    /// The command; `None` if there is none.
    pub(super) command: Option<Arg>,
    /// The arguments of the command.
    pub(super) arguments: Vec<Arg>,
    /// Whether an argument before the command may be any option.
    pub(super) is_unknown: bool,
}

impl Globals {
    /// Reads the arguments of git.
    pub(super) fn new(arguments: &[Arg]) -> Self {
        let Parsed { options, operands, is_unknown, .. } = Parsed::new(arguments, TABLE, End::Operand);
        let mut operands = operands.into_iter();
        let mut new = Self { command: operands.next(), arguments: operands.collect(), options, is_unknown };
        if new.options.iter().any(|given| ANSWERS.contains(&given.name.as_str()) || new.prints_folder(given)) {
            new.command = None;
        }
        new
    }

    fn prints_folder(&self, given: &Given) -> bool {
        given.name == "exec-path" && given.value.is_none()
    }

    /// The last value of an option.
    pub(super) fn last(&self, name: &str) -> Option<&Given> {
        self.options.iter().rev().find(|given| given.name == name)
    }
}
