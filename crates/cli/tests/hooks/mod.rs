//! Hooks of every dialect in the real program: a scripted model, real files, real connections, and the effect of each.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod older_names;
mod omp;
mod original;
mod outside;
mod support;
mod together;
