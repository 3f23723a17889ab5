//! What llama.cpp's own server is asked: tokens, the model's template, and what may come next.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::prompt::SYSTEM;
use super::{Door, LABEL, Tokens};
use crate::wire::error::WireError;
use crate::wire::operations::answers::odd;
use crate::wire::rules::Rules;

const RULES: Rules = Rules { refusal: |status, body| format!("{LABEL} error ({status}): {body}"), ..Rules::DOCUMENT };

/// The server of a model.
pub(super) struct Server<'d> {
    pub door: &'d Door,
    pub tokens: &'d Tokens,
}

impl Server<'_> {
    /// Models are described with the address of the interface that is like OpenAI's.
    fn root(&self) -> &str {
        let base = self.door.base_url();
        base.strip_suffix("/v1").unwrap_or(base)
    }

    async fn post(&self, path: &str, body: Value, shown: bool) -> Result<Value, WireError> {
        self.door.post_open(format!("{}{path}", self.root()), body, RULES, shown).await
    }

    async fn tokenized(&self, text: &str) -> Result<Vec<i64>, WireError> {
        let model = &self.door.model().id;
        let body = json!({"model": model, "content": text, "add_special": false, "parse_special": false});
        let answer = self.post("/tokenize", body, false).await?;
        let tokens = answer["tokens"].as_array().ok_or_else(|| odd(LABEL, "it has no tokens"))?;
        // Servers may also tell the text of each.
        let id = |token: &Value| token.as_i64().or_else(|| token["id"].as_i64());
        tokens.iter().map(|token| id(token).ok_or_else(|| odd(LABEL, "a token has no number"))).collect()
    }

    /// The token of a label at the beginning of an answer, which follows a line break: some vocabularies have another one
    /// for it at the beginning of a text.
    async fn token_of(&self, label: &str) -> Result<Option<i64>, WireError> {
        let (line, with_label) = (self.tokenized("\n").await?, self.tokenized(&format!("\n{label}")).await?);
        if let Some([token]) = with_label.strip_prefix(&*line) {
            return Ok(Some(*token));
        }
        match *self.tokenized(label).await? {
            [token] => Ok(Some(token)),
            _ => Ok(None),
        }
    }

    /// The tokens of labels, all different.
    pub async fn tokens_of(&self, labels: &[String]) -> Result<Vec<i64>, WireError> {
        let model = &self.door.model().id;
        let mut all: Vec<i64> = Vec::with_capacity(labels.len());
        for label in labels {
            let key = (self.root().to_owned(), model.clone(), label.clone());
            let known = self.tokens.lock().get(&key).copied();
            let token = match known {
                Some(token) => token,
                None => {
                    let token = self.token_of(label).await?;
                    self.tokens.lock().insert(key, token);
                    token
                }
            };
            match token {
                None => return Err(WireError::Provider(format!("{model} has no token of its own for {label:?}"))),
                Some(token) if all.contains(&token) => {
                    return Err(WireError::Provider(format!(
                        "{model} has the same token for {label:?} and another label"
                    )));
                }
                Some(token) => all.push(token),
            }
        }
        Ok(all)
    }

    /// A message in the model's own form, up to where its answer begins.
    pub async fn rendered(&self, text: &str) -> Result<String, WireError> {
        let body = json!({
            "model": self.door.model().id,
            "messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": text}],
            "chat_template_kwargs": {"enable_thinking": false},
        });
        let answer = self.post("/apply-template", body, false).await?;
        let prompt = answer["prompt"].as_str().ok_or_else(|| odd(LABEL, "it has no prompt"))?;
        // Some templates have every answer begin with thoughts. There are none, so the answer comes next.
        let close = if prompt.ends_with("<think>") { "</think>" } else { "" };
        Ok(format!("{prompt}{close}"))
    }

    /// The logarithm of how likely each token comes next, where it is among so many of the likeliest.
    pub async fn next_token(&self, prompt: &str, tokens: &[i64], depth: usize) -> Result<Vec<Option<f64>>, WireError> {
        let body = json!({
            "model": self.door.model().id,
            "prompt": prompt,
            "n_predict": 1,
            "n_probs": depth,
            "post_sampling_probs": false,
            "cache_prompt": true,
            "temperature": 0,
        });
        let answer = self.post("/completion", body, true).await?;
        let list = answer.pointer("/completion_probabilities/0/top_logprobs").and_then(Value::as_array);
        let list = list.ok_or_else(|| odd(LABEL, "it has no probabilities of tokens"))?;
        let known: HashMap<i64, f64> =
            list.iter().filter_map(|entry| Some((entry["id"].as_i64()?, entry["logprob"].as_f64()?))).collect();
        Ok(tokens.iter().map(|token| known.get(token).copied()).collect())
    }
}
