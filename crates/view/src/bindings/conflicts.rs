//! Keys that mean two things at once.

use super::{BINDINGS, Binding, Bindings, Context, normal};

/// A key of several actions that count at the same time: only one of them can have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The key, as the first of the actions has it.
    pub key: String,
    /// Where it counts.
    pub context: Context,
    /// The actions, in the order of the table.
    pub actions: Vec<&'static Binding>,
}

impl Bindings {
    /// The keys of several actions, context by context in the order of their actions. Keys that one context takes from
    /// another on purpose, such as ctrl+d in an empty editor, are none.
    pub fn conflicts(&self) -> Vec<Conflict> {
        Context::ALL.into_iter().flat_map(|context| self.conflicts_in(context)).collect()
    }

    fn conflicts_in(&self, context: Context) -> Vec<Conflict> {
        let counts = |binding: &&Binding| binding.context == context || Some(binding.context) == context.within();
        let mut found: Vec<(String, Conflict)> = Vec::new();
        for binding in BINDINGS.iter().filter(counts) {
            for key in self.keys(binding) {
                let name = normal(key);
                match found.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, conflict)) if conflict.actions.contains(&binding) => {}
                    Some((_, conflict)) => conflict.actions.push(binding),
                    None => {
                        let conflict = Conflict { key: key.to_owned(), context, actions: vec![binding] };
                        found.push((name, conflict));
                    }
                }
            }
        }
        // A conflict of the wider context is reported there.
        let is_own = |conflict: &Conflict| conflict.actions.iter().any(|binding| binding.context == context);
        let conflicts = found.into_iter().map(|(_, conflict)| conflict);
        conflicts.filter(|conflict| conflict.actions.len() > 1 && is_own(conflict)).collect()
    }
}
