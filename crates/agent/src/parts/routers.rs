//! The routers of virtual models that are being asked.

use std::collections::BTreeMap;

use super::lock::{Mutex, Part, Rank};

const ASKED: Rank = Rank::new(Part::Activity, 1);

/// How many requests may wait for the router of one model at once: one that asks its own model would wait for ever.
pub(crate) const ROUTING: usize = 64;

/// How often each router is being asked, by provider and id of its model.
pub(crate) struct Routers(Mutex<BTreeMap<(String, String), usize>>);

impl Default for Routers {
    fn default() -> Self {
        Self(Mutex::new(ASKED, BTreeMap::new()))
    }
}

/// A router is being asked while this lives.
pub(crate) struct RouterAsked<'a> {
    routers: &'a Routers,
    model: (String, String),
}

impl Routers {
    /// `None` when it is asked too often.
    pub(crate) fn begin(&self, model: (String, String)) -> Option<RouterAsked<'_>> {
        let mut all = self.0.lock();
        let count = all.entry(model.clone()).or_default();
        if *count >= ROUTING {
            return None;
        }
        *count += 1;
        drop(all);
        Some(RouterAsked { routers: self, model })
    }
}

impl Drop for RouterAsked<'_> {
    fn drop(&mut self) {
        let mut all = self.routers.0.lock();
        if let Some(count) = all.get_mut(&self.model) {
            *count -= 1;
            if *count == 0 {
                all.remove(&self.model);
            }
        }
    }
}
