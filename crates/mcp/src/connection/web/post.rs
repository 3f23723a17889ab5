//! A message sent to a server of the web, and what its answer is.

use futures_util::StreamExt;
use futures_util::stream::{BoxStream, unfold};
use http::{HeaderMap, StatusCode};
use reqwest::RequestBuilder;
use reqwest::header::WWW_AUTHENTICATE;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, CustomResult, ErrorData, JsonRpcMessage, JsonRpcResponse, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::common::http_header::{EVENT_STREAM_MIME_TYPE, HEADER_SESSION_ID, JSON_MIME_TYPE};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, SseError, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use serde_json::json;
use sse_stream::Sse;
use tau_http::Unanswered;

use super::answer::{Answer, described, excerpt};
use super::fault::{Fault, SHOWN};
use super::{Done, Web};
use crate::connection::lines::{Read, WHOLE, read, unreadable};

/// Longest id of a session, in bytes.
const SESSION_ID: usize = 4096;

impl Web {
    /// Sends a request that is complete.
    pub(super) async fn exchange(
        &self,
        request: RequestBuilder,
        message: &ClientJsonRpcMessage,
        has_session: bool,
        limits: StreamableHttpResponseLimits,
    ) -> Done<StreamableHttpPostResponse> {
        let sent = request.json(message).send().await;
        let response =
            sent.map_err(|error| self.error(Fault::Unanswered(Unanswered::of(error), self.proxy.clone())))?;
        let status = response.status();
        let challenge = response.headers().get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
        match (status, challenge.map(str::to_owned)) {
            (StatusCode::UNAUTHORIZED, Some(challenge)) => {
                return Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)));
            }
            (StatusCode::UNAUTHORIZED, None) => return Err(self.error(Fault::NeedsSignIn(None))),
            (StatusCode::FORBIDDEN, Some(challenge)) => {
                return Err(StreamableHttpError::InsufficientScope(InsufficientScopeError::new(challenge, None)));
            }
            (StatusCode::ACCEPTED | StatusCode::NO_CONTENT, _) => return Ok(StreamableHttpPostResponse::Accepted),
            (StatusCode::NOT_FOUND, _) if has_session => return Err(StreamableHttpError::SessionExpired),
            _ => {}
        }
        let request = match message {
            JsonRpcMessage::Request(request) => Some(request),
            _ => None,
        };
        let begins = request.is_some_and(|request| matches!(request.request, ClientRequest::InitializeRequest(_)));
        // The body of an answer to anything but a request says nothing.
        if status.is_success() && request.is_none() {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let session = if begins { session_id(response.headers()).map_err(|fault| self.error(fault))? } else { None };
        let mut answer = Answer::new(response).map_err(|fault| self.error(fault))?;
        if !status.is_success() {
            return self
                .refused(answer, request.map(|request| (&request.id, &request.request)), has_session, limits)
                .await;
        }
        match answer.kind.as_str() {
            EVENT_STREAM_MIME_TYPE => {
                let id = request.map(|request| request.id.clone());
                let events = answer.events(limits.max_sse_event_size);
                Ok(StreamableHttpPostResponse::Sse(messages_of(events, id), session))
            }
            JSON_MIME_TYPE => {
                let body = answer.whole(limits.max_json_response_size).await.map_err(|fault| self.error(fault))?;
                let message = match read(&body) {
                    Read::Message(message) => Some(*message),
                    Read::Instead(messages) => messages.into_iter().next(),
                    Read::Noise => None,
                };
                let what = || Fault::Foreign { status: answer.status, what: described(&answer.kind, &body) };
                let message = message.ok_or_else(|| self.error(what()))?;
                Ok(StreamableHttpPostResponse::Json(message, session))
            }
            _ => {
                let body = answer.beginning(limits.max_error_response_size).await;
                Err(self.error(Fault::Foreign { status: answer.status, what: described(&answer.kind, &body) }))
            }
        }
    }

    /// An answer with a status that says no.
    async fn refused(
        &self,
        mut answer: Answer,
        request: Option<(&RequestId, &ClientRequest)>,
        has_session: bool,
        limits: StreamableHttpResponseLimits,
    ) -> Done<StreamableHttpPostResponse> {
        let status = answer.status;
        // Others may say so in the place of the server.
        let is_of_server = answer.kind == JSON_MIME_TYPE && !matches!(status, 401 | 403 | 407 | 429);
        let body = if is_of_server {
            answer.whole(limits.max_json_response_size).await.unwrap_or_default()
        } else {
            answer.beginning(limits.max_error_response_size).await
        };
        let error = match read(&body) {
            Read::Message(message) if is_of_server => match *message {
                JsonRpcMessage::Error(error) => Some(error),
                _ => None,
            },
            _ => None,
        };
        // Older servers refuse a method that they do not know by a status, and name another request or none.
        let probe = request.filter(|(_, request)| matches!(request, ClientRequest::DiscoverRequest(_)));
        if let Some((id, _)) =
            probe.filter(|_| !has_session && matches!(status, 400..500) && !matches!(status, 401 | 403 | 407 | 429))
        {
            let error =
                error.map_or_else(|| ErrorData::invalid_request(format!("HTTP {status}"), None), |error| error.error);
            return Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::error(error, Some(id.clone())), None));
        }
        match error {
            Some(error) => Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), None)),
            None => Err(self.error(Fault::Status { status, said: excerpt(&body, SHOWN) })),
        }
    }
}

/// The id that a server gives a session.
fn session_id(headers: &HeaderMap) -> Result<Option<String>, Fault> {
    let Some(value) = headers.get(HEADER_SESSION_ID) else { return Ok(None) };
    let bytes = value.as_bytes();
    if bytes.len() > SESSION_ID {
        let why = format!("it is {} bytes long, and {SESSION_ID} are the most", bytes.len());
        return Err(Fault::SessionId(why));
    }
    match value.to_str() {
        Ok(id) if !id.is_empty() && bytes.iter().all(u8::is_ascii_graphic) => Ok(Some(id.to_owned())),
        _ => Err(Fault::SessionId("it must consist of visible ASCII characters".to_owned())),
    }
}

/// What is known of a stream of events.
struct Following {
    events: BoxStream<'static, Result<Sse, SseError>>,
    /// The request that it has to answer.
    awaited: Option<RequestId>,
    /// Whether it can be resumed where it ends.
    has_ids: bool,
    noise: Option<String>,
    ready: Vec<Sse>,
}

/// Events of messages that can be read. One that cannot be read fails its request, and so does an end before the answer.
fn messages_of(
    events: BoxStream<'static, Result<Sse, SseError>>,
    awaited: Option<RequestId>,
) -> BoxStream<'static, Result<Sse, SseError>> {
    let following = Following { events, awaited, has_ids: false, noise: None, ready: Vec::new() };
    unfold(following, |mut following| async move { following.next().await.map(|event| (event, following)) }).boxed()
}

impl Following {
    async fn next(&mut self) -> Option<Result<Sse, SseError>> {
        if let Some(event) = self.ready.pop() {
            return Some(Ok(event));
        }
        let (event, why) = match self.events.next().await {
            Some(Ok(event)) => return Some(Ok(self.seen(event))),
            Some(Err(error)) => {
                let why = match &error {
                    SseError::Body(error) => crate::summary::one_line(&error.to_string(), SHOWN),
                    error => format!("its stream of events is damaged: {error}"),
                };
                (Some(Err(error)), why)
            }
            None => (None, "its stream of events ended before the answer".to_owned()),
        };
        // One that can be resumed is.
        let Some(id) = self.awaited.take().filter(|_| !self.has_ids) else { return event };
        let noise = self.noise.take().map(|noise| format!("; it holds what is no message: {noise}"));
        Some(Ok(event_of(&unreadable(id, &format!("{why}{}", noise.unwrap_or_default())))))
    }

    fn seen(&mut self, mut event: Sse) -> Sse {
        self.has_ids |= event.id.as_ref().is_some_and(|id| !id.is_empty());
        let Some(data) = event.data.as_deref().filter(|data| !data.trim().is_empty()) else { return event };
        match read(data.as_bytes()) {
            Read::Message(message) => {
                self.answered(&message);
                // The transport reads the text of an event once more.
                if let JsonRpcMessage::Response(JsonRpcResponse {
                    id,
                    result: ServerResult::CustomResult(CustomResult(result)),
                    ..
                }) = *message
                {
                    let wrapped = CustomResult::new(json!({ WHOLE: result }));
                    let message = JsonRpcMessage::response(ServerResult::CustomResult(wrapped), id);
                    event.data = event_of(&message).data;
                }
            }
            Read::Instead(messages) => {
                messages.iter().for_each(|message| self.answered(message));
                self.ready = messages.iter().rev().map(event_of).collect();
                event.data = None;
            }
            Read::Noise => {
                self.noise.get_or_insert_with(|| excerpt(data.as_bytes(), SHOWN));
                event.data = None;
            }
        }
        event
    }

    fn answered(&mut self, message: &ServerJsonRpcMessage) {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        // Some servers write numbers as text.
        if id.zip(self.awaited.as_ref()).is_some_and(|(id, awaited)| id.to_string() == awaited.to_string()) {
            self.awaited = None;
        }
    }
}

fn event_of(message: &ServerJsonRpcMessage) -> Sse {
    let data = serde_json::to_string(message).unwrap_or_else(|error| {
        tracing::debug!(%error, "a message cannot be written");
        String::new()
    });
    Sse::default().data(data)
}
