//! Commands that a prompt can begin with.

use tau_view::fuzzy::fuzzy_match;

use super::provider::{Reply, Suggestion};

/// A command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// Its name, without the slash.
    pub name: String,
    /// What can follow the name; may be empty.
    pub argument_hint: String,
    /// What it does; may be empty.
    pub description: String,
    /// Where it comes from, without brackets; empty for what is built in.
    pub source: String,
}

/// Completes the arguments of commands.
pub trait Arguments: Send + Sync {
    /// Whether the arguments of this command can be completed.
    fn knows(&self, command: &str) -> bool;

    /// Answers with suggestions for `text`, which follows the name: now or later, on any thread, and before that as often as
    /// it likes with a part of them. An answer that is no longer wanted is dropped.
    fn complete(&self, command: &str, text: &str, reply: ArgumentReply);
}

/// Turns suggestions for an argument into an answer; `true` says that more follow.
type Give = dyn Fn(&Reply, Option<Vec<Suggestion>>, bool) + Send + Sync;

/// Where an answer about arguments goes.
pub struct ArgumentReply {
    reply: Reply,
    give: Box<Give>,
}

impl ArgumentReply {
    pub(super) fn new(
        reply: Reply,
        give: impl Fn(&Reply, Option<Vec<Suggestion>>, bool) + Send + Sync + 'static,
    ) -> Self {
        Self { reply, give: Box::new(give) }
    }

    /// The number of the question: later questions have greater ones.
    pub fn id(&self) -> u64 {
        self.reply.id()
    }

    /// Whether the answer is still wanted.
    pub fn is_wanted(&self) -> bool {
        self.reply.is_wanted()
    }

    /// Shows suggestions while others are looked for.
    pub fn so_far(&self, items: Vec<Suggestion>) {
        if !items.is_empty() {
            (self.give)(&self.reply, Some(items), true);
        }
    }

    /// Answers with all suggestions; `None` means no suggestions.
    pub fn send(self, items: Option<Vec<Suggestion>>) {
        (self.give)(&self.reply, items, false);
    }
}

/// The names of skill commands start with this; it need not be typed.
const SKILL: &str = "skill:";

/// The commands that match a query: an exact match first, then names that begin with it, then names that contain its
/// letters in this order.
pub(super) fn find(commands: &[Command], query: &str) -> Vec<Suggestion> {
    let mut found: Vec<(Match, &Command)> =
        commands.iter().filter_map(|command| Some((Match::of(query, &command.name)?, command))).collect();
    let by_match = |one: &Match, other: &Match| one.kind.cmp(&other.kind).then(one.score.total_cmp(&other.score));
    // Of equals, the shorter name has less that was not asked for; without a query all are in their order.
    let length = |command: &Command| if query.is_empty() { 0 } else { command.name.len() };
    found.sort_by(|(one, a), (other, b)| by_match(one, other).then(length(a).cmp(&length(b))));
    found.into_iter().map(|(_, command)| command.suggestion()).collect()
}

/// How a name matches; less is better.
struct Match {
    kind: u8,
    score: f64,
}

impl Match {
    fn of(query: &str, name: &str) -> Option<Self> {
        if query.is_empty() {
            return Some(Self { kind: 0, score: 0.0 });
        }
        let short = name.strip_prefix(SKILL).unwrap_or(name);
        let begins = |name: &str| name.get(..query.len()).is_some_and(|start| start.eq_ignore_ascii_case(query));
        let kind = match [name, short].into_iter().filter(|name| begins(name)).map(str::len).min() {
            Some(length) if length == query.len() => 0,
            Some(_) => 1,
            None => 2,
        };
        let score = [name, short].into_iter().filter_map(|name| fuzzy_match(query, name)).min_by(f64::total_cmp)?;
        Some(Self { kind, score })
    }
}

impl Command {
    fn suggestion(&self) -> Suggestion {
        let about = match (self.argument_hint.as_str(), self.description.as_str()) {
            ("", about) | (about, "") => about.to_owned(),
            (hint, about) => format!("{hint} — {about}"),
        };
        let description = match self.source.as_str() {
            "" => about,
            source => format!("[{source}] {about}").trim_end().to_owned(),
        };
        Suggestion { value: self.name.clone(), label: self.name.clone(), description }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(query: &str, names: &[&str]) -> Vec<String> {
        let commands: Vec<Command> =
            names.iter().map(|name| Command { name: (*name).to_owned(), ..Command::default() }).collect();
        find(&commands, query).into_iter().map(|found| found.value).collect()
    }

    #[test]
    fn the_exact_name_comes_first_then_those_that_begin_with_it() {
        let all = ["scoped-models", "models", "model", "mcp", "remodel"];
        assert_eq!(names("model", &all)[..2], ["model", "models"]);
        assert_eq!(names("model", &all).len(), 4);
        assert_eq!(names("MODEL", &all)[0], "model");
        assert_eq!(names("mo", &all)[..2], ["model", "models"]);
        assert_eq!(names("", &all), all);
        assert_eq!(names("xyz", &all), [] as [&str; 0]);
    }

    #[test]
    fn skills_are_found_with_and_without_what_they_begin_with() {
        let all = ["reload", "skill:release", "skill:relax"];
        assert_eq!(names("release", &all), ["skill:release"]);
        assert_eq!(names("skill:rela", &all)[0], "skill:relax");
        assert_eq!(names("rel", &all).len(), 3);
    }

    #[test]
    fn a_description_says_what_follows_what_it_does_and_where_it_is_from() {
        let describe = |hint: &str, about: &str, source: &str| {
            let [hint, about, source] = [hint, about, source].map(str::to_owned);
            Command { name: "x".into(), argument_hint: hint, description: about, source }.suggestion().description
        };
        assert_eq!(describe("[name]", "Choose a model", ""), "[name] — Choose a model");
        assert_eq!(describe("", "Choose a model", "u:npm:x"), "[u:npm:x] Choose a model");
        assert_eq!(describe("[name]", "", "p"), "[p] [name]");
        assert_eq!(describe("", "", "t"), "[t]");
    }
}
