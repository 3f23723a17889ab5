//! Values that extensions of the program share within a session.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::action_error::ActionError;
use crate::api::Api;

/// One value of each type.
#[derive(Default)]
pub(crate) struct SharedValues(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl SharedValues {
    fn get<T: Any + Send + Sync + Default>(&self) -> Arc<T> {
        let value = Arc::clone(self.0.lock().entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default())));
        value.downcast().unwrap_or_else(|_| {
            tau_ai::broken("a shared value has another type than its key says");
            Arc::default()
        })
    }
}

impl Api {
    /// The one value of this type that the extensions of the session share; the first who asks makes it. It lives as long as
    /// the hooks do, also when extensions are loaded again, so what belongs to one extension is better held weakly in it.
    /// Child sessions have values of their own.
    ///
    /// # Errors
    /// When the session is gone.
    pub fn shared<T: Any + Send + Sync + Default>(&self) -> Result<Arc<T>, ActionError> {
        Ok(self.hooks()?.shared.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_one_value() {
        let values = SharedValues::default();
        values.get::<Mutex<Vec<u8>>>().lock().push(1);
        assert_eq!(*values.get::<Mutex<Vec<u8>>>().lock(), [1]);
        assert!(values.get::<Mutex<Vec<u16>>>().lock().is_empty());
    }
}
