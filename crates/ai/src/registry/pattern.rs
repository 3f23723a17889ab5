//! Finds the model somebody means.

use std::cmp::Ordering;
use std::sync::Arc;

use globset::GlobBuilder;

use super::{ModelRegistry, catalogue};
use crate::provider_names::{former_provider_name, provider_name};
use crate::{Model, ThinkingLevel};

/// How alike names must be to be worth a suggestion, from 0 to 1.
const ALIKE: f64 = 0.7;

/// A model that was chosen by a pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedModel {
    /// The model.
    pub model: Arc<Model>,
    /// The thinking level in the pattern.
    pub thinking: Option<ThinkingLevel>,
    /// Something the user should know.
    pub warning: Option<String>,
}

/// Why a pattern means no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// There is no such provider.
    #[error("Unknown provider \"{provider}\".{} Use --list-models to see available providers and models.", suggestion(.nearest))]
    UnknownProvider {
        /// What was asked for.
        provider: String,
        /// A provider with a similar name.
        nearest: Option<String>,
    },
    /// Several providers have it.
    #[error("Model \"{pattern}\" is ambiguous across providers: {}. Use --provider or provider/model.", matches.join(", "))]
    Ambiguous {
        /// What was asked for.
        pattern: String,
        /// The models, as `provider/id`.
        matches: Vec<String>,
    },
    /// No model matches.
    #[error("Model \"{pattern}\" not found.{} Use --list-models to see available models.", suggestion(.nearest))]
    NotFound {
        /// What was asked for.
        pattern: String,
        /// A model with a similar name, as `provider/id`.
        nearest: Option<String>,
    },
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!(" Did you mean {name}?")).unwrap_or_default()
}

impl ModelRegistry {
    /// The model that `pattern` means, among those of `provider` if given: `provider/id`, an id, or a part of
    /// an id or name, each with an optional `:thinking` at the end. Exact beats partial, undated beats dated,
    /// later beats earlier. An unknown id at a known provider is passed on to it, with a warning.
    ///
    /// # Errors
    /// When nothing matches, or an exact id exists at several providers; the error names the nearest model.
    pub fn resolve_pattern(&self, provider: Option<&str>, pattern: &str) -> Result<ResolvedModel, PatternError> {
        let pattern = pattern.trim();
        let all = self.all();
        let named = |name: &str| {
            let name = provider_name(name);
            all.iter().find(|model| model.provider.eq_ignore_ascii_case(name))
        };
        if let Some(name) = provider {
            let Some(known) = named(name) else {
                let names = all.iter().map(|model| model.provider.clone());
                return Err(PatternError::UnknownProvider { provider: name.to_owned(), nearest: nearest(name, names) });
            };
            let provider = &known.provider;
            let prefix = format!("{provider}/");
            let within = pattern.get(..prefix.len()).filter(|head| head.eq_ignore_ascii_case(&prefix));
            let pattern = within.map_or(pattern, |head| &pattern[head.len()..]);
            let models: Vec<_> = all.iter().filter(|model| model.provider == *provider).cloned().collect();
            return self.best(&models, pattern).or_else(|error| self.unlisted(provider, &models, pattern).ok_or(error));
        }
        if let Some((provider, rest)) = split_provider(&all, pattern) {
            // An id may itself begin with the name of a provider.
            let whole: Vec<_> = all.iter().filter(|model| model.id.eq_ignore_ascii_case(pattern)).cloned().collect();
            let models: Vec<_> = all.iter().filter(|model| model.provider == provider).cloned().collect();
            let inside = self.best(&models, rest);
            if let [only] = whole.as_slice()
                && (inside.is_err() || (!self.has_auth(&provider) && self.has_auth(&only.provider)))
            {
                return Ok(ResolvedModel { model: Arc::clone(only), thinking: None, warning: None });
            }
            return inside
                .or_else(|error| self.best(&all, pattern).map_err(|_| error))
                .or_else(|error| self.unlisted(&provider, &models, rest).ok_or(error));
        }
        self.best(&all, pattern)
    }

    /// The models that a list of patterns means, each once. Patterns may be globs over `provider/id` or the
    /// id. An id that several providers offer means all of them, those with a credential if there are any. Blank patterns
    /// mean nothing. The second list tells what could not be used and what is ambiguous.
    pub fn resolve_list<S: AsRef<str>>(&self, patterns: &[S]) -> (Vec<ResolvedModel>, Vec<String>) {
        let all = self.all();
        let (mut found, mut warnings): (Vec<ResolvedModel>, Vec<String>) = (Vec::new(), Vec::new());
        let mut add = |entry: ResolvedModel| {
            if !found.iter().any(|known| Arc::ptr_eq(&known.model, &entry.model)) {
                found.push(entry);
            }
        };
        for pattern in patterns {
            let pattern = pattern.as_ref().trim();
            if pattern.is_empty() {
                continue;
            }
            if !is_glob(&all, pattern) {
                match self.resolve_listed(&all, pattern) {
                    Ok(entries) => {
                        for mut entry in entries {
                            warnings.extend(entry.warning.take());
                            add(entry);
                        }
                    }
                    Err(_) => warnings.push(format!("No models match pattern \"{pattern}\"")),
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
            for model in all.iter() {
                if glob.is_match(format!("{}/{}", model.provider, model.id)) || glob.is_match(&model.id) {
                    any = true;
                    add(ResolvedModel { model: Arc::clone(model), thinking, warning: None });
                }
            }
            if !any {
                warnings.push(format!("No models match pattern \"{pattern}\""));
            }
        }
        (found, warnings)
    }

    /// In lists an unknown thinking level is only a warning.
    fn resolve_listed(&self, all: &[Arc<Model>], pattern: &str) -> Result<Vec<ResolvedModel>, PatternError> {
        let error = match self.listed(all, pattern) {
            Ok(entries) => return Ok(entries),
            Err(error) => error,
        };
        let (head, tail) = pattern.rsplit_once(':').ok_or(error)?;
        let mut entries = self.listed(all, head)?;
        let warning = format!("Invalid thinking level \"{tail}\" in pattern \"{pattern}\"; using the default");
        entries.iter_mut().for_each(|entry| entry.thinking = None);
        if let Some(first) = entries.first_mut() {
            first.warning = Some(warning);
        }
        Ok(entries)
    }

    /// What a pattern means in a list: one model, or those of all providers that offer it.
    fn listed(&self, all: &[Arc<Model>], pattern: &str) -> Result<Vec<ResolvedModel>, PatternError> {
        let (of, matches) = match self.best(all, pattern) {
            Ok(entry) => return Ok(vec![entry]),
            Err(PatternError::Ambiguous { pattern, matches }) => (pattern, matches),
            Err(error) => return Err(error),
        };
        let thinking = if of == pattern { None } else { split_thinking(pattern).1 };
        let is_meant = |model: &&Arc<Model>| matches.contains(&format!("{}/{}", model.provider, model.id));
        let mut models: Vec<&Arc<Model>> = all.iter().filter(is_meant).collect();
        if models.iter().any(|model| self.has_auth(&model.provider)) {
            models.retain(|model| self.has_auth(&model.provider));
        }
        let mut providers: Vec<&str> = models.iter().map(|model| &*model.provider).collect();
        providers.sort_unstable();
        let mut warning = Some(format!(
            "Pattern \"{pattern}\" matches several providers: {}. Use provider/id to choose one.",
            providers.join(", ")
        ));
        let entry = |model: &Arc<Model>| ResolvedModel { model: Arc::clone(model), thinking, warning: warning.take() };
        Ok(models.into_iter().map(entry).collect())
    }

    /// The best match for a pattern, which may end in a thinking level. The whole pattern is tried first:
    /// ids may contain colons.
    fn best(&self, models: &[Arc<Model>], pattern: &str) -> Result<ResolvedModel, PatternError> {
        let whole = self.matching(models, pattern);
        if let Ok(model) = whole {
            return Ok(ResolvedModel { model, thinking: None, warning: None });
        }
        if let (head, Some(thinking)) = split_thinking(pattern) {
            match self.matching(models, head) {
                Ok(model) => return Ok(ResolvedModel { model, thinking: Some(thinking), warning: None }),
                Err(error @ PatternError::Ambiguous { .. }) => return Err(error),
                Err(_) => {}
            }
        }
        let error = whole.err();
        Err(error.unwrap_or_else(|| PatternError::NotFound { pattern: pattern.to_owned(), nearest: None }))
    }

    fn matching(&self, models: &[Arc<Model>], pattern: &str) -> Result<Arc<Model>, PatternError> {
        let wanted = pattern.trim().to_lowercase();
        let not_found = || PatternError::NotFound {
            pattern: pattern.to_owned(),
            nearest: nearest(
                split_thinking(pattern).0,
                models.iter().flat_map(|model| [format!("{}/{}", model.provider, model.id), model.id.clone()]),
            )
            .map(|name| match models.iter().find(|model| model.id == name) {
                Some(model) => format!("{}/{}", model.provider, model.id),
                None => name,
            }),
        };
        if wanted.is_empty() {
            return Err(not_found());
        }
        let exact: Vec<&Arc<Model>> = models
            .iter()
            .filter(|model| {
                model.id.to_lowercase() == wanted || format!("{}/{}", model.provider, model.id).to_lowercase() == wanted
            })
            .collect();
        match exact.as_slice() {
            [] => {}
            [only] => return Ok(Arc::clone(only)),
            several => {
                let usable: Vec<_> = several.iter().filter(|model| self.has_auth(&model.provider)).collect();
                if let [only] = usable.as_slice() {
                    return Ok(Arc::clone(only));
                }
                let matches = several.iter().map(|model| format!("{}/{}", model.provider, model.id)).collect();
                return Err(PatternError::Ambiguous { pattern: pattern.to_owned(), matches });
            }
        }
        let squashed = squash(&wanted);
        let mut partial: Vec<&Arc<Model>> = models
            .iter()
            .filter(|model| model.id.to_lowercase().contains(&wanted) || model.name.to_lowercase().contains(&wanted))
            .collect();
        if partial.is_empty() && !squashed.is_empty() {
            partial = models
                .iter()
                .filter(|model| squash(&model.id).contains(&squashed) || squash(&model.name).contains(&squashed))
                .collect();
        }
        // A model that can be used is what is meant, if there is one.
        if partial.iter().any(|model| self.has_auth(&model.provider)) {
            partial.retain(|model| self.has_auth(&model.provider));
        }
        if partial.iter().any(|model| is_alias(&model.id)) {
            partial.retain(|model| is_alias(&model.id));
        }
        partial.into_iter().max_by(|a, b| natural(&a.id, &b.id)).cloned().ok_or_else(not_found)
    }

    /// A model the catalogue does not have, with the properties of the provider's default.
    fn unlisted(&self, provider: &str, models: &[Arc<Model>], pattern: &str) -> Option<ResolvedModel> {
        let (id, thinking) = split_thinking(pattern);
        if id.is_empty() {
            return None;
        }
        let default = catalogue::default_model(provider);
        let like = models.iter().find(|model| Some(model.id.as_str()) == default).or_else(|| models.first())?;
        let mut model = Model::clone(like);
        id.clone_into(&mut model.id);
        id.clone_into(&mut model.name);
        if thinking.is_some_and(|level| level != ThinkingLevel::Off) {
            model.reasoning = true;
        }
        let nearest = nearest(id, models.iter().map(|model| model.id.clone()));
        let warning = format!(
            "Model \"{id}\" is not known at provider \"{provider}\"; using it as it is.{}",
            suggestion(&nearest)
        );
        Some(ResolvedModel { model: Arc::new(model), thinking, warning: Some(warning) })
    }
}

/// The provider that a pattern begins with, and the rest. Names of providers may contain slashes: the longest counts.
fn split_provider<'a>(all: &[Arc<Model>], pattern: &'a str) -> Option<(String, &'a str)> {
    let rest = |provider: &str| {
        let head = pattern.get(..provider.len()).filter(|head| head.eq_ignore_ascii_case(provider))?;
        pattern[head.len()..].strip_prefix('/')
    };
    let of = |model: &Arc<Model>| {
        let former = former_provider_name(&model.provider);
        let rest = rest(&model.provider).or_else(|| rest(former?))?;
        Some((model.provider.clone(), rest))
    };
    all.iter().filter_map(of).min_by_key(|(_, rest)| rest.len())
}

/// Whether a pattern means many: ids may contain brackets themselves.
fn is_glob(all: &[Arc<Model>], pattern: &str) -> bool {
    let names = |model: &Arc<Model>, text: &str| {
        let within = split_provider(std::slice::from_ref(model), text);
        model.id.eq_ignore_ascii_case(text) || within.is_some_and(|(_, rest)| model.id.eq_ignore_ascii_case(rest))
    };
    let head = split_thinking(pattern).0;
    pattern.contains(['*', '?', '[']) && !all.iter().any(|model| names(model, pattern) || names(model, head))
}

/// Splits a thinking level off the end.
fn split_thinking(pattern: &str) -> (&str, Option<ThinkingLevel>) {
    match pattern.rsplit_once(':') {
        Some((head, tail)) => match ThinkingLevel::parse(tail) {
            Some(level) => (head, Some(level)),
            None => (pattern, None),
        },
        None => (pattern, None),
    }
}

/// Whether an id follows the newest version instead of naming a date.
fn is_alias(id: &str) -> bool {
    let date = id.rsplit_once('-').map_or("", |(_, tail)| tail);
    !(date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()))
}

fn squash(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Compares with numbers as numbers, so that 10 comes after 9.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let (in_a, in_b) = (digits(a), digits(b));
        let (step_a, step_b, order) = if in_a > 0 && in_b > 0 {
            let (x, y) = (a[..in_a].trim_start_matches('0'), b[..in_b].trim_start_matches('0'));
            (in_a, in_b, x.len().cmp(&y.len()).then_with(|| x.cmp(y)))
        } else {
            match (a.chars().next(), b.chars().next()) {
                (None, None) => return Ordering::Equal,
                (None, _) => return Ordering::Less,
                (_, None) => return Ordering::Greater,
                (Some(x), Some(y)) => (x.len_utf8(), y.len_utf8(), x.cmp(&y)),
            }
        };
        if order != Ordering::Equal {
            return order;
        }
        (a, b) = (&a[step_a..], &b[step_b..]);
    }
}

pub(super) fn nearest(wanted: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let wanted = wanted.to_lowercase();
    let scored = names.map(|name| (strsim::jaro_winkler(&wanted, &name.to_lowercase()), name));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= ALIKE).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_versions_sort_later() {
        let mut ids = ["gpt-5.10", "gpt-5", "gpt-5.9", "gpt-6-sol", "claude-opus-5-5", "claude-opus-5"];
        ids.sort_by(|a, b| natural(a, b));
        assert_eq!(ids, ["claude-opus-5", "claude-opus-5-5", "gpt-5", "gpt-5.9", "gpt-5.10", "gpt-6-sol"]);
    }

    #[test]
    fn dated_ids_are_no_aliases() {
        assert!(is_alias("claude-haiku-4-5") && is_alias("x-latest") && is_alias("2024"));
        assert!(!is_alias("claude-haiku-4-5-20251001"));
    }
}
