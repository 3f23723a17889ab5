//! Fitting a picture into what providers accept.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageFormat};
use serde::Deserialize;

use super::decode::{ImageError, MAX_IMAGE_FILE, TooLarge, decode_image};

/// JPEG qualities that are tried after the wanted one, best first.
const QUALITIES: [u8; 4] = [85, 70, 55, 40];

/// The largest picture that may be sent. Models may have limits of their own (`inputLimits.images.resize`).
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResizeLimits {
    /// Pixels across.
    pub max_width: u32,
    /// Pixels down.
    pub max_height: u32,
    /// Bytes of the base64 text.
    pub max_bytes: usize,
    /// The JPEG quality that is tried first, 1 to 100.
    pub jpeg_quality: u8,
}

impl Default for ResizeLimits {
    fn default() -> Self {
        Self { max_width: 2000, max_height: 2000, max_bytes: 4_718_592, jpeg_quality: 80 }
    }
}

/// A picture as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedImage {
    /// The file's bytes, base64.
    pub data: String,
    /// Its media type.
    pub mime_type: String,
    /// What was done to it, for the model; each in brackets.
    pub notes: Vec<String>,
}

/// Turns the bytes of a picture into what can be sent: kinds that providers do not take become PNG, and with
/// `limits` it is made smaller until it fits.
///
/// # Errors
/// When there is no picture that can be sent; the error is a note that tells the model why.
pub fn prepare_image(
    bytes: Vec<u8>,
    mime_type: &str,
    limits: Option<ResizeLimits>,
) -> Result<PreparedImage, ImageError> {
    if bytes.len() as u64 > MAX_IMAGE_FILE {
        return Err(ImageError::TooLarge(TooLarge::File));
    }
    let given = mime_type.split(';').next().unwrap_or_default().trim().to_lowercase();
    let (bytes, mime_type, converted) = match given.as_str() {
        "image/png" | "image/jpeg" | "image/gif" | "image/webp" => (bytes, given.clone(), false),
        "image/jpg" => (bytes, "image/jpeg".to_owned(), false),
        _ => {
            let picture = encode_png(&decode_image(&bytes)?).ok_or(ImageError::Unreadable)?;
            (picture, "image/png".to_owned(), true)
        }
    };
    let mut prepared = match limits {
        Some(limits) => fit(bytes, &mime_type, limits)?,
        None => PreparedImage { data: STANDARD.encode(&bytes), mime_type, notes: Vec::new() },
    };
    if converted && given != prepared.mime_type {
        prepared.notes.insert(0, format!("[Image converted from {given} to {}.]", prepared.mime_type));
    }
    Ok(prepared)
}

fn fit(bytes: Vec<u8>, mime_type: &str, limits: ResizeLimits) -> Result<PreparedImage, ImageError> {
    // One that is damaged cannot be made to fit either.
    let picture = decode_image(&bytes).map_err(|error| match error {
        ImageError::Unreadable => ImageError::DoesNotFit,
        other => other,
    })?;
    let (original_width, original_height) = (picture.width(), picture.height());
    let in_bounds = original_width <= limits.max_width && original_height <= limits.max_height;
    if in_bounds && base64_size(bytes.len()) < limits.max_bytes {
        return Ok(PreparedImage { data: STANDARD.encode(&bytes), mime_type: mime_type.to_owned(), notes: Vec::new() });
    }
    drop(bytes);
    let (mut width, mut height) = bounded(original_width, original_height, limits);
    loop {
        let encoded = if (width, height) == (original_width, original_height) {
            encode(&picture, limits)
        } else {
            encode(&picture.resize_exact(width, height, FilterType::Lanczos3), limits)
        };
        if let Some((encoded, mime_type)) = encoded {
            let scale = f64::from(original_width) / f64::from(width);
            let note = format!(
                "[Image: original {original_width}x{original_height}, displayed at {width}x{height}. Multiply \
                 coordinates by {scale:.2} to map to original image.]"
            );
            return Ok(PreparedImage {
                data: STANDARD.encode(&encoded),
                mime_type: mime_type.to_owned(),
                notes: vec![note],
            });
        }
        if (width, height) == (1, 1) {
            return Err(ImageError::DoesNotFit);
        }
        (width, height) = (smaller(width), smaller(height));
    }
}

/// The size that keeps the proportions and is within the limits.
fn bounded(mut width: u32, mut height: u32, limits: ResizeLimits) -> (u32, u32) {
    let scale =
        |side: u32, to: u32, from: u32| ((f64::from(side) * f64::from(to) / f64::from(from)).round() as u32).max(1);
    if width > limits.max_width {
        height = scale(height, limits.max_width, width);
        width = limits.max_width;
    }
    if height > limits.max_height {
        width = scale(width, limits.max_height, height);
        height = limits.max_height;
    }
    (width, height)
}

fn smaller(side: u32) -> u32 {
    ((f64::from(side) * 0.75) as u32).max(1)
}

/// The first of PNG and ever coarser JPEG that is small enough.
fn encode(picture: &DynamicImage, limits: ResizeLimits) -> Option<(Vec<u8>, &'static str)> {
    let fits = |bytes: &Vec<u8>| base64_size(bytes.len()) < limits.max_bytes;
    if let Some(png) = encode_png(picture).filter(fits) {
        return Some((png, "image/png"));
    }
    // JPEG knows no transparency.
    let opaque = DynamicImage::ImageRgb8(picture.to_rgb8());
    std::iter::once(limits.jpeg_quality.clamp(1, 100)).chain(QUALITIES).find_map(|quality| {
        let mut out = Vec::new();
        opaque.write_with_encoder(JpegEncoder::new_with_quality(&mut out, quality)).ok()?;
        Some(out).filter(fits).map(|out| (out, "image/jpeg"))
    })
}

fn encode_png(picture: &DynamicImage) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    picture.write_to(&mut Cursor::new(&mut out), ImageFormat::Png).ok()?;
    Some(out)
}

fn base64_size(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}
