//! Sequences for the terminal around tmux.

/// `sequence` so that tmux passes it on. Where it does not pass anything on, it shows nothing of it.
pub(crate) fn passed(sequence: &str) -> String {
    format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b"))
}
