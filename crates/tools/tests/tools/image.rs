use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageFormat, RgbImage};
use serde_json::json;
use tau_ai::ContentBlock;
use tau_tools::image::{ResizeLimits, prepare_image};
use tau_tools::read::ReadTool;

use crate::support::{call, temp, text_of};

fn encoded(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    // Noise, so that it compresses badly.
    let mut state = 1u32;
    let picture = RgbImage::from_fn(width, height, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        image::Rgb([(state >> 24) as u8, (state >> 16) as u8, (state >> 8) as u8])
    });
    let mut out = Cursor::new(Vec::new());
    DynamicImage::ImageRgb8(picture).write_to(&mut out, format).unwrap();
    out.into_inner()
}

async fn read(dir: &Path, bytes: &[u8], resize: bool) -> (String, Option<(String, Vec<u8>)>) {
    std::fs::write(dir.join("picture"), bytes).unwrap();
    let tool = ReadTool::new(dir.to_owned()).with_resize(resize.then(ResizeLimits::default));
    let output = call(&tool, json!({"path": "picture"})).await.unwrap();
    let image = output.content.iter().find_map(|block| match block {
        ContentBlock::Image(image) => Some((image.mime_type.clone(), STANDARD.decode(&image.data).unwrap())),
        _ => None,
    });
    let text = text_of(&output);
    let data = match &image {
        Some((mime, data)) => json!({"type": "image", "data": STANDARD.encode(data), "mimeType": mime, "note": text}),
        None => json!(text),
    };
    assert_eq!(output.structured_content, Some(data));
    (text, image)
}

#[tokio::test]
async fn small_pictures_are_sent_as_they_are() {
    let dir = temp();
    for (format, mime_type) in [
        (ImageFormat::Png, "image/png"),
        (ImageFormat::Jpeg, "image/jpeg"),
        (ImageFormat::Gif, "image/gif"),
        (ImageFormat::WebP, "image/webp"),
    ] {
        let bytes = encoded(20, 10, format);
        let expected = (format!("Read image file [{mime_type}]"), Some((mime_type.to_owned(), bytes.clone())));
        assert_eq!(read(dir.path(), &bytes, true).await, expected);
    }
}

#[tokio::test]
async fn bitmaps_become_png() {
    let dir = temp();
    let (text, image) = read(dir.path(), &encoded(20, 10, ImageFormat::Bmp), true).await;
    assert_eq!(text, "Read image file [image/png]\n[Image converted from image/bmp to image/png.]");
    let (mime_type, bytes) = image.unwrap();
    let decoded = image::load_from_memory_with_format(&bytes, ImageFormat::Png).unwrap();
    assert_eq!((mime_type.as_str(), decoded.width(), decoded.height()), ("image/png", 20, 10));
}

#[tokio::test]
async fn the_limits_are_asked_for_whenever_a_picture_is_read() {
    let dir = temp();
    std::fs::write(dir.path().join("picture"), encoded(40, 20, ImageFormat::Png)).unwrap();
    let widest = Arc::new(AtomicU32::new(40));
    let limit = Arc::clone(&widest);
    let tool = ReadTool::new(dir.path().to_owned()).with_image_limits(Arc::new(move || {
        Some(ResizeLimits { max_width: limit.load(Ordering::Relaxed), ..ResizeLimits::default() })
    }));
    let whole = text_of(&call(&tool, json!({"path": "picture"})).await.unwrap());
    assert_eq!(whole, "Read image file [image/png]");
    widest.store(10, Ordering::Relaxed);
    let smaller = text_of(&call(&tool, json!({"path": "picture"})).await.unwrap());
    assert!(smaller.contains("original 40x20, displayed at 10x5"), "{smaller}");
}

#[tokio::test]
async fn large_pictures_are_made_smaller() {
    let dir = temp();
    let bytes = encoded(2400, 60, ImageFormat::Png);
    let (text, image) = read(dir.path(), &bytes, true).await;
    assert_eq!(
        text,
        "Read image file [image/png]\n[Image: original 2400x60, displayed at 2000x50. Multiply coordinates by 1.20 to \
         map to original image.]"
    );
    let decoded = image::load_from_memory(&image.unwrap().1).unwrap();
    assert_eq!((decoded.width(), decoded.height()), (2000, 50));
    let (text, image) = read(dir.path(), &bytes, false).await;
    assert_eq!((text.as_str(), image.unwrap().1), ("Read image file [image/png]", bytes));
}

#[test]
fn heavy_pictures_lose_quality_before_they_lose_size() {
    let bytes = encoded(300, 200, ImageFormat::Png);
    let limits = |max_bytes| Some(ResizeLimits { max_bytes, ..ResizeLimits::default() });
    let prepared = prepare_image(bytes.clone(), "image/png", limits(100_000)).unwrap();
    assert_eq!(
        (prepared.mime_type.as_str(), prepared.notes),
        (
            "image/jpeg",
            vec![
                "[Image: original 300x200, displayed at 300x200. Multiply coordinates by 1.00 to map to original image.]"
                    .to_owned()
            ]
        )
    );
    let prepared = prepare_image(bytes.clone(), "image/png", limits(6_000)).unwrap();
    assert!(prepared.data.len() < 6_000);
    assert!(!prepared.notes[0].contains("displayed at 300x200"), "{:?}", prepared.notes);
    let refused = prepare_image(bytes, "image/png", limits(10)).unwrap_err();
    assert_eq!(refused.to_string(), "[Image omitted: could not be resized below the inline image size limit.]");
}

#[tokio::test]
async fn broken_pictures_are_named_but_not_shown() {
    let dir = temp();
    let mut bytes = encoded(20, 10, ImageFormat::Png);
    bytes.truncate(60);
    let expected =
        "Read image file [image/png]\n[Image omitted: could not be resized below the inline image size limit.]";
    assert_eq!(read(dir.path(), &bytes, true).await, (expected.to_owned(), None));
    let mut bytes = encoded(20, 10, ImageFormat::Bmp);
    bytes.truncate(60);
    let expected =
        "Read image file [image/bmp]\n[Image omitted: could not be converted to a supported inline image format.]";
    assert_eq!(read(dir.path(), &bytes, true).await, (expected.to_owned(), None));
}

#[tokio::test]
async fn the_caller_may_add_a_note() {
    let dir = temp();
    std::fs::write(dir.path().join("a"), encoded(2, 2, ImageFormat::Gif)).unwrap();
    let note: tau_tools::read::ImageNote = Arc::new(|| Some("[nobody can see this]".to_owned()));
    let tool = ReadTool::new(dir.path().to_owned()).with_image_note(note);
    let output = call(&tool, json!({"path": "a"})).await.unwrap();
    assert_eq!(text_of(&output), "Read image file [image/gif]\n[nobody can see this]");
}

/// The first bytes of a picture that claims to have these sides.
fn claiming(format: ImageFormat, width: u32, height: u32) -> Vec<u8> {
    let mut bytes = match format {
        // The encoder writes one of another kind than the decoder takes.
        ImageFormat::WebP => {
            let mut file = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0".to_vec();
            file.extend(&(width - 1).to_le_bytes()[..3]);
            file.extend(&(height - 1).to_le_bytes()[..3]);
            file.extend(b"VP8L\x05\0\0\0\x2f\0\0\0\0\0");
            let length = u32::try_from(file.len() - 8).unwrap();
            file[4..8].copy_from_slice(&length.to_le_bytes());
            return file;
        }
        other => encoded(4, 4, other),
    };
    match format {
        ImageFormat::Png => {
            bytes[16..20].copy_from_slice(&width.to_be_bytes());
            bytes[20..24].copy_from_slice(&height.to_be_bytes());
            let sum = crc32(&bytes[12..29]);
            bytes[29..33].copy_from_slice(&sum.to_be_bytes());
        }
        ImageFormat::Gif => {
            bytes[6..8].copy_from_slice(&(width as u16).to_le_bytes());
            bytes[8..10].copy_from_slice(&(height as u16).to_le_bytes());
        }
        ImageFormat::Bmp => {
            bytes[18..22].copy_from_slice(&width.to_le_bytes());
            bytes[22..26].copy_from_slice(&height.to_le_bytes());
        }
        ImageFormat::Jpeg => {
            // The frame header: its length, the precision, then height and width.
            let at = bytes.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap() + 5;
            bytes[at..at + 2].copy_from_slice(&(height as u16).to_be_bytes());
            bytes[at + 2..at + 4].copy_from_slice(&(width as u16).to_be_bytes());
        }
        _ => unreachable!(),
    }
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
    })
}

#[tokio::test]
async fn pictures_that_claim_to_be_huge_are_named_and_not_decoded() {
    let dir = temp();
    let path = dir.path().join("picture");
    let path = path.display();
    for (format, mime_type, width, height) in [
        (ImageFormat::Png, "image/png", 200_000, 200_000),
        (ImageFormat::Png, "image/png", u32::MAX >> 1, u32::MAX >> 1),
        (ImageFormat::Jpeg, "image/jpeg", 65_535, 65_535),
        (ImageFormat::Gif, "image/gif", 65_535, 65_535),
        (ImageFormat::WebP, "image/webp", 1 << 16, 1 << 15),
        (ImageFormat::Bmp, "image/bmp", 60_000, 60_000),
    ] {
        let expected = format!(
            "Read image file [{mime_type}]\n[Image omitted: {path} is {width}x{height} pixels large; at most 65535 \
             pixels a side and 64 million in all can be decoded.]"
        );
        assert_eq!(read(dir.path(), &claiming(format, width, height), true).await, (expected, None));
    }
    // Few enough pixels, but wide ones.
    let mut deep = claiming(ImageFormat::Png, 8_000, 8_000);
    deep[24..26].copy_from_slice(&[16, 6]);
    let sum = crc32(&deep[12..29]);
    deep[29..33].copy_from_slice(&sum.to_be_bytes());
    let expected = format!(
        "Read image file [image/png]\n[Image omitted: {path} takes 488.3MB when it is decoded; at most 256.0MB are \
         allowed.]"
    );
    assert_eq!(read(dir.path(), &deep, true).await, (expected, None));
}

#[tokio::test]
async fn a_chunk_that_claims_to_be_huge_is_damage() {
    let dir = temp();
    let mut file = claiming(ImageFormat::WebP, 16, 16);
    file.extend(b"EXIF\xf0\xff\xff\xff");
    let expected =
        "Read image file [image/webp]\n[Image omitted: could not be resized below the inline image size limit.]";
    assert_eq!(read(dir.path(), &file, true).await, (expected.to_owned(), None));
}

#[tokio::test]
async fn a_file_without_end_is_not_read_as_a_picture() {
    let dir = temp();
    let path = dir.path().join("large");
    std::fs::write(&path, claiming(ImageFormat::Gif, 10, 10)).unwrap();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    let output = call(&ReadTool::new(dir.path().to_owned()), json!({"path": "large"})).await.unwrap();
    let expected = format!(
        "Read image file [image/gif]\n[Image omitted: {} has more than 128.0MB, the most that is read as a picture.]",
        path.display()
    );
    assert_eq!(text_of(&output), expected);
}
