//! Between a script and the programs that it starts.

use std::rc::Rc;

use super::outcome::{Outcome, join};
use super::state::{Dialect, EVERY, State};
use crate::argument::Arg;
use crate::text::Text;

/// What a shell that a script starts has of it: variables and functions that are exported. Only bash has those functions, and
/// `sh` may be bash.
pub(super) fn child(state: &State, dialect: Dialect) -> State {
    let variables = state.variables.iter().filter(|(_, variable)| variable.is_exported);
    let has_all = state.exported.contains(EVERY);
    let is_there = |name: &str| dialect != Dialect::Dash && (has_all || state.exported.contains(name));
    let functions = state.functions.iter().filter(|(name, _)| is_there(name));
    State {
        variables: Rc::new(variables.map(|(name, variable)| (name.clone(), variable.clone())).collect()),
        functions: Rc::new(functions.map(|(name, bodies)| (name.clone(), bodies.clone())).collect()),
        aliases: Rc::default(),
        readonly: Rc::default(),
        locals: None,
        doubts_functions: has_all || dialect == Dialect::Sh,
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
