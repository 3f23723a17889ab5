//! A login as the rest of tau sees it, and the user as a login sees them.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::{JsonMap, Model, Secrets};

/// How a provider logs in. Credentials are objects as they stand in `auth.json`: `access`, `refresh`, `expires`
/// (milliseconds since the Unix epoch) and whatever else the provider keeps.
///
/// What goes wrong is told as a text for people; callers take the secrets of the credential out of it.
#[async_trait]
pub trait OAuth: Send + Sync {
    /// The name shown to people.
    fn name(&self) -> &str;

    /// Whose login this is: the path of an extension, or the server that people sign in at.
    fn extension(&self) -> &str;

    /// Logs in; the result is the credential to keep.
    ///
    /// # Errors
    /// When the user left, or the provider refused.
    async fn login(&self, ui: Arc<dyn LoginUi>, cancel: CancellationToken) -> Result<JsonMap, String>;

    /// A new credential in place of one that is about to expire. Fires `cancel` when nobody waits any more.
    ///
    /// # Errors
    /// When the provider refused.
    async fn refresh(&self, credential: &JsonMap, cancel: CancellationToken) -> Result<JsonMap, String>;

    /// The key to send with requests.
    ///
    /// # Errors
    /// When the credential gives none.
    async fn api_key(&self, credential: &JsonMap) -> Result<String, String>;

    /// The provider's models for somebody with that credential; `None` leaves them as they are.
    ///
    /// # Errors
    /// When they cannot be told.
    async fn modify_models(&self, models: &[Arc<Model>], credential: &JsonMap) -> Result<Option<Vec<Model>>, String>;
}

/// Whoever logs in.
#[async_trait]
pub trait LoginUi: Send + Sync {
    /// Shows something; nobody answers.
    fn show(&self, notice: LoginNotice);

    /// Whether a page can be opened in a browser on this machine.
    fn has_browser(&self) -> bool {
        true
    }

    /// Asks something; `None` when the user left.
    async fn ask(&self, question: LoginQuestion) -> Option<String>;
}

/// What a login shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginNotice {
    /// A page to open.
    Url {
        /// Its address.
        url: String,
        /// What to do there.
        instructions: Option<String>,
    },
    /// A code to type in on a page.
    DeviceCode {
        /// The code.
        code: String,
        /// The address of the page.
        url: String,
    },
    /// What happens at the moment.
    Progress(String),
}

impl fmt::Display for LoginNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url { url, instructions: Some(text) } => write!(f, "Open {url} to log in. {text}"),
            Self::Url { url, instructions: None } => write!(f, "Open {url} to log in."),
            Self::DeviceCode { code, url } => write!(f, "Open {url} and enter the code {code}."),
            Self::Progress(text) => f.write_str(text),
        }
    }
}

/// What a login asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginQuestion {
    /// A line of text.
    Text {
        /// The question.
        message: String,
        /// Shown while nothing is typed.
        placeholder: Option<String>,
    },
    /// The code that the provider's page showed, for when it does not find its way back by itself.
    Code,
    /// One of several; the answer is the id.
    Choice {
        /// The question.
        message: String,
        /// Id and label of each.
        options: Vec<(String, String)>,
    },
}

/// A text without the values of the credential, which a careless message may hold.
pub fn without_secrets(text: &str, credential: &JsonMap) -> String {
    Secrets::of_credential(credential).hide(text.to_owned())
}
