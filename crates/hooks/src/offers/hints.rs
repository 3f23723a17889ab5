//! What the model reads of a tool that it called by name and that is not there for it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use crate::extension::Registrar;
use crate::registry::Hooks;
use crate::report::Report;

/// Says how a tool can be reached that the model cannot call by this name; `None` when nothing is known of it.
pub type ToolHint = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

impl Registrar {
    /// Knows ways to tools that are not declared. `say` gets the name that the model called; its sentence, without a full
    /// stop, stands behind the error. It must not wait.
    pub fn tool_hint(&mut self, say: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> &mut Self {
        self.staged.offers.tool_hint = Some(Arc::new(say));
        self
    }
}

impl Hooks {
    /// Why a tool was not found that the model called: its name, then what extensions know of it. One that fails is
    /// reported.
    pub fn tool_not_found(&self, name: &str) -> String {
        let mut text = format!("Tool {name} not found");
        for (owner, say) in self.all_of(|registered| registered.offers.tool_hint.as_slice()) {
            match std::panic::catch_unwind(AssertUnwindSafe(|| say(name))) {
                Ok(hint) => text.extend(hint.into_iter().flat_map(|hint| [". ".to_owned(), hint])),
                Err(panic) => {
                    let problem = crate::dispatch::panicked(panic).to_string();
                    self.dispatcher.reports.send(&Report::diagnostic(Arc::clone(&owner.path), "tool_hint", problem));
                }
            }
        }
        text
    }
}
