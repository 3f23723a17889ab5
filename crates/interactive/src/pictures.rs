//! Images of the conversation: taken from messages and results, and prepared for the terminal on a thread of their own.
//!
//! Nothing of an image is trusted. Its size is read before it is decoded, one is decoded at a time, and what is too large is
//! said in its place.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tau_tools::image::{ImageError, TooLarge, image_size, to_png};
use tau_tui::look::SharedLook;
use tau_tui::picture::{How, Image, Store};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

/// How many bytes of images are kept ready.
const KEPT: usize = 64 << 20;

/// The most bytes of an image, as base64.
const LONGEST: usize = 64 << 20;

/// The longest side of an image that a terminal gets, in pixels: more than 120 columns have.
const SIDE: u32 = 1600;

/// How many bytes a PNG may have that a terminal gets as it is, and a file of iTerm2's protocol.
const PNG: usize = 1 << 20;
const FILE: usize = 8 << 20;

/// How much of an image is looked at for its size, in characters of base64.
const HEAD: usize = 64 << 10;

/// How many images of one message or result are shown.
const MOST: usize = 32;

/// Makes images of what messages and results hold.
#[derive(Clone)]
pub(crate) struct Pictures {
    look: SharedLook,
    store: Store,
    /// Decoding takes memory: one at a time.
    turn: Arc<Semaphore>,
    settled: Arc<dyn Fn(Image) + Send + Sync>,
    tasks: TaskTracker,
}

/// Where the data of an image stand, as base64.
#[derive(Clone)]
enum Origin {
    /// In the content of a result.
    Result(Arc<Value>, usize),
    /// In a text of their own.
    Text(Arc<str>),
}

impl Origin {
    fn text(&self) -> &str {
        match self {
            Self::Result(result, at) => {
                let block = result.get("content").and_then(|content| content.get(at));
                block.and_then(|block| block.get("data")).and_then(Value::as_str).unwrap_or_default()
            }
            Self::Text(text) => text,
        }
    }
}

impl Pictures {
    /// `settled` gets each image when it can be drawn, or is known to be of no use.
    pub(crate) fn new(look: SharedLook, settled: impl Fn(Image) + Send + Sync + 'static, tasks: TaskTracker) -> Self {
        Self { look, store: Store::new(KEPT), turn: Arc::new(Semaphore::new(1)), settled: Arc::new(settled), tasks }
    }

    /// The images of a result of a tool, which is about a file of this name, if it is about one.
    pub(crate) fn of_result(&self, result: &Arc<Value>, name: Option<&str>) -> Vec<Image> {
        let blocks = result.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let text = |block: &Value, key: &str| block.get(key).and_then(Value::as_str).map(str::to_owned);
        let images = blocks.iter().enumerate().filter(|(_, block)| text(block, "type").as_deref() == Some("image"));
        let images = images.map(|(at, block)| {
            let mime = text(block, "mimeType").unwrap_or_else(|| "image".to_owned());
            self.image(Origin::Result(Arc::clone(result), at), name, &mime)
        });
        images.take(MOST).collect()
    }

    /// The images of a message.
    pub(crate) fn of_message(&self, content: &tau_ai::MessageContent) -> Vec<Image> {
        let tau_ai::MessageContent::Blocks(blocks) = content else { return Vec::new() };
        let images = blocks.iter().filter_map(|block| match block {
            tau_ai::ContentBlock::Image(image) => {
                Some(self.image(Origin::Text(image.data.as_str().into()), None, &image.mime_type))
            }
            _ => None,
        });
        images.take(MOST).collect()
    }

    /// An image that an extension draws.
    pub(crate) fn of_file(&self, file: &[u8]) -> Image {
        self.image(Origin::Text(STANDARD.encode(file).into()), None, "image")
    }

    fn image(&self, origin: Origin, name: Option<&str>, mime: &str) -> Image {
        let (size, pictures) = (size(origin.text()), self.clone());
        Image::new(name, mime, size, move |image| pictures.load(image, origin.clone()))
    }

    /// Prepares the data of an image, and tells when that is done.
    fn load(&self, image: Image, origin: Origin) {
        let Some(drawing) = self.look.get().pictures else { return };
        let (turn, store, settled) = (Arc::clone(&self.turn), self.store.clone(), Arc::clone(&self.settled));
        self.tasks.spawn(async move {
            // It is never closed.
            let _turn = turn.acquire_owned().await;
            let done = tokio::task::spawn_blocking(move || prepared(origin.text(), drawing.how)).await;
            match done.unwrap_or_else(|_| Err("it cannot be read".to_owned())) {
                Ok((size, data)) => {
                    image.ready(size, &data);
                    store.keep(data);
                }
                Err(why) => image.fails(Some(&why)),
            }
            settled(image);
        });
    }
}

/// The size of an image, from its beginning.
fn size(text: &str) -> Option<(u32, u32)> {
    let head = text.get(..text.len().min(HEAD) / 4 * 4)?;
    let size = image_size(&STANDARD.decode(head).ok()?).ok()?;
    Some((size.width, size.height))
}

/// An image as a terminal takes it: its size in pixels, and its data.
type Prepared = ((u32, u32), Arc<[u8]>);

/// Prepares an image, or says why that cannot be done.
fn prepared(text: &str, how: How) -> Result<Prepared, String> {
    if text.len() > LONGEST {
        return Err("it is too large to be shown".to_owned());
    }
    let bytes = STANDARD.decode(text.trim()).map_err(|_| "its data are damaged".to_owned())?;
    if how == How::Iterm {
        let size = image_size(&bytes).map_err(|error| why(&error))?;
        if bytes.len() <= FILE && size.width <= 4 * SIDE && size.height <= 4 * SIDE {
            return Ok(((size.width, size.height), bytes.into()));
        }
    }
    let png = to_png(bytes, SIDE, PNG).map_err(|error| why(&error))?;
    Ok(((png.width, png.height), png.bytes.into()))
}

fn why(error: &ImageError) -> String {
    match error {
        ImageError::TooLarge(TooLarge::Size(width, height)) => {
            format!("{width}x{height} pixels are too many to be shown")
        }
        ImageError::TooLarge(TooLarge::Memory(_) | TooLarge::File) => "it is too large to be shown".to_owned(),
        ImageError::Unreadable | ImageError::DoesNotFit => "it cannot be read".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOT: &str =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

    #[test]
    fn a_png_is_shown_as_it_is_with_every_protocol() {
        for how in [How::Kitty, How::Placeholders, How::Iterm] {
            let (size, data) = prepared(DOT, how).expect("an image");
            assert_eq!((size, STANDARD.encode(data)), ((1, 1), DOT.to_owned()));
        }
        assert_eq!(size(DOT), Some((1, 1)));
    }

    #[test]
    fn what_cannot_be_shown_says_why() {
        let mut bomb = STANDARD.decode(DOT).expect("base64");
        bomb[16..24].copy_from_slice(&[0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30]);
        for how in [How::Kitty, How::Iterm] {
            let why = |text: &str| prepared(text, how).expect_err("no image");
            assert_eq!(why(&STANDARD.encode(&bomb)), "30000x30000 pixels are too many to be shown");
            assert_eq!(why("****"), "its data are damaged");
            assert_eq!(why("bm8gcGljdHVyZQ=="), "it cannot be read");
            assert_eq!(why(""), "it cannot be read");
        }
        assert_eq!((size("****"), size("")), (None, None));
    }
}
