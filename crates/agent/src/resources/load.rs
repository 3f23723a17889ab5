//! Loading everything for one working directory.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use super::context::{ContextFile, load_context_files};
use super::options::LoadOptions;
use super::prompt_text::{self, PromptText};
use super::sources::{skill_sources, template_sources, theme_sources};
use super::theme::Theme;
use super::watch::ContextWatch;
use super::{PromptTemplate, Skill};
use crate::builtins::BUILTINS;
use crate::diagnostic::Diagnostic;
use crate::package_entry::has_prompt_rules;
use crate::rules::{Rule, find_rules};
use crate::settings::{Environment, Settings};

/// Everything loaded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resources {
    /// Context files in the order of the prompt.
    pub context_files: Vec<ContextFile>,
    /// Skills in the order of the prompt; names are unique.
    pub skills: Vec<Skill>,
    /// Prompt templates; names are unique.
    pub prompt_templates: Vec<PromptTemplate>,
    /// Colour themes besides the built-in ones; names are unique.
    pub themes: Vec<Theme>,
    /// Stream rules; names are unique.
    pub rules: Vec<Rule>,
    /// The prompt that replaces the built-in one.
    pub system_prompt: Option<PromptText>,
    /// Texts to append to the system prompt.
    pub append_system_prompt: Vec<PromptText>,
    /// What was found wrong.
    pub diagnostics: Vec<Diagnostic>,
}

impl Resources {
    /// Finds and reads everything. Files of the project count only when the settings were loaded as trusted, except for
    /// context files. Of two resources with one name the first counts: settings, folders and packages of the project,
    /// settings, folders and packages of the user, packages of the command line, its files, extensions.
    pub fn load(env: &Environment, settings: &Settings, options: &LoadOptions) -> Self {
        Self::load_watched(env, settings, options).0
    }

    /// As [`Resources::load`]; also gives the places of context files as they looked just before those were read.
    pub(crate) fn load_watched(env: &Environment, settings: &Settings, options: &LoadOptions) -> (Self, ContextWatch) {
        let mut diagnostics = Vec::new();
        // What is given stands in the place of what would be found.
        let finds = !options.no_context_files && options.given.context_files.is_none();
        let places = if finds { ContextWatch::new(env) } else { ContextWatch::default() };
        let context_files = match &options.given.context_files {
            Some(given) => given.clone(),
            None => load_context_files(env, &places, &mut diagnostics),
        };

        let mut skills = Named::new("skill", |skill: &Skill| (&skill.name, &skill.file_path));
        for source in skill_sources(env, settings, options, &mut diagnostics) {
            let known = diagnostics.len();
            match Skill::read(&source.path, source.provenance, &mut diagnostics) {
                Some(skill) => skills.add(skill, &mut diagnostics),
                None if source.explicit && diagnostics.len() == known => {
                    diagnostics
                        .push(Diagnostic::error(&source.path, "the file has no description in its front matter"));
                }
                None => {}
            }
        }

        for skill in &options.given.skills {
            skills.add(skill.clone(), &mut diagnostics);
        }

        let mut templates = Named::new("prompt", |template: &PromptTemplate| (&template.name, &template.file_path));
        for source in template_sources(env, settings, options, &mut diagnostics) {
            match PromptTemplate::read(&source.path, source.provenance) {
                Ok(template) => {
                    if BUILTINS.iter().any(|builtin| builtin.name == template.name) {
                        let name = &template.name;
                        let text = format!("the built-in command /{name} hides this prompt template; rename the file");
                        diagnostics.push(Diagnostic::warning(&template.file_path, text));
                    }
                    templates.add(template, &mut diagnostics);
                }
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
        }

        for template in &options.given.prompt_templates {
            templates.add(template.clone(), &mut diagnostics);
        }

        let mut themes = Named::new("theme", |theme: &Theme| (&theme.name, &theme.file_path));
        for source in theme_sources(env, settings, options, &mut diagnostics) {
            match Theme::read(&source.path, source.provenance) {
                Ok(theme) => themes.add(theme, &mut diagnostics),
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
        }

        let rules = if settings.rules().enabled {
            let for_prompt = has_prompt_rules(settings);
            find_rules(env, settings.is_trusted(), for_prompt, &mut diagnostics)
        } else {
            Vec::new()
        };

        let resources = Self {
            context_files,
            rules,
            themes: themes.items,
            skills: skills.items,
            prompt_templates: templates.items,
            system_prompt: prompt_text::system_prompt(env, settings, options, &mut diagnostics),
            append_system_prompt: prompt_text::appended(env, settings, options, &mut diagnostics),
            diagnostics,
        };
        (resources, places)
    }
}

/// Items with unique names and files; the first counts.
struct Named<T> {
    kind: &'static str,
    items: Vec<T>,
    by_name: HashMap<String, usize>,
    files: Vec<PathBuf>,
    key: fn(&T) -> (&String, &PathBuf),
}

impl<T> Named<T> {
    fn new(kind: &'static str, key: fn(&T) -> (&String, &PathBuf)) -> Self {
        Self { kind, items: Vec::new(), by_name: HashMap::new(), files: Vec::new(), key }
    }

    fn add(&mut self, item: T, diagnostics: &mut Vec<Diagnostic>) {
        let (name, path) = (self.key)(&item);
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        // The same file by another way is no conflict.
        if self.files.contains(&real) {
            return;
        }
        if let Some(first) = self.by_name.get(name).and_then(|index| self.items.get(*index)) {
            diagnostics.push(Diagnostic::collision(self.kind, name, (self.key)(first).1, path));
            return;
        }
        self.by_name.insert(name.clone(), self.items.len());
        self.files.push(real);
        self.items.push(item);
    }
}
