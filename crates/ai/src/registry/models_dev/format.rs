//! The form of the public list, and what must hold of an entry.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::jsonc::in_plain_words;
use crate::{CostTier, InputKind, ModelCost};

const LONGEST_NAME: usize = 200;
const LARGEST_CONTEXT: u64 = 100_000_000;
/// Dollars per million tokens.
const DEAREST: f64 = 10_000.0;
/// The tier that the list has a key of its own for begins here.
const OVER_200K: u64 = 200_000;

/// A provider. An entry that makes no sense does not spoil the others.
#[derive(Deserialize)]
pub(super) struct Provider {
    #[serde(default)]
    pub models: BTreeMap<String, Box<RawValue>>,
}

/// A model as the list has it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Listed {
    pub id: Option<String>,
    pub name: String,
    pub reasoning: bool,
    tool_call: bool,
    status: Option<String>,
    modalities: Modalities,
    cost: Option<Prices>,
    pub limit: Limits,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Modalities {
    input: Vec<String>,
    output: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Limits {
    pub context: u64,
    pub output: u64,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Prices {
    input: f64,
    output: f64,
    cache_read: f64,
    cache_write: f64,
    context_over_200k: Option<Box<Prices>>,
}

/// Reads an entry.
pub(super) fn parse(entry: &RawValue) -> Result<Listed, String> {
    serde_json::from_str(entry.get()).map_err(|error| {
        let whole = error.to_string();
        in_plain_words(whole.split(" at line ").next().unwrap_or_default())
    })
}

impl Listed {
    /// Says what is wrong with an entry.
    pub fn check(&self, id: &str) -> Result<(), String> {
        let is_name = |text: &str| text.len() <= LONGEST_NAME && !text.chars().any(char::is_control);
        if id.trim().is_empty() || !is_name(id) || !is_name(&self.name) {
            return Err("the id or the name is empty, too long or not text".to_owned());
        }
        if self.id.as_deref().is_some_and(|own| own != id) {
            return Err("it has another id than its key".to_owned());
        }
        for prices in self.cost.iter().flat_map(|cost| [Some(cost), cost.context_over_200k.as_deref()]).flatten() {
            for price in [prices.input, prices.output, prices.cache_read, prices.cache_write] {
                if !(0.0..=DEAREST).contains(&price) {
                    return Err(format!("a price of {price} dollars per million tokens"));
                }
            }
        }
        let Limits { context, output } = self.limit;
        if context > LARGEST_CONTEXT || output > LARGEST_CONTEXT {
            return Err(format!("limits of {context} and {output} tokens"));
        }
        Ok(())
    }

    /// Whether it converses and can call tools, and is not going away.
    pub fn is_usable(&self) -> bool {
        let has = |kinds: &[String], kind: &str| kinds.iter().any(|known| known == kind);
        self.tool_call
            && has(&self.modalities.input, "text")
            && has(&self.modalities.output, "text")
            && self.limit.context > 0
            && self.limit.output > 0
            && self.status.as_deref() != Some("deprecated")
    }

    /// What a prompt may contain.
    pub fn input(&self) -> Vec<InputKind> {
        let image = self.modalities.input.iter().any(|kind| kind == "image").then_some(InputKind::Image);
        [InputKind::Text].into_iter().chain(image).collect()
    }

    /// What it costs; nothing for one without prices.
    pub fn cost(&self) -> Option<ModelCost> {
        let cost = self.cost.as_ref()?;
        let tier = |prices: &Prices| CostTier {
            input_tokens_above: OVER_200K,
            input: prices.input,
            output: prices.output,
            cache_read: prices.cache_read,
            cache_write: prices.cache_write,
        };
        Some(ModelCost {
            input: cost.input,
            output: cost.output,
            cache_read: cost.cache_read,
            cache_write: cost.cache_write,
            tiers: cost.context_over_200k.iter().map(|prices| tier(prices)).collect(),
        })
    }
}
