//! Which program a name means, and how children find this very program as `pi`.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use tempfile::TempDir;

/// What a system looks through when there is no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/bin:/usr/bin";

/// A folder of its own with a link named `pi`, first on the `PATH` of every child: extensions that start their
/// agent again get the one they run in. Made for the first child, removed with the engine.
#[derive(Default)]
pub(crate) struct Programs {
    folder: std::cell::OnceCell<Option<TempDir>>,
}

impl Programs {
    fn folder(&self, program: &Path) -> Option<&Path> {
        let made = self.folder.get_or_init(|| match make(program) {
            Ok(folder) => Some(folder),
            Err(error) => {
                tracing::warn!(%error, "children will not find this program as pi");
                None
            }
        });
        made.as_ref().map(TempDir::path)
    }

    /// Puts the folder first on the `PATH` of a child. An environment without one stays without.
    pub(crate) fn put_first(&self, program: &Path, env: &mut BTreeMap<String, String>) {
        let Some(path) = env.get_mut("PATH") else { return };
        let Some(folder) = self.folder(program).map(Path::display) else { return };
        let folder = folder.to_string();
        if path.is_empty() {
            *path = folder;
        } else if path.split(':').next() != Some(&folder) {
            *path = format!("{folder}:{path}");
        }
    }
}

fn make(program: &Path) -> std::io::Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("tau-bin-").tempdir()?;
    std::os::unix::fs::symlink(program, folder.path().join("pi"))?;
    Ok(folder)
}

/// The file that a program's name means for a child.
///
/// # Errors
/// `ENOENT` when there is none, `EACCES` when none may be run.
pub(super) fn find(name: &str, env: &BTreeMap<String, String>, cwd: &Path) -> Result<PathBuf, Errno> {
    if name.contains('/') {
        return Ok(cwd.join(name));
    }
    if name.is_empty() {
        return Err(Errno::NOENT);
    }
    let path = env.get("PATH").map_or(DEFAULT_PATH, String::as_str);
    let mut denied = false;
    for folder in path.split(':') {
        // An empty part means the working directory.
        let file = cwd.join(folder).join(name);
        let Ok(found) = file.metadata() else { continue };
        if found.is_file() && found.permissions().mode() & 0o111 != 0 {
            return Ok(file);
        }
        denied = true;
    }
    Err(if denied { Errno::ACCESS } else { Errno::NOENT })
}
