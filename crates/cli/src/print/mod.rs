//! Print and JSON mode: the prompts of the command line, one after another, and what comes of them.

mod json;
mod prompts;
mod text;
mod trouble;

use std::process::ExitCode;

use async_trait::async_trait;
use tau_launch::{FrontEnd, Launcher, Prepared, Request, Stop, Which};

use crate::exit::{End, FAILURE, Reported, code_of};
use crate::one_session;
use crate::pick::Lines;
use crate::rpc::Partials;

/// Sends the prompts of the command line.
pub(crate) struct Prompts {
    pub(crate) form: Form,
}

/// What goes to standard output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The answer.
    Text,
    /// Every event as a line of JSON.
    Json,
}

#[async_trait(?Send)]
impl FrontEnd for Prompts {
    async fn run(self: Box<Self>, launcher: &Launcher, stop: Stop) -> ExitCode {
        let prepared = launcher.prepare(Request::default());
        let ending = prepared.ending();
        // What a start needs is large. In a box it is not moved, so it touches less of the stack.
        let done = Box::pin(self.session(launcher, prepared, &stop)).await;
        ending.end().await;
        code_of(done, &ending)
    }
}

impl Prompts {
    async fn session(&self, launcher: &Launcher, prepared: Prepared, stop: &Stop) -> Result<End, Reported> {
        let configured = one_session::configure(prepared).await?;
        let prompts = prompts::prompts(configured.cli(), configured.env(), launcher.voice())?;
        let partials = Partials::of(&configured.cli().args);
        let opened = configured.open(Which::Arguments(&Lines)).await;
        let ready = opened.map_err(|error| Reported::fail(&error))?;
        if let Some(missing) = ready.missing() {
            // Nobody is there to see that another model answers, at another price.
            return Err(Reported::fail(&missing.refusal()));
        }
        let (session, is_started) = one_session::begin(ready, stop, |session| match self.form {
            Form::Json => json::begin(session, partials),
            Form::Text => {}
        })
        .await?;
        let code = match self.form {
            _ if !is_started => FAILURE,
            Form::Json => json::json(&session, prompts, stop).await,
            Form::Text => text::print(&session, prompts, stop).await,
        };
        let code = one_session::end(&session, code).await;
        Ok(stop.code().map_or(End::Own(code), End::Other))
    }
}
