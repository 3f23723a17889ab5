//! Packages from a registry and repositories on the loopback interface.

mod access;
mod failures;
mod git;
mod install;
mod pins;
mod support;
mod tls;
