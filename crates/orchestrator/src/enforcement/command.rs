//! `/policy`: which rules are in force, what was allowed for good, and what a command would meet.

use std::sync::Arc;

use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{Command, Ctx, HandlerError};

use super::Work;
use super::judge::{Judge, aside};
use super::scene::Scene;
use crate::shared::page::Text;
use crate::shared::policy::{allowed, report};
use crate::shared::say::{of_command, refuse, say, show};

/// The command.
const NAME: &str = "policy";
const USAGE: &str = "usage: /policy, /policy RULE, /policy test COMMAND, /policy undo [ID]";

/// The command of a session.
pub(super) fn command(work: &Arc<Work>) -> Command {
    let work = Arc::clone(work);
    Command {
        name: NAME.to_owned(),
        description: Some("Show the rules about commands, try one, or take an \"allow always\" back".to_owned()),
        handler: Arc::new(move |text, ctx| {
            let work = Arc::clone(&work);
            Box::pin(async move { run(&work, text.trim(), &ctx).await })
        }),
        completer: None,
    }
}

async fn run(work: &Work, text: &str, ctx: &Ctx) -> Result<(), HandlerError> {
    let judge = work.judge(Scene::of(ctx)?, ctx);
    let (word, rest) = text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim()));
    match (word, rest) {
        ("", "") => {
            let path = judge.scene.places().user;
            let (rules, mut problems) = judge.list().await?;
            let kept = match aside(move || Ok(allowed::list(&path))).await? {
                Ok(kept) => kept,
                Err(error) => {
                    // The file is among the problems already, unless it broke just now.
                    if problems.is_empty() {
                        problems.push(error.to_string());
                    }
                    Vec::new()
                }
            };
            show(ctx, NAME, Text::Plain(report::list(&rules, &kept, &problems))).await
        }
        ("test", command) if !command.is_empty() => test(work, judge, command, ctx).await,
        ("undo", id) => undo(judge, Some(id).filter(|id| !id.is_empty()), ctx).await,
        (rule, "") if rule != "test" => {
            let (rules, _) = judge.list().await?;
            match rules.iter().find(|one| one.id == rule) {
                Some(found) => show(ctx, NAME, Text::Plain(report::explain(found))).await,
                None => refuse(ctx, &format!("there is no rule {rule:?}; {USAGE}"), NotifyLevel::Warning),
            }
        }
        _ => refuse(ctx, USAGE, NotifyLevel::Warning),
    }
}

/// Says what would become of a command, which does not run.
async fn test(work: &Work, judge: Judge, command: &str, ctx: &Ctx) -> Result<(), HandlerError> {
    let judged = judge.command(command.to_owned()).await?;
    work.tell(ctx, judged.news.iter().cloned())?;
    let edited = Some(&judged.verdict.edits).filter(|edits| !edits.is_empty());
    let edited = edited.and_then(|edits| judged.command.edited(edits));
    show(ctx, NAME, Text::Plain(report::verdict(&judged.verdict, edited.as_deref()))).await
}

async fn undo(judge: Judge, id: Option<&str>, ctx: &Ctx) -> Result<(), HandlerError> {
    let path = judge.scene.places().user;
    let wanted = id.map(str::to_owned);
    let done = aside(move || Ok(allowed::undo(&path, wanted.as_deref()))).await?;
    match done.map_err(HandlerError::msg)? {
        Some(id) => say(ctx, &of_command(NAME), &format!("{id} is taken back: tau asks again"), NotifyLevel::Info),
        None => {
            let which =
                id.map_or("nothing was allowed always".to_owned(), |id| format!("{id:?} was not allowed always"));
            refuse(ctx, &format!("{which}; /policy lists what was"), NotifyLevel::Warning)
        }
    }
}
