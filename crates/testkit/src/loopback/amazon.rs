//! The frames that Amazon's services stream in.

/// The media type of a stream of frames.
pub const AMAZON_STREAM: &str = "application/vnd.amazon.eventstream";

fn crc32(bytes: &[u8]) -> [u8; 4] {
    let step = |sum: u32, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
    (!bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), step))).to_be_bytes()
}

/// A frame with headers that are texts.
///
/// # Panics
/// When a text is too long for a frame.
#[expect(clippy::expect_used, reason = "a test without its frame has nothing to check")]
pub fn amazon_frame(headers: &[(&str, &str)], payload: &str) -> Vec<u8> {
    let length = |length: usize| u32::try_from(length).expect("a short text").to_be_bytes();
    let mut lines = Vec::new();
    for (name, value) in headers {
        lines.push(u8::try_from(name.len()).expect("a short name"));
        lines.extend(name.as_bytes());
        lines.push(7);
        lines.extend(&length(value.len())[2..]);
        lines.extend(value.as_bytes());
    }
    let mut frame = [length(16 + lines.len() + payload.len()), length(lines.len())].concat();
    frame.extend(crc32(&frame));
    frame.extend(lines);
    frame.extend(payload.as_bytes());
    frame.extend(crc32(&frame));
    frame
}
