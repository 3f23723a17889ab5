//! A rule file that is read again and again: while it is bad, what was good last stays in force.

use std::path::PathBuf;

use super::{Problem, RuleFile};

/// One rule file over time.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
    text: Option<String>,
    good: Option<RuleFile>,
    problem: Option<Problem>,
}

impl Store {
    /// A file that was not read yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), text: None, good: None, problem: None }
    }

    /// Takes what stands in the file now, by `None` that there is no file. Returns whether anything changed; of one bad text
    /// the problem is new only once.
    pub fn update(&mut self, text: Option<&str>) -> bool {
        if self.text.as_deref() == text {
            return false;
        }
        self.text = text.map(str::to_owned);
        match text.map(|text| RuleFile::parse(&self.path, text)) {
            None => (self.good, self.problem) = (None, None),
            Some(Ok(file)) => (self.good, self.problem) = (Some(file), None),
            Some(Err(problem)) => self.problem = Some(problem),
        }
        true
    }

    /// The rules of the last good text.
    pub fn rules(&self) -> Option<&RuleFile> {
        self.good.as_ref()
    }

    /// What is wrong with the text of now.
    pub fn problem(&self) -> Option<&Problem> {
        self.problem.as_ref()
    }
}
