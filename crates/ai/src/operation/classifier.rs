//! Questions about data, and their answers.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{OperationRequest, pairs};
use crate::{ImageBlock, Model, StopReason, Usage};

/// A wire format that asks classifiers.
#[async_trait]
pub trait ClassifierApi: Send + Sync {
    /// Answers all questions. A failure is a result whose stop reason is [`StopReason::Error`], or
    /// [`StopReason::Aborted`] when the request was cancelled.
    async fn classify(&self, request: OperationRequest<ClassifierContext>) -> ClassifierResult;
}

/// What a classifier is asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClassifierContext {
    /// The data that the questions are about.
    #[serde(default)]
    pub state: Value,
    /// Pictures that are judged with it; only models that take pictures accept them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ImageBlock>,
    /// The questions by their ids, in order.
    #[serde(with = "pairs")]
    pub questions: Vec<(String, ClassifierQuestion)>,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ClassifierQuestion {
    /// Which of several names fits.
    Choice {
        /// What is asked.
        instructions: String,
        /// What each name means, in order; an empty text says nothing.
        #[serde(with = "pairs")]
        criteria: Vec<(String, String)>,
    },
    /// How far up a list of levels.
    Score {
        /// What is asked.
        instructions: String,
        /// The levels, lowest first.
        criteria: Vec<String>,
    },
    /// Whether something is so.
    Bool {
        /// What is asked.
        instructions: String,
        /// What the two answers mean.
        criteria: BoolCriteria,
    },
}

/// What yes and no mean; an empty text says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BoolCriteria {
    /// What yes means.
    #[serde(rename = "true")]
    pub yes: String,
    /// What no means.
    #[serde(rename = "false")]
    pub no: String,
}

/// The answer to one question. Probabilities and confidences are between 0 and 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ClassifierAnswer {
    /// Of [`ClassifierQuestion::Choice`].
    Choice {
        /// The name that fits best.
        choice: String,
        /// How likely each name is.
        #[serde(with = "pairs")]
        probabilities: Vec<(String, f64)>,
        /// How sure the model is.
        confidence: f64,
    },
    /// Of [`ClassifierQuestion::Score`].
    Score {
        /// The level, from 0; it may lie between two.
        score: f64,
        /// How sure the model is.
        confidence: f64,
    },
    /// Of [`ClassifierQuestion::Bool`].
    Bool {
        /// How likely it is so.
        probability: f64,
    },
}

/// What a classifier answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClassifierResult {
    /// The wire format.
    pub api: String,
    /// The provider.
    pub provider: String,
    /// The model's id.
    pub model: String,
    /// The answers by the ids of their questions, in the order of these; empty after a failure.
    #[serde(with = "pairs")]
    pub answers: Vec<(String, ClassifierAnswer)>,
    /// Tokens and their price, where the service reports them. Failed answers may have been charged, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// [`StopReason::Stop`], [`StopReason::Error`] or [`StopReason::Aborted`].
    pub stop_reason: StopReason,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// When it was asked, in milliseconds since the epoch.
    pub timestamp: i64,
}

impl ClassifierResult {
    /// A result without answers.
    pub fn of(model: &Model, timestamp: i64) -> Self {
        Self {
            api: model.api.clone(),
            provider: model.provider.clone(),
            model: model.id.clone(),
            answers: Vec::new(),
            usage: None,
            stop_reason: StopReason::Stop,
            error_message: None,
            timestamp,
        }
    }
}
