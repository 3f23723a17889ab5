//! One rule file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde_yaml_ng::Value;
use tau_hooks::payload::{StreamRule, StreamRuleSource};
use tau_script::{FrontMatter, RULE_CONDITIONS, without_leading_comments};
use tau_tools::read_small_text;

use super::scope::tokens;
use crate::diagnostic::Diagnostic;
use crate::settings::RuleInterrupt;

/// What a condition that names files is about.
const FILE_TOOLS: &[&str] = &["edit", "write"];
/// The expression of a rule whose conditions only name files.
const ANYTHING: &str = ".*";

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The name of its file, without extension.
    pub name: String,
    /// What the model is told.
    pub content: String,
    /// It is only about files that match one of these.
    pub globs: Vec<String>,
    /// The field `alwaysApply`.
    pub always_apply: Option<bool>,
    /// What it is for.
    pub description: Option<String>,
    /// The expressions that call it up; none for a rule of another kind.
    pub conditions: Vec<Condition>,
    /// Where they are looked for, as tokens; empty is the default.
    pub scope: Vec<String>,
    /// Its line in the file.
    pub scope_line: Option<usize>,
    /// Which matches interrupt the model; as the settings say when absent.
    pub interrupt: Option<RuleInterrupt>,
    /// Where it was found.
    pub source: RuleSource,
}

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// As it is written.
    pub source: String,
    /// Its line in the file, from 1, when known.
    pub line: Option<usize>,
}

/// Where a rule was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSource {
    /// Whose folder it was found in: `native`, `cursor`, `windsurf` or `cline`.
    pub provider: &'static str,
    /// The same for people.
    pub provider_name: &'static str,
    /// Its file.
    pub path: PathBuf,
    /// Whose it is.
    pub level: RuleLevel,
}

/// Whose a rule is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleLevel {
    /// The user's.
    User,
    /// The project's.
    Project,
}

impl Rule {
    /// Reads a file. What is wrong with it goes to `diagnostics`.
    pub(super) fn read(source: RuleSource, name: String, diagnostics: &mut Vec<Diagnostic>) -> Option<Self> {
        match read_small_text(&source.path) {
            Ok(text) => Some(Self::parse(&text, source, name, diagnostics)),
            Err(error) => {
                diagnostics.push(Diagnostic::warning(&source.path, format!("the rule cannot be read: {error}")));
                None
            }
        }
    }

    pub(super) fn parse(text: &str, source: RuleSource, name: String, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let head = FrontMatter::of_rule(text);
        let field = RULE_CONDITIONS.iter().find_map(|name| Some((*name, head.value(name)?)));
        let (mut scope, mut conditions) = (tokens(&texts(head.value("scope"))), Vec::new());
        if let Some((key, value)) = field {
            let (key_line, mut lines) = (line_of(text, &[key]), Lines::from(text, key));
            for condition in texts(Some(value)) {
                if names_files(&condition) {
                    scope.extend(FILE_TOOLS.iter().map(|tool| format!("tool:{tool}({condition})")));
                } else {
                    let line = lines.next_with(&condition).or(key_line);
                    conditions.push(Condition { source: condition, line });
                }
            }
            if conditions.is_empty() && scope.iter().any(|token| token.ends_with(')')) {
                conditions.push(Condition { source: ANYTHING.to_owned(), line: key_line });
            }
        }
        let mode = head.text("interruptMode");
        let interrupt = mode.and_then(RuleInterrupt::parse);
        if let (Some(mode), None) = (mode, interrupt) {
            let known = RuleInterrupt::WORDS.join(", ");
            let message = format!("interruptMode \"{mode}\" is none of {known}; the setting counts");
            diagnostics.push(Diagnostic::warning(&source.path, message).at_line(line_of(text, &["interruptMode"])));
        }
        Self {
            name,
            content: without_comments(&head.body).trim().to_owned(),
            globs: tokens(&texts(head.value("globs"))),
            always_apply: head.value("alwaysApply").and_then(Value::as_bool),
            description: head.text("description").map(str::to_owned),
            conditions,
            scope,
            scope_line: line_of(text, &["scope"]),
            interrupt,
            source,
        }
    }

    /// The rule as handlers of events get it.
    pub(crate) fn payload(&self) -> StreamRule {
        let list = |list: &[String]| (!list.is_empty()).then(|| list.to_vec());
        let path = self.source.path.display().to_string();
        let condition: Vec<String> = self.conditions.iter().map(|condition| condition.source.clone()).collect();
        StreamRule {
            name: self.name.clone(),
            path: path.clone(),
            content: self.content.clone(),
            globs: list(&self.globs),
            always_apply: self.always_apply,
            description: self.description.clone(),
            ttsr_trigger: condition.first().cloned().unwrap_or_default(),
            condition,
            scope: list(&self.scope),
            interrupt_mode: self.interrupt.map(|mode| mode.as_str().to_owned()),
            source: StreamRuleSource {
                provider: self.source.provider.to_owned(),
                provider_name: self.source.provider_name.to_owned(),
                path,
                level: match self.source.level {
                    RuleLevel::User => "user",
                    RuleLevel::Project => "project",
                }
                .to_owned(),
            },
        }
    }
}

/// A text or a list of texts, without what is empty or there twice.
fn texts(value: Option<&Value>) -> Vec<String> {
    let list = match value {
        Some(Value::Sequence(list)) => list.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(text)) => vec![text.as_str()],
        _ => Vec::new(),
    };
    let mut seen = HashSet::new();
    let texts = list.into_iter().map(str::trim).filter(|text| !text.is_empty() && seen.insert(*text));
    texts.map(str::to_owned).collect()
}

/// Looks for the lines of texts that follow each other in a file, in one pass over it.
struct Lines<'a> {
    text: &'a str,
    /// Where the last one was found.
    at: usize,
    line: usize,
    misses: usize,
}

impl<'a> Lines<'a> {
    /// A text that is written otherwise than it reads is looked for in vain, up to the end of the file. That many may be.
    const MOST_MISSES: usize = 8;

    /// Begins at a key, or at the top.
    fn from(text: &'a str, key: &str) -> Self {
        let at = text.find(key).unwrap_or_default();
        Self { text, at, line: text[..at].matches('\n').count() + 1, misses: 0 }
    }

    fn next_with(&mut self, wanted: &str) -> Option<usize> {
        if self.misses == Self::MOST_MISSES {
            return None;
        }
        let Some(at) = self.text[self.at..].find(wanted) else {
            self.misses += 1;
            return None;
        };
        self.line += self.text[self.at..self.at + at].matches('\n').count();
        self.at += at;
        Some(self.line)
    }
}

/// Whether a file looks as if it held a stream rule: whether its front matter has one of the keys. Nothing is parsed, so
/// this may be asked of a project that nobody trusts.
pub(super) fn looks_like_stream_rule(text: &str) -> bool {
    let Some(head) = without_leading_comments(text).strip_prefix("---") else { return false };
    let Some(end) = ["\n---", "\r---"].iter().filter_map(|fence| head.find(fence)).min() else { return false };
    let head = &head[..end];
    let is_key = |at: usize, key: &str| {
        let before = head[..at].trim_end_matches([' ', '\t', '"', '\'']);
        let after = head[at + key.len()..].trim_start_matches([' ', '\t', '"', '\'']);
        before.ends_with(['\n', '\r', '{', ',', '?']) && after.starts_with(':')
    };
    RULE_CONDITIONS.iter().any(|key| head.match_indices(key).any(|(at, _)| is_key(at, key)))
}

/// Whether a condition is a pattern of file names rather than an expression: `*.rs`, `src/**`.
fn names_files(condition: &str) -> bool {
    let is_expression = condition.contains(['\\', '^', '$', '+', '|', '(', ')']);
    let is_pattern = condition.contains(['?', '*', '[', ']', '{', '}']);
    let is_extension = condition
        .strip_prefix("*.")
        .is_some_and(|end| !end.is_empty() && !end.contains(|c: char| c.is_whitespace() || c == '/'));
    !is_expression && is_pattern && (condition.contains('/') || is_extension)
}

/// The first line with one of these texts; the first text that has one counts.
fn line_of(text: &str, wanted: &[&str]) -> Option<usize> {
    wanted.iter().find_map(|wanted| Some(text.lines().position(|line| line.contains(wanted))? + 1))
}

fn without_comments(text: &str) -> String {
    let (mut rest, mut kept) = (text, String::with_capacity(text.len()));
    while let Some((before, comment)) = rest.split_once("<!--") {
        let Some((_, after)) = comment.split_once("-->") else { break };
        kept.push_str(before);
        rest = after;
    }
    kept + rest
}

/// The name of a rule: that of its file without the extension.
pub(super) fn name_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
