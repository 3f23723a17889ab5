//! The task that owns the screen: everything that happens comes here, one after the other.

mod actions;
mod advice;
mod complete;
mod component_mouse;
mod effects;
mod facts;
mod frame;
mod header;
mod keep;
mod kept;
mod keys;
mod leave;
mod lend;
mod listen;
mod loaded;
mod mode;
mod mounts;
mod mouse;
mod notices;
mod overlays;
mod paste;
mod preview;
mod queue;
mod recent;
mod run;
mod say;
mod scope;
mod session;
mod sessions;
mod settings;
mod shortcuts;
mod start;
mod state;
mod status_line;
mod submit;
mod terminal;
mod texts;
mod theme;
mod tree;
mod ui;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use tau_agent::AgentSession;
use tau_agent::settings::Environment;
use tau_git::BranchWatch;
use tau_hooks::Hooks;
use tau_hooks::dialogs::DialogBackEnd;
use tau_tui::editor::EditorView;
use tau_tui::keymap::Keymap;
use tau_tui::look::SharedLook;
use tau_tui::terminal::capabilities::Capabilities;
use tau_tui::terminal::clipboard::Clipboard;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::chat::Chat;
use crate::dialogs::Stack;
use crate::dock::Dock;
use crate::known::Known;
use crate::mounts::{Laid, Mounts, Overlays};
use crate::screen::Screen;
use crate::told::Teller;

pub(crate) use leave::hint;
pub(crate) use run::{run, say};
pub(crate) use submit::{shell, submit};

/// Everything that is shown, and the session it is about.
pub(crate) struct App {
    screen: Screen,
    modes: mode::Modes,
    look: SharedLook,
    keys: Keymap,
    capabilities: Capabilities,
    clipboard: Clipboard,
    known: Known,
    env: Environment,
    hooks: Arc<Hooks>,
    back_end: DialogBackEnd,
    teller: Teller,
    tasks: TaskTracker,

    editor: EditorView,
    completing: complete::Completing,
    kept: crate::kept::Kept,
    /// Tells of the branch as long as it lives.
    branch: Option<BranchWatch>,
    panels: Stack,
    /// How many panels and overlays have been opened.
    opened: u64,
    /// The extension that named the window.
    title_of: Option<Arc<str>>,
    mounts: Mounts,
    overlays: Overlays,
    /// Where the last frame had them, the lowest first.
    laid: Vec<Laid>,
    component_mouse: component_mouse::ComponentMouse,
    standing: mounts::Standing,
    listening: listen::Listening,
    header: header::HeaderPlace,
    facts: facts::Told,
    dock: Dock,
    chat: Chat,
    /// Files that tools worked on, the newest first.
    recent: Vec<String>,
    /// The session, once it is started.
    session: Option<Arc<AgentSession>>,
    /// Questions that come before there is a session.
    asked: start::Asked,
    sent: submit::Sent,
    doing: state::Doing,
    status_line: crate::status_line::StatusLine,
    /// Since when calls of handlers are known to be at work.
    calls: HashMap<u64, Instant>,
    /// When the user last typed something into the editor.
    typed: Option<Instant>,
    /// The last key that does more when it is typed twice.
    last: Option<(Twice, Instant)>,
    /// When a shortcut of an extension ran last.
    shortcut_at: Option<Instant>,
    /// When the key came last that ends the program when it is typed twice.
    clear_came: Option<Instant>,
    /// Empty columns beside the text of the editor.
    padding: usize,
    /// The cursor is the terminal's own.
    hardware_cursor: bool,
    /// The shape that it has from tau.
    cursor_shape: Option<tau_tui::terminal::Shape>,
    /// What the command line says about the theme.
    use_theme: Option<String>,
    /// The theme that is selected in a list.
    previewed: Option<String>,
    /// The terminal was asked for its colours.
    asked_colours: bool,
    /// Whether the terminal is dark or light, as it last reported.
    appearance: Option<tau_view::theme::Appearance>,
    /// Watched as long as it is shown.
    theme_file: theme::ThemeFile,
    /// What was said about the user's keys.
    key_problems: Vec<String>,
    /// Writes settings, one after the other.
    keeper: keep::Keeper,
    /// The terminal has the focus, as far as is known.
    has_focus: bool,
    /// More is said about what was loaded.
    is_verbose: bool,
    notices: notices::Notices,
    /// When the terminal was told last that work is under way, if it was.
    progress: Option<Instant>,
    /// The extensions that say that work is under way.
    progress_of: Vec<Arc<str>>,
    /// The program is to be stopped, as with ctrl+z.
    suspends: bool,
    /// The text of the editor is to be edited by another program.
    edits_outside: bool,
    /// Extensions want the terminal for other programs, or give it back.
    lends: std::collections::VecDeque<(Arc<str>, tau_hooks::mount::Lend)>,
    /// The user wants the program to end.
    quits: CancellationToken,
}

/// A key that does more when it is typed twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Twice {
    Clear,
    Escape,
}
