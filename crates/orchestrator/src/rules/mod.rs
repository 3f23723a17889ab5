//! Rules from files: texts of the suite, the user and the project that stand behind the system prompt of every run.
//!
//! The text is the same from run to run until a file or the set of tools changes, so that the provider's cache keeps
//! everything up to its end.

mod choice;
mod file;
mod layer;
mod list;
mod store;
mod text;

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::events::SessionStart;
use tau_hooks::{Command, Ctx, Extension, HandlerError, Registrar};

use self::choice::{Chosen, Fate, choose};
use self::layer::Layer;
use self::store::{Look, OfProject, Store};
use crate::module::Module;
use crate::shared::commands::share;
use crate::shared::say::{of_command, say};
use crate::shared::segments::{Stability, append};

/// The row of the table.
pub const MODULE: Module = Module {
    name: "builtin:rules",
    about: "rules from files in the system prompt; the command /rules",
    needs: &[],
    programs: &[],
    in_children: true,
    make: || Box::new(Rules),
};

/// The setting by which a project is only trusted as it was when somebody decided.
const ASK_ON_CHANGE: &str = "/tau/trust/askOnChange";
/// The command.
const COMMAND: &str = "rules";

/// The extension.
struct Rules;

/// Which files there are, and what becomes of each.
struct Now {
    chosen: Vec<Chosen>,
    news: Vec<String>,
    folders: Vec<String>,
    untrusted: Option<String>,
    /// What rules of the project take the place of.
    replaced: Option<String>,
}

impl Extension for Rules {
    fn name(&self) -> &str {
        COMMAND
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let store: Arc<Mutex<Store>> = Arc::default();
        let begun = Arc::clone(&store);
        // Trust is decided just before a session starts, and by a reload, which starts it again.
        registrar.on::<SessionStart>(move |_, ctx: Ctx| {
            let store = Arc::clone(&begun);
            async move {
                store.lock().decided();
                let now = now(store, &ctx).await?;
                tell_news(&now, &ctx, "session_start")?;
                match now.replaced.filter(|_| ctx.child().is_none()) {
                    Some(text) => say(&ctx, "session_start", &text, NotifyLevel::Warning),
                    None => Ok(()),
                }
            }
        });
        let asked = Arc::clone(&store);
        append(registrar, Stability::Stable, move |_, ctx| {
            let store = Arc::clone(&asked);
            async move {
                let now = now(store, &ctx).await?;
                tell_news(&now, &ctx, "before_agent_start")?;
                Ok(text::prompt(&now.chosen, ctx.child().is_some()))
            }
        })?;
        let command = Command {
            name: COMMAND.to_owned(),
            description: Some("Show which rules are in the system prompt, and why others are not".to_owned()),
            handler: Arc::new(move |_, ctx| {
                let store = Arc::clone(&store);
                Box::pin(async move {
                    let now = now(store, &ctx).await?;
                    let list = list::list(&now.chosen, &now.folders, now.untrusted.as_deref());
                    say(&ctx, &of_command("rules"), &list, NotifyLevel::Info)
                })
            }),
            completer: None,
        };
        share(registrar, vec![command])
    }
}

/// Tells what is wrong now and was not before. A child leaves that to the session above it, which has the same files.
fn tell_news(now: &Now, ctx: &Ctx, occasion: &str) -> Result<(), HandlerError> {
    if ctx.child().is_some() {
        return Ok(());
    }
    for problem in &now.news {
        say(ctx, occasion, problem, NotifyLevel::Warning)?;
    }
    Ok(())
}

/// What rules of the project take the place of, in a sentence: the user's own rules and the suite's may be what protects them.
fn taken_by_project(chosen: &[Chosen]) -> Option<String> {
    let is_taken = |one: &&Chosen| matches!(one.fate, Fate::Replaced(Layer::Project) | Fate::Off(Layer::Project));
    let names: Vec<String> = chosen.iter().filter(is_taken).map(|one| one.source.place.clone()).collect();
    let names = names.join(", ");
    (!names.is_empty()).then(|| format!("rules of the project take the place of {names}; /rules shows all"))
}

/// Looks at the files, on a thread that may wait.
async fn now(store: Arc<Mutex<Store>>, ctx: &Ctx) -> Result<Now, HandlerError> {
    let folders = ctx.api()?.folders()?;
    let host = ctx.host();
    // The user may want to be asked about files that change.
    let asks = host.settings().pointer(ASK_ON_CHANGE) == Some(&Value::Bool(true));
    let of_project = match (host.is_project_trusted(), asks) {
        (false, _) => OfProject::Nothing,
        (true, true) => OfProject::AsDecided,
        (true, false) => OfProject::Now,
    };
    let looked = tokio::task::spawn_blocking(move || store.lock().look(&folders, of_project)).await;
    let Look { sources, news, folders, untrusted } = match looked {
        Ok(look) => look,
        Err(error) => return Err(HandlerError::msg(format!("the rule files were not looked at: {error}"))),
    };
    let chosen = choose(sources, &ctx.host().active_tools());
    Ok(Now { replaced: taken_by_project(&chosen), chosen, news, folders, untrusted })
}
