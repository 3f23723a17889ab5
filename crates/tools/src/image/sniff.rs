//! What kind of picture a file is, by its first bytes.

/// How many bytes [`sniff_image`] wants to see.
pub const SNIFF_BYTES: usize = 4100;

const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The media type of a picture that a model can be shown; `None` for every other file, also for animated PNG.
pub fn sniff_image(start: &[u8]) -> Option<&'static str> {
    if start.starts_with(b"\xff\xd8\xff") {
        // The last one is JPEG-LS, which nothing here can decode.
        return (start.get(3) != Some(&0xf7)).then_some("image/jpeg");
    }
    if start.starts_with(PNG_SIGNATURE) {
        return (is_png(start) && !is_animated(start)).then_some("image/png");
    }
    if start.starts_with(b"GIF87a") || start.starts_with(b"GIF89a") {
        return Some("image/gif");
    }
    if start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP") {
        return Some("image/webp");
    }
    (start.starts_with(b"BM") && is_bmp(start) == Some(true)).then_some("image/bmp")
}

fn is_png(start: &[u8]) -> bool {
    start.get(8..16) == Some(b"\0\0\0\x0dIHDR")
}

/// An animation says so in a chunk before the picture's data.
fn is_animated(start: &[u8]) -> bool {
    let mut rest = start.get(PNG_SIGNATURE.len()..).unwrap_or_default();
    while let (Some(&length), Some(kind)) = (rest.first_chunk::<4>(), rest.get(4..8)) {
        match kind {
            b"acTL" => return true,
            b"IDAT" => return false,
            _ => {}
        }
        // Length, kind and checksum come on top of the data.
        let Some(next) = (u32::from_be_bytes(length) as usize).checked_add(12).and_then(|size| rest.get(size..)) else {
            return false;
        };
        rest = next;
    }
    false
}

/// `BM` alone begins too many texts, so the header has to make sense as well.
fn is_bmp(start: &[u8]) -> Option<bool> {
    let u32_at = |at: usize| Some(u32::from_le_bytes(*start.get(at..)?.first_chunk()?));
    let u16_at = |at: usize| Some(u16::from_le_bytes(*start.get(at..)?.first_chunk()?));
    let file_size = u32_at(2)?;
    let data_offset = u32_at(10)?;
    let header_size = u32_at(14)?;
    let (planes, depth) = match header_size {
        12 => (u16_at(22)?, u16_at(24)?),
        40..=124 => (u16_at(26)?, u16_at(28)?),
        _ => return Some(false),
    };
    let size_fits = file_size == 0 || (file_size >= 26 && data_offset < file_size);
    Some(size_fits && data_offset >= 14 + header_size && planes == 1 && matches!(depth, 1 | 4 | 8 | 16 | 24 | 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(chunks: &[(&[u8; 4], usize)]) -> Vec<u8> {
        let mut file = PNG_SIGNATURE.to_vec();
        for (kind, length) in chunks {
            file.extend((*length as u32).to_be_bytes());
            file.extend(*kind);
            file.extend(vec![0; length + 4]);
        }
        file
    }

    #[test]
    fn kinds() {
        let mut bmp = b"BM".to_vec();
        for number in [0u32, 0, 54, 40, 1, 1, (24 << 16) | 1] {
            bmp.extend(number.to_le_bytes());
        }
        for (file, kind) in [
            (b"\xff\xd8\xff\xe0".to_vec(), Some("image/jpeg")),
            (b"\xff\xd8\xff\xf7".to_vec(), None),
            (png(&[(b"IHDR", 13), (b"IDAT", 4)]), Some("image/png")),
            (png(&[(b"IHDR", 13), (b"acTL", 8), (b"IDAT", 4)]), None),
            (png(&[(b"IHDR", 12)]), None),
            (b"GIF89a".to_vec(), Some("image/gif")),
            (b"GIF87a".to_vec(), Some("image/gif")),
            (b"RIFF\0\0\0\0WEBP".to_vec(), Some("image/webp")),
            (b"RIFF\0\0\0\0WAVE".to_vec(), None),
            (bmp, Some("image/bmp")),
            (b"BM is how this text begins, and it goes on".to_vec(), None),
            (b"BM".to_vec(), None),
            (b"plain text".to_vec(), None),
            (Vec::new(), None),
        ] {
            assert_eq!(sniff_image(&file), kind, "{file:?}");
        }
    }
}
