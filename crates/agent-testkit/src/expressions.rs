//! Stands in for JavaScript's regular expressions.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use regex::Regex;
use tau_script::{Expression, Found, PatternEngine, Patterns, PatternsGone, Search, Seen, Started, Try};

use super::Log;

/// The expression that never comes to an end.
pub const ENDLESS: &str = "(x+x+)+y";

/// Expressions of another kind, which do as long as they are simple.
#[derive(Default)]
pub struct Expressions {
    /// How often it was started, with how many expressions.
    pub starts: Log<usize>,
    /// What was looked for, and in how much text.
    pub looks: Log<(usize, Try)>,
}

struct Texts {
    expressions: Vec<Option<(String, Regex)>>,
    texts: Mutex<HashMap<usize, String>>,
    looks: Log<(usize, Try)>,
}

impl PatternEngine for Expressions {
    fn start(&self, expressions: Vec<Expression>) -> Result<Started, PatternsGone> {
        self.starts.push(expressions.len());
        let made = expressions.into_iter().map(|Expression { source, flags }| {
            let flagged = if flags.is_empty() { source.clone() } else { format!("(?{flags}){source}") };
            Regex::new(&flagged).map(|regex| (source, regex)).map_err(|_| "that is no expression".to_owned())
        });
        let (mut expressions, mut invalid) = (Vec::new(), Vec::new());
        for made in made {
            invalid.push(made.as_ref().err().cloned());
            expressions.push(made.ok());
        }
        let patterns = Texts { expressions, texts: Mutex::default(), looks: self.looks.clone() };
        Ok(Started { patterns: Box::new(patterns), invalid })
    }
}

#[async_trait]
impl Patterns for Texts {
    async fn search(&self, search: Search) -> Result<Vec<Found>, PatternsGone> {
        let mut texts = self.texts.lock();
        let text = texts.entry(search.text).or_default();
        text.push_str(&search.more);
        let look = |tried: &Try| {
            self.looks.push((text.encode_utf16().count(), *tried));
            let (source, regex) = self.expressions[tried.expression].as_ref().expect("a valid expression");
            let mut units = 0;
            let before = |c: &char| {
                units += c.len_utf16();
                units <= tried.from
            };
            let from = text.chars().take_while(before).map(char::len_utf8).sum();
            let seen = match source.as_str() {
                ENDLESS => Seen::GaveUp,
                _ if regex.is_match_at(text, from) => Seen::Match,
                _ => Seen::Nothing,
            };
            Found { seen, spent: Duration::from_micros(1) }
        };
        Ok(search.tries.iter().map(look).collect())
    }

    fn forget(&self) {
        self.texts.lock().clear();
    }
}

/// An engine to look into.
pub fn expressions() -> Arc<Expressions> {
    Arc::default()
}
