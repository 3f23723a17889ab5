//! The form of a list: what models have in common stands once, and each model is a row.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use crate::{CostTier, InputKind, JsonMap, Model, ModelCost, ThinkingLevel};

#[derive(Deserialize)]
struct List<'a> {
    shapes: Vec<Shape>,
    #[serde(borrow)]
    models: Vec<Row<'a>>,
}

/// What models have in common.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Shape {
    api: String,
    base_url: String,
    #[serde(default)]
    reasoning: bool,
    #[serde(default)]
    thinking_level_map: Option<BTreeMap<ThinkingLevel, Option<String>>>,
    input: Vec<InputKind>,
    #[serde(default)]
    headers: Option<BTreeMap<String, String>>,
    #[serde(flatten)]
    extra: JsonMap,
}

/// A model: id, name, number of the shape, context window, most tokens of an answer, prices.
#[derive(Deserialize)]
struct Row<'a>(#[serde(borrow)] Text<'a>, #[serde(borrow)] Text<'a>, usize, u64, u64, Prices);

/// A text that is borrowed unless something in it is escaped.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] std::borrow::Cow<'a, str>);

/// Prices: input, output, cache read, cache write, then the tiers.
#[derive(Deserialize)]
#[serde(from = "Vec<Price>")]
struct Prices(ModelCost);

#[derive(Deserialize)]
#[serde(untagged)]
enum Price {
    Flat(f64),
    /// Tokens above which it applies, then as before.
    Tier(f64, f64, f64, f64, f64),
}

impl From<Vec<Price>> for Prices {
    fn from(prices: Vec<Price>) -> Self {
        let mut flat = prices.iter().filter_map(|price| match price {
            Price::Flat(price) => Some(*price),
            Price::Tier(..) => None,
        });
        let mut next = || flat.next().unwrap_or_default();
        let tier = |price: &Price| match *price {
            Price::Flat(_) => None,
            Price::Tier(above, input, output, cache_read, cache_write) => {
                Some(CostTier { input_tokens_above: above as u64, input, output, cache_read, cache_write })
            }
        };
        let (input, output, cache_read, cache_write) = (next(), next(), next(), next());
        Self(ModelCost { input, output, cache_read, cache_write, tiers: prices.iter().filter_map(tier).collect() })
    }
}

/// Reads a list that is part of the program: one that cannot be read is a defect. A program without built-in models still
/// serves configured ones.
pub(super) fn read(provider: &str, text: &str) -> Vec<Arc<Model>> {
    let list: List<'_> = serde_json::from_str(text).unwrap_or_else(|error| {
        crate::broken(&format!("the built-in models of {provider} cannot be read: {error}"));
        List { shapes: Vec::new(), models: Vec::new() }
    });
    let model = |row: Row<'_>| model_of(provider, row, &list.shapes);
    list.models.into_iter().filter_map(model).map(Arc::new).collect()
}

fn model_of(provider: &str, row: Row<'_>, shapes: &[Shape]) -> Option<Model> {
    let Row(Text(id), Text(name), shape, context_window, max_tokens, Prices(cost)) = row;
    let Some(shape) = shapes.get(shape) else {
        crate::broken(&format!("the built-in model {provider}/{id} has no shape {shape}"));
        return None;
    };
    Some(Model {
        id: id.into_owned(),
        name: name.into_owned(),
        api: shape.api.clone(),
        provider: provider.to_owned(),
        base_url: shape.base_url.clone(),
        reasoning: shape.reasoning,
        thinking_level_map: shape.thinking_level_map.clone(),
        input: shape.input.clone(),
        cost,
        context_window,
        max_tokens,
        headers: shape.headers.clone(),
        extra: shape.extra.clone(),
    })
}
