//! Values of extensions, read with the place of what is wrong.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads a value that an extension gave.
///
/// # Errors
/// Which field is wrong, and why, as `models[2].cost: invalid type: …`.
pub fn read_shape<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let problem = error.into_inner();
        if path == "." { problem.to_string() } else { format!("{path}: {problem}") }
    })
}
