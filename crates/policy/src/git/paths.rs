//! Paths as git sees them.

use std::path::{Component, Path, PathBuf};

use crate::world::World;

/// An absolute path without links, `.` and `..`.
pub(super) fn real(path: &Path, world: &dyn World) -> PathBuf {
    plain(&world.resolved(path))
}

/// A path without `.` and `..`, as its words say.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts
}
