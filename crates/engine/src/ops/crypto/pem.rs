//! Keys and certificates as text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The labels and contents of all PEM blocks in a text.
pub(super) fn pem_blocks(text: &str) -> Vec<(String, Vec<u8>)> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("-----BEGIN ") {
        let Some((label, body)) = after.split_once("-----") else { break };
        let Some((body, after)) = body.split_once(&format!("-----END {label}-----")) else { break };
        let body: String = body.split_whitespace().collect();
        if let Ok(bytes) = STANDARD.decode(body) {
            blocks.push((label.to_owned(), bytes));
        }
        rest = after;
    }
    blocks
}

/// One PEM block.
pub(super) fn to_pem(label: &str, der: &[u8]) -> String {
    let mut text = format!("-----BEGIN {label}-----\n");
    let body = STANDARD.encode(der);
    for (index, character) in body.chars().enumerate() {
        if index > 0 && index % 64 == 0 {
            text.push('\n');
        }
        text.push(character);
    }
    text.push_str(&format!("\n-----END {label}-----\n"));
    text
}
