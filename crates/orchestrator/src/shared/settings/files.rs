//! The files of pi-config: `pi-config-settings.jsonc` or `.json`, of the user and of the project.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use serde_json::Value;
use tau_hooks::Folders;
use tau_view::untrusted::plain;

use super::document::Document;
use super::keys::{is_of_pi_config, nearest, row};

/// The names of a file, the one that is preferred first.
pub(crate) const NAMES: [&str; 2] = ["pi-config-settings.jsonc", "pi-config-settings.json"];

/// The files of a session, read once and again when [`Files::refresh`] says so.
#[derive(Default)]
pub(crate) struct Files(Mutex<Option<Arc<Loaded>>>);

/// The files of the session whose module `project-settings` is on; nothing where it is off.
#[derive(Default)]
pub(crate) struct InUse(Mutex<Weak<Files>>);

/// What the files say.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Loaded {
    folders: Folders,
    is_trusted: bool,
    pub(crate) user: LayerFile,
    pub(crate) project: LayerFile,
}

/// What the file of one layer says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct LayerFile {
    /// The file.
    pub(crate) path: PathBuf,
    pub(crate) exists: bool,
    /// Each key with its value and its line. Of a file that got damaged, what it said before.
    pub(crate) fields: BTreeMap<String, (Value, usize)>,
    /// Why what the file says now is not used.
    pub(crate) unread: Option<String>,
    /// What is wrong with it, in words, each with the file and the line.
    pub(crate) problems: Vec<String>,
}

impl InUse {
    pub(crate) fn set(&self, files: &Arc<Files>) {
        *self.0.lock() = Arc::downgrade(files);
    }

    pub(crate) fn get(&self) -> Option<Arc<Files>> {
        self.0.lock().upgrade()
    }
}

impl Files {
    /// What the files said when they were last read.
    pub(crate) fn view(&self, folders: &Folders, is_trusted: bool) -> Arc<Loaded> {
        let mut held = self.0.lock();
        match &*held {
            Some(loaded) if loaded.is_of(folders, is_trusted) => Arc::clone(loaded),
            _ => Arc::clone(held.insert(Arc::new(Loaded::read(folders, is_trusted, None)))),
        }
    }

    /// Reads the files again. One that is damaged now says what it said before.
    pub(crate) fn refresh(&self, folders: &Folders, is_trusted: bool) -> Arc<Loaded> {
        let mut held = self.0.lock();
        let before = held.take().filter(|before| before.is_of(folders, is_trusted));
        Arc::clone(held.insert(Arc::new(Loaded::read(folders, is_trusted, before.as_deref()))))
    }
}

impl Loaded {
    fn is_of(&self, folders: &Folders, is_trusted: bool) -> bool {
        self.is_trusted == is_trusted && self.folders == *folders
    }

    fn read(folders: &Folders, is_trusted: bool, before: Option<&Self>) -> Self {
        let user = LayerFile::read(&folders.agent_dir, before.map(|before| &before.user));
        let project = if is_trusted {
            LayerFile::read(&folders.project_dir, before.map(|before| &before.project))
        } else {
            LayerFile::left_alone(&folders.project_dir)
        };
        Self { folders: folders.clone(), is_trusted, user, project }
    }
}

/// The file in a folder, if there is one, and one that is there besides and is not read.
fn find(folder: &Path) -> (Option<PathBuf>, Option<PathBuf>) {
    let paths = NAMES.map(|name| folder.join(name)).into_iter();
    // A link that leads nowhere is meant to be a file.
    let mut there = paths.filter(|path| path.symlink_metadata().is_ok());
    (there.next(), there.next())
}

impl LayerFile {
    fn none(folder: &Path) -> Self {
        Self { path: folder.join(NAMES[1]), ..Self::default() }
    }

    /// The file of a project that is not trusted.
    fn left_alone(folder: &Path) -> Self {
        let unread = Some("the project is not trusted".to_owned());
        match find(folder).0 {
            None => Self { unread, ..Self::none(folder) },
            Some(path) => {
                let shown = shown(&path);
                let problem = format!(
                    "{shown}: not used, because the project is not trusted; /trust yes changes that at the next start"
                );
                Self { path, exists: true, unread, problems: vec![problem], ..Self::default() }
            }
        }
    }

    fn read(folder: &Path, before: Option<&Self>) -> Self {
        let (Some(path), second) = find(folder) else { return Self::none(folder) };
        let place = shown(&path);
        let mut problems = Vec::new();
        if let Some(second) = second {
            let second = shown(&second);
            problems
                .push(format!("{second}: not read, because {place} is there, too; move its keys there and remove it"));
        }
        let read = match tau_tools::read_small_file(&path) {
            Ok(bytes) => Document::read(&bytes).map_err(|problem| format!("{place}:{problem}")),
            // It was removed just now.
            Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => {
                return Self::none(folder);
            }
            Err(error) => Err(format!("{place}: cannot be read: {error}")),
        };
        match read {
            Ok(document) => {
                problems.extend(complaints(&place, &document));
                let fields = document.fields.into_iter().map(|field| (field.key, (field.value, field.line)));
                Self { path, exists: true, fields: fields.collect(), unread: None, problems }
            }
            Err(why) => {
                let kept = before.filter(|before| before.path == path && before.exists);
                let fields = kept.map(|before| before.fields.clone()).unwrap_or_default();
                let then = if kept.is_some() { "what it said before still counts" } else { "nothing of it is used" };
                problems.insert(0, format!("{why}; {then} until it is corrected"));
                Self { path, exists: true, fields, unread: Some(why), problems }
            }
        }
    }
}

/// A path as it is shown.
pub(crate) fn shown(path: &Path) -> String {
    plain(&path.display().to_string()).replace('\n', " ")
}

/// A text of a file as it is shown: in a line, and not long.
pub(crate) fn brief(text: &str) -> String {
    const LONGEST: usize = 60;
    let text = plain(text).replace('\n', " ");
    if text.chars().count() <= LONGEST { text } else { text.chars().take(LONGEST).chain(['…']).collect() }
}

/// What is wrong with the keys of a file.
fn complaints(place: &str, document: &Document) -> Vec<String> {
    /// More than this nobody reads.
    const MOST: usize = 8;
    let mut all = Vec::new();
    for (at, field) in document.fields.iter().enumerate() {
        let (key, line) = (brief(&field.key), field.line);
        let mut tell = |what: String| all.push(format!("{place}:{line}: {key} {what}"));
        if document.fields[..at].iter().any(|before| before.key == field.key) {
            tell("is there twice; the last one counts".to_owned());
        }
        match row(&field.key) {
            Some(row) if field.value.is_null() || row.accepts(&field.value) => {}
            Some(row) => tell(format!("must be {}; it is not used", row.takes())),
            None if is_of_pi_config(&field.key) => {}
            None => match nearest(&field.key) {
                Some(near) => tell(format!("is not a setting and has no effect; did you mean {near}?")),
                None => tell("is not a setting and has no effect".to_owned()),
            },
        }
    }
    let more = all.len().saturating_sub(MOST);
    all.truncate(MOST);
    if more > 0 {
        all.push(format!("{place}: {more} more of its keys are wrong"));
    }
    all
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    struct Place {
        _root: tempfile::TempDir,
        folders: Folders,
    }

    fn place() -> Place {
        let root = tempfile::tempdir().expect("a folder");
        let folder = |name: &str| {
            let folder = root.path().join(name);
            fs::create_dir(&folder).expect("a folder");
            folder
        };
        let (agent_dir, project_dir) = (folder("agent"), folder(".pi"));
        let folders = Folders { agent_dir, project_dir, cwd: root.path().into(), home: root.path().into() };
        Place { _root: root, folders }
    }

    #[test]
    fn a_damaged_file_is_one_problem_and_keeps_its_last_values() {
        let place = place();
        let file = place.folders.agent_dir.join(NAMES[1]);
        let files = Files::default();
        fs::write(&file, "{\"co_author\": true}").expect("a file");
        assert_eq!(files.view(&place.folders, true).user.fields["co_author"], (json!(true), 1));
        fs::write(&file, "{\n \"co_author\": fal").expect("a file");
        let user = files.refresh(&place.folders, true).user.clone();
        assert_eq!(user.fields["co_author"], (json!(true), 1));
        let [problem] = &user.problems[..] else { panic!("{user:?}") };
        assert!(problem.starts_with(&format!("{}:2:", file.display())) && problem.contains("said before"), "{problem}");
        // Damaged again, it still says what it said when it was whole.
        fs::write(&file, "").expect("a file");
        assert_eq!(files.refresh(&place.folders, true).user.fields.len(), 1);
        fs::remove_file(&file).expect("it is removed");
        assert_eq!(files.refresh(&place.folders, true).user, LayerFile::none(&place.folders.agent_dir));
    }

    #[test]
    fn each_wrong_key_has_its_line() {
        let place = place();
        let file = place.folders.project_dir.join(NAMES[0]);
        let text = "{\n \"co_author\": \"yes\", // no text\n \"use_worktree\": true,\n \"colour\": 1, \"dco\": true,\n \
                    \"dream_interval_hours\": 0,\n \"use_worktrees\": true, \"use_worktrees\": null,\n}";
        fs::write(&file, text).expect("a file");
        let problems = Files::default().view(&place.folders, true).project.problems.clone();
        let expected = [
            "2: co_author must be true or false; it is not used",
            "3: use_worktree is not a setting and has no effect; did you mean use_worktrees?",
            "4: colour is not a setting and has no effect",
            "5: dream_interval_hours must be a number of hours from 0.5 to 24; it is not used",
            "6: use_worktrees is there twice; the last one counts",
        ];
        assert_eq!(problems, expected.map(|problem| format!("{}:{problem}", file.display())));
        // Nothing of a project that is not trusted is read.
        let alone = Files::default().view(&place.folders, false).project.clone();
        assert!(alone.fields.is_empty() && alone.problems.len() == 1 && alone.problems[0].contains("/trust yes"));
    }

    #[test]
    fn of_both_files_the_one_with_comments_counts() {
        let place = place();
        fs::write(place.folders.agent_dir.join(NAMES[1]), "{\"co_author\": true}").expect("a file");
        fs::write(place.folders.agent_dir.join(NAMES[0]), "{/* a */}").expect("a file");
        let user = Files::default().view(&place.folders, true).user.clone();
        assert!(user.path.ends_with(NAMES[0]) && user.fields.is_empty(), "{user:?}");
        assert!(user.problems.len() == 1 && user.problems[0].contains("not read"), "{user:?}");
    }
}
