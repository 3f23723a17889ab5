//! The rules about commands as they are in force: for the gate of the module `enforcement`, and for `tau policy`, which works
//! without a session.
//!
//! [`PolicyFiles`] reads the rule files of the user and the project, [`allowed`] keeps what the user allowed for good, and
//! [`facts`] says what rules depend on. The rules themselves are in `tau_policy`.

pub mod allowed;
pub mod facts;
mod files;
mod places;
pub mod report;
mod shell;

pub use files::{Now, PolicyFiles, Wanted};
pub use places::{NAME, Places};
pub use shell::{Prefixed, is_posix};
