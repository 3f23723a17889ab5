//! What a session finds besides its prompt, and how it keeps up with changes.

mod contexts;
mod discover;
mod themes;
