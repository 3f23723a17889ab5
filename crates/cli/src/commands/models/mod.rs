//! `tau models`: the models that can be asked, and newer lists of them.

mod update;

use std::ffi::OsString;
use std::process::ExitCode;

use tau_launch::args::{ArgsError, ListModels, Parsed, parse};

use super::command::Command;
use super::context::Context;
use super::options::Options;
use crate::diagnostics;

pub(super) async fn models(context: &Context, options: &Options, command: &Command) -> ExitCode {
    let has = |flag: &str| options.given.contains_key(flag);
    match options.words.split_first() {
        Some((verb, words)) if verb == UPDATE => {
            if has("--json") || has("--all") || words.len() > 1 || !options.discovery.paths.is_empty() {
                return diagnostics::fail(&format!("tau models update: too much is given\nUsage: {}", command.usage));
            }
            update::update(context, words.first().map(String::as_str), has("--force")).await
        }
        _ => diagnostics::fail(&format!("--force is for `update`\nUsage: {}", command.usage)),
    }
}

const UPDATE: &str = "update";

/// The command line of a run that lists models, when a command asks for that: it starts, and warns, as `--list-models` does.
///
/// # Errors
/// When the flags of tau have no such command line, which their table rules out.
pub(super) fn listing(command: &Command, options: &Options) -> Result<Option<Parsed>, ArgsError> {
    let is_update = options.words.first().is_some_and(|verb| verb == UPDATE);
    if command.name != "models" || is_update || options.given.contains_key("--force") {
        return Ok(None);
    }
    let mut parsed = parse(std::iter::empty::<OsString>(), &[])?;
    let args = &mut parsed.args;
    let search = Some(options.words.join(" ")).filter(|search| !search.is_empty());
    let has = |flag: &str| options.given.contains_key(flag);
    args.list_models = Some(ListModels { search, json: has("--json"), all: has("--all"), renew: true });
    (args.extensions, args.hooks) = (options.discovery.paths.clone(), options.discovery.hooks.clone());
    (args.trust, args.offline, args.verbose) = (options.approve, options.offline, options.verbose);
    Ok(Some(parsed))
}
