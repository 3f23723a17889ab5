//! Asks a server something and waits for the answer: as long as there is progress, until the caller gives up.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, CustomResult, InputRequiredResult, InputResponses,
    JsonObject, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest,
    PaginatedRequestParams, ReadResourceRequest, ReadResourceRequestParams, ServerResult,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Connection;
use super::error::CallError;
use super::inbox::Progress;
use super::lines::{WHOLE, is_unreadable};
use super::tools::{Page, page_of};
use super::web::{Fault, Refusal, WebError};

/// How long the notice that a call is cancelled may take. A server that does not read gets none.
const NOTICE: Duration = Duration::from_secs(1);

/// How long a report of progress stands before the next one.
const PROGRESS: Duration = Duration::from_millis(100);

/// How often a server may ask for more input before it gives a result.
const ROUNDS: usize = 10;
/// How long a server that asks for nothing but another try waits for it.
const AGAIN: Duration = Duration::from_millis(250);

/// Takes the progress of a call.
pub type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;

/// How a server is asked.
#[derive(Clone, Default)]
pub struct Call {
    /// Gives up.
    pub cancel: CancellationToken,
    /// Takes progress.
    pub progress: Option<OnProgress>,
}

impl Connection {
    /// Calls a tool; gives what the server answers, as it is.
    ///
    /// # Errors
    /// When there is no answer. A result that says that it is an error is an answer.
    pub async fn call_tool(&self, tool: &str, args: JsonObject, call: &Call) -> Result<Value, CallError> {
        self.inbox.forms.begin_call();
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(args);
        for _ in 0..ROUNDS {
            let request = ClientRequest::CallToolRequest(CallToolRequest::new(params.clone()));
            match self.ask(request, call).await? {
                ServerResult::InputRequiredResult(wanted) => {
                    (params.input_responses, params.request_state) = self.responses(wanted, call).await?;
                }
                result => return value(&result),
            }
        }
        Err(CallError::Garbage(format!("it asked for more input {ROUNDS} times")))
    }

    /// What a server without handshake asks in the place of a result, answered. It gets its own state back.
    async fn responses(
        &self,
        wanted: InputRequiredResult,
        call: &Call,
    ) -> Result<(Option<InputResponses>, Option<String>), CallError> {
        let mut responses = InputResponses::new();
        // One after another, as people are asked.
        for (key, request) in wanted.input_requests.unwrap_or_default() {
            let response = tokio::select! {
                biased;
                () = call.cancel.cancelled() => return Err(CallError::Cancelled),
                response = self.client.respond(&request, &call.cancel) => response,
            };
            let response = response.ok_or_else(|| {
                CallError::Garbage(
                    "it asks for something that tau does not do, or that nobody is there to answer".to_owned(),
                )
            })?;
            responses.insert(key, response);
        }
        if responses.is_empty() {
            // It only wants to be asked again.
            tokio::time::sleep(AGAIN).await;
        }
        Ok((Some(responses).filter(|responses| !responses.is_empty()), wanted.request_state))
    }

    /// A page of a list: `resources` or `resourceTemplates`.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn resources(&self, templates: bool, cursor: Option<String>) -> Result<Page, CallError> {
        let (method, key) =
            if templates { ("resources/templates/list", "resourceTemplates") } else { ("resources/list", "resources") };
        match self.page(method, key, cursor.clone()).await {
            Err(CallError::Web { is_passing: true, .. }) => self.page(method, key, cursor).await,
            done => done,
        }
    }

    /// All pages of such a list.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn all_resources(&self, templates: bool) -> Result<Vec<Value>, CallError> {
        super::tools::all_pages(|cursor| self.resources(templates, cursor)).await
    }

    /// The contents of a resource, as the server gives them.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn read_resource(&self, uri: &str, call: &Call) -> Result<Vec<Value>, CallError> {
        let request = || {
            let params = ReadResourceRequestParams::new(uri);
            ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
        };
        let result = match self.ask(request(), call).await {
            Err(CallError::Web { is_passing: true, .. }) => self.ask(request(), call).await?,
            done => done?,
        };
        match value(&result)? {
            Value::Object(mut answer) => match answer.remove("contents") {
                Some(Value::Array(contents)) => Ok(contents),
                _ => Err(CallError::Garbage("contents is no list".to_owned())),
            },
            _ => Err(CallError::Garbage("it is no object".to_owned())),
        }
    }

    pub(super) async fn page(&self, method: &str, key: &str, cursor: Option<String>) -> Result<Page, CallError> {
        let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let request = match method {
            "tools/list" => ClientRequest::ListToolsRequest(ListToolsRequest { params, ..Default::default() }),
            "prompts/list" => ClientRequest::ListPromptsRequest(ListPromptsRequest { params, ..Default::default() }),
            "resources/list" => {
                ClientRequest::ListResourcesRequest(ListResourcesRequest { params, ..Default::default() })
            }
            _ => ClientRequest::ListResourceTemplatesRequest(ListResourceTemplatesRequest {
                params,
                ..Default::default()
            }),
        };
        page_of(value(&self.ask(request, &Call::default()).await?)?, key)
    }

    pub(super) async fn ask(&self, request: ClientRequest, call: &Call) -> Result<ServerResult, CallError> {
        if call.cancel.is_cancelled() {
            return Err(CallError::Cancelled);
        }
        let is_call = matches!(request, ClientRequest::CallToolRequest(_));
        let mut done = self.asked(request, call).await;
        if let Err(Ended::Gone) = done {
            done = tokio::select! {
                biased;
                () = call.cancel.cancelled() => Err(CallError::Cancelled.into()),
                error = self.closed(is_call) => Err(error.into()),
            };
        }
        done.map_err(|ended| match ended {
            Ended::Error(error) => error,
            Ended::Gone => CallError::Closed,
        })
    }

    async fn asked(&self, request: ClientRequest, call: &Call) -> Result<ServerResult, Ended> {
        let sent = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options());
        let mut deadline = Instant::now() + self.timeout;
        let mut handle = tokio::select! {
            biased;
            () = self.lost.cancelled() => return Err(Ended::Gone),
            handle = sent => handle.map_err(|error| self.failed(error))?,
            () = tokio::time::sleep_until(deadline) => return Err(CallError::TimedOut(self.timeout).into()),
        };
        let mut progress = self.inbox.watch(handle.progress_token.clone());
        let mut asking = self.inbox.forms.open();
        // Reports are not more frequent than people read; the deadline is put off by each.
        let (mut quiet, mut is_due) = (Instant::now(), false);
        let (why, reason) = loop {
            tokio::select! {
                biased;
                answer = &mut handle.rx => {
                    // The last progress often comes right before the answer.
                    if is_due || matches!(progress.has_changed(), Ok(true)) {
                        call.tell(&mut progress);
                    }
                    return answer.map_err(|_| Ended::Gone)?.map_err(|error| self.failed(error));
                }
                () = call.cancel.cancelled() => break (CallError::Cancelled, "the user cancelled the call"),
                () = self.lost.cancelled() => return Err(Ended::Gone),
                Ok(()) = progress.changed() => {
                    deadline = Instant::now() + self.timeout;
                    is_due = true;
                }
                () = tokio::time::sleep_until(quiet), if is_due => {
                    (quiet, is_due) = (Instant::now() + PROGRESS, false);
                    call.tell(&mut progress);
                }
                // The user may take any time to answer a question.
                Ok(()) = asking.changed() => {
                    deadline = Instant::now() + self.timeout;
                }
                () = tokio::time::sleep_until(deadline), if *asking.borrow() == 0 => break (CallError::TimedOut(self.timeout), "the request timed out"),
            }
        };
        if tokio::time::timeout(NOTICE, handle.cancel(Some(reason.to_owned()))).await.is_err() {
            tracing::debug!("an MCP server does not read that a call is cancelled");
        }
        Err(why.into())
    }

    fn failed(&self, error: ServiceError) -> Ended {
        Ended::Error(match error {
            ServiceError::McpError(error) if is_unreadable(&error) => CallError::Garbage(error.message.into_owned()),
            ServiceError::McpError(error) => {
                CallError::Server { code: error.code.0, message: error.message.into_owned() }
            }
            ServiceError::TransportSend(error) => match error.error.downcast_ref::<Refusal>() {
                Some(refusal) => return self.unsent(refusal).into(),
                None => return Ended::Gone,
            },
            ServiceError::TransportClosed => return Ended::Gone,
            ServiceError::Cancelled { .. } => CallError::Cancelled,
            other => CallError::Garbage(other.to_string()),
        })
    }

    /// What a request of the web failed with.
    fn unsent(&self, refusal: &Refusal) -> CallError {
        match Fault::of(refusal) {
            Fault::NeedsSignIn(challenge) => CallError::NeedsSignIn(challenge),
            fault => {
                if fault == Fault::SessionExpired {
                    // The next call connects anew. This one is not repeated: nobody knows whether it was done.
                    self.lost.cancel();
                }
                let is_passing = fault.is_passing();
                let error = WebError { address: Arc::clone(&self.address), fault };
                CallError::Web { message: error.to_string(), is_passing }
            }
        }
    }
}

/// Why there is no answer.
enum Ended {
    /// The connection is gone.
    Gone,
    Error(CallError),
}

impl From<CallError> for Ended {
    fn from(error: CallError) -> Self {
        Self::Error(error)
    }
}

impl Call {
    fn tell(&self, progress: &mut watch::Receiver<Option<Progress>>) {
        let now = progress.borrow_and_update().clone();
        if let (Some(now), Some(tell)) = (now, &self.progress) {
            tell(now);
        }
    }
}

/// An answer as data.
pub(super) fn value(result: &ServerResult) -> Result<Value, CallError> {
    let mut value = match result {
        ServerResult::CustomResult(CustomResult(value)) => return Ok(value.get(WHOLE).unwrap_or(value).clone()),
        result => serde_json::to_value(result).map_err(|error| CallError::Garbage(error.to_string()))?,
    };
    for list in ["content", "contents", "resources", "resourceTemplates"] {
        for item in value.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            exact(item);
        }
    }
    Ok(value)
}

/// The library keeps priorities with fewer digits than they are written with.
fn exact(item: &mut Value) {
    let Some(priority) = item.pointer_mut("/annotations/priority") else { return };
    let written = priority.as_f64().and_then(|number| format!("{}", number as f32).parse().ok());
    if let Some(number) = written.and_then(serde_json::Number::from_f64) {
        *priority = Value::Number(number);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_those_of_the_server() {
        let answer = json!({"content": [{"type": "text", "text": "a", "annotations": {"priority": 0.7}}]});
        let result: ServerResult = serde_json::from_value(answer).expect("a result");
        let written = value(&result).expect("data");
        assert_eq!(written["content"][0]["annotations"]["priority"], json!(0.7));
    }
}
