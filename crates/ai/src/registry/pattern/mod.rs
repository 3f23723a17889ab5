//! Finds the model somebody means.

mod error;
mod list;
mod names;
mod provider;

use std::sync::Arc;

pub use error::PatternError;
pub(super) use names::nearest;
use names::{is_alias, natural, split_provider, split_thinking, squash, variant_of};

use super::{ModelRegistry, catalogue};
use crate::provider_names::provider_name;
use crate::{Model, ThinkingLevel};
use error::suggestion;

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

impl ModelRegistry {
    /// The model that `pattern` means, among those of `provider` if given: `provider/id`, an id, or a part of
    /// an id or name, each with an optional `:thinking` at the end. The name of a provider alone, or with `/*` behind it,
    /// means its default model. Exact beats partial, undated beats dated, later beats earlier. An unknown id at a known
    /// provider is passed on to it, with a warning.
    ///
    /// # Errors
    /// When nothing matches, or an exact id exists at several providers; the error names the nearest model.
    pub fn resolve_pattern(&self, provider: Option<&str>, pattern: &str) -> Result<ResolvedModel, PatternError> {
        let pattern = pattern.trim();
        if let Some(name) = provider {
            let named = provider_name(name);
            let known = self.providers().into_iter().find(|known| known.eq_ignore_ascii_case(named));
            let Some(provider) = known.filter(|provider| !self.of_provider(provider).is_empty()) else {
                return Err(self.without_models(name));
            };
            if let Some(found) = self.whole_provider(&provider, pattern) {
                return Ok(found);
            }
            let prefix = format!("{provider}/");
            let within = pattern.get(..prefix.len()).filter(|head| head.eq_ignore_ascii_case(&prefix));
            let pattern = within.map_or(pattern, |head| &pattern[head.len()..]);
            return self.within(&provider, pattern, pattern, Err);
        }
        if let Some(found) = self.named_provider(pattern) {
            return found;
        }
        if let Some((provider, rest)) = split_provider(&self.providers(), pattern) {
            if let Some(found) = self.exactly(&provider, &self.of_provider(&provider), rest, pattern) {
                return found;
            }
            return self.within(&provider, rest, pattern, |error| self.best(Among::All, pattern).map_err(|_| error));
        }
        if let Some(error) = self.without_server(pattern) {
            return Err(error);
        }
        self.best(Among::All, pattern).map_err(|error| match error {
            PatternError::NotFound { .. } => self.why_not_found(pattern).unwrap_or(error),
            error => error,
        })
    }

    /// What a pattern means at a provider; what it does not have may be `elsewhere`, else it is passed on to it.
    fn within(
        &self,
        provider: &str,
        rest: &str,
        pattern: &str,
        elsewhere: impl FnOnce(PatternError) -> Result<ResolvedModel, PatternError>,
    ) -> Result<ResolvedModel, PatternError> {
        let models = self.of_provider(provider);
        let is = |model: &Arc<Model>| [rest, split_thinking(rest).0].iter().any(|id| model.id.eq_ignore_ascii_case(id));
        if !models.iter().any(is)
            && let Some(error) =
                self.badly_described(provider, rest, pattern).or_else(|| self.not_chat(Some(provider), rest))
        {
            return Err(error);
        }
        let found = self.best(Among::These(&models), rest).or_else(elsewhere);
        found.or_else(|error| self.unlisted(provider, &models, rest).ok_or(error))
    }

    /// The model of exactly this id, at the provider that the pattern begins with, or wherever an id itself begins with the
    /// name of that provider. A provider with a credential outranks one without.
    fn exactly(
        &self,
        provider: &str,
        models: &[Arc<Model>],
        rest: &str,
        pattern: &str,
    ) -> Option<Result<ResolvedModel, PatternError>> {
        let is = |model: &&Arc<Model>, id: &str| model.id.eq_ignore_ascii_case(id);
        let resolved =
            |model: &Arc<Model>, thinking| Ok(ResolvedModel { model: Arc::clone(model), thinking, warning: None });
        for (rest, (pattern, thinking)) in [(rest, (pattern, None)), (split_thinking(rest).0, split_thinking(pattern))]
        {
            let inside = models.iter().find(|model| is(model, rest));
            if let Some(inside) = inside.filter(|_| self.has_auth(provider)) {
                return Some(resolved(inside, thinking));
            }
            let mut whole = self.mentioning(pattern);
            whole.retain(|model| is(&model, pattern));
            let mut usable = whole.iter().filter(|model| self.has_auth(&model.provider));
            let only_usable = usable.next().filter(|_| usable.next().is_none());
            match (inside, only_usable, whole.as_slice()) {
                (_, Some(only), _) | (Some(only), None, _) | (None, None, [only]) => {
                    return Some(resolved(only, thinking));
                }
                (None, None, []) => {}
                (None, None, several) => {
                    let matches = several.iter().map(|model| format!("{}/{}", model.provider, model.id)).collect();
                    return Some(Err(PatternError::Ambiguous { pattern: pattern.to_owned(), matches }));
                }
            }
        }
        None
    }

    fn mentioning(&self, text: &str) -> Vec<Arc<Model>> {
        self.state.read().mentioning(text)
    }

    /// The best match for a pattern, which may end in a thinking level. The whole pattern is tried first:
    /// ids may contain colons.
    fn best(&self, models: Among<'_>, pattern: &str) -> Result<ResolvedModel, PatternError> {
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

    fn matching(&self, among: Among<'_>, pattern: &str) -> Result<Arc<Model>, PatternError> {
        let wanted = pattern.trim().to_lowercase();
        let not_found = || {
            let models = self.models_of(among);
            let names = models.iter().flat_map(|model| [format!("{}/{}", model.provider, model.id), model.id.clone()]);
            let full = |name: String| match models
                .iter()
                .filter(|model| model.id == name)
                .min_by_key(|model| !self.has_auth(&model.provider))
            {
                Some(model) => format!("{}/{}", model.provider, model.id),
                None => name,
            };
            let nearest = nearest(split_thinking(pattern).0, names).map(full);
            PatternError::NotFound { pattern: pattern.to_owned(), nearest }
        };
        if wanted.is_empty() {
            return Err(not_found());
        }
        let models = match among {
            Among::These(models) => models.to_vec(),
            Among::All => self.mentioning(&wanted),
        };
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
        let has = |model: &&Arc<Model>| {
            model.id.to_lowercase().contains(&wanted) || model.name.to_lowercase().contains(&wanted)
        };
        let mut partial: Vec<&Arc<Model>> = models.iter().filter(has).collect();
        let everything;
        if partial.is_empty() && !squashed.is_empty() {
            everything = self.models_of(among);
            let has =
                |model: &&Arc<Model>| squash(&model.id).contains(&squashed) || squash(&model.name).contains(&squashed);
            partial = everything.iter().filter(has).collect();
        }
        // A model that can be used is what is meant, if there is one.
        if partial.iter().any(|model| self.has_auth(&model.provider)) {
            partial.retain(|model| self.has_auth(&model.provider));
        } else if let Some(first) = partial.iter().map(|model| catalogue::rank(&model.provider)).min() {
            // Else it is asked for a key of the provider that most people mean.
            partial.retain(|model| catalogue::rank(&model.provider) == first);
        }
        if partial.iter().any(|model| is_alias(&model.id)) {
            partial.retain(|model| is_alias(&model.id));
        }
        // Variants that wait for a cheap hour, or cost more, are chosen by their own name only.
        let plain: Vec<&Arc<Model>> = partial
            .iter()
            .copied()
            .filter(|model| {
                let of = variant_of(&model.id).filter(|_| variant_of(&wanted).is_none());
                of.is_none_or(|of| !partial.iter().any(|other| other.provider == model.provider && other.id == of))
            })
            .collect();
        plain.into_iter().max_by(|a, b| natural(&a.id, &b.id)).cloned().ok_or_else(not_found)
    }

    fn models_of(&self, among: Among<'_>) -> Arc<[Arc<Model>]> {
        match among {
            Among::These(models) => Arc::from(models),
            Among::All => self.all(),
        }
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
        // Routers have variants that no list names, so a suffix is no mistake.
        let suffix = id.rsplit_once(':').map(|(_, suffix)| suffix).filter(|suffix| !suffix.contains('/'));
        let suffix = suffix.map(|suffix| format!(" \":{suffix}\" is part of the id, because it is no thinking level."));
        let warning = format!(
            "Model \"{id}\" is not known at provider \"{provider}\"; using it as it is.{}{}",
            suffix.unwrap_or_default(),
            suggestion(&nearest)
        );
        Some(ResolvedModel { model: Arc::new(model), thinking, warning: Some(warning) })
    }
}

/// The models among which a pattern chooses.
#[derive(Clone, Copy)]
enum Among<'a> {
    These(&'a [Arc<Model>]),
    /// Those of all providers, whose lists are read only as far as needed.
    All,
}
