//! `llama-cpp-classify`: classification with a chat model that llama.cpp serves.
//!
//! The model writes nothing. Each question becomes one prompt whose possible answers have labels of one token each; how
//! likely the server thinks each label as the next token is the answer.

mod prompt;
mod server;

use std::collections::HashMap;

use parking_lot::Mutex;

use super::{Classifier, Door};
use crate::wire::error::WireError;
use crate::{ClassifierAnswer, ClassifierContext, ClassifierQuestion, ClassifierResult};
use prompt::Prompt;
use server::Server;

const LABEL: &str = "llama.cpp";

/// How many of the likeliest tokens the server is asked for first, and for each label.
const FIRST_DEPTH: usize = 256;
const DEPTH_OF_A_LABEL: usize = 16;
/// How many after that, as long as a label is not among them.
const DEEPER: [usize; 2] = [4096, 32768];
/// The server writes the least number there is for a probability of nothing.
const NOTHING: f64 = -1e30;

/// The `llama-cpp-classify` wire format.
#[derive(Default)]
pub(super) struct Format {
    /// The tokens of labels by server, model and label.
    tokens: Tokens,
}

/// Tokens of labels that are known; `None` for a label that is not one token.
type Tokens = Mutex<HashMap<(String, String, String), Option<i64>>>;

impl Classifier for Format {
    const API: &'static str = "llama-cpp-classify";

    async fn ask(
        &self,
        door: &Door,
        context: &ClassifierContext,
        result: &mut ClassifierResult,
    ) -> Result<(), WireError> {
        if !context.images.is_empty() {
            return Err(WireError::Config(format!("{LABEL} takes no pictures to classify")));
        }
        let temperature = door.request.options.temperature.unwrap_or(1.0);
        if !temperature.is_finite() || temperature <= 0.0 {
            return Err(WireError::Config(format!("the temperature must be above 0, and it is {temperature}")));
        }
        // All of them are looked at before the first is asked.
        let prompts: Vec<Prompt> =
            context.questions.iter().map(|question| Prompt::of(context, question)).collect::<Result<_, _>>()?;
        let server = Server { door, tokens: &self.tokens };
        let mut answers = Vec::new();
        // One at a time: they begin with the same text, which the server then reads only once.
        for ((id, question), prompt) in context.questions.iter().zip(prompts) {
            let likely = likely(&server, id, &prompt, temperature).await?;
            answers.push((id.clone(), answer(question, prompt.names, likely)));
        }
        result.answers = answers;
        Ok(())
    }
}

/// How likely each label is.
async fn likely(server: &Server<'_>, id: &str, prompt: &Prompt, temperature: f64) -> Result<Vec<f64>, WireError> {
    let tokens = server.tokens_of(&prompt.labels).await?;
    let text = server.rendered(&prompt.text).await?;
    let first = FIRST_DEPTH.max(DEPTH_OF_A_LABEL * tokens.len());
    for depth in std::iter::once(first).chain(DEEPER) {
        let found: Option<Vec<f64>> = server.next_token(&text, &tokens, depth).await?.into_iter().collect();
        let Some(logarithms) = found else { continue };
        if logarithms.iter().all(|one| *one <= NOTHING) {
            let text = format!("{} gives no probability to any answer to {id}", server.door.model().id);
            return Err(WireError::Provider(text));
        }
        return Ok(softmax(&logarithms, temperature));
    }
    let depth = DEEPER[DEEPER.len() - 1];
    Err(WireError::Provider(format!("{LABEL}: an answer to {id} is not among the {depth} likeliest tokens")))
}

/// Probabilities of logarithms, which a temperature above 1 brings closer together.
fn softmax(logarithms: &[f64], temperature: f64) -> Vec<f64> {
    let most = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logarithms.iter().map(|one| ((one - most) / temperature).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// How far the likeliest stands out: 0 when all are the same, 1 when there is no other.
fn confidence(likely: &[f64]) -> f64 {
    let count = likely.len() as f64;
    let most = likely.iter().copied().fold(0.0, f64::max);
    ((count * most - 1.0) / (count - 1.0)).clamp(0.0, 1.0)
}

fn answer(question: &ClassifierQuestion, names: Vec<String>, likely: Vec<f64>) -> ClassifierAnswer {
    let confidence = confidence(&likely);
    match question {
        ClassifierQuestion::Bool { .. } => {
            ClassifierAnswer::Bool { probability: likely.first().copied().unwrap_or_default() }
        }
        ClassifierQuestion::Score { .. } => {
            let score = likely.iter().enumerate().map(|(level, likely)| level as f64 * likely).sum();
            ClassifierAnswer::Score { score, confidence }
        }
        ClassifierQuestion::Choice { .. } => {
            let best = likely.iter().enumerate().fold(0, |best, (at, one)| if *one > likely[best] { at } else { best });
            let choice = names.get(best).cloned().unwrap_or_default();
            let probabilities = names.into_iter().zip(likely).collect();
            ClassifierAnswer::Choice { choice, probabilities, confidence }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_add_up_and_follow_the_temperature() {
        let logarithms = [0.6_f64.ln(), 0.3_f64.ln(), NOTHING];
        let likely = softmax(&logarithms, 1.0);
        assert!((likely[0] - 2.0 / 3.0).abs() < 1e-9 && (likely[1] - 1.0 / 3.0).abs() < 1e-9);
        assert!(likely[2].abs() < 1e-9);
        assert!(softmax(&logarithms, 4.0)[0] < likely[0]);
        assert!((confidence(&[0.25; 4])).abs() < 1e-9);
        assert!((confidence(&[1.0, 0.0]) - 1.0).abs() < 1e-9);
    }
}
