//! Operations with one answer: a request goes out through the same door as a conversation's, and a JSON document comes back.
//!
//! Every format builds the body and reads the document; the rest is here.

mod answers;
mod decisions;
mod llama_cpp;
mod openrouter_images;
mod system_one;

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use super::driver::ABORTED;
use super::error::WireError;
use super::http::{self, Credential, HttpClient, Outgoing};
use super::rules::Rules;
use crate::{
    AssistantImages, ClassifierApi, ClassifierContext, ClassifierResult, ImagesApi, ImagesContext, OperationRequest,
    Secrets, StopReason, StreamRequest,
};

/// How often a question to a classifier is repeated when nothing else is said: nobody else repeats it.
const REPEATS_OF_CLASSIFIERS: u32 = 2;

/// The formats of classifiers.
pub(super) fn classifiers(http: &Arc<HttpClient>) -> Vec<(&'static str, Arc<dyn ClassifierApi>)> {
    fn entry<F: Classifier>(http: &Arc<HttpClient>) -> (&'static str, Arc<dyn ClassifierApi>) {
        (F::API, Arc::new(Operation { http: Arc::clone(http), format: F::default() }))
    }
    vec![
        entry::<system_one::TypeSafe>(http),
        entry::<system_one::WorkersAi>(http),
        entry::<decisions::Format>(http),
        entry::<llama_cpp::Format>(http),
    ]
}

/// The formats of models that make pictures.
pub(super) fn images(http: &Arc<HttpClient>) -> Vec<(&'static str, Arc<dyn ImagesApi>)> {
    let format = openrouter_images::Format;
    vec![(openrouter_images::API, Arc::new(Operation { http: Arc::clone(http), format }))]
}

/// A wire format of classifiers.
trait Classifier: Default + Send + Sync + 'static {
    /// The name that models refer to it by.
    const API: &'static str;

    /// Puts answers and usage into the result. What was used stays there when the answers make no sense: it was charged.
    fn ask(
        &self,
        door: &Door,
        context: &ClassifierContext,
        result: &mut ClassifierResult,
    ) -> impl Future<Output = Result<(), WireError>> + Send;
}

/// A format over an HTTP client.
struct Operation<F> {
    http: Arc<HttpClient>,
    format: F,
}

#[async_trait]
impl<F: Classifier> ClassifierApi for Operation<F> {
    async fn classify(&self, request: OperationRequest<ClassifierContext>) -> ClassifierResult {
        let mut result = ClassifierResult::of(&request.model, request.options.sources.clock.now_ms());
        let door = Door::new(self.http.limited(request.limits, REPEATS_OF_CLASSIFIERS), request.envelope());
        let asked = async {
            if !request.context.images.is_empty() && !request.model.accepts_images() {
                let text = format!("{} of {} takes no pictures", request.model.id, request.model.provider);
                return Err(WireError::Config(text));
            }
            self.format.ask(&door, &request.context, &mut result).await
        };
        if let Some((reason, text)) = ended(&request.cancel, asked).await {
            result.answers.clear();
            result.stop_reason = reason;
            result.error_message = Some(door.secrets.hide(text));
        }
        result
    }
}

#[async_trait]
impl ImagesApi for Operation<openrouter_images::Format> {
    async fn generate(&self, request: OperationRequest<ImagesContext>) -> AssistantImages {
        let mut result = AssistantImages::of(&request.model, request.options.sources.clock.now_ms());
        let door = Door::new(self.http.limited(request.limits, 0), request.envelope());
        if let Some((reason, text)) =
            ended(&request.cancel, self.format.ask(&door, &request.context, &mut result)).await
        {
            result.stop_reason = reason;
            result.error_message = Some(door.secrets.hide(text));
        }
        result
    }
}

/// Waits for an operation, unless it is cancelled; says how it failed.
async fn ended(
    cancel: &tokio_util::sync::CancellationToken,
    work: impl Future<Output = Result<(), WireError>>,
) -> Option<(StopReason, String)> {
    // Dropping the work is what closes the connection.
    tokio::select! {
        biased;
        () = cancel.cancelled() => Some((StopReason::Aborted, ABORTED.to_owned())),
        done = work => done.err().map(|error| (StopReason::Error, error.to_string())),
    }
}

/// The way out for one operation, which may send several requests.
struct Door {
    http: HttpClient,
    /// What no error may quote.
    secrets: Secrets,
    request: StreamRequest,
}

impl Door {
    fn new(http: HttpClient, request: StreamRequest) -> Self {
        Self { http, secrets: Secrets::of_request(&request), request }
    }

    /// The model that is asked.
    fn model(&self) -> &crate::Model {
        &self.request.model
    }

    /// The base URL of the model, without the slash at its end.
    fn base_url(&self) -> &str {
        self.request.model.base_url.trim_end_matches('/')
    }

    /// The key as a bearer token, if there is one.
    fn bearer(&self) -> Option<(&'static str, String)> {
        let key = self.request.options.api_key.as_ref()?;
        Some(("authorization", format!("Bearer {}", key.expose())))
    }

    /// Sends a body that handlers may see and change, and reads the document that comes back.
    async fn post(&self, url: String, body: Value, rules: Rules) -> Result<Value, WireError> {
        let credential = self.bearer().into();
        self.send(&self.request, Outgoing { url, headers: headers(), credential, body: body.into() }, rules).await
    }

    /// The same with one more header, unless the configuration has it.
    async fn post_with(
        &self,
        (name, value): (&str, &str),
        url: String,
        body: Value,
        rules: Rules,
    ) -> Result<Value, WireError> {
        let mut headers = headers();
        headers.insert(name.to_owned(), value.to_owned());
        let credential = self.bearer().into();
        self.send(&self.request, Outgoing { url, headers, credential, body: body.into() }, rules).await
    }

    /// The same where no key is needed. `shown` says whether handlers see the body.
    async fn post_open(&self, url: String, body: Value, rules: Rules, shown: bool) -> Result<Value, WireError> {
        let credential = self.bearer().map_or(Credential::Open, |key| Some(key).into());
        let out = Outgoing { url, headers: headers(), credential, body: body.into() };
        if shown {
            return self.send(&self.request, out, rules).await;
        }
        let unseen = StreamRequest { hooks: None, ..self.request.clone() };
        self.send(&unseen, out, rules).await
    }

    async fn send(&self, request: &StreamRequest, out: Outgoing, rules: Rules) -> Result<Value, WireError> {
        let mut answer = http::send(&self.http, request, out, rules).await?;
        let provider = &request.model.provider;
        let Some(document) = answer.next().await? else {
            return Err(WireError::Protocol(format!("The answer of {provider} is empty")));
        };
        serde_json::from_str(&document.data)
            .map_err(|error| answer.bad_event(&error, &document.data, &format!("The answer of {provider} ended early")))
    }
}

fn headers() -> BTreeMap<String, String> {
    [
        ("accept", "application/json"),
        ("content-type", "application/json"),
        ("user-agent", concat!("tau/", env!("CARGO_PKG_VERSION"))),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}
