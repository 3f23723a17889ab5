//! Taking a session file of somebody else into the folder of sessions.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tau_session::Session;

use super::ExportError;

/// A session file of somebody else that is about to become one of ours. Nothing is written before it is opened.
#[derive(Debug)]
pub struct Import {
    source: PathBuf,
    folder: PathBuf,
    target: PathBuf,
    /// Where the session goes on.
    cwd: PathBuf,
    /// Whether the copy says another directory than the source.
    moved: bool,
}

impl Import {
    /// Looks at the file `source`, which is to be copied into `folder`; the session goes on in `cwd`, or in its own
    /// directory. A file that is in `folder` already is not copied, unless it gets another directory.
    ///
    /// # Errors
    /// When the file is not there, cannot be read, or is no session file.
    pub fn plan(source: &Path, folder: &Path, cwd: Option<&Path>) -> Result<Self, ExportError> {
        match std::fs::metadata(source) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(ExportError::NotFound(source.to_owned()));
            }
            Err(error) => return Err(failed("read", source)(error)),
            Ok(metadata) if !metadata.is_file() => {
                return Err(failed("read", source)(io::Error::other("it is no regular file")));
            }
            Ok(_) => {}
        }
        let own = Session::view(source)?.cwd().to_owned();
        let moved = cwd.is_some_and(|cwd| cwd != own);
        let target = if moved || !is_inside(source, folder) { free_name(source, folder) } else { source.to_owned() };
        let cwd = cwd.map_or(own, Path::to_owned);
        Ok(Self { source: source.to_owned(), folder: folder.to_owned(), target, cwd, moved })
    }

    /// Where the session will be. A name that is taken gets a number.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The directory in which the session goes on.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Whether a copy is made.
    pub fn copies(&self) -> bool {
        self.target != self.source
    }

    /// Copies the file and opens the copy, in today's format. The source stays as it is.
    ///
    /// # Errors
    /// When the file cannot be copied or read; then there is no copy.
    pub fn open(self) -> Result<Session, ExportError> {
        if !self.copies() {
            return Ok(Session::open(&self.target)?);
        }
        std::fs::create_dir_all(&self.folder).map_err(failed("create", &self.folder))?;
        let mut bytes = std::fs::read(&self.source).map_err(failed("read", &self.source))?;
        if self.moved {
            bytes = moved_to(bytes, &self.cwd);
        }
        let mut copy = new_file(&self.folder).map_err(failed("write to", &self.folder))?;
        copy.write_all(&bytes).map_err(failed("write to", &self.folder))?;
        let mut target = self.target;
        loop {
            match copy.persist_noclobber(&target) {
                Ok(_) => break,
                // Somebody was faster; the next name is free.
                Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => copy = error.file,
                Err(error) => return Err(failed("write", &target)(error.error)),
            }
            target = free_name(&self.source, &self.folder);
        }
        Session::open(&target).map_err(|error| {
            // It could be opened a moment ago, so there is nothing in it that is worth keeping twice.
            if let Err(error) = std::fs::remove_file(&target) {
                tracing::warn!(file = %target.display(), %error, "a copy that nobody needs stays");
            }
            error.into()
        })
    }
}

fn failed(action: &'static str, path: &Path) -> impl Fn(io::Error) -> ExportError {
    let path = path.to_owned();
    move |source| ExportError::Io { action, path: path.clone(), source }
}

fn free_name(source: &Path, folder: &Path) -> PathBuf {
    let stem = source.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let numbered = (1_u32..).map(|number| folder.join(format!("{stem}-{number}.jsonl")));
    let mut names = std::iter::once(folder.join(format!("{stem}.jsonl"))).chain(numbered);
    names.find(|name| name.symlink_metadata().is_err()).unwrap_or_else(|| folder.join(format!("{stem}.jsonl")))
}

/// The same lines with another directory in the header.
fn moved_to(bytes: Vec<u8>, cwd: &Path) -> Vec<u8> {
    let mut lines: Vec<Cow<'_, [u8]>> = bytes.split(|byte| *byte == b'\n').map(Cow::Borrowed).collect();
    for line in &mut lines {
        // What stands before the header is no JSON.
        let Ok(mut header) = serde_json::from_slice::<Map<String, Value>>(line) else { continue };
        header.insert("cwd".to_owned(), cwd.to_string_lossy().into_owned().into());
        *line = Value::Object(header).to_string().into_bytes().into();
        break;
    }
    lines.join(&b'\n')
}

fn is_inside(source: &Path, folder: &Path) -> bool {
    let parent = source.canonicalize().ok().and_then(|source| source.parent().map(Path::to_owned));
    parent.is_some_and(|parent| folder.canonicalize().is_ok_and(|folder| folder == parent))
}

fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    // Such files are readable by their owner only, as sessions are.
    tempfile::Builder::new().prefix(".import-").tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn import_file(source: &Path, folder: &Path) -> Result<PathBuf, ExportError> {
        let session = Import::plan(source, folder, None)?.open()?;
        Ok(session.file().expect("a file").to_owned())
    }

    const HEADER: &str =
        r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}"#;

    fn files(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).map(|entries| entries.flatten().collect::<Vec<_>>()).unwrap_or_default();
        let mut names: Vec<_> = entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_session_is_copied_and_a_taken_name_gets_a_number() {
        let dir = tempfile::tempdir().expect("a folder");
        let (source, folder) = (dir.path().join("theirs.jsonl"), dir.path().join("deep/sessions"));
        fs::write(&source, format!("{HEADER}\n")).expect("written");
        for name in ["theirs.jsonl", "theirs-1.jsonl", "theirs-2.jsonl"] {
            assert_eq!(import_file(&source, &folder).expect("imported"), folder.join(name));
        }
        assert_eq!(files(&folder), ["theirs-1.jsonl", "theirs-2.jsonl", "theirs.jsonl"]);
        assert_eq!(fs::read_to_string(folder.join("theirs-2.jsonl")).expect("a file"), format!("{HEADER}\n"));
    }

    #[test]
    fn a_session_of_the_folder_itself_stays_where_it_is() {
        let dir = tempfile::tempdir().expect("a folder");
        let source = dir.path().join("ours.jsonl");
        fs::write(&source, format!("{HEADER}\n")).expect("written");
        assert_eq!(import_file(&source, dir.path()).expect("imported"), source);
        assert_eq!(files(dir.path()), ["ours.jsonl"]);
    }

    #[test]
    fn an_old_session_is_made_new_in_the_copy_only() {
        let dir = tempfile::tempdir().expect("a folder");
        let (source, folder) = (dir.path().join("old.jsonl"), dir.path().join("sessions"));
        let old = concat!(
            r#"{"type":"session","id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}"#,
            "\n",
            r#"{"type":"message","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"Hi","timestamp":1}}"#,
            "\n"
        );
        fs::write(&source, old).expect("written");
        let copy = import_file(&source, &folder).expect("imported");
        assert_eq!(fs::read_to_string(&source).expect("a file"), old);
        assert!(fs::read_to_string(copy).expect("a file").contains(r#""version":3"#));
    }

    #[test]
    fn what_is_no_session_is_refused_and_leaves_nothing() {
        let dir = tempfile::tempdir().expect("a folder");
        let (source, folder) = (dir.path().join("note.txt"), dir.path().join("sessions"));
        let error = |source: &Path| import_file(source, &folder).expect_err("refused").to_string();
        assert_eq!(error(&source), format!("File not found: {}", source.display()));
        fs::write(&source, "no session").expect("written");
        assert!(error(&source).starts_with(&format!("{} is not a session file", source.display())));
        assert_eq!(error(dir.path()), format!("cannot read {}: it is no regular file", dir.path().display()));
        assert_eq!(files(&folder), [] as [String; 0]);
    }

    #[test]
    fn a_session_goes_on_in_another_directory_by_the_header_of_its_copy() {
        let dir = tempfile::tempdir().expect("a folder");
        let source = dir.path().join("theirs.jsonl");
        let old = r#"{"type":"session","id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}"#;
        for (text, name) in [(HEADER.to_owned(), "theirs-1.jsonl"), (format!("junk\n{old}\n\n"), "theirs-2.jsonl")] {
            fs::write(&source, &text).expect("written");
            // Also when it lies where sessions are: the original is not changed.
            let import = Import::plan(&source, dir.path(), Some(Path::new("/here"))).expect("a plan");
            assert_eq!((import.target(), import.cwd()), (&*dir.path().join(name), Path::new("/here")));
            let session = import.open().expect("imported");
            assert_eq!((session.cwd(), session.id()), (Path::new("/here"), "s1"));
            assert_eq!(fs::read_to_string(&source).expect("a file"), text);
        }
        let import = Import::plan(&source, dir.path(), Some(Path::new("/w"))).expect("a plan");
        assert!(!import.copies());
    }
}
