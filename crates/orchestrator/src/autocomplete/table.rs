//! What can follow commands, by their names.

use Source::{Branches, PullRequests, Tags, Words};

/// Where words come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The numbers of open pull requests.
    PullRequests,
    /// The branches, those of remotes too.
    Branches,
    /// The tags, the newest first.
    Tags,
    /// These.
    Words(&'static [Word]),
}

/// A word, and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: &'static str,
    pub(super) about: &'static str,
}

/// A word that may be given at any place, once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flag {
    pub(super) word: Word,
    /// What the word behind it comes from; a text that nobody can guess comes from no words.
    pub(super) value: Option<Source>,
    /// Flags of a group exclude each other.
    pub(super) group: Option<u8>,
}

/// A command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) command: &'static str,
    /// What its first argument comes from.
    pub(super) first: Option<Source>,
    pub(super) flags: &'static [Flag],
    /// Whether a text follows. Nothing is suggested in it but a flag that somebody begins.
    pub(super) ends_in_text: bool,
}

const fn word(text: &'static str, about: &'static str) -> Word {
    Word { text, about }
}

const fn flag(text: &'static str, about: &'static str) -> Flag {
    Flag { word: word(text, about), value: None, group: None }
}

const fn with_value(text: &'static str, about: &'static str, value: Source) -> Flag {
    Flag { value: Some(value), ..flag(text, about) }
}

const fn one_of(group: u8, text: &'static str, about: &'static str) -> Flag {
    Flag { group: Some(group), ..flag(text, about) }
}

const fn row(command: &'static str, first: Option<Source>, flags: &'static [Flag]) -> Row {
    Row { command, first, flags, ends_in_text: false }
}

/// What the user makes up.
const ANYTHING: Source = Words(&[]);

const AGENTS: Source = Words(&[
    word("pi", ""),
    word("openclaw", ""),
    word("codex", ""),
    word("claude", ""),
    word("gemini", ""),
    word("cursor", ""),
    word("copilot", ""),
    word("droid", ""),
    word("iflow", ""),
    word("kilocode", ""),
    word("kimi", ""),
    word("kiro", ""),
    word("opencode", ""),
    word("qwen", ""),
]);

const OF_AGENTS: &[Flag] = &[
    one_of(0, "--fix", "let the agent change files"),
    one_of(0, "--peer", "let agents discuss it"),
    one_of(1, "--resume", "continue the last session of the agent"),
    Flag { value: Some(ANYTHING), ..one_of(1, "--session-id", "continue this session of the agent") },
    with_value("--model", "the model of the agent", ANYTHING),
    with_value("--cli-flags", "flags for the agent's own program", ANYTHING),
];

const ON_OFF: &[Word] = &[word("on", ""), word("off", "")];
const OF_CRON: &[Word] = &[
    word("add", "add a task"),
    word("list", "the tasks of this session"),
    word("list-all", "the tasks of all sessions"),
    word("remove", "remove a task"),
];
const OF_PIDASH: &[Word] = &[
    word("start", "start it"),
    word("stop", "stop it"),
    word("restart", "restart it"),
    word("status", "is it running?"),
];

const OF_RELEASE: &[Flag] = &[
    flag("--dry-run", "show what would be released"),
    flag("--prerelease", "mark it as a prerelease"),
    flag("--draft", "do not publish it yet"),
    with_value("--target", "the branch to release from", Branches),
    with_value("--tag-match", "the tags that count", Tags),
];
const OF_REVIEW_HANDLER: &[Flag] = &[
    one_of(0, "status", "where the review stands"),
    one_of(0, "--autorabbit", "handle comments of CodeRabbit without asking"),
    one_of(0, "--autoqodo", "handle comments of Qodo without asking"),
];

/// All of them.
pub(super) const TABLE: &[Row] = &[
    row("pr-review", Some(PullRequests), &[]),
    row("review-local", Some(Branches), &[]),
    row("release", Some(Tags), OF_RELEASE),
    row("review-handler", None, OF_REVIEW_HANDLER),
    row("coderabbit-rate-limit", Some(PullRequests), &[]),
    row("dream-auto", Some(Words(ON_OFF)), &[]),
    row("cron", Some(Words(OF_CRON)), &[]),
    row("pidash", Some(Words(OF_PIDASH)), &[]),
    Row { ends_in_text: true, ..row("external-ai", Some(AGENTS), OF_AGENTS) },
    Row { ends_in_text: true, ..row("acpx-prompt", Some(AGENTS), OF_AGENTS) },
];
