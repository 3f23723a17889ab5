//! The prompts of the command line.

use std::io::{IsTerminal, Read};
use std::path::Path;
use std::process::ExitCode;

use tau_agent::Prompt;
use tau_agent::settings::Environment;
use tau_ai::ImageBlock;
use tau_launch::args::{Cli, FileContent, MAX_ATTACHED, initial_prompts, is_binary, process_file_args};
use tau_tools::image::{ImageError, ResizeLimits, prepare_image, sniff_image};

use crate::diagnostics;

/// The prompts of the command line, with piped input and attached files in front of the first one.
pub(super) fn prompts(cli: &Cli, env: &Environment) -> Result<Vec<Prompt>, ExitCode> {
    let attached = process_file_args(&cli.files, |path| env.resolve(path, &env.cwd), attach)
        .map_err(|error| diagnostics::fail(&error.to_string()))?;
    let mut piped = String::new();
    if !std::io::stdin().is_terminal() {
        let mut bytes = Vec::new();
        // A byte more than is allowed shows that there are too many.
        std::io::stdin()
            .take(MAX_ATTACHED + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| diagnostics::fail(&format!("standard input cannot be read: {error}")))?;
        if bytes.len() as u64 > MAX_ATTACHED {
            let most = MAX_ATTACHED >> 20;
            let message = format!("standard input has more than {most} MB, the most that can be part of a prompt");
            return Err(diagnostics::fail(&message));
        }
        if is_binary(&bytes) {
            let message =
                "standard input is binary, so it cannot be part of a prompt; name the file in the prompt instead";
            return Err(diagnostics::fail(message));
        }
        piped = String::from_utf8_lossy(&bytes).into_owned();
    }
    if let Some(why) = cli.args.unless_piped.as_ref().filter(|_| piped.trim().is_empty()) {
        return Err(diagnostics::fail(why));
    }
    let texts = initial_prompts(cli.messages.clone(), &attached.text, Some(&piped));
    let mut prompts: Vec<Prompt> = texts.into_iter().map(Prompt::new).collect();
    if !attached.images.is_empty() {
        match prompts.first_mut() {
            Some(first) => first.images = attached.images,
            None => prompts.push(Prompt { images: attached.images, ..Prompt::default() }),
        }
    }
    let asked = cli.args.print || cli.args.mode.is_some();
    if prompts.is_empty() && !asked {
        return Err(diagnostics::fail(
            "nothing to do: give a prompt, for example `tau -p \"What is in this directory?\"`, or see `tau --help`. tau has no \
             interactive view yet.",
        ));
    }
    Ok(prompts)
}

/// What an attached file is to a model: a picture, made small enough, or text. The user hears of a picture and of a binary
/// file that is left out.
fn attach(path: &Path, bytes: &[u8]) -> FileContent {
    let Some(mime_type) = sniff_image(bytes) else {
        let content = FileContent::of(bytes);
        if content != FileContent::Text {
            let path = path.display();
            diagnostics::warning(&format!(
                "{path}: the file is binary; the model is told its name and size, not what is in it"
            ));
        }
        return content;
    };
    match prepare_image(bytes.to_vec(), mime_type, Some(ResizeLimits::default())) {
        Ok(image) => FileContent::Image {
            block: ImageBlock { data: image.data, mime_type: image.mime_type, extra: tau_ai::JsonMap::new() },
            notes: image.notes,
        },
        Err(error) => {
            let note = error.note(path);
            let why = match &error {
                ImageError::TooLarge(why) => why.about(Some(path)),
                _ => format!("{}: {}", path.display(), note.trim_matches(['[', ']'])),
            };
            diagnostics::warning(&why);
            FileContent::Omitted(note)
        }
    }
}
