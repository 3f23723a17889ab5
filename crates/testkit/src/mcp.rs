//! Servers of the Model Context Protocol, for tests of what calls them.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;

/// A server as a script of the shell: it has these capabilities, answers these methods with these results, and refuses all
/// others. Capabilities and results are JSON, and may leave the quotes of the shell to name a variable: `'"$NAME"'`.
pub fn mcp_script(capabilities: &str, results: &[(&str, &str)]) -> String {
    let hello = format!(
        r#"{{"protocolVersion":"2025-11-25","capabilities":{capabilities},"serverInfo":{{"name":"s","version":"1"}}}}"#
    );
    let mut cases = String::new();
    for (method, result) in std::iter::once(&("initialize", &*hello)).chain(results) {
        let answer = format!(r#"{{"jsonrpc":"2.0","id":%s,"result":{result}}}"#);
        writeln!(cases, "    *'\"{method}\"'*) printf '{answer}\\n' \"$id\" ;;").unwrap_or_else(|_| unreachable!());
    }
    format!(
        r#"#!/bin/sh
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
{cases}    *'"id":'*) printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32601,"message":"no"}}}}\n' "$id" ;;
  esac
done
"#
    )
}

/// An address on this machine that refuses the first request with the status 404. Gives the address, and the head of the
/// request once there was one.
///
/// # Panics
/// When this machine has no port left, or the request ends early.
pub fn refusing_address() -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let heard = std::thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a request");
        let mut lines = BufReader::new(&stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(lines.read_line(&mut head).expect("a head") > 0, "the request ends in its head: {head}");
        }
        (&stream).write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").expect("an answer");
        head
    });
    (url, heard)
}
