//! The fourth stage: everything that a session is made of.

use tau_agent::{SessionOptions, StartError, Unstarted};
use tau_ai::{Model, ModelRegistry};

use crate::models::Missing;

/// What a session is made of, chosen.
pub struct Ready {
    pub(crate) options: SessionOptions,
    pub(crate) missing: Option<Missing>,
}

impl Ready {
    /// The session's id.
    pub fn id(&self) -> &str {
        self.options.session.id()
    }

    /// The model that will answer, if there is one.
    pub fn model(&self) -> Option<&Model> {
        self.options.model.as_deref()
    }

    /// The models that can be chosen.
    pub fn models(&self) -> &ModelRegistry {
        &self.options.models
    }

    /// The model that settings name and that is not there. A front end warns of it or refuses: another one answers, at
    /// another price.
    pub fn missing(&self) -> Option<&Missing> {
        self.missing.as_ref()
    }

    /// Makes the session. Whoever wants to hear everything listens to it before it is started.
    ///
    /// # Errors
    /// When the session file cannot be written.
    pub fn build(self) -> Result<Unstarted, StartError> {
        self.options.build()
    }
}
