//! Where a session file is. It moves when something else has taken its name.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The path of a file, and the paths it moved to. Older ones stay, so that references to them do.
#[derive(Debug)]
pub(crate) struct Place {
    path: PathBuf,
    next: OnceLock<Box<Place>>,
}

impl Place {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, next: OnceLock::new() }
    }

    fn last(&self) -> &Self {
        let mut last = self;
        while let Some(next) = last.next.get() {
            last = next;
        }
        last
    }

    /// Where the file is now.
    pub(crate) fn path(&self) -> &Path {
        &self.last().path
    }

    pub(crate) fn move_to(&self, path: PathBuf) {
        let mut new = Box::new(Self::new(path));
        while let Err(back) = self.last().next.set(new) {
            new = back;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_paths_stay() {
        let place = Place::new("a".into());
        let first = place.path();
        place.move_to("b".into());
        place.move_to("c".into());
        assert_eq!((first, place.path()), (Path::new("a"), Path::new("c")));
    }
}
