//! What was decided about folders since the program started: trust is a property of the folder, so an answer holds for the
//! one it was given for, wherever sessions go in between.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::trust::{Decision, Fingerprint};

/// The answers of one run.
#[derive(Debug, Default)]
pub(super) struct Answers {
    flag: Option<Flag>,
    folders: HashMap<PathBuf, Answer>,
}

/// `--approve` or `--no-approve`.
#[derive(Debug)]
struct Flag {
    /// Where it was given.
    folder: PathBuf,
    trusted: bool,
}

/// What was decided about a folder.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub decision: Decision,
    /// What the project looked like, if that matters.
    pub seen: Option<Fingerprint>,
    /// The files that the user knows to be left out.
    told: Vec<PathBuf>,
}

impl Answers {
    /// Takes note of the flag, given in `folder`.
    pub(super) fn set_flag(&mut self, folder: &Path, trusted: Option<bool>) {
        self.flag = trusted.map(|trusted| Flag { folder: folder.to_path_buf(), trusted });
    }

    /// What the flag says about a folder. A yes holds where it was given, a no everywhere.
    pub(super) fn flag_for(&self, folder: &Path) -> Option<bool> {
        let flag = self.flag.as_ref().filter(|flag| !flag.trusted || flag.folder == folder)?;
        Some(flag.trusted)
    }

    /// Whether the flag is a no, which holds everywhere.
    pub(super) fn never_trusts(&self) -> bool {
        self.flag.as_ref().is_some_and(|flag| !flag.trusted)
    }

    pub(super) fn of(&self, folder: &Path) -> Option<&Answer> {
        self.folders.get(folder)
    }

    /// Keeps a decision; one about nothing is made again the next time.
    pub(super) fn keep(&mut self, decision: &Decision) {
        let folder = decision.folder().to_path_buf();
        if decision.is_provisional() {
            return;
        }
        let told = self.folders.remove(&folder).map(|before| before.told).unwrap_or_default();
        let (decision, seen) = (decision.clone(), decision.watched().cloned());
        self.folders.insert(folder, Answer { decision, seen, told });
    }

    /// Takes note of what a trusted project looks like by now.
    pub(super) fn saw(&mut self, folder: &Path, now: Fingerprint) {
        if let Some(answer) = self.folders.get_mut(folder) {
            answer.seen = Some(now);
        }
    }

    /// Whether a decision leaves out files that the user was not told of. From now on they know.
    pub(super) fn is_news(&mut self, decision: &Decision) -> bool {
        let Some(answer) = self.folders.get_mut(decision.folder()) else { return false };
        let news: Vec<_> = decision.skipped.iter().filter(|path| !answer.told.contains(path)).cloned().collect();
        let is_news = !news.is_empty();
        answer.told.extend(news);
        is_news
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Environment;
    use crate::trust::{DefaultTrust, TrustQuestion, Verdict};

    #[test]
    fn a_yes_on_the_command_line_holds_where_it_was_given_and_a_no_everywhere() {
        let (here, there) = (Path::new("/here"), Path::new("/there"));
        let mut answers = Answers::default();
        assert_eq!(answers.flag_for(here), None);
        answers.set_flag(here, Some(true));
        assert_eq!((answers.flag_for(here), answers.flag_for(there)), (Some(true), None));
        answers.set_flag(here, Some(false));
        assert_eq!((answers.flag_for(here), answers.flag_for(there)), (Some(false), Some(false)));
    }

    #[test]
    fn an_answer_is_kept_and_what_is_left_out_is_told_once() {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path().canonicalize().expect("its real path");
        std::fs::create_dir_all(root.join("home")).expect("a folder");
        std::fs::create_dir_all(root.join("work")).expect("a folder");
        let env = Environment::new(root.join("home"), root.join("work"));
        let decide = |default| match TrustQuestion::new(&env, None).decide(None, default, false) {
            Verdict::Decided(decision) => decision,
            other => panic!("nobody is asked: {other:?}"),
        };
        let mut answers = Answers::default();
        for default in [DefaultTrust::Ask, DefaultTrust::Never, DefaultTrust::Always] {
            answers.keep(&decide(default));
            assert!(answers.of(&env.cwd).is_none(), "extensions were not asked");
        }
        std::fs::create_dir_all(env.cwd.join(".pi/extensions")).expect("a folder");
        let decision = decide(DefaultTrust::Ask);
        answers.keep(&decision);
        assert!(!answers.of(&env.cwd).expect("an answer").decision.trusted);
        assert_eq!((answers.is_news(&decision), answers.is_news(&decision)), (true, false));
        std::fs::create_dir_all(env.cwd.join(".pi/skills")).expect("a folder");
        let decision = TrustQuestion::new(&env, None).again(&decision);
        answers.keep(&decision);
        assert_eq!((answers.is_news(&decision), answers.is_news(&decision)), (true, false));
    }
}
