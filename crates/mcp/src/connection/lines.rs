//! Messages of a program, one in each line. An answer that cannot be read fails the request that it answers.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, CustomRequest, CustomResult, ErrorCode, ErrorData, JsonRpcError, JsonRpcMessage,
    JsonRpcResponse, RequestId, ServerJsonRpcMessage, ServerRequest, ServerResult,
};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader, Empty};
use tokio::sync::Mutex as AsyncMutex;

use super::stdio::LAST_WORDS;
use crate::summary::one_line;

/// Holds a result that the library must not read, so that nothing of it is left out.
pub(super) const WHOLE: &str = "tau:whole";
/// Marks an error that stands for an answer that cannot be read.
const UNREADABLE: &str = "tau:unreadable";
/// How many answers of one message are failed: a server may answer many requests at once, which tau does not read.
const TOGETHER: usize = 64;
/// How many lines that are no messages are kept.
const NOISE: usize = 5;
/// How much of each, in characters.
const NOISE_LINE: usize = 200;

/// The first lines of a program that are no messages: the banner of a shell, a usage, a traceback.
#[derive(Clone, Default)]
pub(super) struct Noise(Arc<Mutex<Vec<String>>>);

impl Noise {
    fn push(&self, line: &[u8]) {
        let mut lines = self.0.lock();
        if lines.len() < NOISE {
            // Characters that are cut through at the end are not shown.
            let line = String::from_utf8_lossy(&line[..line.len().min(NOISE_LINE * 4)]);
            let line = one_line(&line, NOISE_LINE);
            lines.extend(Some(line).filter(|line| !line.is_empty()));
        }
    }

    /// The lines, made safe.
    pub(super) fn text(&self) -> String {
        self.0.lock().join("\n")
    }
}

/// What a program writes. It outlives the transport: what a program wrote last says why it is gone.
pub(super) struct Source<R> {
    read: BufReader<R>,
    /// What there is of the next line. The caller may drop a wait for the rest.
    line: Vec<u8>,
    noise: Noise,
}

impl<R: AsyncRead + Unpin> Source<R> {
    /// `read` has to bound the length of a line.
    pub(super) fn new(read: R, noise: Noise) -> Arc<AsyncMutex<Self>> {
        Arc::new(AsyncMutex::new(Self { read: BufReader::new(read), line: Vec::new(), noise }))
    }

    /// The messages of the next line; nothing at the end.
    async fn next(&mut self) -> Option<VecDeque<ServerJsonRpcMessage>> {
        // What was read stays in the line when this wait is dropped.
        let taken = self.read.read_until(b'\n', &mut self.line).await;
        if let Err(error) = &taken {
            tracing::debug!(%error, "an MCP server cannot be read");
        }
        // A line without an end is no message.
        let is_whole = taken.is_ok() && self.line.last() == Some(&b'\n');
        let messages = match read(&self.line) {
            Read::Message(message) if is_whole => VecDeque::from([*message]),
            Read::Instead(messages) if is_whole => messages.into(),
            _ => {
                self.noise.push(&self.line);
                VecDeque::new()
            }
        };
        self.line.clear();
        if self.line.capacity() > 1 << 20 {
            self.line = Vec::new();
        }
        is_whole.then_some(messages)
    }

    /// Reads to the end, as far as it is there, so that it is known which lines are no messages.
    pub(super) async fn drain(&mut self) {
        let all = async { while self.next().await.is_some() {} };
        // Something that the program left running may keep the pipe open.
        if tokio::time::timeout(LAST_WORDS, all).await.is_err() {
            tracing::debug!("the output of an MCP server that has ended stays open");
        }
    }
}

/// A transport over the pipes of a program.
pub(super) struct Lines<R, W: AsyncWrite> {
    source: Arc<AsyncMutex<Source<R>>>,
    /// Messages of a line that were not taken yet.
    ready: VecDeque<ServerJsonRpcMessage>,
    write: AsyncRwTransport<RoleClient, Empty, W>,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Send + Unpin + 'static> Lines<R, W> {
    pub(super) fn new(source: Arc<AsyncMutex<Source<R>>>, write: W) -> Self {
        let write = AsyncRwTransport::new(tokio::io::empty(), write);
        Self { source, ready: VecDeque::new(), write }
    }
}

impl<R, W> Transport<RoleClient> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(&mut self, item: ClientJsonRpcMessage) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.write.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            self.ready = self.source.lock().await.next().await?;
            // A server that writes noise must not keep a thread for itself.
            tokio::task::consume_budget().await;
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.write.close()
    }
}

/// Most values of a message.
const VALUES: usize = 1_000_000;

/// What can be read of a message that is none.
#[derive(Deserialize)]
struct Head {
    id: Option<RequestId>,
    method: Option<String>,
    jsonrpc: Option<IgnoredAny>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// What a text is.
pub(super) enum Read {
    /// A message.
    Message(Box<ServerJsonRpcMessage>),
    /// None, but it is known what it should be. An answer that cannot be read becomes an error for its request, and a request
    /// that cannot be read one that nobody knows, so that its server gets an answer.
    Instead(Vec<ServerJsonRpcMessage>),
    /// Nothing of the protocol.
    Noise,
}

/// What a text is.
pub(super) fn read(text: &[u8]) -> Read {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text).trim_ascii();
    if text.is_empty() {
        return Read::Noise;
    }
    if has_too_many_values(text) {
        let Ok(head) = serde_json::from_slice::<Head>(text) else { return Read::Noise };
        let why = format!("it holds more than {VALUES} values");
        return Read::Instead(
            head.id.filter(|_| head.method.is_none()).map(|id| unreadable(id, &why)).into_iter().collect(),
        );
    }
    let error = match serde_json::from_slice(text) {
        Ok(message) => return Read::Message(Box::new(whole(message, text))),
        Err(error) => error,
    };
    tracing::debug!(%error, "an MCP server sends what is no message");
    if text.first() == Some(&b'[') {
        let Ok(heads) = serde_json::from_slice::<Vec<Head>>(text) else { return Read::Noise };
        let answers = heads.into_iter().filter(|head| head.method.is_none()).filter_map(|head| head.id);
        let why = "it is one of several in one message, which the protocol does not allow";
        return Read::Instead(answers.take(TOGETHER).map(|id| unreadable(id, why)).collect());
    }
    let Ok(head) = serde_json::from_slice::<Head>(text) else { return Read::Noise };
    match (head.id.clone(), &head.method) {
        (Some(id), None) => Read::Instead(vec![unreadable(id, &problem(&head, &error))]),
        (Some(id), Some(method)) => {
            let request = CustomRequest::new(method.clone(), None);
            Read::Instead(vec![JsonRpcMessage::request(ServerRequest::CustomRequest(request), id)])
        }
        (None, Some(_)) => Read::Instead(Vec::new()),
        (None, None) => Read::Noise,
    }
}

/// Whether a JSON text holds more values than fit into a reasonable memory: each takes many times its text.
fn has_too_many_values(text: &[u8]) -> bool {
    let (mut values, mut is_text, mut is_escaped) = (0, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b',' | b'[' | b'{' if !is_text => values += 1,
            _ => {}
        }
    }
    values > VALUES
}

/// The same with all that is in the result of a tool: the library leaves out what it does not know.
fn whole(message: ServerJsonRpcMessage, text: &[u8]) -> ServerJsonRpcMessage {
    #[derive(Deserialize)]
    struct Answer {
        result: Value,
    }
    match message {
        JsonRpcMessage::Response(JsonRpcResponse { id, result: ServerResult::CallToolResult(result), .. }) => {
            let result = match serde_json::from_slice::<Answer>(text) {
                Ok(answer) => ServerResult::CustomResult(CustomResult::new(answer.result)),
                Err(_) => ServerResult::CallToolResult(result),
            };
            JsonRpcMessage::response(result, id)
        }
        message => message,
    }
}

/// Why an answer cannot be read, in a part of a sentence.
fn problem(head: &Head, error: &serde_json::Error) -> String {
    let error = error.to_string();
    match (head.result.is_some(), head.error.is_some()) {
        _ if error.contains("recursion limit") => "it is nested too deep".to_owned(),
        _ if head.jsonrpc.is_none() => "it does not say \"jsonrpc\": \"2.0\"".to_owned(),
        (true, true) => "it has a result and an error".to_owned(),
        (false, false) => "it has neither a result nor an error".to_owned(),
        (false, true) => "its error has no code and message".to_owned(),
        (true, false) => one_line(&error, 200),
    }
}

/// An error that stands for an answer that cannot be read.
pub(super) fn unreadable(id: RequestId, why: &str) -> ServerJsonRpcMessage {
    let error = ErrorData::new(ErrorCode::PARSE_ERROR, why.to_owned(), Some(json!({ UNREADABLE: true })));
    JsonRpcMessage::Error(JsonRpcError::new(Some(id), error))
}

/// Whether an error stands for an answer that cannot be read.
pub(super) fn is_unreadable(error: &ErrorData) -> bool {
    error.data.as_ref().is_some_and(|data| data.get(UNREADABLE).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(result: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":7,"result":{result}}}"#)
    }

    #[test]
    fn an_answer_with_too_many_values_is_an_error_and_commas_in_texts_are_none() {
        let many = answer(&format!(r#"{{"content":[{}0]}}"#, "0,".repeat(VALUES)));
        let Read::Instead(instead) = read(many.as_bytes()) else { panic!("an error in its place") };
        let [JsonRpcMessage::Error(error)] = &instead[..] else { panic!("{instead:?}") };
        assert!(error.error.message.contains("more than 1000000 values"), "{}", error.error.message);
        let text = answer(&format!(r#"{{"content":[{{"type":"text","text":"\"{}"}}]}}"#, ",".repeat(VALUES + 1)));
        assert!(matches!(read(text.as_bytes()), Read::Message(_)));
    }
}
