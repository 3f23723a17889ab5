//! Which sessions a query finds, and in which order they stand.

use std::collections::HashMap;

use regex::{Regex, RegexBuilder};
use tau_session::SessionInfo;
use tau_view::fuzzy::fuzzy_match_words;

/// In which order sessions stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// Forks below what they were forked from.
    Threaded,
    /// The latest first.
    Recent,
    /// What a query fits best first.
    Fuzzy,
}

impl Sort {
    pub(super) fn next(self) -> Self {
        match self {
            Self::Threaded => Self::Recent,
            Self::Recent => Self::Fuzzy,
            Self::Fuzzy => Self::Threaded,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Threaded => "Threaded",
            Self::Recent => "Recent",
            Self::Fuzzy => "Fuzzy",
        }
    }
}

/// What is searched for: words, a phrase in quotes, or a pattern behind `re:`.
#[derive(Debug)]
pub(super) enum Query {
    Words(Vec<String>),
    Pattern(Regex),
}

impl Query {
    /// # Errors
    /// When the pattern cannot be read.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if let Some(pattern) = text.trim().strip_prefix("re:") {
            let made = RegexBuilder::new(pattern.trim()).case_insensitive(true).size_limit(1 << 20).build();
            return made.map(Self::Pattern).map_err(|_| "this is no regular expression".to_owned());
        }
        let mut words = Vec::new();
        for (at, part) in text.split('"').enumerate() {
            match at % 2 {
                0 => words.extend(part.split_whitespace().map(str::to_lowercase)),
                _ if part.is_empty() => {}
                _ => words.push(part.to_lowercase()),
            }
        }
        Ok(Self::Words(words))
    }

    /// How well a session fits, the smallest best: in its name, in its texts, or by letters in order.
    fn rank(&self, info: &SessionInfo) -> Option<u32> {
        let name = info.name.as_deref().unwrap_or_default().to_lowercase();
        let texts = [&info.id, info.first_message.as_deref().unwrap_or_default(), &info.cwd];
        match self {
            Self::Pattern(pattern) => {
                let found = pattern.is_match(&name) || texts.iter().any(|text| pattern.is_match(text));
                found.then_some(0)
            }
            Self::Words(words) => {
                let exact = texts.map(str::to_lowercase);
                let scattered = format!("{name} {}", info.cwd);
                let of = |word: &String| {
                    if name.contains(word) {
                        Some(0)
                    } else if exact.iter().any(|text| text.contains(word)) {
                        Some(1)
                    } else {
                        fuzzy_match_words(word, &scattered).map(|_| 2)
                    }
                };
                words.iter().map(of).sum()
            }
        }
    }
}

/// The sessions that a query finds, each with what stands in front of it.
pub(super) fn arrange<'a>(pool: &[&'a SessionInfo], query: &Query, sort: Sort) -> Vec<(&'a SessionInfo, String)> {
    let mut found: Vec<(u32, &SessionInfo)> = pool.iter().filter_map(|info| Some((query.rank(info)?, *info))).collect();
    found.sort_by_key(|(_, info)| std::cmp::Reverse(info.modified_ms));
    match sort {
        Sort::Recent => {}
        Sort::Fuzzy => found.sort_by_key(|(rank, _)| *rank),
        Sort::Threaded => return threads(found.into_iter().map(|(_, info)| info).collect()),
    }
    found.into_iter().map(|(_, info)| (info, String::new())).collect()
}

/// Forks below what they were forked from. A thread stands where the latest of it would.
fn threads(found: Vec<&SessionInfo>) -> Vec<(&SessionInfo, String)> {
    let at: HashMap<String, usize> =
        found.iter().enumerate().map(|(at, info)| (info.path.display().to_string(), at)).collect();
    let parent = |info: &SessionInfo| info.parent_session.as_ref().and_then(|parent| at.get(parent)).copied();
    let root_of = |mut node: usize| {
        // A file can name anything as its parent, itself too.
        for _ in 0..found.len() {
            match parent(found[node]) {
                Some(up) => node = up,
                None => return Some(node),
            }
        }
        None
    };
    let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut roots = Vec::new();
    for (node, info) in found.iter().enumerate() {
        let root = root_of(node).unwrap_or(node);
        if !roots.contains(&root) {
            roots.push(root);
        }
        if let Some(up) = parent(info).filter(|_| root_of(node).is_some()) {
            children.entry(up).or_default().push(node);
        }
    }
    let mut rows = Vec::new();
    for root in roots {
        let mut open = vec![(root, String::new(), String::new())];
        while let Some((node, prefix, below)) = open.pop() {
            rows.push((found[node], prefix));
            let own = children.get(&node).map(Vec::as_slice).unwrap_or_default();
            let last = own.len().saturating_sub(1);
            open.extend(own.iter().enumerate().rev().map(|(at, child)| {
                let (branch, stem) = if at == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
                (*child, format!("{below}{branch}"), format!("{below}{stem}"))
            }));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(id: &str, name: Option<&str>, first: &str, parent: Option<&str>, at: i64) -> SessionInfo {
        SessionInfo {
            path: format!("/s/{id}").into(),
            id: id.to_owned(),
            cwd: "/home/me/parser".to_owned(),
            name: name.map(str::to_owned),
            parent_session: parent.map(|parent| format!("/s/{parent}")),
            created_ms: None,
            modified_ms: at,
            message_count: 1,
            first_message: Some(first.to_owned()),
        }
    }

    fn ids(all: &[SessionInfo], query: &str, sort: Sort) -> Vec<String> {
        let pool: Vec<&SessionInfo> = all.iter().collect();
        let query = Query::parse(query).expect("a query");
        arrange(&pool, &query, sort).into_iter().map(|(info, prefix)| format!("{prefix}{}", info.id)).collect()
    }

    fn some() -> Vec<SessionInfo> {
        vec![
            info("a", None, "Fix the login", None, 1),
            info("b", Some("login page"), "Hello there", Some("a"), 5),
            info("c", None, "Write docs", None, 3),
            info("d", None, "Deeper", Some("b"), 2),
            info("e", None, "Itself", Some("e"), 4),
        ]
    }

    #[test]
    fn forks_stand_below_what_they_come_from() {
        assert_eq!(ids(&some(), "", Sort::Threaded), ["a", "└─ b", "   └─ d", "e", "c"]);
        assert_eq!(ids(&some(), "", Sort::Recent), ["b", "e", "c", "d", "a"]);
    }

    #[test]
    fn names_come_before_texts_and_texts_before_letters() {
        assert_eq!(ids(&some(), "login", Sort::Fuzzy), ["b", "a"]);
        assert_eq!(ids(&some(), "\"the login\"", Sort::Fuzzy), ["a"]);
        assert_eq!(ids(&some(), "re:^(write|deeper)", Sort::Recent), ["c", "d"]);
        // By letters: only names and folders.
        assert_eq!(ids(&some(), "lgpg", Sort::Fuzzy), ["b"]);
        assert!(Query::parse("re:(").is_err());
    }
}
