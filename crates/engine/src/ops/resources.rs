//! Things JavaScript holds by number: open files, processes, sockets, servers.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::OpError;

/// The last number of a standard stream: files are known by the numbers of their resources, and none of them must look
/// like one of those.
const LAST_STREAM: u32 = 2;

/// What is open, by number.
pub struct Resources {
    next: Cell<u32>,
    open: RefCell<HashMap<u32, Rc<dyn Any>>>,
}

impl Default for Resources {
    fn default() -> Self {
        Self { next: Cell::new(LAST_STREAM), open: RefCell::default() }
    }
}

impl Resources {
    /// Keeps a resource; gives its number.
    pub fn add(&self, resource: Rc<dyn Any>) -> u32 {
        // Numbers are never used again: a late call must not reach a stranger.
        let rid = self.next.get() + 1;
        self.next.set(rid);
        self.open.borrow_mut().insert(rid, resource);
        rid
    }

    /// The resource of that number, when it is open and of that kind.
    ///
    /// # Errors
    /// `EBADF` when it is not.
    pub fn get<T: 'static>(&self, rid: u32) -> Result<Rc<T>, OpError> {
        let found = self.open.borrow().get(&rid).cloned();
        found
            .and_then(|resource| resource.downcast().ok())
            .ok_or_else(|| OpError { errno: Some(-9), ..OpError::new("EBADF", "EBADF: bad file descriptor") })
    }

    /// Forgets a resource; what is at work with it ends by itself.
    pub fn close(&self, rid: u32) -> Option<Rc<dyn Any>> {
        self.open.borrow_mut().remove(&rid)
    }

    /// Closes everything.
    pub fn clear(&self) {
        // Taken out first: what a resource does when dropped may come back here.
        let all = std::mem::take(&mut *self.open.borrow_mut());
        drop(all);
    }
}
