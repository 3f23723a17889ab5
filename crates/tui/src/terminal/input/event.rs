//! What comes from a terminal.

use super::mouse::Mouse;
use super::reply::Reply;

/// One thing that came from the terminal.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A key, as the terminal sent it: a character, a control character or an escape sequence. [`tau_view::keys`] names it.
    Key(String),
    /// Text that was pasted.
    Paste(Paste),
    /// The mouse moved, or one of its buttons did.
    Mouse(Mouse),
    /// The terminal got the focus, or lost it.
    Focus(bool),
    /// An answer to something that was asked, or a report that was asked for. It may be forged: text that a program shows
    /// can make a terminal answer.
    Reply(Reply),
    /// A sequence that is neither a key nor a known answer, or the beginning of an answer whose rest did not come.
    Other(String),
    /// Nothing comes any more. Always the last one.
    End(End),
}

impl Event {
    /// The data as the terminal sent it, where listeners may want it: keys and pastes, these between the marks of a
    /// bracketed paste.
    pub fn raw(&self) -> Option<String> {
        match self {
            Self::Key(raw) => Some(raw.clone()),
            Self::Paste(paste) => Some(format!("\x1b[200~{}\x1b[201~", paste.text)),
            _ => None,
        }
    }
}

/// Text that came at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paste {
    /// The text, with the line ends that the terminal sent; bytes that are no UTF-8 are U+FFFD.
    pub text: String,
    /// How it was recognised, and how it ended.
    pub kind: PasteKind,
}

/// How a paste was recognised, and how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasteKind {
    /// Between the marks of a bracketed paste.
    Bracketed,
    /// As [`PasteKind::Bracketed`], but the mark of the end did not come in time.
    Unterminated,
    /// As [`PasteKind::Bracketed`], but longer than what is kept. The rest was dropped.
    Cut,
    /// Several lines that came at once without marks.
    Burst,
}

/// Why nothing comes any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum End {
    /// The input ended.
    #[error("the input of the terminal ended")]
    Closed,
    /// The terminal hung up.
    #[error("the terminal hung up")]
    HungUp,
    /// Reading or writing failed with this error.
    #[error("the terminal failed: {0}")]
    Failed(rustix::io::Errno),
}
