//! Things with names, in the order in which they were added.

use std::collections::HashSet;
use std::ops::Deref;

/// What has a name.
pub(crate) trait Name {
    /// By which a later one takes its place.
    fn name(&self) -> &str;
}

impl<T> Name for (String, T) {
    fn name(&self) -> &str {
        &self.0
    }
}

/// A list in which no two things have one name. To add one costs the same however many there are.
pub(crate) struct Named<T> {
    items: Vec<T>,
    names: HashSet<String>,
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self { items: Vec::new(), names: HashSet::new() }
    }
}

impl<T: Name> Named<T> {
    /// Adds something at the end, in place of what has its name.
    pub(crate) fn put(&mut self, item: T) {
        if !self.names.insert(item.name().to_owned()) {
            self.items.retain(|other| other.name() != item.name());
        }
        self.items.push(item);
    }

    /// As [`Named::put`], for each.
    pub(crate) fn put_all(&mut self, items: Self) {
        items.items.into_iter().for_each(|item| self.put(item));
    }
}

impl<T> Deref for Named<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}
