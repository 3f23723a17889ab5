//! The body of a request.

use serde_json::{Value, json};

use crate::wire::body::Body;
use crate::wire::error::WireError;
use crate::wire::responses::compat::{Compat, Dialect};
use crate::wire::responses::effort;
use crate::wire::responses::input::{self, Form};
use crate::wire::responses::payload::keeps_items;
use crate::wire::responses::tools::{self, Lax, Toolset};
use crate::wire::strict::Grammars;
use crate::{JsonMap, StreamRequest};

/// What stands for instructions where there are none: the interface insists on some.
const NO_INSTRUCTIONS: &str = "Answer the user.";

/// Builds it. Keys that stay the same over a conversation come first.
///
/// # Errors
/// When a message has no JSON form, or a tool needs what the server does not have.
pub(super) fn build(request: &StreamRequest, compat: &Compat, session: Option<String>) -> Result<Body, WireError> {
    let (model, options) = (&*request.model, &request.options);
    let mut body = JsonMap::new();
    let mut put = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    put("model", json!(model.id));
    put("store", json!(false));
    put("stream", json!(true));
    let system = request.system.as_deref().filter(|system| !system.is_empty());
    put("instructions", json!(system.unwrap_or(NO_INSTRUCTIONS)));
    put("text", json!({"verbosity": "low"}));
    put("include", json!(["reasoning.encrypted_content"]));
    if let Some(session) = session {
        put("prompt_cache_key", json!(session));
    }
    put("tool_choice", json!("auto"));
    put("parallel_tool_calls", json!(true));
    if let Some(temperature) = options.temperature {
        put("temperature", json!(temperature));
    }
    let lax = Lax::Null;
    let steps = input::steps(request);
    let tools = Toolset::of(request, &steps, compat, lax);
    if !tools.in_request.is_empty() {
        let declared = tools.in_request.iter().map(|tool| tools::declaration(tool, compat, lax));
        put("tools", Value::Array(declared.collect::<Result<_, _>>()?));
    }
    if let Some(level) = effort::level(request) {
        put("reasoning", json!({"effort": effort::name(model, level), "summary": "auto"}));
    } else if let Some(off) = effort::off(model).filter(|_| model.reasoning) {
        put("reasoning", json!({"effort": off}));
    }
    let grammars = Grammars::of(&request.tools, compat.supports_grammar_tools)?;
    let form = Form {
        compat,
        tools: &tools,
        grammars: &grammars,
        effort: None,
        instructs: false,
        keeps_items: keeps_items(model, Dialect::Codex),
    };
    Ok(Body::new(body, "input", input::convert(request, &steps, &form)?))
}
