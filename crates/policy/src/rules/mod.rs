//! Rules: data that judges what a command does.

mod allow;
mod claude;
mod condition;
mod document;
mod file;
mod narrow;
mod problem;
mod rewrite;
mod rule;
mod scope;
mod store;
mod verdict;

pub use file::RuleFile;
pub use narrow::{Narrow, narrow, with_rule, without_rule};
pub use problem::Problem;
pub use store::Store;
pub use verdict::{Action, Edit, FileVerdict, Finding, Origin, Verdict};

pub(crate) use condition::{Answer, Context, Evidence, Subject, is_there};
pub(crate) use file::shipped;
pub(crate) use rewrite::{apply, has_trailer, trailer_edit};
pub(crate) use rule::{Otherwise, Rewrite, Rule};
