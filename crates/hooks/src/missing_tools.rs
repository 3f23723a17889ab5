//! Tools that should be there and are not.

/// A group of tools that should be there and is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingTools {
    /// What the names of its tools begin with.
    pub prefix: String,
    /// Who it is, what is wrong and what to do, as a sentence without its full stop.
    pub problem: String,
    /// The user switched them off: only those need to hear of it that name one of the tools.
    pub is_off: bool,
}
