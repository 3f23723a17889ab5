//! The request to the provider and the first sign of its answer.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Edits, Output, Stop, Transforms};
use crate::changes::Changes;

/// The headers of the next request.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BeforeProviderHeadersEvent {
    /// Header names and values; `null` removes a header.
    pub headers: BTreeMap<String, Option<String>>,
}

/// The headers as the handler changed them in place.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BeforeProviderHeadersResult {
    /// All headers; what a handler returns is ignored, so this is never part of a returned object.
    #[serde(skip)]
    pub headers: Option<BTreeMap<String, Option<String>>>,
}

impl Output<BeforeProviderHeadersEvent> for BeforeProviderHeadersResult {
    const STOPS: Option<Stop<Self>> = None;

    fn is_empty(&self) -> bool {
        self.headers.is_none()
    }
}

impl Edits<BeforeProviderHeadersEvent> for BeforeProviderHeadersResult {
    fn edit(_result: Option<Self>, field: &str, value: Value) -> Result<Option<Self>, String> {
        let headers = serde_json::from_value(value).map_err(|error| format!("`{field}`: {error}"))?;
        Ok(Some(Self { headers: Some(headers) }))
    }
}

impl Transforms<BeforeProviderHeadersEvent> for BeforeProviderHeadersResult {
    fn apply(&self, payload: &mut BeforeProviderHeadersEvent) -> Changes {
        let mut changes = Changes::none();
        if let Some(headers) = &self.headers
            && *headers != payload.headers
        {
            // Names only: header values may be secrets and the trace may be written to a file.
            changes.field("headers", 0, 0);
            payload.headers.clone_from(headers);
        }
        changes
    }
}

/// The body of the next request.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BeforeProviderRequestEvent {
    /// The provider's native JSON, as earlier handlers left it.
    pub payload: Value,
}

/// Another body. Any JSON value is one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct BeforeProviderRequestResult(pub Value);

impl Output<BeforeProviderRequestEvent> for BeforeProviderRequestResult {
    const OBJECT: bool = false;
    const STOPS: Option<Stop<Self>> = None;

    /// Any JSON value is a body.
    fn is_empty(&self) -> bool {
        false
    }
}

impl Edits<BeforeProviderRequestEvent> for BeforeProviderRequestResult {
    fn edit(result: Option<Self>, _field: &str, value: Value) -> Result<Option<Self>, String> {
        // What is returned counts more than what was done to the object that was given.
        Ok(Some(result.unwrap_or(Self(value))))
    }
}

impl Transforms<BeforeProviderRequestEvent> for BeforeProviderRequestResult {
    fn apply(&self, payload: &mut BeforeProviderRequestEvent) -> Changes {
        let mut changes = Changes::none();
        changes.json("payload", &payload.payload, &self.0);
        payload.payload.clone_from(&self.0);
        changes
    }
}

/// One event of the provider's answer.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProviderStreamEventEvent {
    /// The provider.
    pub provider: String,
    /// The wire format.
    pub api: String,
    /// The model that is asked.
    pub model: String,
    /// The event as the provider sent it, parsed.
    pub data: Value,
}

/// The provider answered; its body has not been read yet.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AfterProviderResponseEvent {
    /// HTTP status code.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: BTreeMap<String, String>,
}

#[cfg(feature = "samples")]
mod samples {
    use super::*;
    use crate::payload::sample::{Sample, object, text};

    impl Sample for BeforeProviderHeadersEvent {
        fn sample() -> Self {
            Self { headers: Default::default() }
        }
    }

    impl Sample for BeforeProviderRequestEvent {
        fn sample() -> Self {
            Self { payload: object() }
        }
    }

    impl Sample for AfterProviderResponseEvent {
        fn sample() -> Self {
            Self { status: 200, headers: Default::default() }
        }
    }

    impl Sample for ProviderStreamEventEvent {
        fn sample() -> Self {
            Self { provider: text(), api: text(), model: text(), data: object() }
        }
    }
}
