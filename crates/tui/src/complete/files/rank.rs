//! Ranking paths for a query.

use std::cmp::Reverse;
use std::collections::HashMap;

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// What a file name adds to the score of its path when it equals the query, equals it without its extension, begins
/// with it, or contains its letters. One matching letter scores 16.
const IS_NAME: u32 = 48;
const IS_STEM: u32 = 40;
const BEGINS: u32 = 24;
const IN_NAME: u32 = 8;
/// Paths in the folder that the query names come before those that only contain its letters.
const IN_FOLDER: u32 = 100_000;
/// The score of every path when there is no query; deeper paths score less.
const ANYTHING: u32 = 1_000;

/// How well a path matches; the greater, the better. Of equals the shorter is better.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    score: u32,
    length: Reverse<usize>,
    path: Reverse<String>,
}

/// A parsed query.
struct Query {
    text: String,
    whole: Pattern,
    /// The folder it names, with a slash, and what stands behind that.
    folder: Option<(String, Pattern)>,
}

impl Query {
    /// Whether the query only names the folder of this path.
    fn asks_for_all(&self, path: &str) -> bool {
        let names = |(folder, rest): &(String, Pattern)| rest.atoms.is_empty() && path.starts_with(folder.as_str());
        self.text.is_empty() || self.folder.as_ref().is_some_and(names)
    }
}

/// The best paths for a query among those added.
pub(super) struct Ranking {
    query: Query,
    matcher: Matcher,
    buffer: Vec<char>,
    limit: usize,
    /// The best first.
    best: Vec<Rank>,
    /// The places of recent paths in their order.
    recent: HashMap<String, usize>,
    /// Recent paths that match, with their place.
    used: Vec<(usize, Rank)>,
}

impl Ranking {
    pub(super) fn new(query: &str, recent: &[String], limit: usize) -> Self {
        let pattern = |text: &str| Pattern::new(text, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
        let folder = query.rfind('/').map(|at| (query[..=at].to_owned(), pattern(&query[at + 1..])));
        let query = Query { text: query.to_owned(), whole: pattern(query), folder };
        let mut places = HashMap::new();
        for (place, path) in recent.iter().enumerate() {
            places.entry(path.clone()).or_insert(place);
        }
        let matcher = Matcher::new(Config::DEFAULT.match_paths());
        Self { query, matcher, buffer: Vec::new(), limit, best: Vec::new(), recent: places, used: Vec::new() }
    }

    /// Looks at one more path.
    pub(super) fn add(&mut self, path: &str) {
        let Some(score) = self.score(path) else { return };
        // Without letters to match, paths are in the order of their names.
        let length = if self.query.asks_for_all(path) { 0 } else { path.len() };
        let rank = || Rank { score, length: Reverse(length), path: Reverse(path.to_owned()) };
        if let Some(place) = self.recent.get(path).copied() {
            self.used.push((place, rank()));
        }
        let is_full = self.best.len() >= self.limit;
        if is_full && self.best.last().is_some_and(|worst| (worst.score, worst.length) > (score, Reverse(length))) {
            return;
        }
        let rank = rank();
        let at = self.best.partition_point(|better| *better > rank);
        if self.best.get(at) != Some(&rank) {
            self.best.insert(at, rank);
            self.best.truncate(self.limit);
        }
    }

    /// The best paths. Recent ones come first, unless they match much worse than others do.
    pub(super) fn found(&self) -> Vec<String> {
        let best = self.best.first().map_or(0, |rank| rank.score);
        let mut used: Vec<_> = self.used.iter().filter(|(_, rank)| rank.score.saturating_mul(4) / 3 >= best).collect();
        used.sort_by_key(|(place, _)| *place);
        used.dedup_by_key(|(place, _)| *place);
        let first: Vec<&str> = used.into_iter().map(|(_, rank)| rank.path.0.as_str()).collect();
        let others = self.best.iter().map(|rank| rank.path.0.as_str()).filter(|path| !first.contains(path));
        first.iter().copied().chain(others).take(self.limit).map(str::to_owned).collect()
    }

    fn score(&mut self, path: &str) -> Option<u32> {
        let bare = path.strip_suffix('/').unwrap_or(path);
        if self.query.text.is_empty() {
            return Some(ANYTHING.saturating_sub(shallow(path, bare)));
        }
        if let Some((folder, rest)) = &self.query.folder
            && let Some(below) = bare.strip_prefix(folder.as_str()).filter(|below| !below.is_empty())
        {
            if rest.atoms.is_empty() {
                return Some(IN_FOLDER + ANYTHING.saturating_sub(shallow(&path[folder.len()..], below)));
            }
            let score = rest.score(Utf32Str::new(below, &mut self.buffer), &mut self.matcher)?;
            return Some(IN_FOLDER + score + in_name(&self.query.text[folder.len()..], below));
        }
        let whole = self.query.whole.score(Utf32Str::new(bare, &mut self.buffer), &mut self.matcher)?;
        if self.query.folder.is_some() {
            return Some(whole);
        }
        let name = name(bare);
        let by_name = self.query.whole.score(Utf32Str::new(name, &mut self.buffer), &mut self.matcher);
        let bonus = if by_name.is_some() { IN_NAME.max(in_name(&self.query.text, bare)) } else { 0 };
        Some(whole.max(by_name.unwrap_or(0)) + bonus)
    }
}

/// What a path loses without a query: for its depth, for a hidden name, for not being a folder.
fn shallow(path: &str, bare: &str) -> u32 {
    let depth = u32::try_from(bare.matches('/').count()).unwrap_or(u32::MAX);
    let is_hidden = name(bare).starts_with('.');
    depth.saturating_mul(4) + 2 * u32::from(is_hidden) + u32::from(!path.ends_with('/'))
}

fn in_name(query: &str, bare: &str) -> u32 {
    let name = name(bare);
    let begins = name.get(..query.len()).is_some_and(|start| start.eq_ignore_ascii_case(query));
    match begins {
        true if name.len() == query.len() => IS_NAME,
        true if name[query.len()..].starts_with('.') => IS_STEM,
        true => BEGINS,
        false => 0,
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
