//! One call of a function of Neovim, by msgpack-RPC.

use std::fmt;
use std::io;
use std::path::PathBuf;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixStream};

use super::msgpack::{LARGEST, Value, Wrong, decode, encode};

/// The number of the only request.
const REQUEST: u64 = 1;
/// The kinds of messages.
const CALL: u64 = 0;
const ANSWER: u64 = 1;
/// How much is read at once, in bytes.
const PIECE: usize = 16 * 1024;
/// Most bytes of notifications and requests of Neovim that come before the answer.
const MOST: usize = 4 * LARGEST;

/// Where a Neovim listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Address {
    Socket(PathBuf),
    /// `host:port`
    Tcp(String),
}

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum NvimError {
    /// Nobody listens there.
    #[error("nobody answers ({0}). Start tau in a terminal of a Neovim that runs.")]
    Gone(io::Error),
    /// It ended before it answered.
    #[error("the connection ended before the answer; Neovim may have been closed")]
    Ended,
    /// It refused the call, or the code failed.
    #[error("it answered with an error: {0}")]
    Refused(String),
    /// What it says is no message.
    #[error("what it says is no msgpack-RPC: {0}. Is NVIM the address of a Neovim?")]
    Garbled(String),
    /// The arguments are too large.
    #[error("the list of files is too long to be sent: {0}")]
    TooLong(Wrong),
}

impl Address {
    /// What `NVIM` says: the path of a socket, or `host:port`.
    pub(super) fn parse(text: &str) -> Self {
        let is_port = |(host, port): (&str, &str)| !host.is_empty() && port.parse::<u16>().is_ok();
        if !text.contains('/') && text.rsplit_once(':').is_some_and(is_port) {
            return Self::Tcp(text.to_owned());
        }
        Self::Socket(text.into())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Socket(path) => path.display().fmt(f),
            Self::Tcp(text) => f.write_str(text),
        }
    }
}

/// Runs Lua code with these arguments (`...` there); gives what it returns.
pub(super) async fn exec_lua(address: &Address, code: &str, arguments: Vec<Value>) -> Result<Value, NvimError> {
    let parameters = Value::Array(vec![Value::text(code), Value::Array(arguments)]);
    match address {
        Address::Socket(path) => {
            let stream = UnixStream::connect(path).await.map_err(NvimError::Gone)?;
            call(stream, "nvim_exec_lua", parameters).await
        }
        Address::Tcp(text) => {
            let stream = TcpStream::connect(text.as_str()).await.map_err(NvimError::Gone)?;
            call(stream, "nvim_exec_lua", parameters).await
        }
    }
}

async fn call(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    function: &str,
    parameters: Value,
) -> Result<Value, NvimError> {
    let request = Value::Array(vec![Value::Count(CALL), Value::Count(REQUEST), Value::text(function), parameters]);
    let request = encode(&request).map_err(NvimError::TooLong)?;
    stream.write_all(&request).await.map_err(|_| NvimError::Ended)?;
    stream.flush().await.map_err(|_| NvimError::Ended)?;
    let (mut read, mut all, mut piece) = (Vec::new(), 0, vec![0; PIECE]);
    loop {
        while let Some((message, length)) = decode(&read).map_err(|wrong| NvimError::Garbled(wrong.to_string()))? {
            read.drain(..length);
            if let Some(answer) = answer(message)? {
                return answer;
            }
        }
        let count = match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return Err(NvimError::Ended),
            Ok(count) => count,
        };
        all += count;
        if all > MOST {
            return Err(NvimError::Garbled("there is no answer among all that".to_owned()));
        }
        read.extend_from_slice(&piece[..count]);
    }
}

/// The answer, if a message is that: others are notifications, and requests of Neovim.
fn answer(message: Value) -> Result<Option<Result<Value, NvimError>>, NvimError> {
    let Value::Array(parts) = message else {
        return Err(NvimError::Garbled(format!("a message is {message}")));
    };
    match <[Value; 4]>::try_from(parts) {
        Ok([Value::Count(ANSWER), Value::Count(REQUEST), error, result]) => Ok(Some(match error {
            Value::Nil => Ok(result),
            // The kind of the error, and its text.
            Value::Array(parts) => Err(NvimError::Refused(parts.last().unwrap_or(&Value::Nil).to_string())),
            error => Err(NvimError::Refused(error.to_string())),
        })),
        Ok(_) => Ok(None),
        Err(parts) if matches!(parts.first(), Some(Value::Count(_))) => Ok(None),
        Err(parts) => Err(NvimError::Garbled(format!("a message is {}", Value::Array(parts)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_path_or_a_port() {
        for (text, expected) in [
            ("/run/user/1000/nvim.1.0", Address::Socket("/run/user/1000/nvim.1.0".into())),
            ("localhost:6666", Address::Tcp("localhost:6666".to_owned())),
            ("[::1]:6666", Address::Tcp("[::1]:6666".to_owned())),
            ("/tmp/a:1", Address::Socket("/tmp/a:1".into())),
            (":1", Address::Socket(":1".into())),
            ("name", Address::Socket("name".into())),
        ] {
            assert_eq!(Address::parse(text), expected);
        }
    }

    /// What a call comes to when the other end says this, in pieces of so many bytes, and hangs up.
    async fn said(bytes: Vec<u8>, piece: usize) -> Result<Value, String> {
        let (ours, mut theirs) = tokio::io::duplex(1 << 20);
        let mut called = std::pin::pin!(call(ours, "f", Value::Array(Vec::new())));
        let speaks = async move {
            for part in bytes.chunks(piece) {
                theirs.write_all(part).await.expect("somebody listens");
                tokio::task::yield_now().await;
            }
            theirs.shutdown().await.expect("the end");
            theirs
        };
        tokio::select! {
            biased;
            done = &mut called => done.map_err(|error| error.to_string()),
            _open = speaks => called.await.map_err(|error| error.to_string()),
        }
    }

    fn message(parts: Vec<Value>) -> Vec<u8> {
        encode(&Value::Array(parts)).expect("bytes")
    }

    #[tokio::test]
    async fn the_answer_is_found_among_other_messages_however_it_comes() {
        let count = Value::Count;
        let mut bytes = message(vec![count(2), Value::text("redraw"), Value::Array(vec![])]);
        bytes.extend(message(vec![count(0), count(7), Value::text("ask"), Value::Array(vec![])]));
        bytes.extend(message(vec![count(1), count(9), Value::Nil, count(8)]));
        bytes.extend(message(vec![count(1), count(1), Value::Nil, Value::text("ä")]));
        for piece in [1, 2, 7, 1_000] {
            assert_eq!(said(bytes.clone(), piece).await, Ok(Value::text("ä")), "{piece}");
        }
        let whole = bytes.len();
        bytes.truncate(whole - 1);
        let error = said(bytes, 5).await.expect_err("no answer");
        assert!(error.contains("ended before the answer"), "{error}");
    }

    #[tokio::test]
    async fn errors_and_garbage_are_told() {
        let refused = vec![Value::Count(0), Value::text("E492: no such thing")];
        let refused = message(vec![Value::Count(1), Value::Count(1), Value::Array(refused), Value::Nil]);
        assert_eq!(said(refused, 9).await, Err("it answered with an error: E492: no such thing".to_owned()));
        for garbage in [b"HTTP/1.1 400 Bad Request\r\n".to_vec(), vec![0xc1], vec![0x91; 100], message(vec![])] {
            let error = said(garbage.clone(), 100).await.expect_err("no answer");
            assert!(error.contains("no msgpack-RPC"), "{garbage:?}: {error}");
        }
        let endless = message(vec![Value::Count(2), Value::text(&"x".repeat(200_000)), Value::Nil]).repeat(100);
        let error = said(endless, 1 << 16).await.expect_err("no answer");
        assert!(error.contains("no answer among all that"), "{error}");
    }
}
