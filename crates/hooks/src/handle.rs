//! Live objects of an extension.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A live object of an extension, such as a function: it can be passed on and looked into by whoever knows its
/// type, but never written down.
#[derive(Clone)]
pub struct Handle(Arc<dyn Any + Send + Sync>);

impl Handle {
    /// Wraps an object.
    pub fn new(object: impl Any + Send + Sync) -> Self {
        Self(Arc::new(object))
    }

    /// The object, if it is a `T`.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handle(…)")
    }
}
