//! What a newer list changes, in words.

use std::fmt;

use crate::{Model, ModelCost};

/// What changes at a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderChanges {
    /// The provider.
    pub provider: String,
    /// Ids of models that are new.
    pub new: Vec<String>,
    /// Ids of models that change, each with what does.
    pub changed: Vec<(String, String)>,
    /// Ids of models that an earlier list had added and this one does not have.
    pub gone: Vec<String>,
}

impl fmt::Display for ProviderChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.provider)?;
        for (what, ids) in [("new", &self.new), ("gone", &self.gone)] {
            if !ids.is_empty() {
                write!(f, "\n  {what}: {}", ids.join(", "))?;
            }
        }
        for (id, what) in &self.changed {
            write!(f, "\n  {id}: {what}")?;
        }
        Ok(())
    }
}

/// What changes at a provider from what was known (the program's models with earlier ones on top) to what is known now.
pub(super) fn describe(
    provider: &str,
    builtin: &[&Model],
    earlier: &[Model],
    now: &[Model],
) -> Option<ProviderChanges> {
    let find = |models: &'_ [Model], id: &str| models.iter().find(|model| model.id == id).cloned();
    let known = |models: &[Model], id: &str| {
        find(models, id).or_else(|| builtin.iter().find(|model| model.id == id).map(|model| Model::clone(model)))
    };
    let mut ids: Vec<&str> = earlier.iter().chain(now).map(|model| model.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut changes = ProviderChanges { provider: provider.to_owned(), ..ProviderChanges::default() };
    for id in ids {
        match (known(earlier, id), known(now, id)) {
            (None, Some(_)) => changes.new.push(id.to_owned()),
            (Some(_), None) => changes.gone.push(id.to_owned()),
            (Some(before), Some(after)) if before != after => {
                changes.changed.push((id.to_owned(), difference(&before, &after)))
            }
            _ => {}
        }
    }
    let is_any = !changes.new.is_empty() || !changes.changed.is_empty() || !changes.gone.is_empty();
    is_any.then_some(changes)
}

fn difference(before: &Model, after: &Model) -> String {
    let mut parts = Vec::new();
    let mut say = |what: &str, before: String, after: String| {
        if before != after {
            parts.push(format!("{what} {before} → {after}"));
        }
    };
    say("context", before.context_window.to_string(), after.context_window.to_string());
    say("output", before.max_tokens.to_string(), after.max_tokens.to_string());
    say("price", price(&before.cost), price(&after.cost));
    say("images", yes(before.accepts_images()), yes(after.accepts_images()));
    if parts.is_empty() {
        parts.push("other fields".to_owned());
    }
    parts.join(", ")
}

fn yes(answer: bool) -> String {
    if answer { "yes" } else { "no" }.to_owned()
}

/// Prices as `input/output`, with those of the cache when there are any, and the number of tiers.
fn price(cost: &ModelCost) -> String {
    let mut text = format!("{}/{}", cost.input, cost.output);
    if cost.cache_read > 0.0 || cost.cache_write > 0.0 {
        text.push_str(&format!(" (cache {}/{})", cost.cache_read, cost.cache_write));
    }
    let tier = |tier: &crate::CostTier| format!(", above {}: {}/{}", tier.input_tokens_above, tier.input, tier.output);
    text.extend(cost.tiers.iter().map(tier));
    text
}
