//! `tau completions` and `tau man`: what the tables of flags and subcommands say, for shells and for man.

use std::process::ExitCode;

use tau_launch::args::{Shell, Subcommand, completions, man, nearest};

use super::command::Command;
use super::options::Options;
use crate::output::say;
use crate::{diagnostics, modes};

pub(super) fn print_completions(options: &Options, commands: &[Command]) -> ExitCode {
    let names = Shell::ALL.map(Shell::name).join(", ");
    let Some(name) = options.words.first() else {
        return diagnostics::fail(&format!("`tau completions` takes the name of a shell: {names}"));
    };
    match Shell::parse(name) {
        Some(shell) => say(&completions(shell, &subcommands(commands), &modes::values())),
        None => {
            let meant = nearest(name, Shell::ALL.map(Shell::name));
            let hint = meant.map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
            diagnostics::fail(&format!("tau has completions for {names}, but not for \"{name}\"{hint}"))
        }
    }
}

pub(super) fn print_man(commands: &[Command]) -> ExitCode {
    say(&man(&subcommands(commands)))
}

fn subcommands(commands: &[Command]) -> Vec<Subcommand> {
    let mut all: Vec<Subcommand> = commands
        .iter()
        .filter(|command| command.refused.is_none())
        .flat_map(|command| [Some(command.name), command.alias].into_iter().flatten().map(move |name| (name, command)))
        .map(|(name, command)| Subcommand {
            name,
            about: command.about,
            verbs: command.verbs.to_vec(),
            flags: command.all_flags(),
            // `tau config why` asks about a run.
            of_runs: command.name == "config",
        })
        .collect();
    all.extend(modes::MODES.iter().filter_map(|row| row.word()).map(|name| Subcommand {
        name,
        about: "Serve an editor by the Agent Client Protocol.",
        verbs: Vec::new(),
        flags: Vec::new(),
        of_runs: true,
    }));
    all
}
