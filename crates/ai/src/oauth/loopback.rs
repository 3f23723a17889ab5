//! Where the browser comes back to, for logins whose protocol is the matter of others.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use url::Url;

use super::callback::Callback;
use super::client::host_of;
use super::code::{self, Page};
use super::login::LoginUi;

/// An address of this machine that lives as long as a login.
pub struct Loopback(Callback);

/// Why no code came back. No text holds a code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LoopbackError(String);

/// What came back.
#[derive(Clone, PartialEq, Eq)]
pub struct ReturnedCode {
    /// The authorization code.
    pub code: String,
    /// The server that it says it is from.
    pub issuer: Option<String>,
}

/// What a code is waited for with.
pub struct CodeWait<'w> {
    /// The page to open.
    pub page: &'w Url,
    /// What marks this login.
    pub state: &'w str,
    /// How long the user may take.
    pub patience: Duration,
    /// Who opens the page.
    pub ui: &'w Arc<dyn LoginUi>,
    /// Gives up.
    pub cancel: &'w CancellationToken,
}

impl Loopback {
    /// Listens at the port of an address of this machine, or at a free one where it names none.
    ///
    /// # Errors
    /// When this machine does not allow that.
    pub async fn listen(wanted: &Url) -> Result<Self, LoopbackError> {
        Callback::listen(wanted).await.map(Self).map_err(|failure| LoopbackError(failure.to_string()))
    }

    /// The address, with its port.
    pub fn url(&self) -> &Url {
        &self.0.url
    }

    /// Shows a page and waits for the code that the browser brings or the user pastes.
    ///
    /// # Errors
    /// When the user left or took too long, or the server refused.
    pub async fn code(&self, wait: CodeWait<'_>) -> Result<ReturnedCode, LoopbackError> {
        let CodeWait { page, state, patience, ui, cancel } = wait;
        let host = host_of(page);
        let page = Page { url: page, host: &host, state: Some(state), patience, callback: Some(&self.0) };
        let code = code::code(page, ui, cancel).await.map_err(|failure| LoopbackError(failure.to_string()))?;
        Ok(ReturnedCode { code: code.text, issuer: code.issuer })
    }
}
