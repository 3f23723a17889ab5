//! `openrouter-images`: pictures over OpenRouter's chat interface.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Door;
use super::answers::odd;
use crate::wire::error::WireError;
use crate::wire::openai_completions::{RawUsage, usage};
use crate::wire::rules::Rules;
use crate::{AssistantImages, ContentBlock, ImagesContext};

/// The name that models refer to it by.
pub(super) const API: &str = "openrouter-images";
const LABEL: &str = "OpenRouter";

/// The `openrouter-images` wire format.
pub(super) struct Format;

impl Format {
    /// Puts texts, pictures and usage into the result.
    pub(super) async fn ask(
        &self,
        door: &Door,
        context: &ImagesContext,
        result: &mut AssistantImages,
    ) -> Result<(), WireError> {
        let model = door.model();
        let with_text =
            model.extra.get("output").and_then(Value::as_array).is_some_and(|kinds| kinds.contains(&"text".into()));
        let body = json!({
            "model": model.id,
            "messages": [{"role": "user", "content": context.input.iter().filter_map(part).collect::<Vec<_>>()}],
            "stream": false,
            "modalities": if with_text { json!(["image", "text"]) } else { json!(["image"]) },
        });
        let document = door.post(format!("{}/chat/completions", door.base_url()), body, Rules::DOCUMENT).await?;
        result.response_id = document["id"].as_str().map(str::to_owned);
        if document["usage"].is_object() {
            let raw = RawUsage::deserialize(&document["usage"]).map_err(|error| odd(LABEL, error))?;
            result.usage = Some(usage(&raw, model));
        }
        let choices = document["choices"].as_array().ok_or_else(|| odd(LABEL, "it has no choices"))?;
        let Some(message) = choices.first().map(|choice| &choice["message"]) else { return Ok(()) };
        if let Some(text) = message["content"].as_str().filter(|text| !text.is_empty()) {
            result.output.push(ContentBlock::text(text));
        }
        let pictures = message["images"].as_array().into_iter().flatten();
        result.output.extend(pictures.filter_map(|picture| {
            let place = &picture["image_url"];
            let (kind, data) =
                place.as_str().or_else(|| place["url"].as_str())?.strip_prefix("data:")?.split_once(";base64,")?;
            (!kind.is_empty() && !data.is_empty()).then(|| ContentBlock::image(data, kind))
        }));
        Ok(())
    }
}

fn part(block: &ContentBlock) -> Option<Value> {
    match block {
        ContentBlock::Text(block) => Some(json!({"type": "text", "text": block.text})),
        ContentBlock::Image(block) => {
            let url = format!("data:{};base64,{}", block.mime_type, block.data);
            Some(json!({"type": "image_url", "image_url": {"url": url}}))
        }
        _ => None,
    }
}
