//! Between a script and the programs that it starts.

use std::rc::Rc;

use super::outcome::{Outcome, join};
use super::state::State;
use crate::argument::Arg;
use crate::text::Text;

/// What a program of a script gets: its variables that are exported, no functions.
pub(super) fn child(state: &State) -> State {
    let variables = state.variables.iter().filter(|(_, variable)| variable.is_exported);
    State {
        variables: Rc::new(variables.map(|(name, variable)| (name.clone(), variable.clone())).collect()),
        aliases: Rc::default(),
        ..state.clone()
    }
}

/// Behind a program: its own variables and directory are gone.
pub(super) fn back(ended: Outcome, state: &Rc<State>) -> Outcome {
    let all = |paths: Vec<Rc<State>>| {
        let restored = paths.into_iter().map(|end| Rc::new(state.after_subshell(&end))).collect();
        join(Vec::new(), restored)
    };
    Outcome { ok: all(ended.ok), failed: all(ended.failed), output: ended.output }
}

/// Arguments as parameters.
pub(super) fn all_known(arguments: &[Arg]) -> Option<Rc<Vec<Text>>> {
    let is_known = arguments.iter().all(|argument| !argument.is_many && !argument.text.is_glob());
    is_known.then(|| Rc::new(arguments.iter().map(|argument| argument.text.clone()).collect()))
}
