//! A call of a built-in command.

use std::rc::Rc;

use super::Context;
use super::outcome::Outcome;
use super::state::State;
use crate::argument::Arg;
use crate::invocation::Redirect;
use crate::text::Text;

/// A call of a built-in command.
pub(super) struct Call<'c> {
    pub(super) name: &'c str,
    /// With the name.
    pub(super) arguments: &'c [Arg],
    pub(super) redirects: &'c [Redirect],
    pub(super) state: &'c Rc<State>,
    pub(super) context: &'c Context,
}

impl Call<'_> {
    pub(super) fn rest(&self) -> &[Arg] {
        self.arguments.get(1..).unwrap_or_default()
    }

    /// It may have failed, and nothing changed.
    pub(super) fn nothing(&self) -> Outcome {
        Outcome::either(self.state, Text::default())
    }

    pub(super) fn done(&self, change: impl FnOnce(&mut State)) -> Outcome {
        let mut state = State::clone(self.state);
        change(&mut state);
        Outcome::success(Rc::new(state), Text::default())
    }
}

/// Whether what it declares goes to programs.
pub(super) fn exports(arguments: &[Arg]) -> bool {
    let mut names = arguments.iter().filter_map(Arg::known);
    let is_export = names.next() == Some("export");
    is_export || names.any(|option| option.starts_with('-') && !option.starts_with("--") && option.contains('x'))
}
