//! Sessions that were saved.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{ListSessionsResponse, SessionId, SessionInfo};
use jiff::Timestamp;
use tau_agent::settings::{Environment, SettingsStore};
use tau_launch::{folder_of_sessions, folders, session_file};
use tau_session::{SessionIndex, SessionInfo as Saved, SessionList, session_dirs};

use super::errors::{bad_params, failed, no_session};
use super::server::Server;

/// How many sessions are listed at once.
const PAGE: usize = 50;

/// The longest title, in characters.
const LONGEST_TITLE: usize = 100;

impl Server {
    /// The sessions of a directory, or of all, those first that were written last.
    pub(super) async fn list(
        self: &Arc<Self>,
        cwd: Option<PathBuf>,
        cursor: Option<String>,
    ) -> Result<ListSessionsResponse, Error> {
        let skip = match cursor {
            Some(cursor) => {
                cursor.parse::<usize>().map_err(|_| bad_params(format!("{cursor} is no cursor of tau.")))?
            }
            None => 0,
        };
        let server = Arc::clone(self);
        let page = move || {
            let dirs = match &cwd {
                Some(cwd) => {
                    server.check_directory(cwd)?;
                    vec![server.folder(&Environment { cwd: cwd.clone(), ..server.launcher.env().clone() })]
                }
                None => server.all_folders(),
            };
            let index = Arc::new(SessionIndex::load(&server.launcher.env().session_index()));
            let list = SessionList::new(&dirs, Arc::clone(&index)).map_err(failed)?;
            let fits = |saved: &Saved| {
                let has_place = Path::new(&saved.cwd).is_absolute();
                has_place && cwd.as_ref().is_none_or(|cwd| Path::new(&saved.cwd) == cwd)
            };
            let mut list = list.filter(fits).skip(skip);
            let page: Vec<SessionInfo> = list.by_ref().take(PAGE).map(|saved| info(&saved)).collect();
            let more = page.len() == PAGE && list.next().is_some();
            // An index that cannot be written costs time, nothing else.
            if let Err(error) = index.save() {
                tracing::debug!(%error, "the index of sessions is not kept");
            }
            Ok(ListSessionsResponse::new(page).next_cursor(more.then(|| (skip + PAGE).to_string())))
        };
        tokio::task::spawn_blocking(page).await.map_err(failed)?
    }

    /// Removes a session for good. One that is open is closed before.
    pub(super) async fn delete(self: &Arc<Self>, id: &SessionId) -> Result<(), Error> {
        let file = match self.conversation(id) {
            Ok(open) => open.session.session().file().map(Path::to_owned),
            Err(_) => None,
        };
        let was_open = self.close(id).await;
        let (server, wanted) = (Arc::clone(self), id.to_string());
        let remove = move || {
            let file = file.or_else(|| session_file(&server.all_folders(), &wanted));
            match file {
                Some(file) => std::fs::remove_file(&file).map(|()| true),
                None => Ok(false),
            }
        };
        match tokio::task::spawn_blocking(remove).await.map_err(failed)? {
            Ok(true) => Ok(()),
            Ok(false) if was_open => Ok(()),
            // A session without messages has no file yet.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Ok(false) => Err(no_session(id)),
            Err(error) => Err(failed(format!("The session could not be removed: {error}"))),
        }
    }

    /// Where the sessions of a directory are, unless an extension chose another place.
    fn folder(&self, env: &Environment) -> PathBuf {
        let settings = SettingsStore::open(env, false).snapshot();
        folder_of_sessions(&self.args, env, &settings, None)
    }

    fn all_folders(&self) -> Vec<PathBuf> {
        let env = self.launcher.env();
        let mut dirs = folders(&self.folder(env), env);
        dirs.extend(session_dirs(&env.agent_dir()));
        dirs.sort();
        dirs.dedup();
        dirs
    }
}

fn info(saved: &Saved) -> SessionInfo {
    let first = saved.first_message.as_deref().map(title);
    let written = Timestamp::from_millisecond(saved.modified_ms).ok().map(|time| time.to_string());
    SessionInfo::new(saved.id.clone(), &*saved.cwd)
        .title(saved.name.clone().or(first).filter(|title| !title.is_empty()))
        .updated_at(written)
}

/// The beginning of a message, on one line.
fn title(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST_TITLE) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}
