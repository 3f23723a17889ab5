//! `tau config`.

use std::fmt::Write as _;
use std::process::ExitCode;

use tau_agent::extensions::{Known, inventory};
use tau_agent::packages::switch;
use tau_agent::resources::{LoadOptions, Resources};
use tau_agent::settings::{KeyPath, Layer, Listed, ResourceKind};
use tau_launch::args::{Args, parse};

use super::context::Context;
use super::options::Options;
use crate::output::say;
use crate::{diagnostics, modes};

pub(super) async fn config(context: &Context, options: &Options) -> ExitCode {
    let words: Vec<&str> = options.words.iter().map(String::as_str).collect();
    match words[..] {
        [] | ["resources"] => resources(context),
        ["list"] => list(context, options),
        ["schema"] => say(&format!("{:#}\n", tau_agent::settings::schema())),
        ["get", key] => get(context, options, key),
        ["set", key, value] => set(context, options, key, value),
        ["unset", key] => unset(context, options, key),
        ["why", key] => why(context, options, key),
        ["enable", wanted] => enable(context, options, wanted, true),
        ["disable", wanted] => enable(context, options, wanted, false),
        [verb, ..] => diagnostics::fail(&format!("`tau config {verb}` cannot be understood; see `tau config --help`")),
    }
}

fn resources(context: &Context) -> ExitCode {
    context.warn();
    context.warn_of_project();
    let all = inventory(&context.env, &context.settings.snapshot());
    if all.is_empty() {
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
    say(&text)
}

fn list(context: &Context, options: &Options) -> ExitCode {
    context.warn();
    if let Err(code) = context.readable(options) {
        return code;
    }
    context.warn_of_project();
    let mut text = String::new();
    for Listed { key, value, origin } in context.settings.snapshot().listing() {
        let path = origin.map(|origin| origin.path.display().to_string()).unwrap_or_default();
        let _ = writeln!(text, "{} = {value}  ({path})", key.written());
    }
    say(&text)
}

fn get(context: &Context, options: &Options, key: &str) -> ExitCode {
    context.warn();
    if let Err(code) = context.readable(options) {
        return code;
    }
    let (settings, key) = (context.settings.snapshot(), KeyPath::typed(key));
    let value = match options.local {
        true => settings.get_in(Layer::Project, &key),
        false => settings.get(&key),
    };
    match value {
        Some(value) => say(&format!("{}\n", serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string()))),
        None => match settings.explain(&key).default.filter(|_| !options.local) {
            // A script asks for the value that applies. Some defaults are none, but depend on what there is.
            Some(default) if serde_json::from_str::<serde_json::Value>(default).is_ok() => say(&format!("{default}\n")),
            Some(default) => diagnostics::fail(&format!("{} is not set; it is {default}", key.written())),
            None => diagnostics::fail(&format!("{} is not set", key.written())),
        },
    }
}

fn set(context: &Context, options: &Options, key: &str, text: &str) -> ExitCode {
    let layer = match context.layer(options) {
        Ok(layer) => layer,
        Err(code) => return code,
    };
    match context.settings.set_typed(layer, key, text) {
        Ok(notes) => {
            notes.iter().for_each(|note| diagnostics::warning(note));
            ExitCode::SUCCESS
        }
        Err(error) => diagnostics::fail(&error.to_string()),
    }
}

fn unset(context: &Context, options: &Options, key: &str) -> ExitCode {
    let layer = match context.layer(options) {
        Ok(layer) => layer,
        Err(code) => return code,
    };
    let path = KeyPath::typed(key);
    if let Some(error) = context.settings.snapshot().errors().iter().find(|error| error.is_of_whole_file()) {
        return diagnostics::fail(&error.to_string());
    }
    if context.settings.snapshot().get_in(layer, &path).is_none() {
        let file = context.settings.snapshot().paths().file(layer);
        return diagnostics::fail(&format!("{key} is not set in {}", file.display()));
    }
    match context.settings.set(layer, &path, None) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => diagnostics::fail(&error.to_string()),
    }
}

/// What a flag says, if it is there.
type Given = fn(&Args) -> Option<String>;

/// Keys that a flag of a run outranks.
const FLAGS: [(&str, &str, Given); 8] = [
    ("defaultProvider", "--provider", |args| args.provider.clone()),
    ("defaultModel", "--model", |args| args.model.clone()),
    ("defaultThinkingLevel", "--thinking", |args| args.thinking.map(|level| level.as_str().to_owned())),
    ("sessionDir", "--session-dir", |args| args.session_dir.as_ref().map(|dir| dir.display().to_string())),
    ("defaultTools", "--tools", |args| {
        if args.tools.none {
            return Some("[] (--no-tools)".to_owned());
        }
        let edits = (!args.tools.edits.is_empty()).then_some(&args.tools.edits);
        args.tools.only.as_ref().or(edits).map(|names| names.join(","))
    }),
    ("enabledModels", "--models", |args| args.models.as_ref().map(|patterns| patterns.join(","))),
    ("theme", "--use-theme", |args| args.use_theme.clone()),
    ("tau.trace.jsonl", "--trace", |args| args.trace.as_ref().map(|file| file.display().to_string())),
];

fn why(context: &Context, options: &Options, key: &str) -> ExitCode {
    // Flags of extensions change no setting, so nobody's flag is a mistake here.
    let cli = parse(options.rest.iter().map(String::as_str), &modes::values()).and_then(|parsed| parsed.finish(&[]));
    let args = match cli {
        Ok(cli) => cli.args,
        Err(error) => return diagnostics::fail(&error.to_string()),
    };
    let settings = context.settings.snapshot();
    let explained = settings.explain(KeyPath::typed(key));
    let name = explained.key.written();
    let flag = FLAGS.iter().find(|(key, _, _)| *key == name);
    let given = flag.and_then(|(_, _, value)| value(&args));
    let mut lines: Vec<(String, String)> = Vec::new();
    if let Some((_, flag, _)) = flag {
        lines.push((format!("command line {flag}"), given.clone().unwrap_or_else(|| "not given".to_owned())));
    }
    if name == "sessionDir" {
        let value = context.env.var("PI_CODING_AGENT_SESSION_DIR").unwrap_or("not set");
        lines.push(("variable PI_CODING_AGENT_SESSION_DIR".to_owned(), value.to_owned()));
    }
    lines.extend(explained.places());
    let variable = (name == "sessionDir").then(|| context.env.var("PI_CODING_AGENT_SESSION_DIR")).flatten();
    let value = given.or_else(|| variable.map(str::to_owned)).unwrap_or_else(|| explained.effective());
    let mut text = format!("{name} = {value}\n");
    for (place, says) in lines {
        let _ = writeln!(text, "  {place}: {says}");
    }
    say(&text)
}

fn enable(context: &Context, options: &Options, wanted: &str, on: bool) -> ExitCode {
    let layer = match (options.local, context.layer(options)) {
        (_, Err(code)) => return code,
        (true, Ok(layer)) => Some(layer),
        (false, Ok(_)) => None,
    };
    match switch(&context.env, &context.settings, wanted, on, layer) {
        Ok(done) => {
            let verb = if on { "Enabled" } else { "Disabled" };
            say(&done.iter().map(|path| format!("{verb} {path}\n")).collect::<String>())
        }
        Err(error) => diagnostics::fail(&error.to_string()),
    }
}
