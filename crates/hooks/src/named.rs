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

    /// As [`Named::put`], for each. To replace one costs the same however many there are, too.
    pub(crate) fn put_all(&mut self, items: impl IntoIterator<Item = T>) {
        let items: Vec<T> = items.into_iter().collect();
        let new: HashSet<&str> = items.iter().map(T::name).collect();
        if new.iter().any(|name| self.names.contains(*name)) {
            self.items.retain(|other| !new.contains(other.name()));
            self.names.retain(|name| !new.contains(name.as_str()));
        }
        items.into_iter().for_each(|item| self.put(item));
    }
}

impl<T> IntoIterator for Named<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<T> Deref for Named<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}
