//! Amazon's frames of events, and requests that are answered with them.

use serde_json::Value;
use tau_ai::StreamRequest;
use tau_testkit::loopback::LoopbackServer;

use super::support::{model, request};

const API: &str = "bedrock-converse-stream";

fn crc32(bytes: &[u8]) -> [u8; 4] {
    let step = |sum: u32, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
    (!bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), step))).to_be_bytes()
}

/// A frame with headers that are texts.
pub fn frame(headers: &[(&str, &str)], payload: &str) -> Vec<u8> {
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

/// A request that is signed with keys of the environment.
pub fn signed(server: &LoopbackServer, extra: Value) -> StreamRequest {
    let mut model = model(API, server, extra);
    model.base_url = server.url();
    let mut request = request(model);
    request.options.api_key = None;
    for (name, value) in [
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
        ("AWS_REGION", "eu-west-1"),
    ] {
        request.options.env.insert(name.to_owned(), value.to_owned());
    }
    request
}
