//! Packages from a registry and repositories on the loopback interface.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod access;
mod failures;
mod git;
mod install;
mod pins;
mod support;
mod tls;
