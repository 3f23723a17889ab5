//! Folders that classes of paths are relative to.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::world::World;

/// A machine, and its folders.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) world: &'a dyn World,
    pub(crate) places: &'a Places,
}

/// Folders that classes of paths are relative to, found once for a judgement.
pub(crate) struct Places {
    pub(crate) home: Option<PathBuf>,
    /// The work tree that the session is in, or its directory.
    pub(crate) project: PathBuf,
    /// The folder of the user's settings of tau and pi.
    pub(crate) agent: Option<PathBuf>,
    resolved: RefCell<HashMap<PathBuf, PathBuf>>,
}

impl Places {
    pub(crate) fn of(world: &dyn World) -> Self {
        let home = world.home(None);
        let root = world.repository(world.directory()).ok().flatten().and_then(|found| found.work_tree());
        let agent = world.variable("PI_CODING_AGENT_DIR").filter(|path| path.starts_with('/')).map(PathBuf::from);
        Self {
            agent: agent.or_else(|| home.as_ref().map(|home| home.join(".pi/agent"))),
            project: root.unwrap_or_else(|| world.directory().to_owned()),
            home,
            resolved: RefCell::default(),
        }
    }

    /// The path with its links followed.
    pub(crate) fn resolved(&self, world: &dyn World, path: &Path) -> PathBuf {
        let known = self.resolved.borrow().get(path).cloned();
        known.unwrap_or_else(|| {
            let found = world.resolved(path);
            self.resolved.borrow_mut().insert(path.to_owned(), found.clone());
            found
        })
    }
}
