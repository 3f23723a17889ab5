//! Lets the libraries of AWS send their own requests (sign-on, roles, machines) over the client that all formats share.

use std::fmt;
use std::time::Duration;

use aws_smithy_runtime_api::client::http::{
    HttpClient as AwsClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;

use crate::wire::http::HttpClient;

/// Used where the libraries set no limit.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A client in the form that the libraries want.
#[derive(Clone)]
pub(super) struct Connector {
    http: HttpClient,
    timeout: Duration,
}

impl Connector {
    pub fn new(http: HttpClient) -> Self {
        Self { http, timeout: TIMEOUT }
    }

    async fn send(self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let timeout = self.timeout;
        match tokio::time::timeout(timeout, self.exchange(request)).await {
            Ok(answer) => answer,
            Err(_) => Err(ConnectorError::timeout(format!("no answer within {} s", timeout.as_secs_f32()).into())),
        }
    }

    async fn exchange(self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let url = reqwest::Url::parse(request.uri()).map_err(|error| ConnectorError::user(error.into()))?;
        let method = reqwest::Method::from_bytes(request.method().as_bytes());
        let method = method.map_err(|error| ConnectorError::user(error.into()))?;
        let client = self.http.for_url(&url).await.map_err(|error| ConnectorError::user(error.to_string().into()))?;
        let mut sent = client.request(method, url);
        for (name, value) in request.headers() {
            sent = sent.header(name, value);
        }
        if let Some(body) = request.body().bytes() {
            sent = sent.body(body.to_vec());
        }
        // The address may hold a token.
        let io = |error: reqwest::Error| ConnectorError::io(Box::new(error.without_url()));
        let answer = sent.send().await.map_err(io)?;
        let status =
            StatusCode::try_from(answer.status().as_u16()).map_err(|error| ConnectorError::user(error.into()))?;
        let headers = answer.headers().clone();
        let body = answer.bytes().await.map_err(io)?;
        let mut response = HttpResponse::new(status, SdkBody::from(body.to_vec()));
        for (name, value) in &headers {
            if let Ok(value) = value.to_str() {
                response.headers_mut().append(name.as_str().to_owned(), value.to_owned());
            }
        }
        Ok(response)
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        HttpConnectorFuture::new(self.clone().send(request))
    }
}

impl AwsClient for Connector {
    fn http_connector(&self, settings: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        let limits = [settings.connect_timeout(), settings.read_timeout()];
        let timeout = limits.into_iter().flatten().reduce(|sum, limit| sum + limit).unwrap_or(TIMEOUT);
        SharedHttpConnector::new(Self { http: self.http.clone(), timeout })
    }
}
