//! Why a pattern means no model, and what to do about it.

use crate::ThinkingLevel;

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
    /// The provider has no model to chat with.
    #[error("Provider \"{provider}\" has no model to chat with. Add one to its \"models\" in models.json.")]
    NoModels {
        /// The provider.
        provider: String,
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
    /// What stands in front of the last colon means a model, and what follows means nothing.
    #[error(
        "Model \"{pattern}\" not found: \"{suffix}\" is not a thinking level ({}), and no id of this name ends in \":{suffix}\".{} \
         Use --list-models to see available models.", levels(), suggestion(.nearest)
    )]
    UnknownSuffix {
        /// What was asked for.
        pattern: String,
        /// What stands behind the colon.
        suffix: String,
        /// What is probably meant.
        nearest: Option<String>,
    },
    /// The model does something else than to chat.
    #[error(
        "Model \"{model}\" is {} {kind} model and cannot chat. Use --list-models to see models that can.",
        article(kind)
    )]
    NotChat {
        /// The model, as `provider/id`.
        model: String,
        /// What it is.
        kind: String,
    },
    /// It is a model of a server on this machine that is not there.
    #[error("Model \"{pattern}\" cannot be used: {why}")]
    NoServer {
        /// What was asked for.
        pattern: String,
        /// Why, and what to do.
        why: String,
    },
    /// Its entry in `models.json` is wrong, so it was left out.
    #[error("Model \"{pattern}\" cannot be used: {}. Correct that in models.json.", problems.join("; "))]
    LeftOut {
        /// What was asked for.
        pattern: String,
        /// What is wrong.
        problems: Vec<String>,
    },
}

pub(super) fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!(" Did you mean {name}?")).unwrap_or_default()
}

fn levels() -> String {
    ThinkingLevel::ALL.map(ThinkingLevel::as_str).join(", ")
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}
