//! What an extension brings along when it opens a child session; what a child is stands in [`host`](crate::host).

use std::sync::Arc;

use async_trait::async_trait;

use crate::error::HandlerError;
use crate::extension::{Extension, Registrar};
use crate::host::{ChildHooks, ChildLoader, ChildRequest};
use crate::registry::Hooks;

impl ChildHooks {
    /// For the loaders of a child with these hooks.
    pub fn new(hooks: &Arc<Hooks>) -> Self {
        Self(Arc::clone(hooks) as _)
    }

    /// The hooks of the child.
    ///
    /// # Errors
    /// When they are of another program than the caller's.
    pub fn hooks(&self) -> Result<Arc<Hooks>, HandlerError> {
        let hooks = Arc::clone(&self.0).downcast().ok();
        hooks.ok_or_else(|| HandlerError::msg("the child session has other hooks than this extension"))
    }
}

impl ChildRequest {
    /// A child with this name and the system prompt of the parent's kind.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..Self::default() }
    }

    /// Adds tools and handlers by a function that registers them, as [`Extension::register`] does.
    #[must_use]
    pub fn with<F>(mut self, name: impl Into<String>, register: F) -> Self
    where
        F: Fn(&mut Registrar) -> Result<(), HandlerError> + Send + Sync + 'static,
    {
        self.own.push(Box::new(Native(Inline { name: name.into(), register })));
        self
    }

    /// Adds an extension.
    #[must_use]
    pub fn with_extension(mut self, extension: impl Extension + 'static) -> Self {
        self.own.push(Box::new(Native(extension)));
        self
    }
}

/// An extension written in Rust.
struct Native<E>(E);

#[async_trait]
impl<E: Extension> ChildLoader for Native<E> {
    async fn load(&self, into: &ChildHooks) -> Result<(), HandlerError> {
        into.hooks()?.load(&self.0).map(drop).map_err(HandlerError::msg)
    }
}

struct Inline<F> {
    name: String,
    register: F,
}

impl<F: Fn(&mut Registrar) -> Result<(), HandlerError> + Send + Sync> Extension for Inline<F> {
    fn name(&self) -> &str {
        &self.name
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        (self.register)(registrar)
    }
}
