//! What finds JavaScript's regular expressions in a growing text. The program brings it.

use std::time::Duration;

use async_trait::async_trait;

/// An expression to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression {
    /// As JavaScript's `RegExp` takes it.
    pub source: String,
    /// Some of `i`, `m` and `s`.
    pub flags: String,
}

/// Makes expressions ready.
pub trait PatternEngine: Send + Sync {
    /// Makes these expressions ready, and takes the resources for it: only called when there are any.
    ///
    /// # Errors
    /// When there is no engine to be had.
    fn start(&self, expressions: Vec<Expression>) -> Result<Started, PatternsGone>;
}

/// Expressions that can be looked for.
pub struct Started {
    /// Looks for them.
    pub patterns: Box<dyn Patterns>,
    /// For each, in their order, what is wrong with it.
    pub invalid: Vec<Option<String>>,
}

/// Looks for expressions in texts that grow.
#[async_trait]
pub trait Patterns: Send + Sync {
    /// Adds to a text and looks for expressions in it.
    ///
    /// # Errors
    /// When the engine is gone, for good.
    async fn search(&self, search: Search) -> Result<Vec<Found>, PatternsGone>;

    /// Forgets all texts.
    fn forget(&self);
}

/// What to look for, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// Names the text; a new name is an empty text.
    pub text: usize,
    /// What is added to its end first.
    pub more: String,
    /// What to look for, one after another.
    pub tries: Vec<Try>,
    /// Processor time that each may take.
    pub limit: Duration,
}

/// One expression to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Try {
    /// Its place among the expressions the engine was started with.
    pub expression: usize,
    /// Where a match may begin, in UTF-16 units. What is before that still counts for `^` and for what looks behind.
    pub from: usize,
}

/// What came of looking for an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Whether it is there.
    pub seen: Seen,
    /// The processor time it took.
    pub spent: Duration,
}

/// Whether an expression is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Yes.
    Match,
    /// No.
    Nothing,
    /// Nobody knows: looking for it took too long, or too much memory.
    GaveUp,
}

/// There is nothing that looks for expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stream rules are off: nothing here can look for their expressions")]
pub struct PatternsGone;
