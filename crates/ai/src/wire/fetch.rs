//! Reads a text from an address: no request to a model, and without a credential.

use reqwest::Url;
use reqwest::header::LOCATION;

use super::http::HttpClient;

/// Most redirections that are followed.
const MOST_REDIRECTIONS: usize = 5;

/// Why a text could not be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// It is no address of the web.
    #[error("{0} is not an http or https address")]
    Address(String),
    /// The client could not be set up, or the connection failed.
    #[error("{url}: {reason}")]
    Connection {
        /// The address.
        url: String,
        /// Why.
        reason: String,
    },
    /// The server answered something else.
    #[error("{url} answered with status {status}")]
    Status {
        /// The address.
        url: String,
        /// The status.
        status: u16,
    },
    /// The answer is too long.
    #[error("{url} sends more than {most} bytes")]
    TooLong {
        /// The address.
        url: String,
        /// The limit.
        most: usize,
    },
    /// The answer is not text.
    #[error("{0} does not send text")]
    NotText(String),
}

impl HttpClient {
    /// The text at an address, of at most `most` bytes. Redirections are followed, never from https to http.
    ///
    /// # Errors
    /// When it cannot be had, or is too long, or is not UTF-8.
    pub async fn text(&self, address: &str, most: usize) -> Result<String, FetchError> {
        let bad = || FetchError::Address(address.to_owned());
        let mut url = Url::parse(address).map_err(|_| bad())?;
        for _ in 0..=MOST_REDIRECTIONS {
            if !matches!(url.scheme(), "http" | "https") {
                return Err(bad());
            }
            let mut response = self.answer(&url).await?;
            let status = response.status();
            if status.is_redirection()
                && let Some(next) = response.headers().get(LOCATION).and_then(|next| next.to_str().ok())
            {
                let next = url.join(next).map_err(|_| bad())?;
                if url.scheme() == "https" && next.scheme() != "https" {
                    return Err(FetchError::Address(next.to_string()));
                }
                url = next;
                continue;
            }
            if !status.is_success() {
                return Err(FetchError::Status { url: url.to_string(), status: status.as_u16() });
            }
            let mut body = Vec::new();
            while let Some(chunk) = response.chunk().await.map_err(|error| failed(&url, error))? {
                body.extend_from_slice(&chunk);
                if body.len() > most {
                    return Err(FetchError::TooLong { url: url.to_string(), most });
                }
            }
            return String::from_utf8(body).map_err(|_| FetchError::NotText(url.to_string()));
        }
        Err(FetchError::Connection { url: address.to_owned(), reason: "too many redirections".to_owned() })
    }

    async fn answer(&self, url: &Url) -> Result<reqwest::Response, FetchError> {
        let client = self.for_url(url).await;
        let client =
            client.map_err(|error| FetchError::Connection { url: url.to_string(), reason: error.to_string() })?;
        let request = client.get(url.clone()).header("accept", "application/json");
        request
            .header("user-agent", concat!("tau/", env!("CARGO_PKG_VERSION")))
            .send()
            .await
            .map_err(|error| failed(url, error))
    }
}

fn failed(url: &Url, error: reqwest::Error) -> FetchError {
    let error = error.without_url();
    let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
    FetchError::Connection { url: url.to_string(), reason: format!("{error}{cause}") }
}
