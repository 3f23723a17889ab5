//! A world in a temporary folder, and invocations that are written as words.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use tau_git::{GitError, Limits, Repository};
use tau_policy::rules::{Action, RuleFile, Verdict};
use tau_policy::{
    Arg, Dir, Evaluation, File, Invocation, Piece, Policy, Protected, Redirect, RedirectKind, Script, ScriptKind, Site,
    Source, Span, Stdin, Text, Via, World,
};

/// A machine with a project and a home folder.
pub struct Scene {
    folder: tempfile::TempDir,
    directory: PathBuf,
    pub variables: BTreeMap<String, String>,
    pub programs: BTreeSet<String>,
    pub facts: BTreeSet<String>,
    pub protected: Vec<String>,
    pub merged: BTreeMap<String, u64>,
}

impl Scene {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a folder");
        let directory = root.join("project");
        for folder in ["project/src", "project/.pi/tmp", "home/.ssh"] {
            std::fs::create_dir_all(root.join(folder)).expect("a folder");
        }
        let programs = ["uv", "prek", "docker-safe"].map(str::to_owned).into();
        let (variables, facts) = (BTreeMap::new(), BTreeSet::new());
        Self { folder, directory, variables, programs, facts, protected: Vec::new(), merged: BTreeMap::new() }
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("a folder")
    }

    pub fn project(&self) -> &Path {
        &self.directory
    }

    pub fn home_folder(&self) -> PathBuf {
        self.root().join("home")
    }

    /// A command of calls with `;` between them.
    pub fn evaluation(&self, command: &str) -> Evaluation {
        let text = command.replace("HOME", &self.home_folder().to_string_lossy());
        let mut evaluation = Evaluation { scripts: vec![script(&text)], ..Evaluation::default() };
        let mut start = 0;
        for part in text.split(';') {
            evaluation.invocations.push(self.call(part, start));
            start += part.len() + 1;
        }
        evaluation
    }

    /// A call of words with blanks between them. `$x` is unknown, `$@` any number of words, `*` a pattern, `>x` a redirection,
    /// and `<way:name>` says through what it runs.
    fn call(&self, line: &str, start: usize) -> Invocation {
        let (mut argv, mut redirects, mut via) = (Vec::new(), Vec::new(), Vec::new());
        let mut at = start;
        for word in line.split(' ') {
            let site = Site { script: 0, span: Span { start: at, end: at + word.len() } };
            at += word.len() + 1;
            if let Some(way) = word.strip_prefix('<').and_then(|word| word.strip_suffix('>')) {
                via.push(self::way(way));
            } else if let Some(target) = word.strip_prefix('>') {
                redirects.push(Redirect { fd: 1, kind: RedirectKind::Write, target: arg(target, site) });
            } else if !word.is_empty() {
                argv.push(arg(word, site));
            }
        }
        let begin = argv.first().map_or(start, |arg: &Arg| arg.site.span.start);
        let end = argv.last().map_or(start, |arg: &Arg| arg.site.span.end);
        Invocation {
            argv,
            environment: Vec::new(),
            directory: Dir::Known(self.directory.clone()),
            redirects,
            stdin: Stdin::Inherited,
            site: Site { script: 0, span: Span { start: begin, end } },
            via,
            git: None,
        }
    }

    pub fn judge(&self, command: &str) -> Verdict {
        self.judge_by(&Policy::shipped(), command)
    }

    pub fn judge_by(&self, policy: &Policy, command: &str) -> Verdict {
        policy.judge(self.evaluation(command), self)
    }

    /// What the rules say, as `rule: action`.
    pub fn says(&self, command: &str) -> String {
        said(&self.judge(command))
    }

    /// What one condition says: `no`, `yes`, or `maybe`.
    pub fn answer(&self, when: &str, command: &str) -> &'static str {
        self.answer_of(when, self.evaluation(command))
    }

    pub fn answer_of(&self, when: &str, evaluation: Evaluation) -> &'static str {
        let text =
            format!(r#"{{"rules": [{{"id": "test-rule", "action": "block", "message": "m", "when": {when}}}]}}"#);
        let file = RuleFile::parse(Path::new("test.json"), &text).expect("a rule");
        let policy = Policy::with_layers(Some(file), None, Vec::new(), None);
        let verdict = policy.judge(evaluation, self);
        match verdict.findings.iter().find(|finding| finding.rule == "test-rule").map(|finding| finding.action) {
            None => "no",
            Some(Action::Block) => "yes",
            Some(_) => "maybe",
        }
    }
}

/// What the rules say, as `rule: action`.
pub fn said(verdict: &Verdict) -> String {
    let one = |finding: &tau_policy::rules::Finding| format!("{}: {:?}", finding.rule, finding.action).to_lowercase();
    verdict.findings.iter().map(one).collect::<Vec<_>>().join(", ")
}

pub fn script(text: &str) -> Script {
    Script { kind: ScriptKind::Command, text: Arc::from(text), parent: None }
}

fn way(text: &str) -> Via {
    let (kind, name) = text.split_once(':').unwrap_or((text, ""));
    let name = name.to_owned();
    match kind {
        "wrapper" => Via::Wrapper(name),
        "shell" => Via::Shell(name),
        "function" => Via::Function(name),
        "file" => Via::File(name.into()),
        "elsewhere" => Via::Elsewhere(name),
        "loop" => Via::Loop,
        "pipe" => Via::Pipe,
        "substitution" => Via::Substitution,
        _ => Via::Background,
    }
}

fn arg(word: &str, site: Site) -> Arg {
    let mut text = Text::default();
    for (index, part) in word.split('$').enumerate() {
        let part = if index > 0 {
            text.push(Piece::Unknown(Source::Local));
            part.trim_start_matches(|ch: char| ch.is_alphanumeric() || ch == '@')
        } else {
            part
        };
        for (index, part) in part.split('*').enumerate() {
            if index > 0 {
                text.push(Piece::Glob("*".to_owned()));
            }
            text.push(Piece::Known(part.to_owned()));
        }
    }
    Arg { is_exact: text.known().is_some(), text, is_many: word.contains("$@"), site }
}

impl World for Scene {
    fn directory(&self) -> &Path {
        &self.directory
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn home(&self, user: Option<&str>) -> Option<PathBuf> {
        user.is_none().then(|| self.home_folder())
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        self.programs.contains(name).then(|| Path::new("/usr/bin").join(name))
    }

    fn file(&self, path: &Path, _: u64) -> File {
        std::fs::read_to_string(path).map_or(File::Missing, File::Text)
    }

    fn resolved(&self, path: &Path) -> PathBuf {
        let mut rest = Vec::new();
        let mut known = path;
        loop {
            if let Ok(found) = known.canonicalize() {
                return rest.iter().rev().fold(found, |found, name| found.join(name));
            }
            match (known.parent(), known.file_name()) {
                (Some(parent), Some(name)) => {
                    rest.push(name);
                    known = parent;
                }
                _ => return path.to_owned(),
            }
        }
    }

    fn repository(&self, folder: &Path) -> Result<Option<Rc<Repository>>, GitError> {
        let limits = Limits { user_settings: false, ..Limits::default() };
        Ok(Repository::of(folder, limits)?.map(Rc::new))
    }

    fn protected(&self, _: &Repository) -> Protected {
        Protected { branches: self.protected.clone(), fallback: None }
    }

    fn merged_pull_request(&self, _: &Repository, branch: &str) -> Option<u64> {
        self.merged.get(branch).copied()
    }

    fn has(&self, what: &str) -> bool {
        self.facts.contains(what)
    }
}
