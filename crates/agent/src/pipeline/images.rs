//! Pictures of a prompt on their way to the model.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tau_ai::{ContentBlock, ImageBlock};
use tau_tools::image::{ResizeLimits, prepare_image};

use super::Prompt;
use crate::session::AgentSession;

impl AgentSession {
    /// The prompt with its pictures in a form and of a size that providers take. What was done to them, and which ones are
    /// left out, is said behind the text.
    pub(super) async fn with_fitting_images(&self, prompt: &Prompt) -> Prompt {
        let prompt = prompt.clone();
        if prompt.images.is_empty() {
            return prompt;
        }
        let limits = self.settings().snapshot().images().auto_resize.then(ResizeLimits::default);
        match tokio::task::spawn_blocking(move || fit(prompt, limits)).await {
            Ok(prompt) => prompt,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
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
