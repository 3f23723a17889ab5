//! What every wire format has of its own, and the stream that is made of it.

use std::future::Future;
use std::sync::Arc;

use super::driver::{self, Emitter};
use super::error::WireError;
use super::http::{self, Answer, HttpClient, Outgoing};
use super::rules::Rules;
use crate::{MessageStream, StopReason, StreamApi, StreamRequest};

/// A wire format. One value serves all requests of a registry, so that it may keep what one request learns for the next.
pub(super) trait Format: Default + Send + Sync + 'static {
    /// The name models refer to it by.
    const API: &'static str;
    /// What it shares with others, and how it differs from them.
    const RULES: Rules;

    /// Builds a request.
    ///
    /// # Errors
    /// When the configuration makes none, or a message has no JSON form.
    fn prepare(&self, request: &StreamRequest) -> Result<Outgoing, WireError>;

    /// Emits the events of an answer; its result is how the answer ended.
    fn read(
        &self,
        answer: Answer,
        request: &StreamRequest,
        emitter: &Emitter,
    ) -> impl Future<Output = Result<StopReason, WireError>> + Send;

    /// A whole request. Formats that may send another one where the first is refused replace this.
    fn run(
        &self,
        http: &HttpClient,
        request: &StreamRequest,
        emitter: &Emitter,
    ) -> impl Future<Output = Result<StopReason, WireError>> + Send {
        async move {
            let out = self.prepare(request)?;
            let answer = http::send(http, request, out, Self::RULES).await?;
            self.read(answer, request, emitter).await
        }
    }
}

/// A format over an HTTP client.
pub(super) struct Wire<F> {
    http: Arc<HttpClient>,
    format: Arc<F>,
}

impl<F: Format> Wire<F> {
    /// The entry of a format in the list of all.
    pub fn entry(http: &Arc<HttpClient>) -> (&'static str, Arc<dyn StreamApi>) {
        (F::API, Arc::new(Self { http: Arc::clone(http), format: Arc::default() }))
    }
}

impl<F: Format> StreamApi for Wire<F> {
    fn stream(&self, request: StreamRequest) -> MessageStream {
        let (http, format) = (Arc::clone(&self.http), Arc::clone(&self.format));
        driver::stream(request, move |request, emitter| async move { format.run(&http, &request, &emitter).await })
    }
}
