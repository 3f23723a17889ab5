//! Heads of HTTP/1 messages. Bodies, connections and everything else is TypeScript.

use rquickjs::{Array, Ctx, Value};

use super::{Bytes, OpError};
use crate::ops::table::ops;

ops! {
    /// Heads of HTTP/1 messages.
    pub static OPS: watched;

    /// `[length, minor version, method or status, target or reason, name, value, name, value, …]`; nothing when it is not all there yet.
    fn httpParseHead(bytes, response) -> "[length: number, minor: number, first: string, second: string, ...headers: string[]] | undefined" = http_parse_head, Pure;
}

/// More header lines than this are an attack.
const MAX_HEADERS: usize = 2_000;

/// A head that is complete.
struct Head {
    length: usize,
    minor: u8,
    /// Method or status.
    first: String,
    /// Target or reason.
    second: String,
    headers: Vec<(String, String)>,
}

/// Header bytes are text of one byte per character.
fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

fn parse(bytes: &[u8], response: bool) -> Result<Option<Head>, httparse::Error> {
    // Most messages have few headers; the large table is for those that do not fit.
    for room in [64, MAX_HEADERS] {
        let mut headers = vec![httparse::EMPTY_HEADER; room];
        let (status, head) = if response {
            let mut head = httparse::Response::new(&mut headers);
            let status = head.parse(bytes);
            let first = head.code.map(|code| code.to_string()).unwrap_or_default();
            (status, (head.version, first, head.reason.unwrap_or("").to_owned()))
        } else {
            let mut head = httparse::Request::new(&mut headers);
            let status = head.parse(bytes);
            (status, (head.version, head.method.unwrap_or("").to_owned(), latin1(head.path.unwrap_or("").as_bytes())))
        };
        let length = match status {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(httparse::Error::TooManyHeaders) if room < MAX_HEADERS => continue,
            Err(error) => return Err(error),
        };
        let (version, first, second) = head;
        let used = headers.iter().take_while(|header| !header.name.is_empty());
        let headers = used.map(|header| (header.name.to_owned(), latin1(header.value))).collect();
        return Ok(Some(Head { length, minor: version.unwrap_or(1), first, second, headers }));
    }
    Ok(None)
}

fn describe(error: httparse::Error, response: bool) -> OpError {
    let (code, reason) = match error {
        httparse::Error::HeaderName => ("HPE_INVALID_HEADER_TOKEN", "Invalid header token"),
        httparse::Error::HeaderValue => ("HPE_INVALID_HEADER_TOKEN", "Invalid header value char"),
        httparse::Error::TooManyHeaders => ("HPE_HEADER_OVERFLOW", "Header overflow"),
        httparse::Error::Version if response => ("HPE_INVALID_CONSTANT", "Expected HTTP/"),
        httparse::Error::Version => ("HPE_INVALID_VERSION", "Invalid HTTP version"),
        httparse::Error::Status => ("HPE_INVALID_STATUS", "Invalid status code"),
        httparse::Error::NewLine => ("HPE_LF_EXPECTED", "Missing expected LF after header value"),
        httparse::Error::Token if response => ("HPE_INVALID_CONSTANT", "Expected HTTP/"),
        httparse::Error::Token => ("HPE_INVALID_METHOD", "Invalid method encountered"),
    };
    OpError::new(code, format!("Parse Error: {reason}"))
}

fn http_parse_head<'js>(ctx: Ctx<'js>, bytes: Bytes, response: bool) -> rquickjs::Result<Option<Value<'js>>> {
    let head = parse(&bytes.0, response).map_err(|error| describe(error, response).throw(&ctx))?;
    let Some(head) = head else { return Ok(None) };
    let list = Array::new(ctx.clone())?;
    list.set(0, head.length)?;
    list.set(1, head.minor)?;
    list.set(2, head.first)?;
    list.set(3, head.second)?;
    for (index, (name, value)) in head.headers.into_iter().enumerate() {
        list.set(4 + index * 2, name)?;
        list.set(5 + index * 2, value)?;
    }
    Ok(Some(list.into_value()))
}
