//! Why models cannot be used, as data: what start-up, lists and errors say of it comes from here.

use std::fmt;

use serde::Serialize;

use super::auth_json::StoredCredential;
use super::env_keys::env_keys;
use super::pattern::nearest;
use super::vendor_logins::vendor_login;
use super::{ModelRegistry, ProviderError};

/// Wire formats that exist, whether or not this version has them: naming one is no mistake.
const ELSEWHERE: [&str; 11] = [
    "anthropic-messages",
    "azure-openai-responses",
    "bedrock-converse-stream",
    "google-generative-ai",
    "google-vertex",
    "mistral-conversations",
    "openai-codex-responses",
    "openai-completions",
    "openai-responses",
    "pi-messages",
    super::VIRTUAL_API,
];

/// Something that keeps models from being used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelDiagnosis {
    /// The provider; absent for a file that cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// What is wrong.
    pub problem: ModelProblem,
}

/// What is wrong with a provider, or with a file. As text it says what to do next and holds nothing secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ModelProblem {
    /// There is no key.
    NoKey {
        /// The variable in which the key is usually kept.
        #[serde(skip_serializing_if = "Option::is_none")]
        variable: Option<&'static str>,
    },
    /// `models.json` describes models of this provider and has no `apiKey` for it.
    KeyMissing {
        /// The provider, as `auth.json` would name it.
        provider: String,
    },
    /// One can log in to the provider, and nobody has.
    NotLoggedIn {
        /// The provider.
        provider: String,
    },
    /// The key refers to environment variables that are not set.
    VariableUnset {
        /// Their names.
        names: Vec<String>,
    },
    /// The stored login has expired.
    LoginExpired,
    /// The stored login was made for a program of the vendor.
    ForeignLogin,
    /// `auth.json` has a credential, but there is no model to ask with it.
    NoModel,
    /// Models name a wire format that does not exist.
    UnknownApi {
        /// What they name.
        api: String,
        /// The wire format that is probably meant.
        #[serde(skip_serializing_if = "Option::is_none")]
        nearest: Option<String>,
        /// Every wire format there is.
        known: Vec<String>,
    },
    /// Models need a wire format that this version does not have.
    MissingApi {
        /// The wire format.
        api: String,
    },
    /// The file is broken: nothing of it is used.
    BrokenFile {
        /// Its name.
        file: &'static str,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// The provider's entry makes no sense.
    BadEntry {
        /// Why.
        reason: String,
    },
}

/// What is said of a provider that tau cannot log in to, and that gives out no keys.
const NO_LOGIN: &str = "no key, and its login is only for programs of its vendor; use another provider, or an extension that \
                        brings a login";

impl fmt::Display for ModelDiagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.provider, &self.problem) {
            // It has no keys, and its login is for programs of the vendor.
            (Some(provider), ModelProblem::NoKey { variable: None })
                if vendor_login(provider).is_some_and(|login| login.keys.is_none()) =>
            {
                write!(f, "{provider}: {}", NO_LOGIN)
            }
            (Some(provider), ModelProblem::NoKey { .. } | ModelProblem::LoginExpired) => {
                write!(f, "{provider}: {}, or store a key with `tau auth login {provider} --api-key`", self.problem)
            }
            (Some(provider), problem) => write!(f, "{provider}: {problem}"),
            (None, problem) => problem.fmt(f),
        }
    }
}

impl fmt::Display for ModelProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKey { variable: Some(name) } => write!(f, "no API key; set {name}"),
            Self::NoKey { variable: None } => f.write_str("no API key; pass --api-key"),
            Self::KeyMissing { provider } => write!(
                f,
                "models.json has no \"apiKey\" for {provider}; add one (any text for a server that needs no key)"
            ),
            Self::NotLoggedIn { provider } => {
                write!(f, "nobody is logged in to {provider}; use /login {provider} or `tau auth login {provider}`")
            }
            Self::VariableUnset { names } => {
                let (these, are) = if names.len() == 1 { ("variable", "is") } else { ("variables", "are") };
                write!(f, "the environment {these} {} that the key refers to {are} not set", names.join(", "))
            }
            Self::LoginExpired => f.write_str(
                "the stored login has expired, and nothing here can renew it; log in again with the program that made it",
            ),
            Self::ForeignLogin => f.write_str(
                "the login in auth.json was made for a program of the vendor; add an \"apiKey\" to models.json",
            ),
            Self::NoModel => {
                f.write_str("auth.json has a key, but tau knows no model of it; define one in models.json")
            }
            Self::UnknownApi { api, nearest: Some(nearest), .. } => {
                write!(f, "unknown api \"{api}\"; did you mean \"{nearest}\"?")
            }
            Self::UnknownApi { api, nearest: None, known } => {
                write!(f, "unknown api \"{api}\"; use one of {}", known.join(", "))
            }
            Self::MissingApi { api } => write!(f, "this version of tau does not speak \"{api}\""),
            Self::BrokenFile { file, line, column, message } => {
                write!(f, "{file}, line {line}, column {column}: {message}; nothing of this file is used")
            }
            Self::BadEntry { reason } => f.write_str(reason),
        }
    }
}

impl ModelRegistry {
    /// What keeps models from being used: broken files first, then provider by provider those of which nothing can be
    /// used. No command is run to find out.
    pub fn diagnose(&self) -> Vec<ModelDiagnosis> {
        let mut found = self.diagnose_files();
        let mut providers = self.providers();
        providers.extend(self.state.read().stored.keys().cloned());
        let mut seen = std::collections::BTreeSet::new();
        for provider in providers.into_iter().filter(|provider| seen.insert(provider.clone())) {
            let problems = self.problems_of(&provider).into_iter();
            found.extend(problems.map(|problem| ModelDiagnosis { provider: Some(provider.clone()), problem }));
        }
        found
    }

    fn problems_of(&self, provider: &str) -> Vec<ModelProblem> {
        let problem = self.diagnose_provider(provider);
        // What the user wrote may be wrong in both ways, and is put right in one go.
        let also = problem.is_some() && !self.has_auth(provider) && self.is_in_models_json(provider);
        let api = if also { self.diagnose_api(provider) } else { None };
        problem.into_iter().chain(api).collect()
    }

    /// The providers of `models.json` and of extensions whose wire format does not exist. The built-in lists are not read
    /// to find out.
    pub fn diagnose_apis(&self) -> Vec<(String, ModelProblem)> {
        let mut own = self.providers();
        own.retain(|name| self.is_in_models_json(name) || !self.is_built_in(name));
        let problems = own.into_iter().flat_map(|name| {
            let problems = self.problems_of(&name).into_iter();
            problems.map(move |problem| (name.clone(), problem)).collect::<Vec<_>>()
        });
        problems
            .filter(|(_, problem)| matches!(problem, ModelProblem::UnknownApi { .. } | ModelProblem::MissingApi { .. }))
            .collect()
    }

    fn diagnose_files(&self) -> Vec<ModelDiagnosis> {
        let state = self.state.read();
        let errors = state.errors.iter().chain(&state.auth_error);
        let diagnosis = |error: &ProviderError| match error {
            ProviderError::Json { file, problem } => ModelDiagnosis {
                provider: None,
                problem: ModelProblem::BrokenFile {
                    file,
                    line: problem.line,
                    column: problem.column,
                    message: problem.message.clone(),
                },
            },
            error @ ProviderError::Entry { .. } => ModelDiagnosis {
                provider: None,
                problem: ModelProblem::BadEntry { reason: format!("models.json, {error}") },
            },
            error => ModelDiagnosis { provider: None, problem: ModelProblem::BadEntry { reason: error.to_string() } },
        };
        errors.map(diagnosis).collect()
    }

    /// Why no model of a provider can be used.
    pub fn diagnose_provider(&self, provider: &str) -> Option<ModelProblem> {
        let known = self.known(provider);
        if !self.has_auth(provider) {
            let names = self.unset_variables(provider);
            if !names.is_empty() {
                return Some(ModelProblem::VariableUnset { names });
            }
            return Some(match known.stored.as_deref() {
                Some(StoredCredential::OAuth { .. }) if known.has_foreign_login(provider) => ModelProblem::ForeignLogin,
                Some(StoredCredential::OAuth { .. }) => ModelProblem::LoginExpired,
                _ => match env_keys(provider).last() {
                    Some(name) => ModelProblem::NoKey { variable: Some(name) },
                    None if known.oauth.is_some() => ModelProblem::NotLoggedIn { provider: provider.to_owned() },
                    None if known.is_configured() => ModelProblem::KeyMissing { provider: provider.to_owned() },
                    None => ModelProblem::NoKey { variable: None },
                },
            });
        }
        let has_models = !self.of_provider(provider).is_empty();
        if has_models { self.diagnose_api(provider) } else { known.stored.is_some().then_some(ModelProblem::NoModel) }
    }

    /// The wire format that all models of a provider lack.
    fn diagnose_api(&self, provider: &str) -> Option<ModelProblem> {
        let models = self.of_provider(provider);
        let first = models.first()?.api.clone();
        models.iter().all(|model| !self.has_api(model)).then(|| self.unknown_api(&first))
    }

    /// The models that cannot be asked although others of their provider can, because their wire format does not exist:
    /// provider, wire format, ids.
    pub fn unreachable(&self) -> Vec<(String, String, Vec<String>)> {
        let mut found: Vec<(String, String, Vec<String>)> = Vec::new();
        let fine = |provider: &String| self.has_auth(provider) && self.diagnose_provider(provider).is_none();
        for provider in self.providers().into_iter().filter(fine) {
            for model in self.of_provider(&provider).iter().filter(|model| !self.has_api(model)) {
                match found.iter_mut().find(|(known, api, _)| *known == provider && *api == model.api) {
                    Some((.., ids)) => ids.push(model.id.clone()),
                    None => found.push((provider.clone(), model.api.clone(), vec![model.id.clone()])),
                }
            }
        }
        found
    }

    /// What is to be said of a wire format that does not exist.
    pub fn unknown_api(&self, api: &str) -> ModelProblem {
        if ELSEWHERE.contains(&api) {
            return ModelProblem::MissingApi { api: api.to_owned() };
        }
        let known: Vec<String> = self.state.read().apis.iter().map(|(name, _)| name.clone()).collect();
        ModelProblem::UnknownApi { api: api.to_owned(), nearest: nearest(api, known.iter().cloned()), known }
    }

    /// The text that is sent as the key of a provider although it looks like the name of a variable: no variable of that
    /// name is set.
    pub fn key_like_a_variable(&self, provider: &str) -> Option<String> {
        let known = self.known(provider);
        if known.runtime.is_some() {
            return None;
        }
        let stored = match known.stored.as_deref() {
            Some(StoredCredential::ApiKey { key, .. }) if !key.is_empty() => Some(key.clone()),
            Some(StoredCredential::OAuth { .. }) => return None,
            _ => None,
        };
        let key = stored.or_else(|| known.key().map(|(key, _)| key.to_owned()))?;
        self.is_unset_name(&known, &key).then_some(key)
    }
}
