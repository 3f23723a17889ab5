//! The authorization code: the browser brings it, or the user pastes it, whichever comes first.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use url::Url;

use super::callback::Callback;
use super::failure::Failure;
use super::login::{LoginNotice, LoginQuestion, LoginUi};
use super::paste::{Code, pasted};

/// How long the user may take to sign in.
pub(super) const PATIENCE: Duration = Duration::from_secs(300);

/// A sign-in page, and where its code comes back.
pub(super) struct Page<'p> {
    /// The page.
    pub(super) url: &'p Url,
    /// The server, for people.
    pub(super) host: &'p str,
    /// What marks this login.
    pub(super) state: Option<&'p str>,
    /// How long the user may take.
    pub(super) patience: Duration,
    /// Where the browser brings the code, if tau can listen there.
    pub(super) callback: Option<&'p Callback>,
}

/// Shows the page and waits for its code.
pub(super) async fn code(page: Page<'_>, ui: &Arc<dyn LoginUi>, cancel: &CancellationToken) -> Result<Code, Failure> {
    let instructions = "If the browser runs on another machine, paste the address that it ends at, or the code.";
    ui.show(LoginNotice::Url { url: page.url.to_string(), instructions: Some(instructions.to_owned()) });
    let brought = async {
        match page.callback {
            Some(callback) => callback.code(page.host, page.state).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(Failure::Cancelled),
        code = brought => code,
        code = typed(&page, ui) => code,
        () = tokio::time::sleep(page.patience) => Err(Failure::Abandoned(page.patience)),
    }
}

/// The code that the user pastes. Something else is asked for again.
async fn typed(page: &Page<'_>, ui: &Arc<dyn LoginUi>) -> Result<Code, Failure> {
    loop {
        let Some(text) = ui.ask(LoginQuestion::Code).await else { return Err(Failure::Cancelled) };
        match pasted(&text, page.host, page.state) {
            Err(failure @ (Failure::NoCode | Failure::OtherLogin)) => {
                ui.show(LoginNotice::Progress(sentence(&failure)));
            }
            done => return done,
        }
    }
}

fn sentence(failure: &Failure) -> String {
    let text = failure.to_string();
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), chars.as_str()))
}
