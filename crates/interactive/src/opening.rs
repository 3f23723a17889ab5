//! From the command line to a session, while the screen is there already.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use tau_agent::{AgentSession, MissingFolder, Prompt, ToProblem, Unstarted};
use tau_launch::args::ArgsError;
use tau_launch::{Chooser, FolderAnswer, Notice, OpenError, Prepared, SessionChoiceError, Trust, Voice, Which};
use tau_session::SessionList;
use tokio::sync::oneshot;

use crate::end::End;
use crate::told::{Question, Teller, Told};

/// A session that is made and not started, with what the command line says about it.
pub(crate) struct Opened {
    pub(crate) unstarted: Unstarted,
    /// The prompts of the command line, the first with its files.
    pub(crate) prompts: Vec<Prompt>,
}

/// Why there is no session.
pub(crate) struct NotOpened {
    /// What to say, if anything.
    pub(crate) why: Option<String>,
    /// The exit code.
    pub(crate) code: u8,
}

impl NotOpened {
    fn new(error: &(impl ToProblem + ?Sized)) -> Self {
        Self { why: Some(error.to_problem().to_string()), code: 1 }
    }

    /// Says it, and how the program ends.
    pub(crate) fn say(self, voice: &Voice) -> End {
        match self.why {
            Some(why) if self.code == 0 => voice.note(why),
            Some(why) => voice.error(why),
            None => {}
        }
        End::Failed(self.code)
    }
}

/// Loads everything and makes the session.
pub(crate) async fn open(prepared: Prepared, teller: &Teller, voice: &Voice) -> Result<Opened, NotOpened> {
    let loaded = prepared.load(Trust::Dialogs).await.map_err(|error| NotOpened::new(&error))?;
    let configured =
        loaded.configure().await.map_err(|error| NotOpened { code: ArgsError::EXIT_CODE, ..NotOpened::new(&error) })?;
    let prompts = tau_launch::prompts(configured.cli(), configured.env(), None, voice)
        .map_err(|error| NotOpened { why: Some(error.to_string()), code: 1 })?;
    let asker = Asker(teller.clone());
    let ready = match configured.open(Which::Arguments(&asker)).await {
        Ok(ready) => ready,
        // The user left it.
        Err(OpenError::Choice(error @ SessionChoiceError::NotChosen(_))) => {
            return Err(NotOpened { why: Some(error.to_string()), code: 0 });
        }
        Err(error) => return Err(NotOpened::new(&error)),
    };
    if let Some(missing) = ready.missing() {
        teller.tell(Told::Notice(Notice::Warning(missing.notice())));
    }
    let unstarted = ready.build().map_err(|error| NotOpened::new(&error))?;
    Ok(Opened { unstarted, prompts })
}

/// Tells the screen what happens in a session.
pub(crate) fn listen(session: &Arc<AgentSession>, teller: &Teller) {
    let (teller, paced) = (teller.clone(), teller.clone());
    session.set_pace(Arc::new(move || paced.room()));
    session.listen(move |event| teller.tell(Told::Session(Box::new(event.clone()))));
}

/// Asks on the screen.
struct Asker(Teller);

impl Asker {
    async fn ask<T>(&self, question: impl FnOnce(oneshot::Sender<T>) -> Question) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        self.0.tell(Told::Ask(question(answer)));
        answered.await.ok()
    }
}

#[async_trait]
impl Chooser for Asker {
    async fn session(&self, here: SessionList, all: SessionList) -> Result<PathBuf, String> {
        let chosen = self.ask(|answer| Question::Session { here, all, answer }).await;
        chosen.flatten().ok_or_else(|| "No session was chosen.".to_owned())
    }

    async fn forks_from(&self, other: &Path) -> Option<bool> {
        self.ask(|answer| Question::Forks { other: other.to_owned(), answer }).await
    }

    async fn folder_is_gone(&self, missing: &MissingFolder) -> FolderAnswer {
        let missing = missing.clone();
        self.ask(|answer| Question::Folder { missing, answer }).await.unwrap_or(FolderAnswer::Cancelled)
    }
}
