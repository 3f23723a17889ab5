//! Names for messages.

use crate::invocation::Via;

/// What a way through is called.
pub(super) fn of_via(via: &Via) -> String {
    match via {
        Via::Wrapper(name) | Via::Shell(name) | Via::Function(name) | Via::Elsewhere(name) => name.clone(),
        Via::File(path) => path.display().to_string(),
        Via::Loop => "a loop".to_owned(),
        Via::Pipe => "a pipe".to_owned(),
        Via::Substitution => "a substitution".to_owned(),
        Via::Background => "a background job".to_owned(),
    }
}
