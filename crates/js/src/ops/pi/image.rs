//! Pictures: what they are, and making them small enough for a model.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{ImageFormat, ImageReader};
use rquickjs::{Ctx, Value};
use serde_json::json;
use tau_tools::image::{ResizeLimits, prepare_image, sniff_image};

use crate::ops::{Bytes, Json, OpError, Ops};

fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?.into_dimensions().ok()
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
    let picture = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?.decode().ok()?;
    let mut png = Cursor::new(Vec::new());
    picture.write_to(&mut png, ImageFormat::Png).ok()?;
    Some(png.into_inner())
}

/// Pictures take long: they are worked on elsewhere.
async fn elsewhere<T: Send + 'static>(work: impl FnOnce() -> Option<T> + Send + 'static) -> Result<Option<T>, OpError> {
    Ok(tokio::task::spawn_blocking(work).await.unwrap_or(None))
}

pub(super) fn install<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    let host = ops.host();
    ops.function(
        "piImageResize",
        move |ctx: Ctx<'js>,
              bytes: Bytes,
              mime_type: String,
              width: u32,
              height: u32,
              most: u32|
              -> rquickjs::Result<Value<'js>> {
            let limits = ResizeLimits { max_width: width, max_height: height, max_bytes: most as usize };
            host.spawn(
                &ctx,
                async move { Ok(elsewhere(move || resized(bytes.0, &mime_type, limits)).await?.map(Json)) },
            )
        },
    )?;
    let host = ops.host();
    ops.function("piImageToPng", move |ctx: Ctx<'js>, bytes: Bytes| -> rquickjs::Result<Value<'js>> {
        host.spawn(&ctx, async move { Ok(elsewhere(move || to_png(&bytes.0)).await?.map(Bytes)) })
    })?;
    ops.function("piImageSniff", |bytes: Bytes| sniff_image(&bytes.0))
}
