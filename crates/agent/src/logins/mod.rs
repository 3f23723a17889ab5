//! Logins that somebody takes care of, and keys: kept in `auth.json`, renewed before they expire, turned into keys.
//!
//! Several sessions and programs share the file. Whoever renews holds its lock meanwhile and looks at the file again
//! first, so that a token is renewed once, whoever needs it. Tokens appear in no message.

mod dialogs;
mod error;
mod file;
mod import;
mod renew;
mod state;
mod store;

pub(crate) use dialogs::Dialogs;
pub use error::LoginError;
pub use file::{AuthFileError, StoredKind, check_auth_text};
pub use import::{FoundKey, FoundKeys, ImportError, find_keys};
pub(crate) use renew::{RENEWAL_PATIENCE, Ready, Renewals, project, ready, renew_refused};
pub use state::CredentialState;
pub use store::Logins;
