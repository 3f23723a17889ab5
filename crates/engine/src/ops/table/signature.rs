//! What goes into an op and comes out, in TypeScript.

/// Whether an argument may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It must be there.
    Required,
    /// It may be left out.
    Optional,
    /// There may be any number of them.
    Rest,
}

/// An argument as JavaScript passes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// Its type in TypeScript.
    pub text: String,
    /// Whether it may be left out.
    pub how: How,
}

/// What goes into an op and comes out, in TypeScript.
#[derive(Default)]
pub struct Signature {
    /// The arguments.
    pub params: Vec<Passed>,
    /// The type of the result.
    pub result: String,
    /// It is no function.
    pub is_value: bool,
}
