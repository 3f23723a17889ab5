//! Cutting text to size, and YAML.

use rquickjs::{Ctx, FromJs, Value};
use tau_script::check_cost;
use tau_tools::truncate::{Limits, TruncationResult, truncate_head, truncate_tail};

use crate::ops::table::{ops, typed};
use crate::ops::{Json, OpError};

ops! {
    /// Cutting text to size, and YAML.
    pub(crate) static OPS: watched;

    /// The beginning of a text, within limits.
    fn piTruncateHead(content, lines, bytes) -> "TruncationResult" = pi_truncate_head, Pure;
    /// The end of a text, within limits.
    fn piTruncateTail(content, lines, bytes) -> "TruncationResult" = pi_truncate_tail, Pure;
    /// What YAML says.
    fn piParseYaml(text) = pi_parse_yaml, Pure;
}

/// A limit: whatever is no number is none.
struct Limit(usize);

typed! {
    Limit = "number | undefined";
    Text = "string";
}

impl<'js> FromJs<'js> for Limit {
    fn from_js(_: &Ctx<'js>, value: Value<'js>) -> rquickjs::Result<Self> {
        // `as` saturates and takes NaN for zero.
        Ok(Self(value.as_number().map_or(usize::MAX, |number| number.min(9_007_199_254_740_991.0) as usize)))
    }
}

/// A string argument; lone surrogates, which Rust cannot hold, are replaced.
struct Text(String);

impl<'js> FromJs<'js> for Text {
    fn from_js(_: &Ctx<'js>, value: Value<'js>) -> rquickjs::Result<Self> {
        match value.as_string() {
            Some(text) => crate::convert::text_of(text).map(Text),
            None => Err(rquickjs::Error::new_from_js(value.type_name(), "string")),
        }
    }
}

fn json(result: &TruncationResult) -> Json {
    Json(tau_ai::to_json(result))
}

/// Data of YAML as JavaScript holds it: keys are texts.
fn plain(value: serde_yaml_ng::Value) -> serde_json::Value {
    use serde_yaml_ng::Value as Yaml;
    match value {
        Yaml::Null => serde_json::Value::Null,
        Yaml::Bool(flag) => flag.into(),
        Yaml::Number(number) => {
            let whole = number.as_i64().map(serde_json::Value::from);
            whole.unwrap_or_else(|| number.as_f64().map_or(serde_json::Value::Null, serde_json::Value::from))
        }
        Yaml::String(text) => text.into(),
        Yaml::Sequence(items) => items.into_iter().map(plain).collect(),
        Yaml::Mapping(fields) => {
            let name = |key: Yaml| match key {
                Yaml::String(text) => text,
                other => match plain(other) {
                    serde_json::Value::String(text) => text,
                    other => other.to_string(),
                },
            };
            serde_json::Value::Object(fields.into_iter().map(|(key, value)| (name(key), plain(value))).collect())
        }
        Yaml::Tagged(tagged) => plain(tagged.value),
    }
}

fn pi_truncate_head(content: Text, lines: Limit, bytes: Limit) -> Json {
    json(&truncate_head(&content.0, Limits { max_lines: lines.0, max_bytes: bytes.0 }))
}

fn pi_truncate_tail(content: Text, lines: Limit, bytes: Limit) -> Json {
    json(&truncate_tail(&content.0, Limits { max_lines: lines.0, max_bytes: bytes.0 }))
}

fn pi_parse_yaml<'js>(ctx: Ctx<'js>, text: Text) -> rquickjs::Result<Json> {
    check_cost(&text.0).map_err(|error| OpError::message(error.to_string()).throw(&ctx))?;
    let value: serde_yaml_ng::Value =
        serde_yaml_ng::from_str(&text.0).map_err(|error| OpError::message(error.to_string()).throw(&ctx))?;
    Ok(Json(plain(value)))
}
