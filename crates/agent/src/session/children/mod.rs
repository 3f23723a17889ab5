//! Child sessions: sessions that extensions of a session open. See [`crate::children`].

mod bounds;
mod handle;
mod open;
