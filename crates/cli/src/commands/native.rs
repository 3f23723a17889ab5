//! Subcommands of extensions that are part of the program: `tau NAME …`.

use std::ffi::OsString;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::sync::Arc;

use futures_util::FutureExt;
use tau_agent::extensions::trust_question;
use tau_agent::services::ExtensionServices;
use tau_agent::settings::{Environment, Settings, SettingsStore};
use tau_agent::trust::{DefaultTrust, Verdict};
use tau_hooks::{CliCall, Hooks, Owner, Subcommand};
use tau_launch::load_own;

use super::{FirstWord, is_own};
use crate::output::say;
use crate::setup::Setup;
use crate::{diagnostics, log, runtime};

/// Runs the subcommand of an extension that the arguments begin with, behind `before` flags, if any. Extensions register
/// for this, and nothing else of them runs.
pub(super) fn run(args: &[OsString], before: usize, setup: Setup) -> FirstWord {
    let name = args.get(before).and_then(|name| name.to_str()).filter(|name| !name.starts_with('-') && !is_own(name));
    let Some(name) = name.filter(|_| !setup.extensions.is_empty()) else { return FirstWord::Other(setup) };
    let hooks = Hooks::new();
    // What cannot be loaded is told by whoever needs it.
    load_own(&hooks, &setup.extensions);
    let found = hooks.subcommands().into_iter().find(|(_, subcommand)| subcommand.name == name);
    let Some((owner, subcommand)) = found else { return FirstWord::Other(setup) };
    let words = args.iter().skip(before + 1).map(|word| word.to_str().map(str::to_owned));
    let Some(words) = words.collect::<Option<Vec<String>>>() else {
        return FirstWord::Subcommand(diagnostics::fail("an argument is not valid UTF-8"));
    };
    if matches!(words.first().map(String::as_str), Some("-h" | "--help")) {
        return FirstWord::Subcommand(say(&format!("Usage: {}\n\n{}\n", subcommand.usage, subcommand.about)));
    }
    let flags: Vec<&str> = args[..before].iter().filter_map(|flag| flag.to_str()).collect();
    FirstWord::Subcommand(start(&hooks, &owner, subcommand, words, &flags))
}

fn start(
    hooks: &Arc<Hooks>,
    owner: &Arc<Owner>,
    subcommand: Subcommand,
    args: Vec<String>,
    flags: &[&str],
) -> ExitCode {
    log::start(flags.contains(&"--verbose"));
    let voice = diagnostics::voice();
    hooks.dispatcher.reports.listen(move |report| voice.report(report));
    let env = match Environment::from_process() {
        Ok(env) => env,
        Err(error) => return diagnostics::fail(&format!("the working directory cannot be used: {error}")),
    };
    let settings = SettingsStore::open(&env, is_trusted(&env, flags));
    settings.snapshot().problems().iter().for_each(diagnostics::warning);
    hooks.serve(ExtensionServices::new(Arc::new(settings)));
    let api = hooks.api(owner);
    let call = CliCall { args, cwd: env.cwd.clone(), agent_dir: env.agent_dir(), api };
    let runtime = match runtime::start() {
        Ok(runtime) => runtime,
        Err(error) => return diagnostics::fail(&format!("cannot start: {error}")),
    };
    let done = runtime.block_on(AssertUnwindSafe(async { (subcommand.run)(call).await }).catch_unwind());
    runtime.shutdown_background();
    match done {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(error)) => diagnostics::fail(&error.to_string()),
        // The message of the panic is on standard error already.
        Err(_) => diagnostics::fail(&format!("the subcommand `{}` of {} crashed", subcommand.name, owner.path)),
    }
}

/// Whether the settings of the project count: by the flag, or by an answer that is kept. Nobody is asked.
fn is_trusted(env: &Environment, flags: &[&str]) -> bool {
    let has = |names: [&str; 2]| names.iter().any(|name| flags.contains(name));
    let flag = if has(["-na", "--no-approve"]) { Some(false) } else { has(["-a", "--approve"]).then_some(true) };
    let settings = Arc::new(Settings::load(env, false));
    match trust_question(env, flag, &settings).decide(None, DefaultTrust::Never, false) {
        Verdict::Decided(decision) => decision.trusted,
        Verdict::Ask(_) | Verdict::AskAgain(..) => false,
    }
}
