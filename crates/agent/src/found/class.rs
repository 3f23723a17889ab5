//! What a file that somebody named can be.

use std::fs;
use std::io::Read;
use std::path::Path;

/// Extensions of modules.
pub(crate) const MODULES: &[&str] = &["ts", "mts", "cts", "js", "mjs", "cjs"];

/// Extensions of scripts, with what runs a file of that kind that does not say so itself.
pub(crate) const SCRIPTS: &[(&str, &[&str])] = &[
    ("sh", &["bash"]),
    ("bash", &["bash"]),
    ("zsh", &["zsh"]),
    ("fish", &["fish"]),
    ("py", &["python3"]),
    ("rb", &["ruby"]),
    ("pl", &["perl"]),
    ("ps1", &["pwsh", "-File"]),
];

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileClass {
    /// Code for the script engine.
    Module,
    /// A program.
    Script,
    /// Neither.
    Neither,
}

/// What a file is: by its name, else by what its first line or its permissions say.
pub(crate) fn class_of(path: &Path) -> FileClass {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if MODULES.contains(&extension) {
        return FileClass::Module;
    }
    let known = SCRIPTS.iter().any(|(known, _)| *known == extension);
    if known || is_executable(path) || has_interpreter(path) { FileClass::Script } else { FileClass::Neither }
}

/// Whether the system may run it.
pub(crate) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Whether the first line names an interpreter.
pub(crate) fn has_interpreter(path: &Path) -> bool {
    let mut head = [0; 2];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *b"#!"
}
