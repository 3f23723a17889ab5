//! What a model and a script read of the tools that a script can call.

mod comments;
mod identifier;
mod listing;
mod output;
mod schema;
mod tool;
mod types;

pub use identifier::identifier;
pub use listing::{Listing, Mode};
pub use output::script_line;
pub use tool::{Declaration, is_namespace_name};
pub use types::{input_type, output_type};

pub(crate) use schema::follow;
