//! Models and wire formats as their users see them: one program of tests, so that it is linked once.

mod registry;
mod wire;
