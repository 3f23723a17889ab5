//! Who lives in an engine.

use std::any::Any;
use std::sync::Arc;

/// An extension that lives in an engine.
#[derive(Clone)]
pub struct Tenant {
    /// What people call it.
    pub name: Arc<str>,
    /// The file that it begins with.
    pub path: Arc<str>,
    /// Who it is, for the guest.
    pub who: Arc<dyn Any + Send + Sync>,
}
