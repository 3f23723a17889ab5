//! Patterns that name a provider alone, and models that cannot be chosen although somebody knows them.

use std::sync::Arc;

use super::names::{nearest, split_provider, split_thinking, squash};
use super::{Among, PatternError, ResolvedModel};
use crate::provider_names::provider_name;
use crate::registry::{LOCAL_SERVERS, ModelRegistry};
use crate::{Model, ThinkingLevel};

impl ModelRegistry {
    /// Whether a pattern is the name of a provider, with or without `/*` and a thinking level behind it.
    pub fn names_provider(&self, pattern: &str) -> bool {
        let head = split_thinking(pattern.trim()).0;
        self.providers().iter().any(|provider| names(provider, head))
    }

    /// The default model of a provider, when a pattern is `*`, or names the provider and nothing else of it.
    pub(super) fn whole_provider(&self, provider: &str, pattern: &str) -> Option<ResolvedModel> {
        let is_id = |text: &str| self.of_provider(provider).iter().any(|model| model.id.eq_ignore_ascii_case(text));
        if is_id(pattern) {
            return None;
        }
        let (head, thinking) = split_thinking(pattern);
        let is_whole = matches!(head, "*" | "") && !pattern.is_empty() || names(provider, head);
        let model = self.default_model(provider).filter(|_| is_whole && !is_id(head))?;
        Some(ResolvedModel { model, thinking, warning: None })
    }

    /// What the name of a provider means alone: its default model. A model that is called like a provider without a
    /// credential, and can be asked, is meant before it.
    pub(super) fn named_provider(&self, pattern: &str) -> Option<Result<ResolvedModel, PatternError>> {
        let (head, _) = split_thinking(pattern);
        let Some(provider) = self.providers().into_iter().find(|provider| names(provider, head)) else {
            let problems = self.left_out(head, None);
            return (!problems.is_empty())
                .then(|| Err(PatternError::LeftOut { pattern: pattern.to_owned(), problems }));
        };
        let called_so = |model: &&Arc<Model>| model.id.eq_ignore_ascii_case(head) && self.has_auth(&model.provider);
        if !self.has_auth(&provider) && self.mentioning(head).iter().any(|model| called_so(&model)) {
            return None;
        }
        match self.whole_provider(&provider, pattern) {
            Some(found) => Some(Ok(found)),
            // It has a model that is called like itself.
            None if !self.of_provider(&provider).is_empty() => None,
            None => Some(Err(self.without_models(&provider))),
        }
    }

    /// Why a provider has no model to choose.
    pub(super) fn without_models(&self, name: &str) -> PatternError {
        if let Some(why) = self.local_problem(name) {
            return PatternError::NoServer { pattern: name.to_owned(), why };
        }
        let mut problems = self.left_out(name, None);
        if problems.is_empty() && !self.knows_provider(name) {
            problems.extend(self.broken_file());
        }
        if !problems.is_empty() {
            return PatternError::LeftOut { pattern: name.to_owned(), problems };
        }
        let mut known = self.providers();
        if known.iter().any(|known| known.eq_ignore_ascii_case(provider_name(name))) {
            return PatternError::NoModels { provider: name.to_owned() };
        }
        known.extend(LOCAL_SERVERS.map(str::to_owned));
        PatternError::UnknownProvider { provider: name.to_owned(), nearest: nearest(name, known.into_iter()) }
    }

    /// That a pattern names a server on this machine that is not there.
    pub(super) fn without_server(&self, pattern: &str) -> Option<PatternError> {
        let provider = split_thinking(pattern).0.split('/').next().unwrap_or_default();
        let why = self.local_problem(provider)?;
        Some(PatternError::NoServer { pattern: pattern.to_owned(), why })
    }

    /// That the entry of a model in `models.json`, or of its provider, is wrong and was left out.
    pub(super) fn badly_described(&self, provider: &str, id: &str, pattern: &str) -> Option<PatternError> {
        let mut problems = self.left_out(provider, Some(split_thinking(id).0));
        if problems.is_empty() && !self.knows_provider(provider) {
            problems.extend(self.broken_file());
        }
        (!problems.is_empty()).then(|| PatternError::LeftOut { pattern: pattern.to_owned(), problems })
    }

    /// That a model does something else than to chat. The lists of all providers are read for an id without a provider.
    pub(super) fn not_chat(&self, provider: Option<&str>, id: &str) -> Option<PatternError> {
        let (head, _) = split_thinking(id);
        let others = match provider {
            Some(provider) => self.state.read().composed(provider).others.to_vec(),
            None => self.every(),
        };
        let is_meant = |model: &&Arc<Model>| {
            model.kind() != Model::CHAT && [id, head].iter().any(|id| model.id.eq_ignore_ascii_case(id))
        };
        let model = others.iter().find(is_meant)?;
        let name = format!("{}/{}", model.provider, model.id);
        Some(PatternError::NotChat { model: name, kind: model.kind().to_owned() })
    }

    /// Why nothing is found for a pattern that begins with no provider.
    pub(super) fn why_not_found(&self, pattern: &str) -> Option<PatternError> {
        let described = pattern.split_once('/').and_then(|(provider, id)| self.badly_described(provider, id, pattern));
        described.or_else(|| self.not_chat(None, pattern)).or_else(|| self.unknown_suffix(pattern))
    }

    /// That what follows the last colon of a pattern means nothing, while the rest means a model.
    pub(super) fn unknown_suffix(&self, pattern: &str) -> Option<PatternError> {
        let (head, suffix) = pattern.rsplit_once(':').filter(|(_, suffix)| !suffix.contains('/'))?;
        let model = self.resolve_without_suffix(head)?;
        let name = |model: &Model| format!("{}/{}", model.provider, model.id);
        let level = nearest(suffix, ThinkingLevel::ALL.into_iter().map(|level| level.as_str().to_owned()));
        let nearest = level.map(|level| format!("{}:{level}", name(&model))).or_else(|| {
            let end = format!(":{suffix}");
            let wanted = squash(head);
            let mut variants = self.mentioning(&end);
            variants.retain(|model| model.id.ends_with(&end) && squash(&model.id).contains(&wanted));
            variants.sort_by_key(|model| !self.has_auth(&model.provider));
            variants.first().map(|model| name(model)).or_else(|| Some(name(&model)))
        });
        Some(PatternError::UnknownSuffix { pattern: pattern.to_owned(), suffix: suffix.to_owned(), nearest })
    }

    fn resolve_without_suffix(&self, head: &str) -> Option<Arc<Model>> {
        if split_provider(&self.providers(), head).is_some() {
            return None;
        }
        self.best(Among::All, head).ok().map(|found| found.model)
    }
}

/// Whether a text is the name of a provider, or that with `/` or `/*` behind it.
fn names(provider: &str, text: &str) -> bool {
    let name = text.strip_suffix("/*").or_else(|| text.strip_suffix('/')).unwrap_or(text);
    provider_name(name).eq_ignore_ascii_case(provider)
}
