//! Those who hear what the user types before anybody else.

use std::fmt;
use std::sync::Arc;

use crate::error::HandlerError;
use crate::future::BoxFuture;

/// What becomes of input that a listener heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// It goes on as it is.
    Pass,
    /// Nobody else gets it.
    Consumed,
    /// This goes on in its place.
    Replaced(String),
}

/// Hears what the terminal sends.
pub trait InputListener: Send + Sync {
    /// Hears a key, undecoded as the terminal sent it. A front end does not wait long for the answer.
    ///
    /// # Errors
    /// What the listener failed with; the input goes on as it is.
    fn hear(&self, data: Arc<str>) -> BoxFuture<Result<Heard, HandlerError>>;

    /// Whether others keep it from hearing what it was asked about last.
    fn is_held_up(&self) -> bool {
        false
    }
}

/// A listener of an extension, as it is passed to front ends.
#[derive(Clone)]
pub struct ListenerHandle(pub Arc<dyn InputListener>);

impl fmt::Debug for ListenerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ListenerHandle")
    }
}

/// Compared by identity.
impl PartialEq for ListenerHandle {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
