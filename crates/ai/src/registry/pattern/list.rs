//! Lists of patterns: the models to cycle through.

use std::sync::Arc;

use globset::GlobBuilder;

use super::names::{split_provider, split_thinking};
use super::{Among, PatternError, ResolvedModel};
use crate::Model;
use crate::registry::ModelRegistry;

impl ModelRegistry {
    /// The models that a list of patterns means, each once, among those that can be asked. Patterns may be globs over
    /// `provider/id` or the id. An id that several providers offer means all of them. Blank patterns mean nothing. The
    /// second list tells what could not be used and what is ambiguous.
    pub fn resolve_list<S: AsRef<str>>(&self, patterns: &[S]) -> (Vec<ResolvedModel>, Vec<String>) {
        let (mut found, mut warnings): (Vec<ResolvedModel>, Vec<String>) = (Vec::new(), Vec::new());
        let patterns: Vec<&str> = patterns.iter().map(|pattern| pattern.as_ref().trim()).collect();
        if patterns.iter().all(|pattern| pattern.is_empty()) {
            return (found, warnings);
        }
        let usable = self.available();
        let mut add = |entry: ResolvedModel| {
            if !found.iter().any(|known| Arc::ptr_eq(&known.model, &entry.model)) {
                found.push(entry);
            }
        };
        for pattern in patterns.into_iter().filter(|pattern| !pattern.is_empty()) {
            if !is_glob(&usable, pattern) {
                match self.resolve_listed(&usable, pattern) {
                    Ok(entries) => {
                        for mut entry in entries {
                            warnings.extend(entry.warning.take());
                            add(entry);
                        }
                    }
                    Err(_) => warnings.push(self.no_match(pattern)),
                }
                continue;
            }
            let (glob, thinking) = split_thinking(pattern);
            let glob = GlobBuilder::new(glob).case_insensitive(true).literal_separator(true).build();
            let Ok(glob) = glob.map(|glob| glob.compile_matcher()) else {
                warnings.push(format!("\"{pattern}\" is not a valid pattern"));
                continue;
            };
            let mut any = false;
            for model in &usable {
                if glob.is_match(format!("{}/{}", model.provider, model.id)) || glob.is_match(&model.id) {
                    any = true;
                    add(ResolvedModel { model: Arc::clone(model), thinking, warning: None });
                }
            }
            if !any {
                warnings.push(self.no_match(pattern));
            }
        }
        (found, warnings)
    }

    /// Says that a pattern of a list means nothing that can be asked, and why when one model is meant that cannot.
    fn no_match(&self, pattern: &str) -> String {
        let known = split_provider(&self.providers(), split_thinking(pattern).0);
        let named = known.and_then(|(provider, id)| self.find(&provider, id));
        match named.and_then(|model| Some((self.diagnose_provider(&model.provider)?, model))) {
            Some((problem, model)) => {
                format!("No models match pattern \"{pattern}\": {} cannot be used: {problem}", model.provider)
            }
            None => format!("No models match pattern \"{pattern}\""),
        }
    }

    /// In lists an unknown thinking level is only a warning.
    fn resolve_listed(&self, usable: &[Arc<Model>], pattern: &str) -> Result<Vec<ResolvedModel>, PatternError> {
        let error = match self.listed(usable, pattern) {
            Ok(entries) => return Ok(entries),
            Err(error) => error,
        };
        let (head, tail) = pattern.rsplit_once(':').ok_or(error)?;
        let mut entries = self.listed(usable, head)?;
        let warning = format!("Invalid thinking level \"{tail}\" in pattern \"{pattern}\"; using the default");
        entries.iter_mut().for_each(|entry| entry.thinking = None);
        if let Some(first) = entries.first_mut() {
            first.warning = Some(warning);
        }
        Ok(entries)
    }

    /// What a pattern means in a list: one model, or those of all providers that offer it.
    fn listed(&self, usable: &[Arc<Model>], pattern: &str) -> Result<Vec<ResolvedModel>, PatternError> {
        let (of, matches) = match self.best(Among::These(usable), pattern) {
            Ok(entry) => return Ok(vec![entry]),
            Err(PatternError::Ambiguous { pattern, matches }) => (pattern, matches),
            Err(error) => return Err(error),
        };
        let thinking = if of == pattern { None } else { split_thinking(pattern).1 };
        let is_meant = |model: &&Arc<Model>| matches.contains(&format!("{}/{}", model.provider, model.id));
        let models: Vec<&Arc<Model>> = usable.iter().filter(is_meant).collect();
        let mut providers: Vec<&str> = models.iter().map(|model| &*model.provider).collect();
        providers.sort_unstable();
        let mut warning = Some(format!(
            "Pattern \"{pattern}\" matches several providers: {}. Use provider/id to choose one.",
            providers.join(", ")
        ));
        let entry = |model: &Arc<Model>| ResolvedModel { model: Arc::clone(model), thinking, warning: warning.take() };
        Ok(models.into_iter().map(entry).collect())
    }
}

/// Whether a pattern means many: ids may contain brackets themselves.
fn is_glob(models: &[Arc<Model>], pattern: &str) -> bool {
    let names = |model: &Arc<Model>, text: &str| {
        let within = split_provider(std::slice::from_ref(&model.provider), text);
        model.id.eq_ignore_ascii_case(text) || within.is_some_and(|(_, rest)| model.id.eq_ignore_ascii_case(rest))
    };
    let head = split_thinking(pattern).0;
    pattern.contains(['*', '?', '[']) && !models.iter().any(|model| names(model, pattern) || names(model, head))
}
