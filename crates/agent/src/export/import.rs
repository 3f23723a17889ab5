//! Taking a session file of somebody else into the folder of sessions.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tau_session::Session;

use super::ExportError;

/// Copies the session file `source` into `folder` and gives the path of the copy, which is in today's format and can be
/// opened. A name that is taken gets a number. A file that is in `folder` already is not copied. The source stays as it
/// is, and a file that is no session leaves nothing behind.
///
/// # Errors
/// When the file is not there, is no session file, or cannot be copied.
pub fn import_file(source: &Path, folder: &Path) -> Result<PathBuf, ExportError> {
    let failed = |action, path: &Path| {
        let path = path.to_owned();
        move |source| ExportError::Io { action, path, source }
    };
    match std::fs::metadata(source) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(ExportError::NotFound(source.to_owned())),
        Err(error) => return Err(failed("read", source)(error)),
        Ok(metadata) if !metadata.is_file() => {
            return Err(failed("read", source)(io::Error::other("it is no regular file")));
        }
        Ok(_) => {}
    }
    if is_inside(source, folder) {
        Session::view(source)?;
        return Ok(source.to_owned());
    }
    Session::view(source)?;
    std::fs::create_dir_all(folder).map_err(failed("create", folder))?;
    let bytes = std::fs::read(source).map_err(failed("read", source))?;
    let mut copy = new_file(folder).map_err(failed("write to", folder))?;
    copy.write_all(&bytes).map_err(failed("write to", folder))?;
    let stem = source.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut number = 0_u32;
    let target = loop {
        let target = match number {
            0 => folder.join(format!("{stem}.jsonl")),
            number => folder.join(format!("{stem}-{number}.jsonl")),
        };
        match copy.persist_noclobber(&target) {
            Ok(_) => break target,
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => copy = error.file,
            Err(error) => return Err(failed("write", &target)(error.error)),
        }
        number += 1;
    };
    // An older format is rewritten now, so that whoever opens the copy finds it ready.
    Session::open(&target)?;
    Ok(target)
}

fn is_inside(source: &Path, folder: &Path) -> bool {
    let parent = source.canonicalize().ok().and_then(|source| source.parent().map(Path::to_owned));
    parent.is_some_and(|parent| folder.canonicalize().is_ok_and(|folder| folder == parent))
}

fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".import-");
    #[cfg(unix)]
    {
        // As for any other file, the user's mask says who may read it.
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

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
}
