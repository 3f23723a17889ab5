//! Finding tools by what they are for.

mod document;
mod rank;
mod words;

pub use document::Document;
pub use rank::{Found, rank};

/// How many tools a search gives unless somebody asks for another number.
pub const LIMIT: usize = 8;
