//! Text and bytes: UTF-8, the Encoding Standard's encodings, Latin-1, base64 and hexadecimal.

use std::cell::RefCell;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use encoding_rs::{CoderResult, Decoder, DecoderResult, Encoding};
use rquickjs::{Ctx, Function};

use super::{Bytes, OpError};
use crate::ops::table::ops;

ops! {
    /// Text and bytes.
    pub static OPS: watched;

    /// Text as UTF-8.
    fn utf8Encode(text) = utf8_encode, Pure;
    /// Text from UTF-8.
    fn utf8Decode(bytes, fatal) = utf8_decode, Pure;
    /// Text as one byte a character.
    fn latin1Encode(text) = encode_latin1, Pure;
    /// Text from one byte a character.
    fn latin1Decode(bytes) = decode_latin1, Pure;
    /// Bytes in base64.
    fn base64Encode(bytes, urlSafe) = encode_base64, Pure;
    /// Bytes from base64, as far as they can be read.
    fn base64Decode(text) = decode_base64, Pure;
    /// Bytes as hexadecimal digits.
    fn hexEncode(bytes) = encode_hex, Pure;
    /// Bytes from hexadecimal digits, as far as they can be read.
    fn hexDecode(text) = decode_hex, Pure;
    /// Which of two values comes first: less than, equal to or greater than zero.
    fn bytesCompare(left, right) = bytes_compare, Pure;
    /// The name of an encoding by one of its labels.
    fn encodingName(label) = encoding_name, Pure;
    /// A decoder that takes text piece by piece.
    fn textDecoder(label, fatal, keepMark) -> "(bytes: Uint8Array, last: boolean) => string" = text_decoder, Pure;
}

fn malformed() -> OpError {
    OpError::type_error("ERR_ENCODING_INVALID_ENCODED_DATA", "The encoded data was not valid")
}

/// Malformed sequences become U+FFFD, or throw when `fatal`. A byte order mark stays.
fn utf8_decode(ctx: Ctx<'_>, bytes: Bytes, fatal: bool) -> rquickjs::Result<String> {
    match String::from_utf8(bytes.0) {
        Ok(text) => Ok(text),
        Err(_) if fatal => Err(malformed().throw(&ctx)),
        Err(error) => Ok(String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}

/// The low byte of every UTF-16 unit.
fn latin1_encode(text: &str) -> Vec<u8> {
    if text.is_ascii() {
        return text.as_bytes().to_vec();
    }
    text.encode_utf16().map(|unit| unit.to_le_bytes()[0]).collect()
}

fn latin1_decode(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

fn base64_encode(bytes: &[u8], url_safe: bool) -> String {
    if url_safe { URL_SAFE_NO_PAD.encode(bytes) } else { STANDARD.encode(bytes) }
}

/// Decodes both alphabets, skips what belongs to neither, and stops at padding.
fn base64_decode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let mut bits = 0_u32;
    let mut count = 0;
    for byte in text.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => continue,
        };
        bits = bits << 6 | u32::from(digit);
        count += 1;
        if count == 4 {
            bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
            bits = 0;
            count = 0;
        }
    }
    // Two or three digits are one or two bytes; a single one is nothing.
    match count {
        2 => bytes.push((bits >> 4) as u8),
        3 => bytes.extend_from_slice(&[(bits >> 10) as u8, (bits >> 2) as u8]),
        _ => {}
    }
    bytes
}

fn hex_encode(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Decodes pairs of digits up to the first that is none.
fn hex_decode(text: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    text.as_bytes().chunks_exact(2).map_while(|pair| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8)).collect()
}

fn encoding(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(label.as_bytes())
}

/// A function `(bytes, last) -> text` that keeps its state between calls.
fn text_decoder<'js>(ctx: Ctx<'js>, label: String, fatal: bool, keep_mark: bool) -> rquickjs::Result<Function<'js>> {
    let Some(encoding) = encoding(&label) else {
        let message = format!("The \"{label}\" encoding is not supported");
        return Err(OpError::range_error("ERR_ENCODING_NOT_SUPPORTED", message).throw(&ctx));
    };
    let decoder =
        if keep_mark { encoding.new_decoder_without_bom_handling() } else { encoding.new_decoder_with_bom_removal() };
    let decoder = RefCell::new(decoder);
    Function::new(ctx, move |ctx: Ctx<'js>, bytes: Bytes, last: bool| {
        decode(&mut decoder.borrow_mut(), &bytes.0, fatal, last).ok_or_else(|| malformed().throw(&ctx))
    })
}

/// `None` for bytes that a `fatal` decoder does not accept.
fn decode(decoder: &mut Decoder, mut bytes: &[u8], fatal: bool, last: bool) -> Option<String> {
    let mut text = String::new();
    loop {
        let wanted = if fatal {
            decoder.max_utf8_buffer_length_without_replacement(bytes.len())
        } else {
            decoder.max_utf8_buffer_length(bytes.len())
        };
        text.reserve(wanted?);
        let (finished, read) = if fatal {
            match decoder.decode_to_string_without_replacement(bytes, &mut text, last) {
                (DecoderResult::Malformed(..), _) => return None,
                (result, read) => (matches!(result, DecoderResult::InputEmpty), read),
            }
        } else {
            let (result, read, _) = decoder.decode_to_string(bytes, &mut text, last);
            (matches!(result, CoderResult::InputEmpty), read)
        };
        if finished {
            return Some(text);
        }
        bytes = &bytes[read..];
    }
}

fn utf8_encode<'js>(text: rquickjs::String<'js>) -> rquickjs::Result<Bytes> {
    Ok(Bytes(crate::convert::text_of(&text)?.into_bytes()))
}

fn encode_latin1(text: String) -> Bytes {
    Bytes(latin1_encode(&text))
}

fn decode_latin1(bytes: Bytes) -> String {
    latin1_decode(&bytes.0)
}

fn encode_base64(bytes: Bytes, url_safe: bool) -> String {
    base64_encode(&bytes.0, url_safe)
}

fn decode_base64(text: String) -> Bytes {
    Bytes(base64_decode(&text))
}

fn encode_hex(bytes: Bytes) -> String {
    hex_encode(&bytes.0)
}

fn decode_hex(text: String) -> Bytes {
    Bytes(hex_decode(&text))
}

fn bytes_compare(left: Bytes, right: Bytes) -> i32 {
    left.0.cmp(&right.0) as i32
}

fn encoding_name(label: String) -> Option<String> {
    encoding(&label).map(|known| known.name().to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_leniently() {
        assert_eq!(base64_decode("aGVs\nbG8="), b"hello");
        assert_eq!(base64_decode("-_-_"), base64_decode("+/+/"));
        assert_eq!(base64_decode("aGk"), b"hi");
        assert_eq!(base64_decode("a"), b"");
    }

    #[test]
    fn hex_stops_at_the_first_wrong_digit() {
        assert_eq!(hex_decode("00ffzz11"), [0, 255]);
        assert_eq!(hex_decode("abc"), [0xab]);
        assert_eq!(hex_encode(&[0, 0xab]), "00ab");
    }

    #[test]
    fn a_decoder_waits_for_the_rest_of_a_character() {
        let mut decoder = encoding_rs::UTF_8.new_decoder_with_bom_removal();
        assert_eq!(decode(&mut decoder, &[0xe2, 0x82], true, false), Some(String::new()));
        assert_eq!(decode(&mut decoder, &[0xac], true, true), Some("€".to_owned()));
        let mut decoder = encoding_rs::UTF_8.new_decoder_with_bom_removal();
        assert_eq!(decode(&mut decoder, &[0xff], true, true), None);
    }
}
