//! The first frame, the questions before there is a session, and the beginning of one.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tau_agent::settings::{Settings, keys};
use tau_agent::{AgentSession, MissingFolder, Prompt};
use tau_git::BranchWatch;
use tau_launch::{FolderAnswer, Prepared};
use tau_session::SessionList;
use tau_tui::editor::EditorView;
use tau_tui::keymap::Keymap;
use tau_tui::look::SharedLook;
use tau_tui::screen::Reflow;
use tau_tui::select::Item;
use tau_tui::terminal::capabilities::{Capabilities, Images, Multiplexer, Overrides};
use tau_tui::terminal::clipboard::Clipboard;
use tau_tui::terminal::input::Timing;
use tau_tui::terminal::{Options, Terminal, Variable};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::App;
use super::theme::{ThemeFile, is_automatic, look_of, reported, theme_without_files};
use crate::chat::{Chat, Failures, Painter};
use crate::dialogs::{Effect, Entry, ListPanel, Shelf, Stack};
use crate::dock::Dock;
use crate::known::Known;
use crate::mounts::{Mounts, Overlays};
use crate::screen::Screen;
use crate::told::{Question, Said, Teller, Told};

/// Who waits for answers before there is a session.
#[derive(Default)]
pub(super) struct Asked {
    session: Option<oneshot::Sender<Option<PathBuf>>>,
    forks: Option<oneshot::Sender<bool>>,
    folder: Option<oneshot::Sender<FolderAnswer>>,
}

impl Asked {
    /// Whether something is asked.
    pub(super) fn waits(&self) -> bool {
        self.session.is_some() || self.forks.is_some() || self.folder.is_some()
    }
}

impl App {
    /// Takes the terminal.
    ///
    /// # Errors
    /// When it is none, or the system refuses.
    pub(super) fn new(prepared: &Prepared, teller: &Teller) -> io::Result<Self> {
        let env = prepared.env().clone();
        let hooks = Arc::clone(prepared.hooks());
        // What a project says about the terminal counts once it is trusted.
        let settings = Settings::load(&env, false);
        let variables = env.clone();
        let variable: Variable = Arc::new(move |name: &str| variables.var(name).map(str::to_owned));
        let overrides = overrides(&settings);
        let capabilities = Capabilities::of(&*variable, overrides);
        let known = Known::of(&env, &capabilities.name);
        let answers = known.read();
        let (bindings, problems) = tau_agent::keybindings::read(&env);
        let keys = Keymap::new(bindings, capabilities.key_modes(answers.kitty == Some(true)));
        let use_theme = prepared.args().use_theme.clone();
        let setting = use_theme.as_deref().or(settings.theme());
        let theme = theme_without_files(setting, &reported(&answers, &*variable));
        let look = SharedLook::new(look_of(&settings, &capabilities, &answers, &theme));
        let (asked_colours, appearance) = (is_automatic(setting), answers.appearance);
        let options = Options {
            wanted: capabilities.wanted(asked_colours),
            timing: Timing::of(&*variable),
            known: answers,
            variable: Arc::clone(&variable),
        };
        let terminal = Terminal::take(io::stdin(), io::stdout(), options)?;
        // Of others the first change of the size tells.
        let wraps = capabilities.multiplexer == Some(Multiplexer::Tmux);
        let reflow = if wraps { Reflow::Yes } else { Reflow::Unknown };
        let screen = Screen::new(terminal, capabilities.marks, reflow);
        let tasks = TaskTracker::new();
        let pictures = {
            let teller = teller.clone();
            crate::pictures::Pictures::new(look.clone(), move |image| teller.tell(Told::Picture(image)), tasks.clone())
        };
        let mut app = Self {
            completing: super::complete::Completing::new(&env, teller),
            kept: crate::kept::Kept::default(),
            branch: None,
            chat: Chat::new(look.clone(), &env, pictures),
            dock: Dock::new(&env),
            clipboard: Clipboard::of(&*variable),
            back_end: hooks.dialogs.subscribe_mounting(),
            screen,
            facts: super::facts::Told::nothing(look.clone(), &env.home),
            look,
            keys,
            capabilities,
            known,
            env,
            hooks,
            teller: teller.clone(),
            tasks,
            editor: EditorView::new(),
            panels: Stack::default(),
            opened: 0,
            title_of: None,
            mounts: {
                let teller = teller.clone();
                Mounts::new(move |id, mounting| teller.tell(Told::Mount(id, mounting)), TaskTracker::new())
            },
            overlays: Overlays::default(),
            laid: Vec::new(),
            component_mouse: super::component_mouse::ComponentMouse::default(),
            standing: super::mounts::Standing::default(),
            listening: super::listen::Listening::default(),
            header: super::header::HeaderPlace::default(),
            recent: Vec::new(),
            session: None,
            asked: Asked::default(),
            sent: super::submit::Sent::default(),
            doing: super::state::Doing::default(),
            status_line: crate::status_line::StatusLine::default(),
            calls: HashMap::new(),
            typed: None,
            last: None,
            shortcut_at: None,
            clear_came: None,
            padding: 0,
            hardware_cursor: false,
            cursor_shape: None,
            use_theme,
            previewed: None,
            asked_colours,
            appearance,
            theme_file: ThemeFile::default(),
            key_problems: Vec::new(),
            keeper: super::keep::Keeper::default(),
            has_focus: true,
            is_verbose: prepared.args().verbose,
            notices: super::notices::Notices::default(),
            modes: super::mode::Modes::new(prepared.args().fullscreen),
            progress: None,
            progress_of: Vec::new(),
            suspends: false,
            edits_outside: false,
            lends: std::collections::VecDeque::new(),
            quits: CancellationToken::new(),
        };
        app.warn_of_keys(problems);
        app.follow_settings(&settings);
        app.open_kept();
        Ok(app)
    }

    /// Asks what has to be known before there is a session.
    pub(super) fn ask(&mut self, question: Question) {
        match question {
            Question::Session { here, all, answer } => {
                self.asked.session = Some(answer);
                self.offer_sessions(here, all);
            }
            Question::Forks { other, answer } => {
                self.asked.forks = Some(answer);
                let title =
                    format!("The session is of another project: {}\nContinue in a fork of it here?", other.display());
                let items = vec![Item::new("Fork it into this directory"), Item::new("Cancel")];
                let panel = ListPanel::new(title, items, None, |at| Effect::Forks(at == Some(0)));
                self.panels.open(Entry::own(panel), self.is_writing());
                self.screen.changed();
            }
            Question::Folder { missing, answer } => {
                self.asked.folder = Some(answer);
                self.offer_folders(&missing);
            }
        }
    }

    fn offer_folders(&mut self, missing: &MissingFolder) {
        let title = format!("The directory of the session is gone: {}", missing.folder.display());
        let here = missing.here.display();
        let items = vec![
            Item::new("Continue here").about(format!("in {here}; asks again next time")),
            Item::new("Fork").about(format!("a new session in {here}; this one stays as it is")),
            Item::new("Cancel"),
        ];
        let panel = ListPanel::new(title, items, None, |at| {
            Effect::Folder(match at {
                Some(0) => FolderAnswer::Here,
                Some(1) => FolderAnswer::Fork,
                _ => FolderAnswer::Cancelled,
            })
        });
        self.panels.open(Entry::own(panel), self.is_writing());
        self.screen.changed();
    }

    fn offer_sessions(&mut self, here: SessionList, all: SessionList) {
        let shelf = Shelf::default();
        self.read_sessions(&shelf, here, all);
        self.open_sessions(shelf, Box::new(Effect::Session));
    }

    /// Opens a list of tau's.
    pub(super) fn open_list(
        &mut self,
        title: String,
        items: Vec<Item>,
        current: Option<usize>,
        chosen: impl FnMut(Option<usize>) -> Effect + Send + 'static,
    ) {
        self.panels.open(Entry::own(ListPanel::new(title, items, current, chosen)), false);
        self.screen.changed();
    }

    /// Gives an answer to who waits for it.
    pub(super) fn answer_early(&mut self, effect: Effect) {
        let is_heard = match effect {
            Effect::Session(session) => self.asked.session.take().map(|to| to.send(session).is_ok()),
            Effect::Forks(forks) => self.asked.forks.take().map(|to| to.send(forks).is_ok()),
            Effect::Folder(folder) => self.asked.folder.take().map(|to| to.send(folder).is_ok()),
            _ => None,
        };
        if is_heard == Some(false) {
            tracing::debug!("the start was given up before this answer");
        }
    }

    /// There is a session, which is not started yet.
    pub(super) fn begin(&mut self, session: &Arc<AgentSession>, prompts: Vec<Prompt>) {
        self.session = Some(Arc::clone(session));
        let (hooks, teller, tasks) = (Arc::clone(session.hooks()), self.teller.clone(), self.tasks.clone());
        let tell = Arc::new(move |painting| teller.tell(Told::Painting(painting)));
        let teller = self.teller.clone();
        let failed = Arc::new(move |why| teller.tell(Told::Done(Said::Error(why))));
        self.chat.set_painter(Painter { hooks, tell, failed, tasks, failures: Failures::default() });
        self.sent.first = prompts.into();
        let settings = self.settings();
        self.follow_settings(&settings);
        self.theme_changed();
    }

    /// The session is started: extensions are bound.
    pub(super) fn started(&mut self) {
        self.dock.is_ready = true;
        self.watch_branch();
        self.commands_changed();
        self.show_header();
        self.warn_of_clashes();
        self.warn_without_model();
        self.ask_tmux();
        self.show_history();
        self.refresh_status_line();
        self.send_next();
        self.screen.changed();
    }

    fn watch_branch(&mut self) {
        let told = self.teller.clone();
        self.branch = Some(BranchWatch::start(self.env.cwd.clone(), move |branch| {
            told.tell(Told::Branch(branch.map(|branch| branch.text().to_owned())));
        }));
    }

    /// The session that is open now works in its own folder: so do the footer, the title and what is completed.
    pub(super) fn follow_folder(&mut self) {
        let Some(cwd) = self.session.as_ref().map(|session| session.cwd()).filter(|cwd| *cwd != self.env.cwd) else {
            return;
        };
        self.env.cwd = cwd;
        self.dock.set_folder(&self.env);
        self.completing = super::complete::Completing::new(&self.env, &self.teller);
        self.watch_branch();
    }
}

/// What settings say about the terminal.
pub(super) fn overrides(settings: &Settings) -> Overrides {
    Overrides {
        true_colour: settings.of(keys::TERMINAL_TRUE_COLOR).and_then(Value::as_bool),
        links: settings.of(keys::TERMINAL_HYPERLINKS).and_then(Value::as_bool),
        images: images(settings),
        plain: false,
    }
}

/// How images are shown, if settings say so.
fn images(settings: &Settings) -> Option<Option<Images>> {
    match settings.of(keys::TERMINAL_IMAGES)? {
        Value::Bool(false) => Some(None),
        Value::String(name) if name == "kitty" => Some(Some(Images::Kitty)),
        Value::String(name) if name == "iterm2" => Some(Some(Images::Iterm)),
        _ => None,
    }
}
