//! How a listed model is reached: as the model of that id, or as the likest one of its provider.

use super::format::Listed;
use crate::Model;

/// The model that an entry describes; none when the provider has no model to go by.
pub(super) fn model(id: &str, listed: Listed, builtin: &[&Model]) -> Option<Model> {
    let same = builtin.iter().find(|model| model.id == id);
    let like = same
        .or_else(|| builtin.iter().max_by_key(|model| (common(&model.id, id), model.reasoning == listed.reasoning)))?;
    let mut model = Model::clone(like);
    model.input = listed.input();
    model.context_window = listed.limit.context;
    model.max_tokens = listed.limit.output;
    // What the list does not say, it does not change.
    match listed.cost() {
        Some(mut cost) => {
            // Its one tier says less than several do.
            if same.is_some() && model.cost.tiers.len() > 1 {
                cost.tiers.clone_from(&model.cost.tiers);
            }
            model.cost = cost;
        }
        None if same.is_none() => model.cost = crate::ModelCost::default(),
        None => {}
    }
    if same.is_none() {
        id.clone_into(&mut model.id);
        model.name = if listed.name.is_empty() { id.to_owned() } else { listed.name };
        if model.reasoning != listed.reasoning {
            model.thinking_level_map = None;
        }
        model.reasoning = listed.reasoning;
    }
    Some(model)
}

/// How many bytes two ids begin with alike.
fn common(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count()
}
