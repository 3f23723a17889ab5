//! The first line of a session file.

use std::path::Path;

use serde_json::Value;
use tau_ai::JsonMap;

use crate::FORMAT_VERSION;
use crate::json::{ObjectWriter, RawFields};

const KNOWN: [&str; 6] = ["type", "version", "id", "timestamp", "cwd", "parentSession"];

/// What a session file says about itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// The session's id.
    pub id: String,
    /// When it was created: ISO 8601, UTC. Empty when the file does not say.
    pub timestamp: String,
    /// The working directory. Empty when the file does not say.
    pub cwd: String,
    /// The file this session was forked from.
    pub parent_session: Option<String>,
    /// The format version; files of version 1 do not carry one.
    pub version: u64,
    /// Fields this version does not know.
    pub extra: JsonMap,
}

impl Header {
    pub(crate) fn new(id: String, timestamp: String, cwd: &Path, parent_session: Option<String>) -> Self {
        let cwd = cwd.to_string_lossy().into_owned();
        Self { id, timestamp, cwd, parent_session, version: FORMAT_VERSION, extra: JsonMap::new() }
    }

    /// Reads a header line; the error says why it is none.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut fields = RawFields::parse(text).map_err(|error| error.to_string())?;
        if fields.str("type").as_deref() != Some("session") {
            return Err("the first entry is no header".to_owned());
        }
        let Some(id) = fields.str("id") else {
            return Err("the header has no id".to_owned());
        };
        let raw = fields.get("version");
        let version =
            match raw.map(serde_json::from_str).transpose().map_err(|error| format!("its version: {error}"))? {
                None | Some(Value::Null) => 1,
                Some(Value::Number(number)) => match number.as_f64() {
                    Some(version) if version >= 1.0 && version.fract() == 0.0 => version as u64,
                    _ => return Err(format!("the header's version is {number}")),
                },
                Some(other) => return Err(format!("the header's version is {other}")),
            };
        Ok(Self {
            id,
            timestamp: fields.str("timestamp").unwrap_or_default(),
            cwd: fields.str("cwd").unwrap_or_default(),
            parent_session: fields.str("parentSession"),
            version,
            extra: fields.rest(&KNOWN).map_err(|error| error.to_string())?,
        })
    }

    /// The line as it stands in the file, without a newline.
    ///
    /// # Errors
    /// When a field cannot be written as JSON.
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        let mut object = ObjectWriter::new();
        object.field("type", "session")?;
        object.field("version", &self.version)?;
        object.field("id", &self.id)?;
        object.field("timestamp", &self.timestamp)?;
        object.field("cwd", &self.cwd)?;
        if let Some(parent) = &self.parent_session {
            object.field("parentSession", parent)?;
        }
        object.extra(&self.extra, &KNOWN)?;
        Ok(object.finish())
    }

    /// As it stands in the file, as a JSON object of any depth.
    ///
    /// # Errors
    /// When a field cannot be written as JSON.
    pub fn to_value(&self) -> Result<JsonMap, serde_json::Error> {
        tau_ai::json::read(&self.to_line()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_survives_with_fields_of_other_programs() {
        let line = r#"{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w","parentSession":"/p.jsonl","tags":["a"]}"#;
        assert_eq!(Header::parse(line).expect("a header").to_line().expect("a line"), line);
    }

    #[test]
    fn a_header_with_deep_fields_of_other_programs_can_be_shown() {
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        let line = format!(r#"{{"type":"session","version":3,"id":"x","timestamp":"","cwd":"/w","tags":{deep}}}"#);
        let shown = Header::parse(&line).expect("a header").to_value().expect("it can be written");
        assert_eq!((shown["id"].as_str(), shown["tags"].to_string()), (Some("x"), deep));
    }

    #[test]
    fn a_header_must_say_what_it_is() {
        assert_eq!(Header::parse(r#"{"type":"message","id":"x"}"#), Err("the first entry is no header".to_owned()));
        assert_eq!(Header::parse(r#"{"type":"session","id":7}"#), Err("the header has no id".to_owned()));
        let strange = Header::parse(r#"{"type":"session","id":"x","version":"new"}"#);
        assert_eq!(strange, Err(r#"the header's version is "new""#.to_owned()));
    }
}
