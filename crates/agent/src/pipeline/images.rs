//! Pictures of a prompt on their way to the model.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize as _;
use tau_ai::{ContentBlock, ImageBlock, Message, MessageContent, Model};
use tau_tools::image::{ResizeLimits, prepare_image};

use super::Prompt;
use super::prompt::user_message;
use crate::aside::aside;
use crate::parts::Parts;

/// The prompt with its pictures in a form and of a size that providers take. What was done to them, and which ones are
/// left out, is said behind the text.
pub(super) async fn with_fitting_images(parts: &Parts, prompt: &Prompt) -> Prompt {
    let prompt = prompt.clone();
    if prompt.images.is_empty() {
        return prompt;
    }
    let auto_resize = parts.settings().images().auto_resize;
    let limits = auto_resize.then(|| image_limits(parts.choices.model().as_deref()));
    aside(move || fit(prompt, limits)).await
}

/// As [`AgentSession::with_fitting_images`], for a message of the user that waited in a queue.
pub(super) async fn with_fitting_pictures(parts: &Parts, message: Arc<Message>) -> Arc<Message> {
    let Message::User(user) = &*message else { return message };
    let MessageContent::Blocks(blocks) = &user.content else { return message };
    let (images, texts): (Vec<_>, Vec<_>) =
        blocks.iter().cloned().partition(|block| matches!(block, ContentBlock::Image(_)));
    if images.is_empty() {
        return message;
    }
    let text = texts.iter().filter_map(ContentBlock::as_text).collect();
    let prompt = with_fitting_images(parts, &Prompt { text, images, ..Prompt::default() }).await;
    let mut fitting = user.clone();
    if let Message::User(made) = user_message(&prompt, user.timestamp) {
        fitting.content = made.content;
    }
    Arc::new(Message::User(fitting))
}

/// What pictures for `model` have to fit: its own limits, and the common ones where it has none.
pub(crate) fn image_limits(model: Option<&Model>) -> ResizeLimits {
    let own = model.and_then(|model| model.extra.get("inputLimits")?.get("images")?.get("resize"));
    let limits = own.map_or_else(|| Ok(ResizeLimits::default()), ResizeLimits::deserialize);
    limits.unwrap_or_else(|error| {
        tracing::warn!(%error, "inputLimits.images.resize of the model cannot be used");
        ResizeLimits::default()
    })
}

fn fit(mut prompt: Prompt, limits: Option<ResizeLimits>) -> Prompt {
    let mut notes = Vec::new();
    let images = std::mem::take(&mut prompt.images);
    for block in images {
        let ContentBlock::Image(image) = block else {
            prompt.images.push(block);
            continue;
        };
        // What is no base64 is no picture either, and is told as such.
        let bytes = STANDARD.decode(&image.data).unwrap_or_default();
        match prepare_image(bytes, &image.mime_type, limits) {
            Ok(fitting) => {
                notes.extend(fitting.notes);
                let ImageBlock { extra, .. } = image;
                let image = ImageBlock { data: fitting.data, mime_type: fitting.mime_type, extra };
                prompt.images.push(ContentBlock::Image(image));
            }
            Err(why) => notes.push(why.to_string()),
        }
    }
    if !notes.is_empty() {
        prompt.text = format!("{}\n\n{}", prompt.text, notes.join("\n"));
    }
    prompt
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_model_may_limit_pictures() {
        let limits = |resize: serde_json::Value| {
            let model = json!({"id": "m", "inputLimits": {"images": {"resize": resize}}});
            image_limits(Some(&serde_json::from_value(model).expect("a model")))
        };
        let own = ResizeLimits { max_width: 1568, max_bytes: 524_288, jpeg_quality: 75, ..ResizeLimits::default() };
        assert_eq!(limits(json!({"maxWidth": 1568, "maxBytes": 524_288, "jpegQuality": 75})), own);
        assert_eq!(limits(json!({"maxWidth": "wide"})), ResizeLimits::default());
        assert_eq!(image_limits(None), ResizeLimits::default());
    }
}
