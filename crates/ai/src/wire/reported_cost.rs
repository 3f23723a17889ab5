//! What OpenRouter says that a request cost.

use serde_json::Value;

use crate::{Model, Usage};

/// Whether a model is asked through OpenRouter.
pub(super) fn is_open_router(model: &Model) -> bool {
    model.provider == "openrouter" || model.base_url.contains("openrouter.ai")
}

/// The fields of a usage report that tell of money.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReportedCost<'a> {
    /// What OpenRouter charges, in US dollars.
    pub cost: Option<&'a Value>,
    /// The user's own key at the provider behind OpenRouter: that one charges as well.
    pub is_byok: Option<&'a Value>,
    /// What that one charges.
    pub details: Option<&'a Value>,
}

impl ReportedCost<'_> {
    /// Takes it for the cost of what was used, if it is known.
    pub fn apply(self, usage: &mut Usage) {
        if let Some(total) = self.billed() {
            usage.cost.total = total;
            usage.cost.total_from_provider = Some(true);
        }
    }

    /// All that OpenRouter and the provider behind it charge; `None` when part of it is not known.
    fn billed(self) -> Option<f64> {
        let price = |value: Option<&Value>| value?.as_f64().filter(|price| price.is_finite() && *price >= 0.0);
        let own = price(self.cost)?;
        if !self.is_byok?.as_bool()? {
            return Some(own);
        }
        let upstream = |name: &str| price(self.details?.get(name));
        let parts =
            || Some(upstream("upstream_inference_prompt_cost")? + upstream("upstream_inference_completions_cost")?);
        Some(own + upstream("upstream_inference_cost").or_else(parts)?)
    }
}
