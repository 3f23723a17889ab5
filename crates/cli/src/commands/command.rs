//! What a subcommand is.

use std::pin::Pin;
use std::process::ExitCode;

use super::context::Context;
use super::options::Options;

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
    /// Words that may follow its name first, for completions.
    pub verbs: &'static [&'static str],
    /// Flags of its own, each with whether a value follows.
    pub flags: &'static [(&'static str, bool)],
    /// Further flags of its own, which it reads in its own way.
    pub also: &'static [&'static str],
    /// Why it does nothing, whatever follows its name. Words that mean a subcommand elsewhere are no prompt here.
    pub refused: Option<&'static str>,
    pub run: for<'a> fn(&'a Context, &'a Options) -> Running<'a>,
}

/// Exit codes for wrong arguments, where they are not 1.
const USAGE_CODES: &[(&str, u8)] = &[("policy", POLICY_USAGE)];
/// That of `tau policy`, which says with 1 that a command does not simply run.
pub(super) const POLICY_USAGE: u8 = 2;

impl Command {
    /// The exit code when its arguments are wrong.
    pub(super) fn usage_code(&self) -> ExitCode {
        let own = USAGE_CODES.iter().find(|(name, _)| *name == self.name);
        own.map_or(ExitCode::FAILURE, |(_, code)| ExitCode::from(*code))
    }

    /// The flags that may follow it.
    pub(super) fn all_flags(&self) -> Vec<&'static str> {
        let local: &[&str] = if self.takes_local { &["--local"] } else { &[] };
        let own = self.flags.iter().map(|(flag, _)| *flag);
        own.chain(self.also.iter().chain(local).copied()).chain(["--approve", "--no-approve", "--offline"]).collect()
    }

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
