//! Pictures: what they are, and making them small enough for a model.

use std::io::Cursor;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::ImageFormat;
use rquickjs::Ctx;
use serde_json::json;
use tau_tools::image::{ResizeLimits, decode_image, image_size, prepare_image, sniff_image};

use crate::engine::Memory;
use crate::ops::table::{Host, Promised, Typed, ops, record};
use crate::ops::{Bytes, Json, OpError, charge};

ops! {
    /// Pictures.
    pub(crate) static OPS: watched;

    /// Makes a picture small enough; nothing when it cannot be read.
    fn piImageResize(bytes, mimeType, largest) -> "ResizedImage | undefined" = pi_image_resize, Pure;
    /// A picture as PNG; nothing when it cannot be read.
    fn piImageToPng(bytes) = pi_image_to_png, Pure;
    /// The type of a picture; nothing when it is none.
    fn piImageSniff(bytes) = pi_image_sniff, Pure;
}

fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    image_size(bytes).ok().map(|size| (size.width, size.height))
}

fn resized(bytes: Vec<u8>, mime_type: &str, limits: ResizeLimits) -> Option<serde_json::Value> {
    let (original_width, original_height) = size(&bytes)?;
    let before = STANDARD.encode(&bytes);
    let image = prepare_image(bytes, mime_type, Some(limits)).ok()?;
    let (width, height) = size(&STANDARD.decode(&image.data).ok()?)?;
    Some(json!({
        "wasResized": image.data != before,
        "data": image.data,
        "mimeType": image.mime_type,
        "originalWidth": original_width,
        "originalHeight": original_height,
        "width": width,
        "height": height,
    }))
}

fn to_png(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut png = Cursor::new(Vec::new());
    decode_image(bytes).ok()?.write_to(&mut png, ImageFormat::Png).ok()?;
    Some(png.into_inner())
}

/// Pictures take long: they are worked on elsewhere. What one takes when it is decoded counts until it is done.
async fn elsewhere<T: Send + 'static>(
    bytes: Vec<u8>,
    memory: Arc<Memory>,
    work: impl FnOnce(Vec<u8>) -> Option<T> + Send + 'static,
) -> Result<Option<T>, OpError> {
    let Ok(size) = image_size(&bytes) else { return Ok(None) };
    let counted = charge(&memory, usize::try_from(size.memory).unwrap_or(usize::MAX), "the picture")?;
    let done = tokio::task::spawn_blocking(move || work(bytes)).await.unwrap_or(None);
    drop(counted);
    Ok(done)
}

record! {
    /// How large a picture may be.
    struct Largest {
        max_width: f64,
        max_height: f64,
        max_bytes: f64,
        /// From 1 to 100.
        jpeg_quality: f64,
    }
}

fn pi_image_resize<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    bytes: Bytes,
    mime_type: String,
    Typed(largest): Typed<Largest>,
) -> rquickjs::Result<Promised<'js, Option<Json>>> {
    // `as` saturates: what is no such number is none.
    let limits = ResizeLimits {
        max_width: largest.max_width as u32,
        max_height: largest.max_height as u32,
        max_bytes: largest.max_bytes as usize,
        jpeg_quality: largest.jpeg_quality.min(100.0) as u8,
    };
    let memory = Arc::clone(host.memory());
    let work = move |bytes| resized(bytes, &mime_type, limits);
    host.spawn(&ctx, async move { Ok(elsewhere(bytes.0, memory, work).await?.map(Json)) })
}

fn pi_image_to_png<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    bytes: Bytes,
) -> rquickjs::Result<Promised<'js, Option<Bytes>>> {
    let memory = Arc::clone(host.memory());
    host.spawn(&ctx, async move { Ok(elsewhere(bytes.0, memory, |bytes| to_png(&bytes)).await?.map(Bytes)) })
}

fn pi_image_sniff(bytes: Bytes) -> Option<&'static str> {
    sniff_image(&bytes.0)
}
