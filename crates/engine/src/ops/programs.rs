//! Which program a name means, and how children find this very program as `pi`.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

use crate::loader::ModuleCache;

/// What children know this program as.
const LINK: &str = "pi";

/// What a system looks through when there is no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/bin:/usr/bin";

/// A folder with a link named `pi`, first on the `PATH` of every child: extensions that start their agent again get the
/// one they run in, and those that look for Node in `process.execPath` see by its name that this is none.
///
/// Beside the compiled modules it stays, for children that live longer than their engine; else it is made for one engine
/// and removed with it.
pub struct Programs {
    program: PathBuf,
    cache: Option<Arc<ModuleCache>>,
    folder: OnceCell<Option<Folder>>,
}

enum Folder {
    Kept(PathBuf),
    Own(TempDir),
}

impl Folder {
    fn path(&self) -> &Path {
        match self {
            Self::Kept(path) => path,
            Self::Own(folder) => folder.path(),
        }
    }
}

impl Programs {
    pub fn new(program: PathBuf, cache: Option<Arc<ModuleCache>>) -> Self {
        Self { program, cache, folder: OnceCell::new() }
    }

    fn folder(&self) -> Option<&Path> {
        let made = self.folder.get_or_init(|| match self.make() {
            Ok(folder) => Some(folder),
            Err(error) => {
                tracing::warn!(%error, "children will not find this program as pi");
                None
            }
        });
        made.as_ref().map(Folder::path)
    }

    /// What `process.execPath` names.
    pub fn pi(&self) -> PathBuf {
        self.folder().map_or_else(|| self.program.clone(), |folder| folder.join(LINK))
    }

    /// Puts the folder first on the `PATH` of a child. An environment without one stays without.
    pub fn put_first(&self, env: &mut BTreeMap<String, String>) {
        let Some(path) = env.get_mut("PATH") else { return };
        let Some(folder) = self.folder().map(Path::display) else { return };
        let folder = folder.to_string();
        if path.is_empty() {
            *path = folder;
        } else if path.split(':').next() != Some(&folder) {
            *path = format!("{folder}:{path}");
        }
    }

    fn make(&self) -> io::Result<Folder> {
        if let Some(cache) = &self.cache
            && let Ok(kept) = self.keep(cache.folder())
        {
            return Ok(Folder::Kept(kept));
        }
        let folder = tau_sys::private_folder("tau-bin-")?;
        symlink(&self.program, folder.path().join(LINK))?;
        Ok(Folder::Own(folder))
    }

    /// A folder for this program below `cache`; another one has another folder.
    fn keep(&self, cache: &Path) -> io::Result<PathBuf> {
        if cache.as_os_str().as_bytes().contains(&b':') {
            return Err(io::Error::new(io::ErrorKind::InvalidFilename, "a PATH cannot name it"));
        }
        let folder = cache.join(format!("bin-{:016x}", xxh3_64(self.program.as_os_str().as_bytes())));
        let link = folder.join(LINK);
        if std::fs::read_link(&link).is_ok_and(|target| target == self.program) {
            return Ok(folder);
        }
        match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        // Another process may be about the same: each puts a link of its own in the place, at once.
        let new = tempfile::Builder::new().prefix(".pi-").make_in(&folder, |path| symlink(&self.program, path))?;
        new.into_temp_path().persist(&link).map_err(|error| error.error)?;
        Ok(folder)
    }
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
