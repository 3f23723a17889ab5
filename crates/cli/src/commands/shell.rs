//! `tau completions` and `tau man`: what the tables of flags and subcommands say, for shells and for man.

use std::process::ExitCode;

use tau_launch::args::{Shell, Subcommand, completions, man};

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
        None => diagnostics::fail(&format!("there are no completions for \"{name}\"; there are some for {names}")),
    }
}

pub(super) fn print_man(commands: &[Command]) -> ExitCode {
    say(&man(&subcommands(commands)))
}

fn subcommands(commands: &[Command]) -> Vec<Subcommand> {
    let mut all: Vec<Subcommand> = commands
        .iter()
        .filter(|command| command.refused.is_none())
        .map(|command| Subcommand {
            name: command.name,
            about: command.about,
            verbs: command.verbs.to_vec(),
            flags: command.all_flags(),
        })
        .collect();
    all.extend(modes::MODES.iter().filter_map(|row| row.word()).map(|name| Subcommand {
        name,
        about: "Serve an editor by the Agent Client Protocol.",
        verbs: Vec::new(),
        flags: Vec::new(),
    }));
    all
}
