//! `tau config`.

use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::Value;
use tau_agent::extensions::{
    BuiltinExtension, DiscoveryOptions, Known, builtin_package_of, discover, inventory, is_builtin_on,
};
use tau_agent::packages::switch;
use tau_agent::resources::{LoadOptions, Resources};
use tau_agent::settings::{Above, KeyPath, Layer, ResourceKind, remark_on_key, setting};
use tau_launch::args::{Args, nearest, parse, said_of};

use super::context::Context;
use super::declared;
use super::options::Options;
use crate::exit::Reported;
use crate::output::say;
use crate::{diagnostics, modes};

pub(super) async fn config(context: &Context, options: &Options) -> ExitCode {
    let words: Vec<&str> = options.words.iter().map(String::as_str).collect();
    match words[..] {
        [] | ["resources"] => resources(context),
        ["list"] => list(context, options).await,
        ["schema"] => say(&format!("{:#}\n", tau_agent::settings::schema())),
        ["get", key] => get(context, options, key).await,
        ["set", key, value] => set(context, options, key, value).await,
        ["unset", key] => unset(context, options, key),
        ["why", key] => why(context, options, key).await,
        ["enable", wanted] => enable(context, options, wanted, true),
        ["disable", wanted] => enable(context, options, wanted, false),
        [verb, ..] => diagnostics::fail(&unclear(verb)),
    }
}

/// What follows the verbs of `tau config`.
const VERBS: [(&str, &str); 9] = [
    ("resources", "nothing"),
    ("list", "nothing"),
    ("schema", "nothing"),
    ("get", "KEY"),
    ("set", "KEY VALUE"),
    ("unset", "KEY"),
    ("why", "KEY"),
    ("enable", "NAME"),
    ("disable", "NAME"),
];

/// The verbs alone.
pub(super) const VERB_NAMES: [&str; VERBS.len()] = {
    let mut names = [""; VERBS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = VERBS[at].0;
        at += 1;
    }
    names
};

fn unclear(verb: &str) -> String {
    if let Some((_, takes)) = VERBS.iter().find(|(known, _)| *known == verb) {
        return format!("`tau config {verb}` takes {takes}; see `tau config --help`");
    }
    match nearest(verb, VERBS.iter().map(|(verb, _)| *verb)) {
        Some(meant) => format!("there is no `tau config {verb}`; did you mean `tau config {meant}`?"),
        None => format!("there is no `tau config {verb}`; see `tau config --help`"),
    }
}

fn resources(context: &Context) -> ExitCode {
    context.warn();
    context.warn_of_project();
    let all = inventory(&context.env, &context.settings.snapshot());
    if all.is_empty() && context.builtins.is_empty() {
        return say("There are no extensions, skills, prompt templates or themes.\n");
    }
    // A file that cannot be read is there, but does nothing.
    let loaded = Resources::load(&context.env, &context.settings.snapshot(), &LoadOptions::default());
    let flaw = |known: &Known| {
        let found = loaded.diagnostics.iter().find(|found| found.path == known.path);
        found.map(|found| format!("  ({})", found.message)).unwrap_or_default()
    };
    let mut text = String::new();
    let mut groups: Vec<(String, Vec<&Known>)> = Vec::new();
    for known in &all {
        let place = match &known.package {
            Some(package) => format!("{package} ({})", known.origin),
            None => format!("{} ({})", known.base.display(), known.origin),
        };
        match groups.iter_mut().find(|(known, _)| *known == place) {
            Some((_, members)) => members.push(known),
            None => groups.push((place, vec![known])),
        }
    }
    for (place, members) in groups {
        let _ = writeln!(text, "{place}");
        for kind in ResourceKind::ALL {
            for known in members.iter().filter(|known| known.kind == kind) {
                let mark = if known.enabled { 'x' } else { ' ' };
                let _ = writeln!(text, "  [{mark}] {}{}", known.pattern(), flaw(known));
            }
        }
    }
    of_program(context, &mut text);
    say(&text)
}

/// The extensions that are part of the program.
fn of_program(context: &Context, text: &mut String) {
    if context.builtins.is_empty() {
        return;
    }
    let (settings, options) = (context.settings.snapshot(), DiscoveryOptions::default());
    text.push_str("Built-in\n");
    let replaced = discover(&context.env, &settings, &options).replaced;
    let mut package = None;
    for BuiltinExtension { name, about, .. } in &*context.builtins {
        let of = builtin_package_of(name).map(|package| package.name);
        let other = replaced.iter().find(|replaced| Some(replaced.package) == of);
        if of != package {
            let instead = other.map(|other| format!(" (off: {} takes its place)", other.by.display()));
            let _ = writeln!(text, "{}{}", of.unwrap_or("Built-in"), instead.unwrap_or_default());
            package = of;
        }
        let mark = if is_builtin_on(name, &options, &settings) && other.is_none() { 'x' } else { ' ' };
        let _ = writeln!(text, "  [{mark}] {name}  ({about})");
    }
}

async fn list(context: &Context, options: &Options) -> ExitCode {
    context.warn();
    if let Err(Reported(code)) = context.readable(options) {
        return code;
    }
    context.warn_of_project();
    let settings = context.settings.snapshot();
    let (declared, all) = declared::of_all(context).await;
    settings.declared_problems(&declared, all).iter().for_each(diagnostics::warning);
    let (mut text, mut is_set) = (String::new(), true);
    for line in settings.overview(&declared) {
        // An empty line between what is set and what is not.
        if is_set && line.source.is_none() && !text.is_empty() {
            text.push('\n');
        }
        is_set = line.source.is_some();
        let _ = writeln!(text, "{line}");
    }
    say(&text)
}

async fn get(context: &Context, options: &Options, key: &str) -> ExitCode {
    context.warn();
    if let Err(Reported(code)) = context.readable(options) {
        return code;
    }
    let (settings, key) = (context.settings.snapshot(), KeyPath::typed(key));
    let explained = declared::explain(context, &settings, &key).await;
    let value = if options.local {
        settings.get_in(Layer::Project, &key).cloned()
    } else {
        settings.of_environment(&key).or_else(|| explained.value.clone())
    };
    match &value {
        Some(value) => say(&format!("{}\n", serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string()))),
        None => match explained.default.as_deref().filter(|_| !options.local) {
            // A script asks for the value that applies. Some defaults are none, but depend on what there is.
            Some(default) if serde_json::from_str::<Value>(default).is_ok() => say(&format!("{default}\n")),
            Some(default) => diagnostics::fail(&format!("{} is not set; it is {default}", key.written())),
            None => diagnostics::fail(&not_set(&key.written(), "")),
        },
    }
}

/// That a key is not set, with what may be wrong with the key.
fn not_set(key: &str, place: &str) -> String {
    let remark = remark_on_key(key).map(|remark| format!(": {remark}")).unwrap_or_default();
    format!("{key} is not set{place}{remark}")
}

async fn set(context: &Context, options: &Options, key: &str, text: &str) -> ExitCode {
    let layer = match context.layer(options) {
        Ok(layer) => layer,
        Err(Reported(code)) => return code,
    };
    match context.settings.set_typed(layer, key, text) {
        Ok(notes) => {
            let settings = context.settings.snapshot();
            let explained = declared::explain(context, &settings, &KeyPath::typed(key)).await;
            notes.into_iter().chain(explained.useless_in(layer)).for_each(|note| diagnostics::warning(&note));
            ExitCode::SUCCESS
        }
        Err(error) => diagnostics::fail(&error),
    }
}

fn unset(context: &Context, options: &Options, key: &str) -> ExitCode {
    let layer = match context.layer(options) {
        Ok(layer) => layer,
        Err(Reported(code)) => return code,
    };
    let path = KeyPath::typed(key);
    if let Some(error) = context.settings.snapshot().errors().iter().find(|error| error.is_of_whole_file()) {
        return diagnostics::fail(&error);
    }
    if context.settings.snapshot().get_in(layer, &path).is_none() {
        let file = context.settings.snapshot().paths().file(layer);
        return diagnostics::fail(&not_set(key, &format!(" in {}", file.display())));
    }
    match context.settings.set(layer, &path, None) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => diagnostics::fail(&error),
    }
}

async fn why(context: &Context, options: &Options, key: &str) -> ExitCode {
    // Flags of extensions change no setting, so nobody's flag is a mistake here.
    let cli = parse(options.rest.iter().map(String::as_str), &modes::values()).and_then(|parsed| parsed.finish(&[]));
    let args = match cli {
        // The subcommand has a flag for trust itself.
        Ok(cli) => Args { trust: options.approve.or(cli.args.trust), ..cli.args },
        Err(error) => return diagnostics::fail(&error),
    };
    let settings = context.settings.snapshot();
    let mut explained = declared::explain(context, &settings, &KeyPath::typed(key)).await;
    if let Some(row) = setting(&explained.key.written()) {
        let said = said_of(row, &args).into_iter();
        explained.above.splice(0..0, said.map(|(flag, value)| Above::flag(flag, value)));
    }
    if explained.value.is_none() && explained.above.is_empty() {
        remark_on_key(key).iter().for_each(diagnostics::warning);
    }
    say(&format!("{}\n", explained.text()))
}

fn enable(context: &Context, options: &Options, wanted: &str, on: bool) -> ExitCode {
    let layer = match context.layer(options) {
        Err(Reported(code)) => return code,
        Ok(layer) => options.local.then_some(layer),
    };
    match switch(&context.env, &context.settings, wanted, on, layer) {
        Ok(done) => {
            let verb = if on { "Enabled" } else { "Disabled" };
            say(&done.iter().map(|path| format!("{verb} {path}\n")).collect::<String>())
        }
        Err(error) => diagnostics::fail(&error),
    }
}
