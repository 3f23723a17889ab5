//! Words that were probably meant for a subcommand or a flag. They are no prompt: a request to a model costs money.

use super::find;
use super::usage::COMMANDS;

/// A word that is a command elsewhere.
struct Elsewhere {
    name: &'static str,
    /// What it is here.
    here: &'static str,
    /// What may follow it: with anything else it begins a prompt.
    then: Then,
}

/// What may follow a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// Nothing: the word also begins sentences.
    Nothing,
    /// Nothing, or one word, whichever it is.
    One,
    /// Nothing, or one word that is certainly no English: a file, an id, a package.
    Name,
    /// Nothing, or the name of a subcommand.
    Command,
}

const fn word(name: &'static str, here: &'static str, then: Then) -> Elsewhere {
    Elsewhere { name, here, then }
}

const ELSEWHERE: &[Elsewhere] = &[
    word("help", "tau --help", Then::Command),
    word("version", "tau --version", Then::Nothing),
    word("login", "tau auth login", Then::One),
    word("logout", "tau auth logout", Then::One),
    word("signin", "tau auth login", Then::One),
    word("signout", "tau auth logout", Then::One),
    word("whoami", "tau auth check", Then::Nothing),
    word("sessions", "tau --resume", Then::One),
    word("session", "tau --resume", Then::One),
    word("history", "tau --resume", Then::Nothing),
    word("resume", "tau --resume", Then::Name),
    word("continue", "tau --continue", Then::Nothing),
    word("fork", "tau --fork", Then::Name),
    word("model", "tau models", Then::Nothing),
    word("settings", "tau config", Then::One),
    word("setup", "tau config", Then::Nothing),
    word("init", "tau config", Then::Nothing),
    word("configure", "tau config", Then::Nothing),
    word("upgrade", "tau update", Then::Nothing),
    word("extensions", "tau config", Then::One),
    word("extension", "tau config", Then::Nothing),
    word("plugins", "tau config", Then::One),
    word("plugin", "tau config", Then::Nothing),
    word("skills", "tau config", Then::Nothing),
    word("themes", "tau config", Then::Nothing),
    word("prompts", "tau config", Then::Nothing),
    word("packages", "tau list", Then::One),
    word("package", "tau list", Then::Nothing),
    word("ls", "tau list", Then::Nothing),
    word("add", "tau install", Then::Name),
    word("rm", "tau remove", Then::Name),
    word("delete", "tau remove", Then::Name),
    word("export", "tau --export", Then::Name),
    word("import", "tau --fork", Then::Name),
    word("trust", "tau --approve", Then::Nothing),
    word("demo", "tau --demo", Then::Nothing),
    word("rpc", "tau --mode rpc", Then::Nothing),
    word("acp", "tau acp", Then::One),
    word("status", "tau models", Then::Nothing),
    word("commands", "tau --help", Then::Nothing),
    word("usage", "tau --help", Then::Nothing),
    word("run", "tau -p PROMPT", Then::Nothing),
    word("exec", "tau -p PROMPT", Then::Nothing),
    word("ask", "tau -p PROMPT", Then::Nothing),
    word("chat", "tau -p PROMPT", Then::Nothing),
];

/// Words that are no English: not even something that is piped in makes a prompt of them.
const NO_ENGLISH: &[&str] = &["login", "logout", "signin", "signout", "whoami", "ls", "rm", "rpc", "acp"];

/// Words that prompts begin with, although they are almost the name of a subcommand.
const ORDINARY: &[&str] = &[
    "expansion",
    "expert",
    "extensive",
    "hoops",
    "instant",
    "kills",
    "last",
    "lest",
    "lift",
    "lint",
    "lisp",
    "lit",
    "logic",
    "lost",
    "modal",
    "mode",
    "modes",
    "presume",
    "remote",
    "sections",
    "sitting",
    "states",
    "tension",
    "vision",
];

/// English words among those that are almost the name of a subcommand. A user may have mistaken one for it; with more words,
/// or with something piped in, it is a prompt.
const ENGLISH: &[&str] = &[
    "configured",
    "continued",
    "exports",
    "hook",
    "imports",
    "installed",
    "installer",
    "installs",
    "lists",
    "packaged",
    "prompt",
    "removed",
    "removes",
    "resumed",
    "resumes",
    "setting",
    "skill",
    "theme",
    "uninstalled",
    "updated",
    "updates",
    "upgraded",
    "upgrades",
    "versions",
];

/// What was probably meant.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Meant {
    /// What to type in place of the words.
    pub(super) here: String,
    /// Whether the words would be a prompt if there were something that it is about.
    pub(super) may_be_prompt: bool,
}

/// What the words of a run were meant for, when they are hardly a prompt.
pub(super) fn meant(words: &[&str]) -> Option<Meant> {
    let (first, rest) = words.split_first()?;
    let word = first.to_lowercase();
    if let Some(elsewhere) = ELSEWHERE.iter().find(|elsewhere| elsewhere.name == word) {
        let may_be_prompt = rest.is_empty() && !NO_ENGLISH.contains(&elsewhere.name);
        return elsewhere.here(rest).map(|here| Meant { here, may_be_prompt });
    }
    let is_english = ENGLISH.contains(&&*word);
    if ORDINARY.contains(&&*word) || (is_english && !rest.is_empty()) {
        return None;
    }
    let commands = COMMANDS.iter().flat_map(|command| std::iter::once(command.name).chain(command.alias));
    let commands = commands.map(|name| (name, Some(format!("tau {name}"))));
    // Short words are soon alike.
    let others = ELSEWHERE.iter().filter(|elsewhere| elsewhere.name.len() >= 5);
    let others = others.map(|elsewhere| (elsewhere.name, elsewhere.here(rest)));
    let near = commands.chain(others).filter_map(|(name, here)| Some((distance(&word, name)?, here?)));
    let (_, here) = near.min_by_key(|(distance, _)| *distance)?;
    Some(Meant { here, may_be_prompt: is_english })
}

impl Elsewhere {
    /// What to type in place of the word and what follows it.
    fn here(&self, rest: &[&str]) -> Option<String> {
        let here = self.here.to_owned();
        match (rest, self.then) {
            ([], _) | ([_], Then::One) => Some(here),
            ([next], Then::Name) => next.contains(|c: char| !c.is_alphabetic()).then_some(here),
            ([next], Then::Command) => find(next).map(|command| format!("tau {} --help", command.name)),
            _ => None,
        }
    }
}

/// How many mistakes lie between a word and a name, when they are few enough to be mistakes. The first letter is seldom one.
fn distance(word: &str, name: &str) -> Option<usize> {
    let letters = |text: &str| (text.chars().next(), text.chars().nth(1));
    let ((first, second), (wanted, next)) = (letters(word), letters(name));
    let begins = first == wanted || second == wanted || first == next;
    let allowed = match name.len() {
        7.. => 2,
        4.. if word.len() >= 3 => 1,
        _ => 0,
    };
    Some(strsim::damerau_levenshtein(word, name)).filter(|distance| begins && *distance <= allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(words: &str) -> Option<(String, bool)> {
        let words: Vec<&str> = words.split(' ').collect();
        meant(&words).map(|meant| (meant.here, meant.may_be_prompt))
    }

    #[test]
    fn what_is_near_a_subcommand_is_known() {
        for (words, here) in [
            ("instal npm:x", "tau install"),
            ("isntall npm:x npm:y npm:z", "tau install"),
            ("unistall npm:x", "tau uninstall"),
            ("lst", "tau list"),
            ("lits", "tau list"),
            ("confg get theme", "tau config"),
            ("cofnig set theme dark", "tau config"),
            ("Udpate", "tau update"),
            ("login", "tau auth login"),
            ("login anthropic", "tau auth login"),
            ("lgoin", "tau auth login"),
            ("logut", "tau auth logout"),
            ("help install", "tau install --help"),
            ("sesions", "tau --resume"),
            ("sesssion", "tau --resume"),
            ("exprt", "tau --export"),
            ("exprt s.jsonl", "tau --export"),
            ("export s.jsonl", "tau --export"),
            ("resume 0198-7a", "tau --resume"),
            ("resme", "tau --resume"),
            ("modles", "tau models"),
            ("add npm:x", "tau install"),
            ("upgarde", "tau update"),
            ("verison", "tau --version"),
            ("acp", "tau acp"),
        ] {
            assert_eq!(told(words), Some((here.to_owned(), false)), "{words:?}");
        }
    }

    #[test]
    fn an_english_word_is_a_prompt_when_there_is_something_to_say_it_about() {
        for (words, here) in [
            ("help", "tau --help"),
            ("version", "tau --version"),
            ("sessions", "tau --resume"),
            ("resume", "tau --resume"),
            ("continue", "tau --continue"),
            ("upgrade", "tau update"),
            ("init", "tau config"),
            ("chat", "tau -p PROMPT"),
            ("run", "tau -p PROMPT"),
            ("export", "tau --export"),
            ("hook", "tau hooks"),
            ("updates", "tau update"),
        ] {
            assert_eq!(told(words), Some((here.to_owned(), true)), "{words:?}");
        }
    }

    #[test]
    fn prompts_are_left_alone() {
        for words in [
            "help me with this",
            "help me",
            "continue please",
            "resume work",
            "export functions",
            "upgrade dependencies",
            "add tests",
            "run tests",
            "run the tests",
            "updates for the readme",
            "lists all files",
            "removes it",
            "hook it up",
            "fix it",
            "lint the project",
            "lint",
            "hello",
            "test",
            "explain",
            "review",
            "summarize",
            "translate",
            "books",
            "missions",
            "lessons",
            "remote",
            "what is this",
        ] {
            assert_eq!(told(words), None, "{words:?}");
            assert_eq!(meant(&[words]), None, "{words:?}, quoted");
        }
    }
}
