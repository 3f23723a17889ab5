//! `mcp.log`: what servers log.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tau_sys::rotated::RotatedLog;

/// Largest size of the file, in bytes; the one before is kept beside it.
const MOST: u64 = 5 * 1024 * 1024;
/// The most that is written of one message, in bytes.
const LONGEST: usize = 8 * 1024;

/// The log of all servers. Cheap to clone; nothing is there before the first message, and nobody waits for the disk.
#[derive(Clone)]
pub struct ServerLog(Option<Arc<RotatedLog>>);

impl ServerLog {
    /// A log in this file.
    pub fn new(path: PathBuf) -> Self {
        Self(Some(Arc::new(RotatedLog::new(MOST, move || Some(path.clone())))))
    }

    /// A log that keeps nothing.
    pub fn none() -> Self {
        Self(None)
    }

    /// Writes a message; `level` and `logger` are the server's words.
    pub fn write(&self, server: &str, level: &str, logger: Option<&str>, data: &Value) {
        if let Some(log) = &self.0 {
            log.write(line(&jiff_now(), server, level, logger, data).as_bytes());
        }
    }
}

fn jiff_now() -> String {
    let now = jiff::Timestamp::from_millisecond(tau_ai::now_ms()).unwrap_or_default();
    format!("{now:.3}")
}

/// A message in one line; where it has several, those after the first are indented, so that none passes for a message of
/// another server.
fn line(now: &str, server: &str, level: &str, logger: Option<&str>, data: &Value) -> String {
    let text = data.as_str().map_or_else(|| data.to_string(), str::to_owned);
    let text = cut(&text, LONGEST);
    let clean = |text: &str| {
        text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect::<String>()
    };
    let one_line = |text: &str| clean(text).replace(['\n', '\t'], " ");
    let logger = logger.filter(|logger| !logger.is_empty()).map(|logger| format!(" {}:", one_line(cut(logger, 200))));
    let text = clean(&text.replace("\r\n", "\n")).replace('\n', "\n    ");
    format!("{now} [{server}] {level}{} {text}\n", logger.unwrap_or_default())
}

/// The beginning of a text, no longer than so many bytes.
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_one_entry() {
        let line = |logger, data| line("T", "s", "info", logger, &data);
        assert_eq!(line(None, json!("a\r\n[other] b\u{1b}[1m\r")), "T [s] info a\n    [other] b\u{fffd}[1m\u{fffd}\n");
        assert_eq!(line(Some("l\nx"), json!({"a": 1})), "T [s] info l x: {\"a\":1}\n");
        assert!(line(None, json!("ä".repeat(LONGEST))).len() < LONGEST + 32);
    }
}
