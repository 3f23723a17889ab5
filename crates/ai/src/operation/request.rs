//! One request of an operation, whatever it asks for.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::{Model, RequestHooks, StreamOptions, StreamRequest};

/// Everything that one request of an operation needs.
#[derive(Clone)]
pub struct OperationRequest<C> {
    /// The model to ask.
    pub model: Arc<Model>,
    /// What is asked.
    pub context: C,
    /// Credential, headers, temperature and sources; what only a conversation has is not looked at.
    pub options: StreamOptions,
    /// How long it may take and how often it is repeated; the user's settings where it says nothing.
    pub limits: OperationLimits,
    /// Who looks at the request on its way out. `None` costs nothing.
    pub hooks: Option<Arc<dyn RequestHooks>>,
    /// Stops the request.
    pub cancel: CancellationToken,
}

/// How long an operation may take, and how often it is repeated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OperationLimits {
    /// How often a request that failed for a passing reason is repeated.
    pub repeats: Option<u32>,
    /// How long it may take until an answer begins.
    pub answer: Option<Duration>,
    /// The longest pause that a provider may ask for before a repetition; zero is any.
    pub max_wanted: Option<Duration>,
}

impl<C> OperationRequest<C> {
    /// A request without options, hooks and limits of its own.
    pub fn new(model: Arc<Model>, context: C) -> Self {
        let (options, limits) = (StreamOptions::default(), OperationLimits::default());
        Self { model, context, options, limits, hooks: None, cancel: CancellationToken::new() }
    }

    /// The same as a request without a conversation: what is sent depends on nothing else.
    pub(crate) fn envelope(&self) -> StreamRequest {
        StreamRequest {
            model: Arc::clone(&self.model),
            system: None,
            messages: Vec::new(),
            tools: Arc::default(),
            options: self.options.clone(),
            hooks: self.hooks.clone(),
            cancel: self.cancel.clone(),
        }
    }
}
