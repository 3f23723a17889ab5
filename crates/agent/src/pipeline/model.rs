//! Whether the model can be asked.

use tau_ai::Model;

use super::prompt::PromptError;
use crate::explain::why_no_model;
use crate::parts::Parts;
use crate::pipeline::credentials::ready_to_ask;

/// Why there is no model to ask.
pub(crate) fn no_model(parts: &Parts) -> PromptError {
    PromptError::NoModel { why: why_no_model(&parts.services.models) }
}

/// That the wire format of a model does not exist.
pub(crate) fn unknown_api(parts: &Parts, model: &Model) -> PromptError {
    PromptError::UnknownApi { model: model.id.clone(), problem: parts.services.models.unknown_api(&model.api) }
}

/// Makes sure there is a model and that it can be asked.
pub(crate) async fn check_model(parts: &Parts) -> Result<(), PromptError> {
    let model = parts.choices.model().ok_or_else(|| no_model(parts))?;
    if !model.is_virtual() && parts.services.models.api_for(&model).is_none() {
        return Err(unknown_api(parts, &model));
    }
    ready_to_ask(parts, &model).await.map_err(|error| PromptError::NoAuth(error.to_string()))?;
    Ok(())
}
