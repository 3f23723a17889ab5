//! How a provider may be asked to hold the arguments of a tool to a form while the model writes them.

use serde::{Deserialize, Serialize};

/// What a tool asks for. Providers and models that cannot do it get the tool as any other, unless it insists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ConstrainedSampling {
    /// The arguments fit the tool's schema.
    JsonSchema {
        /// Whether the tool insists.
        strict: Strictness,
    },
    /// The only argument, a text, fits a grammar.
    Grammar {
        /// The grammar in the forms that providers take.
        variants: GrammarVariants,
    },
}

/// Whether a tool insists that its arguments fit its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strictness {
    /// Where the provider can do it.
    Prefer,
    /// A request that cannot do it fails.
    Require,
}

/// A grammar in the forms that providers take. One is enough.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrammarVariants {
    /// In the Lark form of OpenAI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openai_lark: Option<String>,
    /// As a regular expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openai_regex: Option<String>,
}
