//! Models and wire formats as their users see them: one program of tests, so that it is linked once.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod local;
mod oauth;
mod registry;
mod wire;
