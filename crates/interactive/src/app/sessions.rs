//! The list of sessions: reading it, and what is done with other sessions.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tau_session::{EntryBody, Session, SessionInfo, SessionList};

use super::App;
use crate::dialogs::{ChosenSession, Entry, SessionsPanel, Shelf};
use crate::told::{Said, Teller, Told};

/// How many sessions are read before they are shown.
const BATCH: usize = 50;

impl App {
    /// Opens the list of sessions for the one who works in one.
    pub(super) fn choose_session(&mut self) {
        let Some(session) = self.session.clone() else { return };
        let (shelf, teller) = (Shelf::default(), self.teller.clone());
        let filled = shelf.clone();
        self.tasks.spawn_blocking(move || {
            for all in [false, true] {
                match session.sessions(all) {
                    Ok((list, index)) => {
                        fill(&filled, list, !all, &teller);
                        // An index that cannot be written costs time, nothing else.
                        if let Err(error) = index.save() {
                            tracing::debug!(%error, "the index of sessions is not kept");
                        }
                    }
                    Err(error) => return teller.tell(Told::Done(Said::Error(error.to_string()))),
                }
            }
        });
        let chosen = |path: Option<PathBuf>| match path {
            Some(path) => crate::dialogs::Effect::Send(format!("/resume {}", quoted(&path))),
            None => crate::dialogs::Effect::Nothing,
        };
        self.open_sessions(shelf, Box::new(chosen));
    }

    /// Opens a list of sessions that is being read.
    pub(super) fn open_sessions(&mut self, shelf: Shelf, chosen: ChosenSession) {
        let open = self.session.as_ref().and_then(|session| session.session().file().map(Path::to_owned));
        self.panels.open(Entry::own(SessionsPanel::new(shelf, open, chosen)), false);
        self.screen.changed();
    }

    /// Reads sessions into a list that is open.
    pub(super) fn read_sessions(&mut self, shelf: &Shelf, here: SessionList, all: SessionList) {
        let (shelf, teller) = (shelf.clone(), self.teller.clone());
        self.tasks.spawn_blocking(move || {
            fill(&shelf, here, true, &teller);
            fill(&shelf, all, false, &teller);
        });
    }

    /// Gives a session another name.
    pub(super) fn rename_session(&mut self, path: PathBuf, name: String, shelf: Shelf) {
        let open = self.session.clone().filter(|session| session.session().file() == Some(path.as_path()));
        let teller = self.teller.clone();
        self.tasks.spawn_blocking(move || {
            let done = match &open {
                Some(session) => session.rename(&name),
                None => Session::open(&path).and_then(|other| other.append(EntryBody::session_info(&name)).map(drop)),
            };
            match done {
                Ok(()) => {
                    shelf.rename(&path, &name);
                    teller.tell(Told::Changed);
                }
                Err(error) => teller.tell(Told::Done(Said::Error(format!("the session keeps its name: {error}")))),
            }
        });
    }

    /// Deletes a session: into the trash where there is a program for it.
    pub(super) fn delete_session(&mut self, path: PathBuf, shelf: Shelf) {
        let teller = self.teller.clone();
        self.tasks.spawn(async move {
            let mut trash = tokio::process::Command::new("trash");
            trash.arg(&path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
            let is_gone = trash.status().await.is_ok_and(|status| status.success()) && !path.exists();
            if !is_gone && let Err(error) = std::fs::remove_file(&path) {
                let why = format!("{} cannot be deleted: {error}", path.display());
                return teller.tell(Told::Done(Said::Error(why)));
            }
            shelf.remove(&path);
            let what = if is_gone { "Session moved to the trash" } else { "Session deleted" };
            teller.tell(Told::Done(Said::Status(what.to_owned())));
        });
    }
}

/// A path as an argument of a command.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let quote = if path.contains('"') { '\'' } else { '"' };
    format!("{quote}{path}{quote}")
}

fn fill(shelf: &Shelf, mut list: SessionList, is_here: bool, teller: &Teller) {
    loop {
        let batch: Vec<SessionInfo> = list.by_ref().take(BATCH).collect();
        let is_last = batch.len() < BATCH;
        shelf.add(batch, is_here, list.remaining());
        teller.tell(Told::Changed);
        if is_last {
            break;
        }
    }
}
