//! Completions of the arguments of commands and prompt templates, by their names, no matter which extension they belong to.

mod line;
mod sources;
mod table;

use std::sync::Arc;

use tau_hooks::{Completion, Extension, HandlerError, Registrar};

use self::line::{Wanted, wanted};
use self::sources::{Candidate, Sources};
use self::table::{Row, TABLE};
use crate::module::{GET_GH, Module, Needed};
use crate::shared::rank::best;

/// The row of the table.
pub const MODULE: Module = Module {
    name: "builtin:autocomplete",
    about: "completions of arguments: pull requests, branches, tags, flags",
    needs: &[],
    programs: &[Needed {
        program: "gh",
        what_for: "lists open pull requests for arguments of commands",
        get: GET_GH,
        only_if: None,
    }],
    in_children: false,
    make: || Box::new(Autocomplete),
};

/// The extension.
struct Autocomplete;

impl Extension for Autocomplete {
    fn name(&self) -> &str {
        "autocomplete"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let sources = Arc::new(Sources::new(registrar.api()));
        for row in TABLE {
            let sources = Arc::clone(&sources);
            registrar.completer(row.command, move |text| {
                let sources = Arc::clone(&sources);
                async move { complete(row, &sources, &text).await }
            });
        }
        Ok(())
    }
}

/// What a text behind the name of a command can become: the text with another last word.
async fn complete(row: &'static Row, sources: &Sources, text: &str) -> Vec<Completion> {
    let Wanted { before, word, source, flags } = wanted(row, text);
    let mut all = match source {
        Some(source) => sources.candidates(source).await,
        None => Vec::new(),
    };
    all.extend(flags.into_iter().map(|flag| Candidate::of(&flag.word)));
    // A pull request is often written with the sign before its number.
    let query = word.strip_prefix('#').unwrap_or(word);
    let found = best(query, &all, |one| one.value.clone(), |one| one.about.clone());
    let completion = |one: &Candidate| Completion {
        value: format!("{before}{}", one.value),
        label: one.label.clone(),
        description: Some(one.about.clone()).filter(|about| !about.is_empty()),
    };
    found.into_iter().map(completion).collect()
}
