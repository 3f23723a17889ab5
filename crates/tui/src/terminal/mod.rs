//! The terminal itself: modes, input, answers, output.
//!
//! [`Terminal::take`] makes the terminal of the program raw, switches on what is wanted and asks what is not known, in one
//! write. [`Terminal::next`] says what happens; [`Terminal::writer`] takes what is to be shown. Both work on threads of their
//! own, so that neither a session nor a slow terminal holds the other up. The terminal is put back on every way out.
//!
//! [`LineTerminal`] is for terminals, and for readers of screens, that take nothing but text at the end.

mod answers;
pub mod capabilities;
pub mod clipboard;
pub mod colours;
mod guard;
pub mod input;
mod lines;
mod own;
mod reader;
pub mod say;
mod size;
mod switches;
mod tty;
mod writer;

pub use answers::Answers;
pub use guard::restore_now;
pub use lines::{LineTerminal, Typed};
pub use own::{Incoming, Options, Terminal, Variable};
pub use size::{Settling, Size};
pub use switches::{Question, Reports, Shape, Switch, Wanted};
pub use writer::Writer;
