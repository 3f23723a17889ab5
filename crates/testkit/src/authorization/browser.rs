//! A browser without a screen.

use std::io::{Read, Write};
use std::net::TcpStream;

use url::Url;

/// Opens a page of this machine and goes where it is sent. Gives the address it ends at, with the text there.
///
/// # Panics
/// When nobody answers.
pub fn browse(url: &str) -> (String, String) {
    let mut url = url.to_owned();
    loop {
        match open(&url) {
            (Some(location), _) => url = location,
            (None, text) => return (url, text),
        }
    }
}

/// Opens a page of this machine. Gives where it sends the browser, if it does.
///
/// # Panics
/// When nobody answers.
pub fn sent_to(url: &str) -> Option<String> {
    open(url).0
}

#[expect(clippy::expect_used, reason = "a test whose page is not there cannot go on")]
fn open(url: &str) -> (Option<String>, String) {
    let url = Url::parse(url).expect("an address");
    let port = url.port().expect("a port");
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a server");
    let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let request = format!("GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("asked");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    let location = text.lines().take_while(|line| !line.is_empty()).find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("location").then(|| url.join(value).expect("an address").into())
    });
    (location, text)
}
