//! The table of subcommands.

use std::pin::Pin;
use std::process::ExitCode;

use super::options::Options;
use super::{Context, config, hooks, packages};

/// A subcommand at work.
pub(super) type Running<'a> = Pin<Box<dyn Future<Output = ExitCode> + 'a>>;

/// A subcommand.
pub(crate) struct Command {
    pub name: &'static str,
    pub alias: Option<&'static str>,
    pub usage: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// What else there is to say.
    pub more: &'static str,
    /// Whether `--local` means something.
    pub takes_local: bool,
    /// Whether handlers of `project_trust` have a say.
    pub asks_extensions: bool,
    pub most_words: usize,
    pub run: for<'a> fn(&'a Context, &'a Options) -> Running<'a>,
}

/// All of them.
pub(crate) static COMMANDS: &[Command] = &[
    Command {
        name: "install",
        alias: None,
        usage: "tau install [source] [-l] [--offline] [--approve|--no-approve]",
        about: "Install a package and name it in the settings; without a source, everything that the settings name.",
        more: "\
Sources:
  npm:name, npm:@scope/name@^1.2      a package of the registry that .npmrc names
  git:github.com/user/repo@v1         a repository, at a branch, a tag or a commit
  https://… , ssh://… , git:git@…     the same by its address
  ./path                              a file or a folder, which stays where it is
",
        takes_local: true,
        asks_extensions: true,
        most_words: 1,
        run: |context, options| Box::pin(packages::install(context, options)),
    },
    Command {
        name: "remove",
        alias: Some("uninstall"),
        usage: "tau remove <source> [-l] [--approve|--no-approve]",
        about: "Remove a package from the settings, and its files.",
        more: "",
        takes_local: true,
        asks_extensions: true,
        most_words: 1,
        run: |context, options| Box::pin(packages::remove(context, options)),
    },
    Command {
        name: "update",
        alias: None,
        usage: "tau update [source] [--offline] [--approve|--no-approve]",
        about: "Bring one package, or all, to the newest version that their sources allow.",
        more: "",
        takes_local: false,
        asks_extensions: false,
        most_words: 1,
        run: |context, options| Box::pin(packages::update(context, options)),
    },
    Command {
        name: "list",
        alias: None,
        usage: "tau list [--approve|--no-approve]",
        about: "List the packages of the settings.",
        more: "",
        takes_local: false,
        asks_extensions: true,
        most_words: 0,
        run: |context, options| Box::pin(packages::list(context, options)),
    },
    Command {
        name: "hooks",
        alias: None,
        usage: "tau hooks [list] [--json] [-e PATH] [--hook PATH] [--approve|--no-approve]",
        about: "List every extension and hook with its dialect, where it comes from and what it handles, and what is not used and why.",
        more: "\
It loads them as a session would, so what a module does while it is loaded happens; no handler is called.

  --json              As JSON
  -e, --extension     Load this one too, as a run with the same flag does
  --hook              The same for a hook
",
        takes_local: false,
        asks_extensions: true,
        most_words: 1,
        run: |context, options| Box::pin(hooks::hooks(context, options)),
    },
    Command {
        name: "config",
        alias: None,
        usage: "tau config [resources|list|get|set|unset|why|enable|disable] […] [-l] [--approve|--no-approve]",
        about: "Look at settings and change them; switch extensions, skills, prompt templates and themes on and off.",
        more: "\
  tau config, tau config resources    what there is, and whether it is used
  tau config enable NAME              use it; NAME is a path, the end of one, a name, or a package
  tau config disable NAME             do not use it
  tau config list                     every setting with its file
  tau config get KEY                  the value that counts, as JSON
  tau config set KEY VALUE            VALUE is JSON, or a text
  tau config unset KEY                remove it
  tau config why KEY [flags]          what each file says, and what would count with these flags

A key is written with dots (retry.maxRetries), or as a JSON list of names.
",
        takes_local: true,
        asks_extensions: true,
        most_words: 3,
        run: |context, options| Box::pin(config::config(context, options)),
    },
];

impl Command {
    pub(crate) fn help(&self) -> String {
        let local = if self.takes_local { "  -l, --local         Work on the settings of this project\n" } else { "" };
        let alias = self.alias.map(|alias| format!("Alias: tau {alias}\n\n")).unwrap_or_default();
        let more = if self.more.is_empty() { String::new() } else { format!("{}\n", self.more) };
        format!(
            "Usage: {}\n\n{}\n\n{alias}{more}Options:\n{local}  -a, --approve       Trust the files of this project for this \
             command\n  -na, --no-approve   Do not trust them\n  --offline           Use nothing of the network\n",
            self.usage, self.about
        )
    }
}
