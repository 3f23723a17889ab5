//! How servers of one's own let a client down.

use super::reply::Reply;

/// An answer that fails.
pub struct Failing {
    /// What is wrong with it.
    pub what: &'static str,
    /// The answer. It ends by itself.
    pub reply: Reply,
    says: &'static str,
}

impl Failing {
    /// How the sentence begins that a user reads, whatever the wire format: of a model `local/m`, at this host, with a key
    /// of `models.json`.
    pub fn sentence(&self, host: &str) -> String {
        format!("local/m at {host} {}", self.says.replace("(key)", "(key from models.json)"))
    }
}

/// Answers that fail.
pub fn failing() -> Vec<Failing> {
    let half_a_value = "data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"hal";
    let stream = |reply: Reply| reply.header("content-type", "text/event-stream");
    let page = |reply: Reply| reply.header("content-type", "text/html; charset=utf-8");
    let no_such_model = r#"{"error": {"message": "no such model"}}"#;
    let all = [
        ("a status", Reply::http_error(500, "out of memory"), "answered with status 500 (key): out of memory\n"),
        ("a status without a body", Reply::http_error(503, ""), "answered with status 503 and nothing else (key)\n"),
        (
            "a page",
            Reply::http_error(502, "<html><body><h1>Bad Gateway</h1></body></html>"),
            "answered with status 502 (key): a web page (\"Bad Gateway\")\n",
        ),
        (
            "the page of a proxy",
            page(Reply::http_error(407, "<!doctype html><title>Sign in</title><p>Who are you?")),
            "answered with status 407 (key): a web page (\"Sign in\")\nThe proxy asks for a login: ",
        ),
        ("an empty body", Reply::http_error(200, ""), "answered with status 200 and nothing else (key)\n"),
        ("an empty stream", stream(Reply::http_error(200, "")), "ended its answer before it began (key)\n"),
        (
            "a page in place of the stream",
            page(Reply::http_error(200, "<html>Welcome</html>")),
            "answered with status 200 and no stream (key): a web page (\"Welcome\")\nNo model is at that address: ",
        ),
        (
            "a page that is called a stream",
            stream(Reply::http_error(200, "<html>\n<title>Welcome</title>\n</html>\n")),
            "answered with status 200 and no stream (key): a web page (\"Welcome\")\n",
        ),
        (
            "JSON in place of the stream",
            Reply::http_error(200, no_such_model),
            "answered with status 200 and no stream (key): no such model\n",
        ),
        (
            "JSON that is called a stream",
            stream(Reply::http_error(200, no_such_model)),
            "answered with status 200 and no stream (key): no such model\n",
        ),
        (
            "garbage",
            Reply::http_error(200, "\u{1b}[2JWhat?\r\nWho?").header("content-type", "text/plain"),
            "answered with status 200 and no stream (key): [2JWhat? Who?\n",
        ),
        (
            "bytes",
            stream(Reply::http_error(200, [0x1f, 0x8b, 0xff, 0xfe, b'\n'])),
            "sent something that is no answer (key): line 1 is not valid UTF-8\n",
        ),
        (
            "a refusal that is no text",
            Reply::http_error(500, [0x89, b'P', b'N', b'G', 0, 0, 1, 2, 0xff]).header("content-type", "image/png"),
            "answered with status 500 (key): 9 bytes of image/png\n",
        ),
        (
            "an address that leads elsewhere",
            Reply::http_error(307, "").header("location", "http://me:pw@127.0.0.1:1/there?key=1"),
            "answered with status 307 (key): it redirects to http://127.0.0.1:1/there\nWrite the address ",
        ),
        (
            "an error in the stream",
            Reply::text("Half").error_event("server_error", "out of memory"),
            "failed (key): out of memory\n",
        ),
        (
            "an error in the place of an event",
            Reply::new()
                .raw(r#"data: {"type": "error", "object": "error", "message": "out of memory", "code": 500}"#)
                .truncate(),
            "failed (key): out of memory\n",
        ),
        (
            "a connection that breaks before the first word",
            Reply::new().cut(),
            "broke off before its answer began (key): ",
        ),
        ("a connection that breaks", Reply::text("Half").cut(), "broke off in the middle of its answer (key): "),
        ("an end too early", Reply::text("Half").truncate(), "ended its answer in the middle (key)\nTry again. "),
        (
            "half a value",
            Reply::text("Half").raw(half_a_value).truncate(),
            "sent something that is no answer (key): EOF while parsing",
        ),
        (
            "lines that are no JSON",
            Reply::new().raw("data: nonsense").truncate(),
            "sent something that is no answer (key): expected ident",
        ),
        (
            "a reason to stop that is none",
            Reply::text("Half").stop("content_filter"),
            "stopped its answer (key): content_filter\nSay it in other words",
        ),
        (
            "half a tool call",
            Reply::new().raw_tool_call("call_1", "bash", r#"{"command": "touch ne"#).truncate(),
            "ended its answer in the middle (key)\n",
        ),
    ];
    all.into_iter().map(|(what, reply, says)| Failing { what, reply, says }).collect()
}
