//! Who says which session is opened, and how one continues whose directory is gone.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use tau_agent::MissingFolder;
use tau_hooks::payload::SessionShutdownReason;
use tau_launch::{Chooser, FolderAnswer, Request, Unasked, Which};
use tau_session::SessionList;

use crate::support::{Log, Place, configured, name, say};

/// Answers always the same, and notes what it is asked.
struct Answers {
    log: Log,
    folder: FolderAnswer,
    forks: Option<bool>,
}

#[async_trait]
impl Chooser for Answers {
    async fn session(&self, mut here: SessionList, all: SessionList) -> Result<PathBuf, String> {
        self.log.push(format!("which of {} and {}", here.remaining(), all.remaining()));
        here.next().map(|info| info.path).ok_or_else(|| "There is none.".to_owned())
    }

    async fn forks_from(&self, other: &Path) -> Option<bool> {
        self.log.push(format!("fork from {}", name(other)));
        self.forks
    }

    async fn folder_is_gone(&self, missing: &MissingFolder) -> FolderAnswer {
        self.log.push(format!("{} is gone", name(&missing.folder)));
        self.folder
    }
}

/// Opens what the arguments mean; gives its id, or why there is none.
async fn open(place: &Place, args: &[&str], chooser: &dyn Chooser) -> Result<String, String> {
    let prepared = place.launcher(args).prepare(Request::default());
    let ending = prepared.ending();
    let opened = configured(prepared).await.open(Which::Arguments(chooser)).await;
    ending.end().await;
    place.log.take();
    opened.map(|ready| ready.id().to_owned()).map_err(|error| error.to_string())
}

/// A session that was saved in a directory; gives its id.
async fn saved(place: &Place, folder: &Path) -> String {
    std::fs::create_dir_all(folder).expect("a directory");
    let prepared = place.launcher(&[]).prepare(Request { cwd: Some(folder.to_owned()) });
    let ending = prepared.ending();
    let ready = configured(prepared).await.open(Which::New).await.expect("a session");
    let session = ready.build().expect("a session file").start().await;
    say(&session, "Hello").await;
    session.shut_down(SessionShutdownReason::Quit).await;
    ending.end().await;
    place.log.take();
    session.session().id().to_owned()
}

#[tokio::test]
async fn the_front_end_chooses_the_session() {
    let place = Place::new();
    let chooser = Answers { log: Log::default(), folder: FolderAnswer::Unasked, forks: None };
    assert_eq!(open(&place, &["--resume"], &chooser).await, Err("There is none.".to_owned()));
    assert_eq!(chooser.log.take(), ["which of 0 and 0"]);
    let here = saved(&place, &place.home.cwd()).await;
    saved(&place, &place.home.home().join("elsewhere")).await;
    assert_eq!(open(&place, &["--resume"], &chooser).await, Ok(here));
    assert_eq!(chooser.log.take(), ["which of 1 and 2"]);
    let refused = open(&place, &["--resume"], &Unasked).await.expect_err("nobody to ask");
    assert!(refused.starts_with("--resume asks which session"), "{refused}");
}

#[tokio::test]
async fn the_front_end_says_whether_another_projects_session_is_forked() {
    let place = Place::new();
    let there = saved(&place, &place.home.home().join("elsewhere")).await;
    for (forks, wanted) in [
        (Some(false), Err("No session was opened.".to_owned())),
        (None, Err("Session found in different project".to_owned())),
        (Some(true), Ok(())),
    ] {
        let chooser = Answers { log: Log::default(), folder: FolderAnswer::Unasked, forks };
        let opened = open(&place, &["--session", &there], &chooser).await;
        assert_eq!(chooser.log.take(), ["fork from elsewhere"]);
        match (opened, wanted) {
            (Ok(id), Ok(())) => assert_ne!(id, there),
            (Err(error), Err(wanted)) => assert!(error.starts_with(&wanted), "{error}"),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn the_front_end_says_how_a_session_continues_whose_directory_is_gone() {
    let place = Place::new();
    let folder = place.home.home().join("gone");
    let id = saved(&place, &folder).await;
    std::fs::remove_dir_all(&folder).expect("it is removed");
    let file = tau_session::find_sessions(&tau_session::session_dirs(&place.home.agent_dir()), &id);
    let file = file.first().expect("a file").0.display().to_string();
    for (answer, wanted) in [
        (FolderAnswer::Here, Ok(true)),
        (FolderAnswer::Fork, Ok(false)),
        (FolderAnswer::Cancelled, Err("No session was opened.")),
        (FolderAnswer::Unasked, Err("Stored session working directory does not exist: ")),
    ] {
        let chooser = Answers { log: Log::default(), folder: answer, forks: None };
        let opened = open(&place, &["--session", &file], &chooser).await;
        assert_eq!(chooser.log.take(), ["gone is gone"]);
        match (opened, wanted) {
            (Ok(opened), Ok(is_same)) => assert_eq!(opened == id, is_same, "{answer:?}"),
            (Err(error), Err(wanted)) => assert!(error.starts_with(wanted), "{error}"),
            other => panic!("{answer:?}: {other:?}"),
        }
    }
}
