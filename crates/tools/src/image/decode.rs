//! Decoding pictures within limits: a file of a few bytes can claim to be a picture of any size.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use image::{DynamicImage, ImageDecoder, ImageReader, Limits};

use crate::truncate::format_size;

/// The longest side of a picture that is decoded, in pixels: what JPEG can say at most.
pub const MAX_IMAGE_SIDE: u32 = 65_535;

/// The most pixels of a picture that is decoded. No camera's single shot has more, and a few of them fit into memory.
pub const MAX_IMAGE_PIXELS: u64 = 64_000_000;

/// The most memory that the pixels of a picture may take, in bytes: four for each pixel, or eight for half as many.
pub const MAX_IMAGE_MEMORY: u64 = 256 << 20;

/// The largest file that is read as a picture, in bytes.
pub const MAX_IMAGE_FILE: u64 = 128 << 20;

/// Why there is no picture. Shown in brackets, as a note for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// It is no picture, is damaged, or is of a kind that nothing here decodes.
    #[error("[Image omitted: could not be converted to a supported inline image format.]")]
    Unreadable,
    /// It cannot be made small enough.
    #[error("[Image omitted: could not be resized below the inline image size limit.]")]
    DoesNotFit,
    /// It is, or claims to be, larger than anything that is decoded.
    #[error("[Image omitted: {}.]", .0.about(None))]
    TooLarge(TooLarge),
}

/// What of a picture is beyond the limits of the decoders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooLarge {
    /// Its sides, in pixels.
    Size(u32, u32),
    /// What its pixels would take, in bytes; its sides are within the limits.
    Memory(u64),
    /// Its file.
    File,
}

impl TooLarge {
    /// What is wrong with the picture, in a sentence without its full stop; with its name where it has one.
    pub fn about(self, name: Option<&Path>) -> String {
        let name = name.map_or_else(|| "the picture".to_owned(), |name| name.display().to_string());
        match self {
            Self::Size(width, height) => format!(
                "{name} is {width}x{height} pixels large; at most {MAX_IMAGE_SIDE} pixels a side and {} million in all \
                 can be decoded",
                MAX_IMAGE_PIXELS / 1_000_000
            ),
            Self::Memory(bytes) => format!(
                "{name} takes {} when it is decoded; at most {} are allowed",
                format_size(bytes),
                format_size(MAX_IMAGE_MEMORY)
            ),
            Self::File => {
                format!("{name} has more than {}, the most that is read as a picture", format_size(MAX_IMAGE_FILE))
            }
        }
    }
}

impl ImageError {
    /// The note for the model; a picture that is too large is named.
    pub fn note(&self, name: &Path) -> String {
        match self {
            Self::TooLarge(why) => format!("[Image omitted: {}.]", why.about(Some(name))),
            other => other.to_string(),
        }
    }
}

/// The sides of a picture, and what its pixels take in memory, from its header alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageSize {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// What the pixels take when they are decoded, in bytes.
    pub memory: u64,
}

/// Reads the header of a picture.
///
/// # Errors
/// When it is no picture, or one that is beyond the limits.
pub fn image_size(bytes: &[u8]) -> Result<ImageSize, ImageError> {
    guarded(|| open(bytes).map(|(_, size)| size))
}

/// Decodes a picture and turns it upright.
///
/// # Errors
/// When it is no whole picture, or one that is beyond the limits.
pub fn decode_image(bytes: &[u8]) -> Result<DynamicImage, ImageError> {
    guarded(|| {
        let (mut decoder, size) = open(bytes)?;
        let orientation = decoder.orientation().ok();
        // The pixels themselves come out of the same allowance as what the decoder needs beside them.
        let mut limits = limits();
        limits.max_alloc = limits.max_alloc.map(|most| most - size.memory);
        decoder.set_limits(limits).map_err(|_| ImageError::TooLarge(TooLarge::Memory(size.memory)))?;
        let mut picture = DynamicImage::from_decoder(decoder).map_err(|_| ImageError::Unreadable)?;
        if let Some(orientation) = orientation {
            picture.apply_orientation(orientation);
        }
        Ok(picture)
    })
}

fn limits() -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_image_width = Some(MAX_IMAGE_SIDE);
    limits.max_image_height = Some(MAX_IMAGE_SIDE);
    // Room for the pixels, and as much again for what a decoder needs on its way to them.
    limits.max_alloc = Some(2 * MAX_IMAGE_MEMORY);
    limits
}

/// A decoder that has read the header, when that is within the limits.
fn open(bytes: &[u8]) -> Result<(impl ImageDecoder, ImageSize), ImageError> {
    if bytes.len() as u64 > MAX_IMAGE_FILE {
        return Err(ImageError::TooLarge(TooLarge::File));
    }
    if let Some((width, height)) = png_size(bytes) {
        // Said before the decoder sees it: its error does not tell the size.
        check_sides(width, height)?;
    }
    if !are_chunks_whole(bytes) {
        return Err(ImageError::Unreadable);
    }
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|_| ImageError::Unreadable)?;
    // The decoders of other kinds read the size before they look at limits, and refuse nothing that is said below.
    let mut first = limits();
    (first.max_image_width, first.max_image_height) = (None, None);
    reader.limits(first);
    let decoder = reader.into_decoder().map_err(|_| ImageError::Unreadable)?;
    let (width, height) = decoder.dimensions();
    check_sides(width, height)?;
    let memory = decoder.total_bytes();
    if memory > MAX_IMAGE_MEMORY {
        return Err(ImageError::TooLarge(TooLarge::Memory(memory)));
    }
    Ok((decoder, ImageSize { width, height, memory }))
}

fn check_sides(width: u32, height: u32) -> Result<(), ImageError> {
    let pixels = u64::from(width) * u64::from(height);
    if width > MAX_IMAGE_SIDE || height > MAX_IMAGE_SIDE || pixels > MAX_IMAGE_PIXELS {
        return Err(ImageError::TooLarge(TooLarge::Size(width, height)));
    }
    Ok(())
}

/// The size in the first chunk of a PNG.
fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
    bytes.starts_with(b"\x89PNG\r\n\x1a\n").then_some(())?;
    Some((number(16)?, number(20)?))
}

/// Whether every chunk of a WebP file lies within the file: the decoder makes room for what a chunk claims to hold.
fn are_chunks_whole(bytes: &[u8]) -> bool {
    if !(bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP")) {
        return true;
    }
    let mut rest = bytes.get(12..).unwrap_or_default();
    while let Some(length) = rest.get(4..8).and_then(|length| length.first_chunk::<4>()) {
        let length = u32::from_le_bytes(*length) as usize;
        let Some(behind) = rest.get(8..).and_then(|data| data.get(length..)) else { return false };
        // Chunks begin at even places.
        rest = behind.get(length % 2..).unwrap_or_default();
    }
    true
}

/// Decoders check what they read, but not all of them everything: one that gives up by a panic has met a damaged file.
fn guarded<T>(work: impl FnOnce() -> Result<T, ImageError>) -> Result<T, ImageError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(ImageError::Unreadable))
}
