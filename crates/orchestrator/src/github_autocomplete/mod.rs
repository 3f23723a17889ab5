//! `#` in the editor suggests issues and pull requests of the repository's forge.

mod older;
mod suggest;
mod token;

use std::sync::Arc;

use tau_hooks::dialogs::UiCall;
use tau_hooks::events::SessionStart;
use tau_hooks::mount::SuggestHandle;
use tau_hooks::{Ctx, Extension, HandlerError, Mode, Registrar};

use self::suggest::{Around, Source};
use crate::module::{GET_GH, Module, Needed};

/// The row of the table.
pub const MODULE: Module = Module {
    name: "builtin:github-autocomplete",
    about: "issues and pull requests after # in the editor",
    needs: &[],
    programs: &[Needed {
        program: "gh",
        what_for: "lists issues and pull requests after #",
        get: GET_GH,
        only_if: None,
    }],
    in_children: false,
    make: || Box::new(GithubAutocomplete),
};

/// The extension.
struct GithubAutocomplete;

impl Extension for GithubAutocomplete {
    fn name(&self) -> &str {
        "github-autocomplete"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        // Sessions of one terminal share it, so that it is not put around itself.
        let handle = SuggestHandle(Arc::new(Around(Arc::new(Source::new(registrar.api())))));
        registrar.on::<SessionStart>(move |_, ctx: Ctx| {
            if ctx.mode() == Mode::Tui {
                ctx.ui().call(UiCall::AddAutocompleteProvider(handle.clone()));
            }
            async { Ok(()) }
        });
        Ok(())
    }
}
