//! `tau install`, `remove`, `update` and `list`.

use std::process::ExitCode;
use std::sync::Arc;

use tau_agent::extensions::is_builtin_name;
use tau_agent::packages::{Done, Packages, Updated};
use tau_agent::settings::Layer;
use tau_launch::installer;

use super::context::Context;
use super::options::Options;
use crate::diagnostics;
use crate::exit::Reported;
use crate::output::say;

fn packages(context: &Context) -> Packages {
    Packages::new(context.env.clone(), Arc::clone(&context.settings), installer(context.offline, &diagnostics::voice()))
}

pub(super) async fn install(context: &Context, options: &Options) -> ExitCode {
    let Some(source) = options.words.first() else {
        let done = packages(context).install_missing().await;
        if done.is_empty() {
            return say("Everything is installed.\n");
        }
        return tell_all(&done);
    };
    let layer = match context.layer(options) {
        Ok(layer) => layer,
        Err(Reported(code)) => return code,
    };
    match packages(context).install(source, layer).await {
        Ok(done) => tell("Installed", &done),
        Err(error) => diagnostics::fail(&error),
    }
}

pub(super) async fn remove(context: &Context, options: &Options) -> ExitCode {
    let Some(source) = options.words.first() else {
        return diagnostics::fail("remove needs a source; `tau list` shows what there is");
    };
    let layer = match context.layer(options) {
        Ok(layer) => layer,
        Err(Reported(code)) => return code,
    };
    match packages(context).remove(source, layer).await {
        Ok(done) => tell("Removed", &done),
        Err(error) => diagnostics::fail(&error),
    }
}

pub(super) async fn update(context: &Context, options: &Options) -> ExitCode {
    let source = options.words.first().map(String::as_str);
    if matches!(source, Some("self" | "pi")) || options.not_here == Some("--self") {
        return diagnostics::fail("tau does not update itself; it is updated the way it was installed");
    }
    if options.not_here == Some("--models") {
        return diagnostics::fail("newer lists of models are fetched by `tau models update`");
    }
    if source.is_some() && (options.all || options.extensions) {
        return diagnostics::fail("a source cannot be combined with --all or --extensions");
    }
    context.warn();
    if context.offline {
        return say("Skipped package updates (offline mode)\n");
    }
    match packages(context).update(source).await {
        Ok(done) if done.is_empty() => say("No packages installed.\n"),
        Ok(done) => tell_updates(&done, source),
        Err(error) => diagnostics::fail(&error),
    }
}

pub(super) async fn list(context: &Context, _: &Options) -> ExitCode {
    context.warn();
    let all = packages(context).list();
    if all.is_empty() {
        return say("No packages installed.\n");
    }
    let mut text = String::new();
    for (layer, title) in [(Layer::Global, "User packages:"), (Layer::Project, "Project packages:")] {
        let mut of_layer = all.iter().filter(|listed| listed.layer == layer).peekable();
        if of_layer.peek().is_none() {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(title);
        text.push('\n');
        for listed in of_layer {
            let filtered = if listed.filtered { " (filtered)" } else { "" };
            let version = listed.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
            let is_of_program = is_builtin_name(&listed.source);
            let folder = match &listed.folder {
                Some(folder) => folder.display().to_string(),
                None if is_of_program => "part of tau".to_owned(),
                None => "not installed".to_owned(),
            };
            text.push_str(&format!("  {}{filtered}{version}\n    {folder}\n", listed.source));
        }
    }
    say(&text)
}

fn tell(verb: &str, done: &Done) -> ExitCode {
    done.notes.iter().for_each(diagnostics::warning);
    let change = done.change.as_ref();
    let version = change.and_then(|change| change.after.as_ref()).map(|after| short(after));
    // A source may say it already.
    let version = version.filter(|version| !done.source.ends_with(version)).map(|version| format!(" {version}"));
    say(&format!("{verb} {}{}\n", shown(&done.source), version.unwrap_or_default()))
}

/// Says which packages are others now, a line each. `asked` is the one that was asked for.
fn tell_updates(done: &[Updated], asked: Option<&str>) -> ExitCode {
    let mut lines = Vec::new();
    let code = tell_each(done, |source, change| {
        if change.before == change.after {
            return;
        }
        let after = change.after.as_deref().map(short).unwrap_or_default();
        let before = change.before.as_deref().map(|before| format!("{} -> ", short(before)));
        lines.push(format!("  {source} {}{after}\n", before.unwrap_or_default()));
    });
    let asked = asked.map(shown);
    let text = match (lines.len(), code == ExitCode::SUCCESS, asked) {
        (0, true, Some(source)) => format!("{source} is already up to date\n"),
        (0, true, None) => "Packages are already up to date\n".to_owned(),
        (0, false, Some(source)) => format!("{source} was not updated, see the errors above\n"),
        (0, false, None) => "No packages were updated, see the errors above\n".to_owned(),
        (1, ..) => format!("Updated 1 package:\n{}", lines.concat()),
        (count, ..) => format!("Updated {count} packages:\n{}", lines.concat()),
    };
    say(&text);
    code
}

fn tell_all(done: &[Updated]) -> ExitCode {
    let mut text = String::new();
    let code = tell_each(done, |source, change| {
        let after = change.after.as_deref().map(short).unwrap_or_default();
        text.push_str(&match &change.before {
            Some(before) if Some(before) == change.after.as_ref() => format!("{source} {after} is up to date\n"),
            Some(before) => format!("Updated {source} from {} to {after}\n", short(before)),
            None => format!("Installed {source} {after}\n"),
        });
    });
    say(&text);
    code
}

/// Reports what failed and the notes, and gives every change of a package to `tell`.
fn tell_each(done: &[Updated], mut tell: impl FnMut(&str, &tau_packages::Change)) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for one in done {
        let source = shown(&one.source);
        match &one.result {
            Err(error) => code = diagnostics::fail(&format!("{source}: {error}")),
            Ok(report) => {
                report.notes.iter().for_each(diagnostics::warning);
                if let Some(change) = &report.change {
                    tell(&source, change);
                }
            }
        }
    }
    code
}

/// A source without the password that an address may hold.
fn shown(source: &str) -> String {
    match tau_packages::Source::parse(source) {
        git @ tau_packages::Source::Git(_) if source.contains('@') => git.to_string(),
        _ => source.to_owned(),
    }
}

/// A commit as people write it.
fn short(version: &str) -> &str {
    let is_commit = version.len() == 40 && version.chars().all(|c| c.is_ascii_hexdigit());
    if is_commit { &version[..12] } else { version }
}
