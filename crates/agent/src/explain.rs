//! Failures of models in sentences: who failed, with which key, why, and what to do next.
//!
//! A session keeps the words of the provider, because extensions and other programs look for them. This is for people.

use serde_json::Value;
use tau_ai::{AssistantMessage, AuthStatus, ModelProblem, ModelRegistry, StopReason};

use crate::session::AgentSession;

/// How much of a provider's own words is shown, in characters.
const MAX_WORDS: usize = 300;

/// What an error of a provider is.
enum Failure<'a> {
    /// It refused the request.
    Status(u16, &'a str),
    /// There was no connection, or it broke.
    Connection,
}

impl AgentSession {
    /// Why an answer failed, for people: provider and model, where the key came from, what the provider says, and what to do
    /// next. `None` when nothing more is known than the answer's own error.
    pub fn explain_failure(&self, answer: &AssistantMessage) -> Option<String> {
        explain(self.models(), answer)
    }
}

fn explain(models: &ModelRegistry, answer: &AssistantMessage) -> Option<String> {
    if answer.stop_reason != StopReason::Error {
        return None;
    }
    let text = answer.error_message.as_deref()?;
    let (provider, model) = (&answer.provider, &answer.model);
    Some(match failure(text)? {
        Failure::Connection => {
            format!("{provider}/{model} could not be asked. {}\n{}", cut(text), reach_advice(models, provider))
        }
        Failure::Status(status, words) => {
            let key = key_source(models, provider).map(|key| format!(" (key from {key})")).unwrap_or_default();
            let said = words_of(words);
            let said = if said.is_empty() { String::new() } else { format!(": {}", cut(&said)) };
            let next = advice(models, answer, status);
            format!("{provider}/{model} answered with status {status}{key}{said}\n{next}")
        }
    })
}

/// The first line of an error, short enough to be read in passing.
pub fn short_error(text: &str) -> String {
    let words = match failure(text) {
        Some(Failure::Status(status, words)) => format!("status {status} {}", words_of(words)),
        _ => text.to_owned(),
    };
    cut(words.lines().next().unwrap_or_default().trim())
}

fn failure(text: &str) -> Option<Failure<'_>> {
    if text.starts_with("Connection error: ") || text.starts_with("Connection lost: ") {
        return Some(Failure::Connection);
    }
    let (status, rest) = text.split_at_checked(3)?;
    let status = status.parse().ok().filter(|status| (400..600).contains(status))?;
    let rest = match rest.strip_prefix(':').unwrap_or(rest) {
        "" => "",
        rest => rest.strip_prefix(' ')?,
    };
    Some(Failure::Status(status, rest))
}

/// What a provider says, out of the JSON that it says it in.
fn words_of(words: &str) -> String {
    let Ok(json) = serde_json::from_str::<Value>(words) else { return words.trim().to_owned() };
    let places = ["/error/message", "/message", "/error", "/detail", ""];
    let said = places.iter().filter_map(|place| json.pointer(place)).find_map(Value::as_str);
    said.map_or_else(|| words.to_owned(), str::to_owned)
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_WORDS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Where the key of a provider comes from. Never the key itself.
fn key_source(models: &ModelRegistry, provider: &str) -> Option<String> {
    Some(match models.auth_status(provider) {
        AuthStatus::Missing | AuthStatus::Other => return None,
        AuthStatus::Runtime => "--api-key".to_owned(),
        AuthStatus::Stored => "auth.json".to_owned(),
        AuthStatus::Environment(names) => format!("the environment variable {}", names.join(", ")),
        AuthStatus::Command => "the command in models.json".to_owned(),
        AuthStatus::Configured => "models.json".to_owned(),
        AuthStatus::Registered => "an extension".to_owned(),
    })
}

fn reach_advice(models: &ModelRegistry, provider: &str) -> String {
    match models.auth_status(provider) {
        AuthStatus::Configured | AuthStatus::Command => {
            format!("Check that the server of {provider} runs, and its \"baseUrl\" in models.json.")
        }
        _ => "Check the network, and a proxy if you use one.".to_owned(),
    }
}

fn advice(models: &ModelRegistry, answer: &AssistantMessage, status: u16) -> String {
    let provider = &answer.provider;
    if answer.is_context_overflow(0) {
        return "Make the conversation shorter with /compact, or choose a model with a larger context.".to_owned();
    }
    match status {
        401 | 403 => match models.key_like_a_variable(provider) {
            Some(name) => format!(
                "\"{name}\" itself was sent as the key, because no environment variable of that name is set. Set {name}, or \
                 write the key in its place."
            ),
            None => format!("Check the key, or give another one with --api-key or `tau auth login {provider}`."),
        },
        402 => "Check the balance and the limits of the account.".to_owned(),
        404 => "Check the id of the model and the \"baseUrl\" of the provider; `tau --list-models` lists the models."
            .to_owned(),
        429 if !answer.is_retryable() => "Check the balance and the limits of the account.".to_owned(),
        429 => "Wait a while, or choose another model with --model.".to_owned(),
        500.. => "The provider has a problem: try again later, or choose another model with --model.".to_owned(),
        _ => "The provider does not accept the request. For a provider of models.json, its \"compat\" may be wrong."
            .to_owned(),
    }
}

/// Why no model can be asked, and what to do next, as the end of a sentence that says so.
pub fn why_no_model(models: &ModelRegistry) -> String {
    if !models.available().is_empty() {
        return "Choose one with --model PROVIDER/ID or /model; `tau --list-models` shows what there is.".to_owned();
    }
    let special: Vec<String> = special_problems(models).iter().map(|problem| format!("\n  {problem}")).collect();
    match special.is_empty() {
        true => "Set an API key (ANTHROPIC_API_KEY, OPENAI_API_KEY) or add a provider to models.json.".to_owned(),
        false => format!(
            "The cause:{}\nCorrect that, or set an API key (ANTHROPIC_API_KEY, OPENAI_API_KEY).",
            special.concat()
        ),
    }
}

/// What keeps models from being used, but for providers that nobody has given a key.
pub fn special_problems(models: &ModelRegistry) -> Vec<tau_ai::ModelDiagnosis> {
    let mut all = models.diagnose();
    all.retain(|found| !matches!(found.problem, ModelProblem::NoKey { .. }));
    all
}
