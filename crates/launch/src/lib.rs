//! From the command line to an open session, one way for every front end.
//!
//! A start has stages, each a type of its own that the next one is made from:
//!
//! | stage | has | what a front end may do before it goes on |
//! |---|---|---|
//! | [`Prepared`] | hooks without extensions | paint, answer dialogs, hear reports, decide about trust |
//! | [`Loaded`] | settings, trust, all extensions, models | show the flags of extensions |
//! | [`Configured`] | the whole command line, the providers of extensions | list models, make prompts, choose a session |
//! | [`Ready`] | a session file and a model | refuse another model than the one that was wanted |
//! | [`Unstarted`](tau_agent::Unstarted) | the session | listen |
//!
//! A front end goes through them as often as it opens sessions, and ends each with [`Ending`]. What a start has to say goes
//! to the [`Voice`] of the front end.
//!
//! Architecture Invariant: nothing here knows a terminal, standard input or output, or JavaScript. What runs scripts is handed
//! in with the [`Services`].

mod anchor;
pub mod args;
mod attach;
mod configured;
mod ending;
mod front_end;
mod installer;
mod launcher;
mod loaded;
pub mod models;
mod open_error;
mod prepared;
mod program;
mod ready;
mod resources;
mod scripts;
mod services;
mod sessions;
mod start;
mod stop;
mod trace;
mod voice;

pub use attach::{attach, prompts};
pub use configured::Configured;
pub use ending::Ending;
pub use front_end::{Asked, FrontEnd, ModeRow, Sessions};
pub use installer::{installer, is_offline};
pub use launcher::{Launcher, Request};
pub use loaded::Loaded;
pub use open_error::{OpenError, SessionChoiceError};
pub use prepared::{Prepared, Trust};
pub use ready::Ready;
pub use services::{Services, load_own};
pub use sessions::{Chooser, FolderAnswer, Unasked, Which, folder_of_sessions, folders, session_file};
pub use stop::{Interrupts, Stop};
pub use voice::{Notice, Voice};
