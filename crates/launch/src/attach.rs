//! The prompts of the command line, and the files that it attaches to them.

use std::path::Path;

use tau_agent::Prompt;
use tau_agent::settings::Environment;
use tau_ai::{ImageBlock, JsonMap};
use tau_tools::image::{ImageError, ResizeLimits, prepare_image, sniff_image};

use crate::args::{Cli, FileArgError, FileContent, initial_prompts, process_file_args};
use crate::voice::Voice;

/// The prompts of the command line, with piped input and attached files in front of the first one. Blank ones are left out.
///
/// # Errors
/// When a file cannot be attached.
pub fn prompts(cli: &Cli, env: &Environment, piped: Option<&str>, voice: &Voice) -> Result<Vec<Prompt>, FileArgError> {
    let read = |path: &Path, bytes: &[u8]| attach(path, bytes, voice);
    let attached = process_file_args(&cli.files, |path| env.resolve(path, &env.cwd), read)?;
    let texts = initial_prompts(cli.messages.clone(), &attached.text, piped);
    let mut prompts: Vec<Prompt> = texts.into_iter().map(Prompt::new).collect();
    if !attached.images.is_empty() {
        match prompts.first_mut() {
            Some(first) => first.images = attached.images,
            None => prompts.push(Prompt { images: attached.images, ..Prompt::default() }),
        }
    }
    prompts.retain(|prompt| !prompt.text.trim().is_empty() || !prompt.images.is_empty());
    Ok(prompts)
}

/// What an attached file is to a model: a picture, made small enough, or text. The user hears of a picture and of a binary
/// file that is left out.
pub fn attach(path: &Path, bytes: &[u8], voice: &Voice) -> FileContent {
    let Some(mime_type) = sniff_image(bytes) else {
        let content = FileContent::of(bytes);
        if content != FileContent::Text {
            let path = path.display();
            voice.warning(format!("{path}: the file is binary; the model gets its name and size, not its content"));
        }
        return content;
    };
    match prepare_image(bytes.to_vec(), mime_type, Some(ResizeLimits::default())) {
        Ok(image) => FileContent::Image {
            block: ImageBlock { data: image.data, mime_type: image.mime_type, extra: JsonMap::new() },
            notes: image.notes,
        },
        Err(error) => {
            let note = error.note(path);
            let why = match &error {
                ImageError::TooLarge(why) => why.about(Some(path)),
                _ => format!("{}: {}", path.display(), note.trim_matches(['[', ']'])),
            };
            voice.warning(why);
            FileContent::Omitted(note)
        }
    }
}
