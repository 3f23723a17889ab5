//! What the answers of several classifiers have in common.

use serde_json::Value;

use crate::wire::error::WireError;
use crate::{ClassifierAnswer, ClassifierQuestion, Model, Usage};

/// An answer that is not what the format promises.
pub(super) fn odd(label: &str, what: impl std::fmt::Display) -> WireError {
    WireError::Protocol(format!("The answer of {label} makes no sense: {what}"))
}

/// A number of an answer.
pub(super) fn number(label: &str, value: &Value, what: impl std::fmt::Display) -> Result<f64, WireError> {
    value.as_f64().filter(|number| number.is_finite()).ok_or_else(|| odd(label, format!("no number for {what}")))
}

/// How likely each choice is, in the order of the answer.
type Probabilities = Result<Vec<(String, f64)>, WireError>;

/// How a service writes down its answers, where services differ.
pub(super) struct AnswerShape {
    /// What it calls the answer to a question of yes or no.
    pub bool_type: &'static str,
    /// Where that answer has its probability.
    pub bool_field: &'static str,
    /// Reads the probabilities of a choice: from the service's label, the question's id, and what the answer has for them.
    pub probabilities: fn(&str, &str, &Value) -> Probabilities,
}

impl AnswerShape {
    /// Reads the answer to one question.
    ///
    /// # Errors
    /// When it does not answer the question.
    pub fn read(
        &self,
        label: &str,
        id: &str,
        question: &ClassifierQuestion,
        answer: &Value,
    ) -> Result<ClassifierAnswer, WireError> {
        let confidence = || number(label, &answer["confidence"], format!("the confidence of {id}"));
        Ok(match (question, answer["type"].as_str()) {
            (ClassifierQuestion::Choice { .. }, Some("choice")) => ClassifierAnswer::Choice {
                choice: answer["choice"].as_str().ok_or_else(|| odd(label, format!("no choice for {id}")))?.to_owned(),
                probabilities: (self.probabilities)(label, id, &answer["probabilities"])?,
                confidence: confidence()?,
            },
            (ClassifierQuestion::Score { .. }, Some("score")) => {
                ClassifierAnswer::Score { score: number(label, &answer["score"], id)?, confidence: confidence()? }
            }
            (ClassifierQuestion::Bool { .. }, Some(kind)) if kind == self.bool_type => {
                ClassifierAnswer::Bool { probability: number(label, &answer[self.bool_field], id)? }
            }
            _ => return Err(odd(label, format!("no answer to {id}"))),
        })
    }
}

/// Tokens of a classification with their price; `None` where the service does not report them.
pub(super) fn usage(raw: &Value, model: &Model) -> Option<Usage> {
    let count = |name: &str| raw.get(name).map(|count| count.as_u64().unwrap_or(0));
    let (input, output) = (count("input_tokens"), count("output_tokens"));
    if input.is_none() && output.is_none() {
        return None;
    }
    let (input, output) = (input.unwrap_or(0), output.unwrap_or(0));
    let total_tokens = input.saturating_add(output);
    let mut usage = Usage { input, output, total_tokens, ..Usage::default() };
    usage.price(&model.cost);
    Some(usage)
}
