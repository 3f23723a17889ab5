//! The arguments of subcommands.

use std::ffi::OsString;

use tau_agent::extensions::{is_builtin_extension, is_builtin_name};

use tau_launch::args::nearest;

use super::command::Command;
use super::options::Options;

/// Flags without a value that every subcommand takes, as runs do: they may come before its name.
pub(super) const SHARED: [&str; 6] = ["-a", "--approve", "-na", "--no-approve", "--offline", "--verbose"];

impl Options {
    pub(super) fn parse(command: &Command, args: &[OsString]) -> Result<Self, String> {
        if command.name == "mcp" {
            return super::mcp::args::parse(args);
        }
        let mut options = Self::default();
        let mut args = args.iter();
        let mut only_words = false;
        while let Some(arg) = args.next() {
            let arg =
                arg.to_str().ok_or_else(|| format!("an argument is not valid UTF-8: {}", arg.to_string_lossy()))?;
            let is_value = arg.parse::<f64>().is_ok();
            if only_words || !arg.starts_with('-') || is_value {
                options.words.push(arg.to_owned());
                continue;
            }
            if let Some((flag, value)) = own(command, arg)? {
                let value = match value {
                    Own::Here(value) => value,
                    Own::Next => {
                        let next = args.next().and_then(|next| next.to_str()).filter(|next| !next.starts_with('-'));
                        next.ok_or_else(|| format!("{flag} requires a value"))?.to_owned()
                    }
                };
                options.given.insert(flag, value);
                continue;
            }
            match arg {
                "--" => only_words = true,
                "-h" | "--help" => options.help = true,
                "-a" | "--approve" => options.approve = Some(true),
                "-na" | "--no-approve" => options.approve = Some(false),
                "--offline" => options.offline = true,
                "--verbose" => options.verbose = true,
                "-l" | "--local" if command.takes_local => options.local = true,
                "--json" if command.name == "hooks" => options.json = true,
                "-e" | "--extension" | "--hook" if matches!(command.name, "hooks" | "models") => {
                    let path =
                        args.next().and_then(|path| path.to_str()).ok_or_else(|| format!("{arg} requires a path"))?;
                    if is_builtin_name(path) {
                        if !is_builtin_extension(path) {
                            return Err(format!("{arg}: there is no extension {path}"));
                        }
                        options.discovery.builtins.push(path.to_owned());
                        continue;
                    }
                    if arg == "--hook" {
                        options.discovery.hooks.push(options.discovery.paths.len());
                    }
                    options.discovery.paths.push(path.to_owned());
                }
                "--extensions" if command.name == "update" => options.extensions = true,
                "--all" if command.name == "update" => options.all = true,
                "--self" if command.name == "update" => options.not_here = Some("--self"),
                "--models" if command.name == "update" => options.not_here = Some("--models"),
                "--extension" if command.name == "update" => {
                    let source = args.next().and_then(|arg| arg.to_str()).filter(|source| !source.starts_with('-'));
                    options.words.push(source.ok_or("--extension requires a source")?.to_owned());
                }
                // What a run would be started with.
                _ if command.name == "config" && options.words.first().is_some_and(|word| word == "why") => {
                    options.rest.push(arg.to_owned());
                    options.rest.extend(args.by_ref().map(|arg| arg.to_string_lossy().into_owned()));
                }
                // Without its value, which may be a secret.
                _ => {
                    let name = arg.split('=').next().unwrap_or(arg);
                    let meant = nearest(name, command.all_flags()).map(|meant| format!(". Did you mean {meant}?"));
                    return Err(format!("Unknown option: {name}{}", meant.unwrap_or_default()));
                }
            }
        }
        if options.has_empty_name(command) {
            return Err("an argument is empty; is a variable of a script not set?".to_owned());
        }
        if let Some(extra) = options.words.get(command.most_words) {
            return Err(match command.name {
                // It may be a key.
                "auth" => "there are more arguments than the command takes".to_owned(),
                _ => format!("Unexpected argument: {extra}"),
            });
        }
        Ok(options)
    }

    /// Whether a source, a path or a name is empty: it would mean the working directory. A setting can be an empty text.
    fn has_empty_name(&self, command: &Command) -> bool {
        let verb = self.words.first().map(String::as_str);
        let names: &[String] =
            if command.name == "config" && !matches!(verb, Some("enable" | "disable")) { &[] } else { &self.words[..] };
        names.iter().chain(&self.discovery.paths).any(|name| name.trim().is_empty())
    }
}

/// Where the value of a flag stands.
enum Own {
    Here(String),
    Next,
}

/// The flag of the command that an argument is, alone or as `--flag=value`. A value that does not belong there is not
/// quoted: it may be a secret.
fn own(command: &Command, arg: &str) -> Result<Option<(&'static str, Own)>, String> {
    let (name, value) = match arg.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (arg, None),
    };
    let Some((flag, takes_value)) = command.flags.iter().find(|(flag, _)| *flag == name) else { return Ok(None) };
    match (value, takes_value) {
        (Some(value), true) => Ok(Some((flag, Own::Here(value.to_owned())))),
        (None, true) => Ok(Some((flag, Own::Next))),
        (None, false) => Ok(Some((flag, Own::Here(String::new())))),
        (Some(_), false) if *flag == "--api-key" => Err(format!("{flag} takes no value here; tau asks for the key")),
        (Some(_), false) => Err(format!("{flag} takes no value")),
    }
}
