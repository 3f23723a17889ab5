//! `input`: text on its way in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tau_ai::ContentBlock;

use super::{Output, Stop, Transforms};
use crate::changes::Changes;

/// Text somebody submitted, before skills and templates are expanded.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InputEvent {
    /// The text, as earlier handlers left it.
    pub text: String,
    /// Attached images, as image content blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<Vec<ContentBlock>>,
    /// Where the text comes from.
    pub source: InputSource,
    /// How the text would be queued, when a run is under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming_behavior: Option<StreamingBehavior>,
}

/// Where text comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InputSource {
    /// A person: the terminal, or the prompt of print and JSON mode.
    #[default]
    Interactive,
    /// A client over RPC.
    Rpc,
    /// An extension.
    Extension,
}

/// What happens to text that arrives while a run is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum StreamingBehavior {
    /// The model sees it before its next request.
    Steer,
    /// The model sees it when it would otherwise stop.
    FollowUp,
}

/// What to do with the text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "camelCase")]
pub enum InputResult {
    /// Leave it as it is.
    Continue,
    /// Replace it.
    Transform {
        /// The new text.
        text: String,
        /// The new images; absent keeps them, an empty list removes them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        images: Option<Vec<ContentBlock>>,
    },
    /// Swallow it: no later handler and no model sees it.
    Handled,
}

impl Output<InputEvent> for InputResult {
    const STOPS: Option<Stop<Self>> =
        Some(Stop { said: "action: \"handled\"", is: |result| matches!(result, Self::Handled) });

    fn is_empty(&self) -> bool {
        matches!(self, Self::Continue)
    }
}

impl Transforms<InputEvent> for InputResult {
    fn apply(&self, payload: &mut InputEvent) -> Changes {
        let mut changes = Changes::none();
        if let Self::Transform { text, images } = self {
            changes.text("text", &payload.text, text);
            payload.text.clone_from(text);
            if let Some(images) = images {
                let images = (!images.is_empty()).then(|| images.clone());
                changes.value("images", &payload.images, &images);
                payload.images = images;
            }
        }
        changes
    }
}

#[cfg(feature = "samples")]
mod samples {
    use super::*;
    use crate::payload::sample::{Sample, text};

    impl Sample for InputEvent {
        fn sample() -> Self {
            Self { text: text(), images: None, source: InputSource::Rpc, streaming_behavior: None }
        }
    }
}
