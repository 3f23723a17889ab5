//! What is known of the git repository of a folder: one owner of all of it.
//!
//! - [`BranchWatch`] tells which branch is checked out: it reads git's own files, is started with the terminal, and costs
//!   next to nothing,
//! - [`GitFacts`] is the repository of a folder for everybody who is interested: [`Facts`] with its [`Status`], looked at
//!   while somebody subscribes, on threads of its own,
//! - [`Repository`] answers single questions, and blocks.
//!
//! Architecture Invariant: nothing here starts a program that a repository names, writes a file, or reaches a network. Git
//! itself is asked for one thing alone, the branch in a repository with reftables.

mod branch;
mod error;
mod facts;
mod forge;
mod limits;
mod place;
mod repository;
mod service;

pub use branch::{Branch, BranchWatch, Pace};
pub use error::GitError;
pub use facts::{Changes, DefaultBranch, Distance, Facts, Head, Kind, Names, Operation, Remote, Status, Upstream};
pub use forge::Forge;
pub use limits::{Limits, Stop};
pub use repository::{Alias, Repository, Scope, Value};
pub use service::{Found, GitFacts, View};
