//! How wire formats differ on the way out and back, as data.

use super::error;
use super::reader::Framing;
use crate::JsonMap;

/// How a format differs from others on the way out and back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// The field that asks for a stream, which no hook may take away; absent where the address asks for it.
    pub stream_field: Option<&'static str>,
    /// Makes the fields that are sent of those that hooks see, where the two are not the same.
    pub sent: Option<fn(JsonMap) -> JsonMap>,
    /// Names in `betas` of the body belong into this header.
    pub betas_header: Option<&'static str>,
    /// A request with one of these headers, in lower case, authenticates by itself.
    pub key_headers: &'static [&'static str],
    /// Headers, in lower case, that are the format's own whatever a setting or a hook says.
    pub own_headers: &'static [&'static str],
    /// How it words a refusal.
    pub refusal: error::Wording,
    /// How the answer is cut into events.
    pub framing: Framing,
    /// Statuses that are not repeated though they usually pass.
    pub final_statuses: &'static [u16],
}

impl Rules {
    /// What most formats do: `stream` in the body, a bearer token, server-sent events.
    pub const USUAL: Self = Self {
        stream_field: Some("stream"),
        sent: None,
        betas_header: None,
        key_headers: &["authorization", "x-api-key", "cf-aig-authorization"],
        own_headers: &[],
        refusal: error::error_object,
        framing: Framing::Sse,
        final_statuses: &[],
    };

    /// What operations with one answer do: a bearer token, and a JSON document that comes back.
    pub const DOCUMENT: Self = Self { stream_field: None, framing: Framing::Document, ..Self::USUAL };
}
