//! The menu of `/mcp`: the servers, a page for each, and what can be done about it.

mod actions;
mod pages;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use parking_lot::Mutex;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::mount::{Menu, MenuPage, menu};
use tau_hooks::{Ctx, HandlerError};
use tokio::sync::{mpsc, watch};

use self::actions::Action;
use super::session::Open;
use crate::auth::key;
use crate::config::address;

/// A page of the menu.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Page {
    /// All servers.
    Servers,
    /// What is known of one and what can be done about it.
    Server(String),
    /// Its tools.
    Tools(String),
    /// One of them.
    Tool(String, String),
    /// Its prompts.
    Prompts(String),
    /// How its tools are reached.
    Exposure(String),
}

impl Page {
    /// The page that this one was opened from.
    fn parent(&self) -> Option<Self> {
        match self {
            Self::Servers => None,
            Self::Server(_) => Some(Self::Servers),
            Self::Tools(name) | Self::Prompts(name) | Self::Exposure(name) => Some(Self::Server(name.clone())),
            Self::Tool(name, _) => Some(Self::Tools(name.clone())),
        }
    }
}

/// What became of the last action: whether it failed, and a line about it.
type Note = Option<(bool, String)>;

/// The menu of a session.
struct Servers {
    open: Arc<Open>,
    /// Whether the project may have a file.
    is_trusted: bool,
    page: Mutex<Page>,
    note: Mutex<Note>,
    /// Whether the user is signed in at the server of the page.
    is_signed_in: AtomicBool,
    cwd: PathBuf,
    changes: watch::Sender<u64>,
    /// What is to be done.
    wanted: mpsc::UnboundedSender<Action>,
}

impl Servers {
    fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    fn go(&self, page: Page) {
        *self.page.lock() = page;
        *self.note.lock() = None;
        self.look_at_login();
        self.changed();
    }

    /// Reads whether there is a login. Pages are drawn too often for that.
    fn look_at_login(&self) {
        let server = match &*self.page.lock() {
            Page::Server(name) => self.open.manager.server(name),
            _ => None,
        };
        let is_signed_in = server.is_some_and(|server| {
            let entry = server.entry();
            let address = address(&entry.config, &self.open.options.values(self.cwd.clone()));
            // A file that cannot be read is reported where it is used.
            address.is_some_and(|url| self.open.logins.file().has(&key(&entry.name, &url)).unwrap_or(false))
        });
        self.is_signed_in.store(is_signed_in, Ordering::Relaxed);
    }

    fn note(&self, note: Note) {
        *self.note.lock() = note;
        self.look_at_login();
        self.changed();
    }

    fn wants(&self, action: Action) {
        *self.note.lock() = None;
        // Nobody does anything any more once the menu is gone.
        if self.wanted.send(action).is_err() {
            tracing::debug!("the menu of MCP servers is gone");
        }
    }
}

impl Menu for Servers {
    fn page(&self) -> MenuPage {
        let page = self.page.lock().clone();
        let note = self.note.lock().clone();
        let can = pages::Can { change_project: self.is_trusted, sign_out: self.is_signed_in.load(Ordering::Relaxed) };
        pages::page(&self.open, can, &page, note)
    }

    fn choose(&self, row: &str) -> bool {
        let page = self.page.lock().clone();
        match pages::chosen(&page, row) {
            pages::Chosen::Page(page) => self.go(page),
            pages::Chosen::Action(action) => {
                let is_done = matches!(action, Action::Write(_));
                if matches!(action, Action::Expose { .. })
                    && let Some(parent) = page.parent()
                {
                    self.go(parent);
                }
                self.wants(action);
                return is_done;
            }
            pages::Chosen::Nothing => {}
        }
        false
    }

    fn back(&self) -> bool {
        let parent = self.page.lock().parent();
        match parent {
            Some(parent) => {
                self.go(parent);
                false
            }
            None => true,
        }
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

/// Shows the menu until the user leaves it. What the user asked for is done to its end.
pub(super) async fn show(open: &Arc<Open>, ctx: &Ctx) -> Result<(), HandlerError> {
    let (wanted, mut actions) = mpsc::unbounded_channel();
    let servers = Arc::new(Servers {
        open: Arc::clone(open),
        is_trusted: ctx.host().is_project_trusted(),
        page: Mutex::new(Page::Servers),
        note: Mutex::default(),
        is_signed_in: AtomicBool::new(false),
        cwd: ctx.cwd(),
        changes: watch::Sender::new(0),
        wanted,
    });
    let mut states = open.manager.changes();
    let mut shown = std::pin::pin!(ctx.ui().custom(menu(Arc::clone(&servers) as _), false));
    let mut running = FuturesUnordered::new();
    let done = loop {
        tokio::select! {
            biased;
            Some(action) = actions.recv() => running.push(action.run(open, ctx)),
            Some(said) = running.next() => servers.note(match said {
                Ok(said) => said.map(|said| (false, said)),
                Err(error) => Some((true, error.to_string())),
            }),
            Ok(()) = states.changed() => servers.changed(),
            done = &mut shown => break done,
        }
    };
    // The last key may have asked for something.
    while let Ok(action) = actions.try_recv() {
        running.push(action.run(open, ctx));
    }
    // There is no menu any more that could say what becomes of it.
    let mut failed = done.err();
    while let Some(said) = running.next().await {
        match said {
            Ok(said) => said.into_iter().for_each(|said| ctx.ui().notify(&said, NotifyLevel::Info)),
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(()), Err)
}
