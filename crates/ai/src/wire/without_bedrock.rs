//! `bedrock-converse-stream` in builds that leave Amazon Bedrock out: requests say how to have it.

use super::driver::Emitter;
use super::error::WireError;
use super::format;
use super::http::{Answer, Outgoing};
use super::rules::Rules;
use crate::{StopReason, StreamRequest};

/// The wire format that is not there.
#[derive(Default)]
pub(super) struct Format;

fn absent() -> WireError {
    WireError::Config(
        "This build of tau leaves Amazon Bedrock out. Build it with `cargo build --release -p tau --features bedrock`, \
         or use one that `dist/build` makes."
            .to_owned(),
    )
}

impl format::Format for Format {
    const API: &'static str = "bedrock-converse-stream";
    const RULES: Rules = Rules::USUAL;

    fn prepare(&self, _: &StreamRequest) -> Result<Outgoing, WireError> {
        Err(absent())
    }

    async fn read(&self, _: Answer, _: &StreamRequest, _: &Emitter) -> Result<StopReason, WireError> {
        Err(absent())
    }
}

#[cfg(all(test, feature = "bedrock"))]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::wire::format::Format as _;

    #[test]
    fn a_request_says_how_to_have_bedrock() {
        let request = crate::wire::bedrock::tests::request("m", json!({}));
        let text = Format.prepare(&request).map(|_| ()).expect_err("it is not there").to_string();
        assert!(
            text.contains("This build of tau leaves Amazon Bedrock out.") && text.contains("--features bedrock"),
            "{text}"
        );
    }
}
