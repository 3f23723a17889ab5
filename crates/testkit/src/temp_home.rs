//! Directories for one test.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A home with an agent directory and a project, on a disk of its own until it is dropped.
///
/// ```
/// let home = tau_testkit::TempHome::new();
/// home.write("notes.txt", "alpha\n");
/// assert_eq!(std::fs::read_to_string(home.cwd().join("notes.txt")).unwrap(), "alpha\n");
/// ```
pub struct TempHome {
    root: PathBuf,
    _dir: TempDir,
}

impl Default for TempHome {
    fn default() -> Self {
        Self::new()
    }
}

impl TempHome {
    /// Makes the directories.
    ///
    /// # Panics
    /// When they cannot be made.
    #[expect(clippy::expect_used, reason = "a test without its directories cannot go on")]
    pub fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("tau-test-").tempdir().expect("a temporary directory");
        // Programs report resolved paths, so the paths a test compares with are resolved too.
        let root = dir.path().canonicalize().expect("the temporary directory");
        let home = Self { root, _dir: dir };
        for path in [home.agent_dir(), home.cwd(), home.temp_dir()] {
            fs::create_dir_all(path).expect("a directory below the temporary one");
        }
        home
    }

    /// Everything is below this.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The user's home.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The folder of the user's settings, below the home.
    pub fn agent_dir(&self) -> PathBuf {
        self.home().join(".pi/agent")
    }

    /// The folder of session files; made when the first one is written.
    pub fn session_dir(&self) -> PathBuf {
        self.agent_dir().join("sessions")
    }

    /// The project, which is the working directory.
    pub fn cwd(&self) -> PathBuf {
        self.root.join("project")
    }

    /// For temporary files of what is tested.
    pub fn temp_dir(&self) -> PathBuf {
        self.root.join("temp")
    }

    /// Environment variables that lead a program here, and the search path of this process.
    pub fn vars(&self) -> BTreeMap<String, String> {
        let text = |path: PathBuf| path.display().to_string();
        let mut vars = BTreeMap::from([
            ("HOME".to_owned(), text(self.home())),
            ("PI_CODING_AGENT_DIR".to_owned(), text(self.agent_dir())),
            ("TMPDIR".to_owned(), text(self.temp_dir())),
        ]);
        vars.extend(std::env::var("PATH").ok().map(|path| ("PATH".to_owned(), path)));
        vars
    }

    /// Writes a file of the project, with the folders it needs. Returns its path.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        put(self.cwd().join(path), text.as_ref())
    }

    /// Writes a file of the agent directory, with the folders it needs. Returns its path.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write_agent(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        put(self.agent_dir().join(path), text.as_ref())
    }

    /// The session files, oldest name first.
    pub fn session_files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.session_dir()).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
        files.sort();
        files
    }
}

fn put(path: PathBuf, content: &[u8]) -> PathBuf {
    let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, content));
    if let Err(error) = written {
        panic!("{}: {error}", path.display());
    }
    path
}
