//! What fails again and again is asked no more.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How often in a row a function of an extension failed that is called for each key or each text. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct InARow(Arc<AtomicU32>);

/// What a failure is, among those in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failing {
    /// The first: it is worth a word.
    First,
    /// Another one.
    Again,
    /// The last: the function is asked no more.
    Last,
}

impl InARow {
    /// After how many failures in a row a function is asked no more.
    pub const MOST: u32 = 3;

    /// Whether the function is asked no more.
    pub fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= Self::MOST
    }

    /// It did what it was asked to.
    pub fn worked(&self) {
        // What was asked before it was over may come back later.
        let forget = |failures| (failures < Self::MOST).then_some(0);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, forget).unwrap_or_default();
    }

    /// It failed.
    pub fn failed(&self) -> Failing {
        match self.0.fetch_add(1, Ordering::Relaxed) + 1 {
            1 => Failing::First,
            Self::MOST => Failing::Last,
            _ => Failing::Again,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_in_a_row_count() {
        let row = InARow::default();
        assert_eq!([row.failed(), row.failed()], [Failing::First, Failing::Again]);
        row.worked();
        assert_eq!([row.failed(), row.failed(), row.failed()], [Failing::First, Failing::Again, Failing::Last]);
        assert!(row.is_over());
        row.worked();
        assert!(row.clone().is_over(), "a late answer brings nothing back");
        assert_eq!(row.failed(), Failing::Again, "it is told once");
    }
}
