//! Packages: fetched from npm registries and from git, checked against their hashes, unpacked with care, and pinned in a
//! lock file. No other program is needed but `git`, and that only for repositories.
//!
//! A [`Store`] is one place for packages: a folder with `node_modules`, one with repositories, and a lock file. Every
//! operation makes the new state beside the old one and puts it in place in one step, so a failure leaves what was there;
//! two processes that work on one store wait for each other.
//!
//! Architecture Invariant: nothing here knows hooks, sessions, terminals or settings. What a package means to tau is read
//! elsewhere; here it is files.

mod area;
mod chosen;
mod config;
mod error;
mod fetch;
mod git;
mod host;
mod http;
mod integrity;
mod journal;
mod lock;
mod manifest;
mod npmrc;
mod registry;
mod source;
mod spec;
mod store;
mod tree;
mod unpack;

pub use error::PackageError;
pub use lock::LOCK_FILE;
pub use source::{GitSource, NpmSource, Source};
pub use store::{Access, Change, Installed, Place, Report, Store, Wish};
