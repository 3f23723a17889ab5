//! The operations that a provider brings itself.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::{ClassifierApi, ImagesApi};

/// Functions of a provider for its models that do not converse, by the names of their wire formats.
#[derive(Clone, Default)]
pub struct Operations {
    /// For classifiers.
    pub classifiers: BTreeMap<String, Arc<dyn ClassifierApi>>,
    /// For models that make pictures.
    pub images: BTreeMap<String, Arc<dyn ImagesApi>>,
}

impl Operations {
    /// These on top of earlier ones of the same provider.
    #[must_use]
    pub fn over(self, mut earlier: Self) -> Self {
        earlier.classifiers.extend(self.classifiers);
        earlier.images.extend(self.images);
        earlier
    }
}

impl fmt::Debug for Operations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operations")
            .field("classifiers", &self.classifiers.keys().collect::<Vec<_>>())
            .field("images", &self.images.keys().collect::<Vec<_>>())
            .finish()
    }
}
