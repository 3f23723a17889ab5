//! Texts for the system prompt that are given directly or as the path of a file.

use std::path::{Path, PathBuf};

use super::options::LoadOptions;
use crate::diagnostic::Diagnostic;
use crate::settings::{Environment, Layer, Settings};
use crate::text;

/// A text for the system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptText {
    /// The text.
    pub text: String,
    /// Where it came from.
    pub source: TextSource,
}

/// Where a text for the system prompt came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextSource {
    /// Written on the command line, after this flag.
    Flag(&'static str),
    /// Written in this settings file.
    Setting(PathBuf),
    /// This file.
    File(PathBuf),
    /// An extension, by its id.
    Extension(String),
}

/// The prompt that replaces the built-in one: flag, then the project's `SYSTEM.md`, then the user's.
pub(super) fn system_prompt(
    env: &Environment,
    settings: &Settings,
    options: &LoadOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<PromptText> {
    match &options.system_prompt {
        Some(value) => path_or_literal(env, value, options.base(env), TextSource::Flag("--system-prompt"), diagnostics),
        None => standard_file(settings, "SYSTEM.md", diagnostics),
    }
}

/// The texts to append: those of the settings, then those of the flags; without flags the project's `APPEND_SYSTEM.md`,
/// else the user's.
pub(super) fn appended(
    env: &Environment,
    settings: &Settings,
    options: &LoadOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<PromptText> {
    let mut texts = Vec::new();
    for entry in settings.append_system_prompt() {
        let literal = TextSource::Setting(settings.paths().file(entry.layer));
        texts.extend(path_or_literal(env, &entry.entry, &entry.base, literal, diagnostics));
    }
    if options.append_system_prompt.is_empty() {
        texts.extend(standard_file(settings, "APPEND_SYSTEM.md", diagnostics));
    }
    for value in &options.append_system_prompt {
        let literal = TextSource::Flag("--append-system-prompt");
        texts.extend(path_or_literal(env, value, options.base(env), literal, diagnostics));
    }
    texts
}

fn standard_file(settings: &Settings, name: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<PromptText> {
    let layers = if settings.is_trusted() { &[Layer::Project, Layer::Global][..] } else { &[Layer::Global] };
    let path = layers.iter().map(|layer| settings.paths().base(*layer).join(name)).find(|path| path.is_file())?;
    read(&path, diagnostics)
}

fn path_or_literal(
    env: &Environment,
    value: &str,
    base: &Path,
    literal: TextSource,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<PromptText> {
    let path = env.resolve(value, base);
    if path.is_file() {
        return read(&path, diagnostics);
    }
    if !value.contains(char::is_whitespace) && (value.ends_with(".md") || value.ends_with(".txt")) {
        diagnostics.push(Diagnostic::warning(&path, "no such file; its name is used as the text"));
    }
    Some(PromptText { text: value.to_owned(), source: literal })
}

fn read(path: &Path, diagnostics: &mut Vec<Diagnostic>) -> Option<PromptText> {
    match text::read(path) {
        Ok(text) => Some(PromptText { text, source: TextSource::File(path.to_path_buf()) }),
        Err(error) => {
            diagnostics.push(Diagnostic::error(path, error.to_string()));
            None
        }
    }
}
