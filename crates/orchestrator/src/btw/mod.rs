//! `/btw QUESTION`: a question beside the conversation.
//!
//! The request begins as those of the session do, so that the provider's cache serves it. The answer is shown and kept
//! nowhere: the session does not know of it.

mod answer;
mod ask;
mod pane;

use std::convert::Infallible;
use std::sync::Arc;

use parking_lot::Mutex;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::events::SessionShutdown;
use tau_hooks::mount::mount;
use tau_hooks::{Command, Ctx, Extension, HandlerError, Registrar, Report};
use tokio_util::sync::CancellationToken;

use self::answer::Answer;
use self::ask::{AskError, ask};
use self::pane::{Pane, Shown};
use crate::module::Module;
use crate::shared::commands::share;

/// The row of the table.
pub const MODULE: Module = Module {
    name: "builtin:btw",
    about: "the command /btw: questions beside the conversation",
    needs: &[],
    programs: &[],
    in_children: false,
    make: || Box::new(Btw),
};

/// The command.
const COMMAND: &str = "btw";
const USAGE: &str = "usage: /btw QUESTION";

/// The extension.
struct Btw;

/// What stops the questions that are open when the session ends.
#[derive(Clone, Default)]
struct Open(Arc<Mutex<CancellationToken>>);

impl Open {
    fn begin(&self) -> CancellationToken {
        self.0.lock().child_token()
    }

    fn stop(&self) {
        std::mem::take(&mut *self.0.lock()).cancel();
    }
}

impl Extension for Btw {
    fn name(&self) -> &str {
        COMMAND
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let open = Open::default();
        let asked = open.clone();
        let command = Command {
            name: COMMAND.to_owned(),
            description: Some("Ask a question beside the conversation".to_owned()),
            handler: Arc::new(move |question, ctx| {
                let cancel = asked.begin();
                Box::pin(async move { run(&question, &ctx, cancel).await })
            }),
            completer: None,
        };
        share(registrar, vec![command])?;
        registrar.on::<SessionShutdown>(move |_, _: Ctx| {
            open.stop();
            async { Ok(()) }
        });
        Ok(())
    }
}

async fn run(question: &str, ctx: &Ctx, cancel: CancellationToken) -> Result<(), HandlerError> {
    // A question that nobody waits for any more costs nothing more.
    let _ends = cancel.clone().drop_guard();
    // The run that is under way may be aborted without the question.
    let ctx = ctx.api()?.ctx(cancel.clone(), true)?;
    let question = question.trim();
    if question.is_empty() {
        return say(&ctx, Err(USAGE.to_owned()), NotifyLevel::Warning);
    }
    // Without a model the error is all there is to show.
    if ctx.ui().can_mount() && ctx.host().model().is_some() {
        return show(question, &ctx, &cancel).await;
    }
    match ask(&ctx, question, &cancel, |_| ()).await {
        Ok(answer) => say(&ctx, Ok(answer), NotifyLevel::Info),
        Err(AskError::Cancelled) => Ok(()),
        Err(error) => say(&ctx, Err(error.to_string()), NotifyLevel::Error),
    }
}

/// Shows the answer over the screen while it comes. Who closes it wants no more of it.
async fn show(question: &str, ctx: &Ctx, cancel: &CancellationToken) -> Result<(), HandlerError> {
    let shown = Arc::new(Shown::new(question));
    let asking = async {
        let done = ask(ctx, question, cancel, |text| shown.grow(text)).await;
        shown.end(done.map_err(|error| error.to_string()));
        std::future::pending::<Infallible>().await
    };
    let drawn = Arc::clone(&shown);
    let handle = mount(move |stage| Pane::new(stage, Arc::clone(&drawn)));
    tokio::select! {
        closed = ctx.ui().custom(handle, true) => closed.map(drop),
        never = asking => match never {},
    }
}

/// Says an answer, or why there is none, where nothing can be shown over a screen.
fn say(ctx: &Ctx, said: Result<Answer, String>, level: NotifyLevel) -> Result<(), HandlerError> {
    match said {
        Ok(answer) if ctx.has_ui() => ctx.ui().notify(&answer.to_string(), level),
        Ok(answer) => {
            let extension = Arc::clone(&ctx.owner().path);
            ctx.api()?.report(&Report::diagnostic(extension, format!("command:{COMMAND}"), answer.to_string()));
        }
        Err(why) if ctx.has_ui() => ctx.ui().notify(&why, level),
        Err(why) => return Err(HandlerError::msg(why)),
    }
    Ok(())
}
