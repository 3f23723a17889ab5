//! Words that were probably meant for a subcommand or a flag. They are no prompt: a request to a model costs money.

use super::find;
use super::usage::COMMANDS;

/// Words that are commands elsewhere, with what they are here. Such a word alone is no prompt, nor is one with one more word.
const ELSEWHERE: &[(&str, &str)] = &[
    ("help", "tau --help"),
    ("version", "tau --version"),
    ("login", "tau auth login"),
    ("logout", "tau auth logout"),
    ("sessions", "tau --resume"),
    ("session", "tau --resume"),
    ("resume", "tau --resume"),
    ("continue", "tau --continue"),
    ("models", "tau --list-models"),
    ("settings", "tau config"),
    ("upgrade", "tau update"),
    ("extensions", "tau config"),
    ("packages", "tau list"),
    ("export", "tau --export"),
    ("acp", "tau acp"),
];

/// Words that prompts begin with, although they are almost the name of a subcommand.
const ORDINARY: &[&str] = &["lint", "last", "lost"];

/// What to type in the place of the words of a run, when they were meant for a subcommand.
pub(super) fn meant(words: &[&str]) -> Option<String> {
    let (first, rest) = words.split_first()?;
    let word = first.to_lowercase();
    if rest.len() <= 1
        && let Some((_, here)) = ELSEWHERE.iter().find(|(name, _)| *name == word)
    {
        return Some(match rest.first().and_then(|name| find(name)) {
            Some(command) if word == "help" => format!("tau {} --help", command.name),
            _ => (*here).to_owned(),
        });
    }
    if ORDINARY.contains(&&*word) {
        return None;
    }
    let names = COMMANDS.iter().flat_map(|command| std::iter::once(command.name).chain(command.alias));
    let near = names.map(|name| (strsim::damerau_levenshtein(&word, name), name));
    let (distance, name) = near.min_by_key(|(distance, _)| *distance)?;
    // Short words are soon alike.
    let allowed = if name.len() >= 7 { 2 } else { usize::from(name.len() >= 4 && word.len() >= 3) };
    (distance <= allowed).then(|| format!("tau {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_a_subcommand_is_known_and_prompts_are_left_alone() {
        for (words, here) in [
            ("instal npm:x", Some("tau install")),
            ("unistall npm:x", Some("tau uninstall")),
            ("lst", Some("tau list")),
            ("hook", Some("tau hooks")),
            ("confg get theme", Some("tau config")),
            ("Update", Some("tau update")),
            ("login", Some("tau auth login")),
            ("login anthropic", Some("tau auth login")),
            ("help", Some("tau --help")),
            ("help install", Some("tau install --help")),
            ("sessions", Some("tau --resume")),
            ("export s.jsonl", Some("tau --export")),
            ("help me with this", None),
            ("fix it", None),
            ("lint the project", None),
            ("hello", None),
            ("test", None),
            ("add tests", None),
            ("what is this", None),
        ] {
            let words: Vec<&str> = words.split(' ').collect();
            assert_eq!(meant(&words).as_deref(), here, "{words:?}");
        }
    }
}
