//! The clipboard, for the editor: files by their paths, a picture as a file, or text.

use std::io::Write as _;

use tau_tools::image::prepare_image;
use tau_tui::terminal::clipboard::{Clipboard, ClipboardError, Image};

use super::App;
use crate::told::{Said, Told};

/// The files that pictures are put into, by their kinds.
const KINDS: &[(&str, &str)] =
    &[("image/png", ".png"), ("image/jpeg", ".jpg"), ("image/gif", ".gif"), ("image/webp", ".webp")];

impl App {
    /// Reads the clipboard. What it holds comes later: no key waits for it.
    pub(super) fn paste_clipboard(&mut self) {
        let (clipboard, teller) = (self.clipboard.clone(), self.teller.clone());
        self.tasks.spawn(async move {
            teller.tell(match read(&clipboard).await {
                Ok(Some(text)) => Told::Pasted(text),
                Ok(None) => Told::Done(Said::Status("The clipboard is empty".to_owned())),
                Err(why) => Told::Done(Said::Error(why)),
            });
        });
    }

    /// Puts what the clipboard held into the editor.
    pub(super) fn pasted(&mut self, text: &str) {
        self.editor.paste(text);
        self.completing.list.reset(&self.editor.model);
        self.edited();
    }
}

/// The paths of the files in the clipboard, the path of a file with its picture, or its text.
async fn read(clipboard: &Clipboard) -> Result<Option<String>, String> {
    let files = clipboard.files().await;
    if !files.is_empty() {
        let paths = files.iter().map(|file| named(&file.display().to_string()));
        return Ok(Some(paths.collect::<Vec<_>>().join(" ")));
    }
    match clipboard.image().await {
        Ok(Some(image)) => {
            let kept = tokio::task::spawn_blocking(move || keep(image)).await;
            return kept.map_err(|error| error.to_string())?.map(Some);
        }
        // A program that knows no pictures may know text.
        Ok(None) | Err(ClipboardError::NoProgram(_)) => {}
        Err(error) => return Err(error.to_string()),
    }
    clipboard.text().await.map_err(|error| error.to_string())
}

/// Puts a picture into a file of its own. The file stays: the prompt that names it is sent later.
fn keep(image: Image) -> Result<String, String> {
    let Image { mime, bytes } = image;
    let (bytes, ending) = match ending(&mime) {
        Some(ending) => (bytes, ending),
        None => converted(bytes, &mime)?,
    };
    let wrong = |error: std::io::Error| format!("the picture of the clipboard cannot be kept: {error}");
    // The name that programs know which look for such files.
    let name = format!("pi-clipboard-{}", tau_ai::random_id());
    let mut builder = tempfile::Builder::new();
    let mut file = builder.prefix(&name).rand_bytes(0).suffix(ending).tempfile().map_err(wrong)?;
    file.write_all(&bytes).map_err(wrong)?;
    let (_, path) = file.keep().map_err(|error| wrong(error.error))?;
    Ok(path.display().to_string())
}

/// A path as a prompt names it.
fn named(path: &str) -> String {
    if path.contains(' ') { format!("\"{path}\"") } else { path.to_owned() }
}

fn ending(mime: &str) -> Option<&'static str> {
    KINDS.iter().find(|(kind, _)| *kind == mime).map(|(_, ending)| *ending)
}

/// A picture of a kind that models do not take, as one that they do.
fn converted(bytes: Vec<u8>, mime: &str) -> Result<(Vec<u8>, &'static str), String> {
    use base64::Engine as _;
    let unreadable = || format!("the clipboard holds a picture ({mime}) that cannot be read");
    let prepared = prepare_image(bytes, mime, None).map_err(|_| unreadable())?;
    let bytes = base64::engine::general_purpose::STANDARD.decode(&prepared.data).map_err(|_| unreadable())?;
    Ok((bytes, ending(&prepared.mime_type).ok_or_else(unreadable)?))
}
