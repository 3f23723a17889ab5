//! Requests that are answered with Amazon's frames of events.

use serde_json::Value;
use tau_ai::StreamRequest;
use tau_testkit::loopback::LoopbackServer;

use super::support::{model, request};

const API: &str = "bedrock-converse-stream";

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
