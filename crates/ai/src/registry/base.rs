//! The lists that providers begin with: those of the program, and newer ones that files brought.

use std::borrow::Cow;
use std::sync::Arc;

use super::catalogue::catalogue;
use super::stored::Lists;
use crate::Model;

/// The lists that providers begin with.
#[derive(Clone, Default)]
pub(super) struct Base {
    /// What files say.
    pub stored: Lists,
}

impl Base {
    /// Every provider with a list in the program, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        catalogue().names()
    }

    /// Whether there is a list of a provider.
    pub fn has(&self, name: &str) -> bool {
        catalogue().has(name)
    }

    /// Whether no file says anything of a provider.
    pub fn is_plain(&self, name: &str) -> bool {
        !self.stored.contains_key(name)
    }

    /// The models of a provider, of every kind.
    pub fn models(&self, name: &str) -> Cow<'static, [Arc<Model>]> {
        let builtin = catalogue().models(name);
        let Some(stored) = self.stored.get(name) else { return Cow::Borrowed(builtin) };
        let only = stored.iter().rfind(|list| list.only).map(|list| list.models(name));
        if let Some(only) = only.filter(|only| !only.is_empty()) {
            return Cow::Owned(only.to_vec());
        }
        let mut models = builtin.to_vec();
        for newer in stored.iter().flat_map(|list| list.models(name)) {
            match models.iter_mut().find(|known| known.id == newer.id && known.kind() == newer.kind()) {
                Some(known) => *known = Arc::clone(newer),
                None => models.push(Arc::clone(newer)),
            }
        }
        Cow::Owned(models)
    }
}
