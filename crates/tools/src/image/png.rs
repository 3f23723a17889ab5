//! Pictures for terminals, which take PNG.

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ImageFormat};

use super::decode::{ImageError, decode_image, image_size};

/// A PNG with its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Png {
    /// The file.
    pub bytes: Vec<u8>,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
}

/// A picture as a PNG whose sides have at most `side` pixels, and which has about `size` bytes at most where it was a PNG
/// already: such a file stays as it is.
///
/// # Errors
/// When it is no picture, is damaged, or is beyond the limits of the decoders.
pub fn to_png(bytes: Vec<u8>, side: u32, size: usize) -> Result<Png, ImageError> {
    let known = image_size(&bytes)?;
    let is_png = image::guess_format(&bytes).is_ok_and(|format| format == ImageFormat::Png);
    if is_png && bytes.len() <= size && known.width <= side && known.height <= side {
        return Ok(Png { width: known.width, height: known.height, bytes });
    }
    let picture = decode_image(&bytes)?;
    drop(bytes);
    let picture =
        if picture.width() > side || picture.height() > side { picture.thumbnail(side, side) } else { picture };
    // What a terminal shows has eight bits a colour.
    let picture = if picture.color().has_alpha() {
        DynamicImage::ImageRgba8(picture.to_rgba8())
    } else {
        DynamicImage::ImageRgb8(picture.to_rgb8())
    };
    let (width, height) = (picture.width(), picture.height());
    let mut encoded = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut encoded, CompressionType::Fast, FilterType::Adaptive);
    picture.write_with_encoder(encoder).map_err(|_| ImageError::Unreadable)?;
    Ok(Png { bytes: encoded, width, height })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn file(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Vec::new();
        DynamicImage::new_rgb8(width, height).write_to(&mut Cursor::new(&mut bytes), format).expect("a picture");
        bytes
    }

    #[test]
    fn a_small_png_stays_as_it_is_and_all_else_becomes_one() {
        let small = file(30, 20, ImageFormat::Png);
        assert_eq!(to_png(small.clone(), 100, 10_000), Ok(Png { bytes: small.clone(), width: 30, height: 20 }));
        for (bytes, side, size) in [
            (file(30, 20, ImageFormat::Jpeg), 100, 10_000),
            (file(30, 20, ImageFormat::Gif), 100, 10_000),
            (file(30, 20, ImageFormat::Bmp), 100, 10_000),
            (file(60, 40, ImageFormat::Png), 30, 10_000),
            (small, 100, 10),
        ] {
            let png = to_png(bytes, side, size).expect("a PNG");
            assert_eq!((png.width, png.height), (30, 20));
            assert_eq!(image_size(&png.bytes).map(|size| (size.width, size.height)), Ok((30, 20)));
            assert!(png.bytes.starts_with(b"\x89PNG"));
        }
    }

    #[test]
    fn what_claims_to_be_huge_is_refused_before_it_is_decoded() {
        let mut bomb = file(1, 1, ImageFormat::Png);
        bomb[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
        assert!(matches!(to_png(bomb, 100, 10_000), Err(ImageError::TooLarge(_))));
        assert_eq!(to_png(b"no picture".to_vec(), 100, 10_000), Err(ImageError::Unreadable));
    }
}
