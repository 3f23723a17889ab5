//! How servers of one's own let a client down.

use super::reply::Reply;

/// Answers that fail, with what is wrong with them. Each of them ends by itself.
pub fn failing() -> Vec<(&'static str, Reply)> {
    let half_a_value = "data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"hal";
    vec![
        ("a status", Reply::http_error(500, "out of memory")),
        ("a status without a body", Reply::http_error(503, "")),
        ("a page", Reply::http_error(502, "<html><body><h1>Bad Gateway</h1></body></html>")),
        ("an empty body", Reply::http_error(200, "")),
        ("a page in place of the stream", Reply::http_error(200, "<html>Welcome</html>")),
        ("JSON in place of the stream", Reply::http_error(200, r#"{"error": {"message": "no such model"}}"#)),
        ("an error in the stream", Reply::text("Half").error_event("server_error", "out of memory")),
        ("a connection that breaks before the first word", Reply::new().cut()),
        ("a connection that breaks", Reply::text("Half").cut()),
        ("an end too early", Reply::text("Half").truncate()),
        ("half a value", Reply::text("Half").raw(half_a_value).truncate()),
        ("lines that are no JSON", Reply::new().raw("data: nonsense").truncate()),
        ("half a tool call", Reply::new().raw_tool_call("call_1", "bash", r#"{"command": "touch ne"#).truncate()),
    ]
}
