//! Expands abbreviations in what the user types.
//!
//! A word that is in the list is replaced by its text. A question mark in front asks for an answer without changes:
//! `?why does the build fail`. A lone `?` shows the list and goes no further. The list is a JSON object in a file that
//! `--shortcuts FILE` names, for instance `{"lgtm": "Looks good to me, commit it.", ";t": "Run the tests."}`.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use parking_lot::RwLock;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::events::{Input, SessionStart};
use tau_hooks::payload::{InputEvent, InputResult, InputSource};
use tau_hooks::{Ctx, Extension, FlagKind, FlagSpec, FlagValue, HandlerError, Registrar};

/// What a question mark in front stands for.
const QUESTION: &str = "Answer this question. Do not change any files.\n\n";

/// Words and what they stand for.
pub type Shortcuts = BTreeMap<String, String>;

/// The extension, with abbreviations that are there without a file.
#[derive(Debug, Clone, Default)]
pub struct InputShortcuts {
    /// The abbreviations.
    pub shortcuts: Shortcuts,
}

impl Extension for InputShortcuts {
    fn name(&self) -> &str {
        "input-shortcuts"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        registrar.flag(FlagSpec {
            name: "shortcuts".to_owned(),
            description: "JSON file with abbreviations for the prompt".to_owned(),
            kind: FlagKind::String,
            default: None,
        })?;
        let (own, api) = (self.shortcuts.clone(), registrar.api());
        let current = Arc::new(RwLock::new(own.clone()));
        let reading = Arc::clone(&current);
        registrar.on::<SessionStart>(move |_, ctx| {
            let (own, api, reading) = (own.clone(), api.clone(), Arc::clone(&reading));
            async move {
                let Some(FlagValue::String(file)) = api.flag("shortcuts") else { return Ok(()) };
                let path = tau_tools::paths::resolve_to_cwd(&file, &ctx.cwd());
                let failed = |error: &dyn std::fmt::Display| HandlerError::msg(format!("{}: {error}", path.display()));
                let text = fs::read_to_string(&path).map_err(|error| failed(&error))?;
                let more: Shortcuts = serde_json::from_str(&text).map_err(|error| failed(&error))?;
                *reading.write() = own.into_iter().chain(more).collect();
                Ok(())
            }
        });
        registrar.on::<Input>(move |event, ctx| {
            let result = rewrite(&event, &ctx, &current.read());
            async move { result }
        });
        Ok(())
    }
}

fn rewrite(event: &InputEvent, ctx: &Ctx, shortcuts: &Shortcuts) -> Option<InputResult> {
    // Other extensions say what they mean.
    if event.source == InputSource::Extension {
        return None;
    }
    if event.text.trim() == "?" && ctx.has_ui() {
        let lines = shortcuts.iter().map(|(word, text)| format!("{word}  {text}")).collect::<Vec<_>>();
        ctx.ui().notify(&format!("?…  answers only\n{}", lines.join("\n")), NotifyLevel::Info);
        return Some(InputResult::Handled);
    }
    let expanded = expand(&event.text, shortcuts);
    let text = match expanded.strip_prefix('?').map(str::trim_start) {
        Some(question) if !question.is_empty() => format!("{QUESTION}{question}"),
        _ => expanded,
    };
    (text != event.text).then_some(InputResult::Transform { text, images: None })
}

/// Replaces whole words; spaces and line breaks stay as they are.
fn expand(text: &str, shortcuts: &Shortcuts) -> String {
    let mut expanded = String::with_capacity(text.len());
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        expanded.push_str(shortcuts.get(word).map_or(word, String::as_str));
        expanded.push_str(&piece[word.len()..]);
    }
    expanded
}
