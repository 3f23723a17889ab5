//! Rule files as they are now. A file is read again when it changed, and not otherwise.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tau_policy::Policy;
use tau_policy::rules::{Problem as RuleProblem, RuleFile};
use tau_sys::within::leads_out;
use tau_tools::read_bounded;
use tau_view::untrusted::plain;

use super::places::Places;
use crate::shared::stamp::Stamp;

/// The largest file, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// What is known of the files, for one session. What it does may block.
#[derive(Default)]
pub struct PolicyFiles {
    files: BTreeMap<PathBuf, Known>,
    /// The rules of the last look, and what they were made of.
    made: Option<(Made, Arc<Policy>)>,
    /// The problems of the last look.
    told: Vec<String>,
}

/// Whose rules count, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Whether the project is trusted: else its rules only tighten.
    pub is_trusted: bool,
    /// Whether Claude Code's rules count.
    pub claude: bool,
    /// What a commit of the agent says about its author.
    pub trailer: Option<String>,
}

/// The rules now.
pub struct Now {
    /// The rules.
    pub policy: Arc<Policy>,
    /// What is wrong with files, with their places.
    pub problems: Vec<String>,
    /// What of that is new.
    pub news: Vec<String>,
}

/// What rules are made of.
#[derive(Clone, PartialEq)]
struct Made {
    wanted: Wanted,
    stamps: Vec<(PathBuf, Option<Stamp>)>,
}

/// A file as it was when it was read last.
struct Known {
    stamp: Option<Stamp>,
    /// What it said when it could be understood last.
    good: Option<RuleFile>,
    problem: Option<Problem>,
}

/// How a file is read.
type Parse = fn(&Path, &str) -> Result<RuleFile, RuleProblem>;

/// Why a file is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Problem {
    #[error("{}: the file leads out of the project by a link; put the rules themselves there", shown(.0))]
    Outside(PathBuf),
    #[error("{}: the file has more than {} KiB; shorten it", shown(.0), MOST_BYTES >> 10)]
    TooLarge(PathBuf),
    #[error("{}: the file is not valid UTF-8; save it as UTF-8", shown(.0))]
    NotText(PathBuf),
    #[error("{}: the file cannot be read: {}; check it and its permissions", shown(.0), .1)]
    Unreadable(PathBuf, String),
    #[error(transparent)]
    Rules(#[from] RuleProblem),
}

impl PolicyFiles {
    /// The rules as the files have them now.
    pub fn look(&mut self, places: &Places, wanted: &Wanted) -> Now {
        let user = self.read(&places.user, None, RuleFile::parse);
        let within = Some(places.cwd.as_path());
        let project = places.project.as_ref().and_then(|path| self.read(path, within, RuleFile::parse));
        let mut seen: Vec<PathBuf> =
            [Some(&places.user), places.project.as_ref()].into_iter().flatten().cloned().collect();
        let mut claude = Vec::new();
        if wanted.claude {
            claude.extend(self.read(&places.claude_user, None, RuleFile::claude));
            seen.push(places.claude_user.clone());
            for path in places.claude_project.iter().filter(|_| wanted.is_trusted) {
                claude.extend(self.read(path, within, RuleFile::claude));
                seen.push(path.clone());
            }
        }
        self.files.retain(|path, _| seen.contains(path));
        let problems: Vec<String> = self.files.values().filter_map(Known::complaint).collect();
        let news = problems.iter().filter(|problem| !self.told.contains(problem)).cloned().collect();
        self.told.clone_from(&problems);
        let stamps = self.files.iter().map(|(path, known)| (path.clone(), known.stamp)).collect();
        let made = Made { wanted: wanted.clone(), stamps };
        let policy = match &self.made {
            Some((last, policy)) if *last == made => Arc::clone(policy),
            _ => {
                let project = project.map(|file| (file, wanted.is_trusted));
                Arc::new(Policy::with_layers(user, project, claude, wanted.trailer.clone()))
            }
        };
        self.made = Some((made, Arc::clone(&policy)));
        Now { policy, problems, news }
    }

    /// What a file says, or said when it could be understood last.
    fn read(&mut self, path: &Path, within: Option<&Path>, parse: Parse) -> Option<RuleFile> {
        let stamp = fs::metadata(path).ok().as_ref().map(Stamp::of);
        let known = self.files.get(path).filter(|known| known.stamp == stamp && stamp.is_some());
        if let Some(known) = known {
            return known.good.clone();
        }
        let before = self.files.remove(path).and_then(|known| known.good);
        let known = match read(path, within, parse) {
            // A file that is gone says nothing any more.
            Ok(None) => Known { stamp, good: None, problem: None },
            Ok(good) => Known { stamp, good, problem: None },
            Err(problem) => Known { stamp, good: before, problem: Some(problem) },
        };
        let good = known.good.clone();
        self.files.insert(path.to_owned(), known);
        good
    }
}

impl Known {
    /// What is wrong with the file, where, and what holds until it is right.
    fn complaint(&self) -> Option<String> {
        let problem = self.problem.as_ref()?;
        let until = match self.good {
            Some(_) => "its last good rules stay in force",
            None => "until it is correct, its rules do not apply",
        };
        Some(format!("{} ({until})", plain(&problem.to_string()).replace('\n', " ")))
    }
}

/// Reads a file; nothing if there is none.
fn read(path: &Path, within: Option<&Path>, parse: Parse) -> Result<Option<RuleFile>, Problem> {
    if within.is_some_and(|folder| leads_out(path, folder)) {
        return Err(Problem::Outside(path.to_owned()));
    }
    let bytes = match read_bounded(path, MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == ErrorKind::FileTooLarge => return Err(Problem::TooLarge(path.to_owned())),
        Err(error) => return Err(Problem::Unreadable(path.to_owned(), error.to_string())),
    };
    let text = String::from_utf8(bytes).map_err(|_| Problem::NotText(path.to_owned()))?;
    Ok(Some(parse(path, &text)?))
}

/// A path as it is shown.
pub(super) fn shown(path: &Path) -> String {
    plain(&path.to_string_lossy()).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use tau_hooks::Folders;

    use super::*;

    const OFF: &str = r#"{"off": ["repetition"]}"#;

    struct Place {
        root: tempfile::TempDir,
        files: PolicyFiles,
    }

    impl Place {
        fn new() -> Self {
            let place = Self { root: tempfile::tempdir().expect("a folder"), files: PolicyFiles::default() };
            fs::create_dir(place.root.path().join("work")).expect("a folder");
            place
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.root.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }

        fn look(&mut self, is_trusted: bool) -> Now {
            let folder = |name: &str| self.root.path().join(name);
            let folders = Folders {
                agent_dir: folder("agent"),
                project_dir: folder("work/.pi"),
                cwd: folder("work"),
                home: folder("home"),
            };
            let wanted = Wanted { is_trusted, claude: false, trailer: None };
            self.files.look(&Places::of(&folders), &wanted)
        }

        fn problems(&mut self) -> Vec<String> {
            let root = self.root.path().display().to_string();
            self.look(true).problems.iter().map(|text| text.replace(&root, "")).collect()
        }
    }

    #[test]
    fn rules_are_made_anew_only_when_something_changed() {
        let mut place = Place::new();
        let first = place.look(true).policy;
        assert!(Arc::ptr_eq(&first, &place.look(true).policy));
        assert!(!Arc::ptr_eq(&first, &place.look(false).policy));
        place.write("agent/policy.json", OFF);
        let second = place.look(true).policy;
        assert!(!Arc::ptr_eq(&first, &second) && Arc::ptr_eq(&second, &place.look(true).policy));
    }

    #[test]
    fn a_broken_file_keeps_its_last_good_rules_and_is_news_once() {
        let mut place = Place::new();
        place.write("agent/policy.json", OFF);
        assert_eq!(place.problems(), [] as [&str; 0]);
        place.write("agent/policy.json", "{\n  \"off\": [\n");
        let now = place.look(true);
        assert_eq!(now.news, now.problems);
        let [problem] = now.news.as_slice() else { panic!("{:?}", now.news) };
        assert!(
            problem.contains("agent/policy.json:") && problem.ends_with("(its last good rules stay in force)"),
            "{problem}"
        );
        assert!(place.look(true).news.is_empty());
        fs::remove_file(place.root.path().join("agent/policy.json")).expect("it is removed");
        assert_eq!(place.problems(), [] as [&str; 0]);
    }

    #[test]
    fn each_problem_has_its_file_and_what_to_do() {
        let mut place = Place::new();
        let path = "work/.pi/policy.json";
        place.write(path, "");
        let file = place.root.path().join(path);
        fs::write(&file, b"\xff").expect("a file");
        let mut seen = place.problems();
        fs::File::create(&file).and_then(|file| file.set_len(2 << 20)).expect("a file");
        seen.extend(place.problems());
        fs::remove_file(&file).expect("it is removed");
        place.write("elsewhere", OFF);
        std::os::unix::fs::symlink(place.root.path().join("elsewhere"), &file).expect("a link");
        seen.extend(place.problems());
        let until = "(until it is correct, its rules do not apply)";
        let expected = [
            "the file is not valid UTF-8; save it as UTF-8",
            "the file has more than 1024 KiB; shorten it",
            "the file leads out of the project by a link; put the rules themselves there",
        ];
        assert_eq!(seen, expected.map(|text| format!("/{path}: {text} {until}")));
    }
}
