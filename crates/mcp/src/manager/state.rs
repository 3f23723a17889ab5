//! How far a server is.

/// How far a server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The user does not want it.
    Disabled,
    /// It was not tried yet.
    Starting,
    /// It is being connected.
    Connecting,
    /// It is there.
    Connected,
    /// It wants a login.
    NeedsSignIn,
    /// It cannot be connected.
    Failed,
    /// It was there; the next call connects it again.
    Disconnected,
}

impl State {
    /// The word in lists.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Starting => "starting",
            Self::Connecting => "connecting",
            Self::Connected => "connected",
            Self::NeedsSignIn => "needs-auth",
            Self::Failed => "failed",
            Self::Disconnected => "disconnected",
        }
    }

    /// Whether it will be another one soon.
    pub(super) fn is_passing(self) -> bool {
        matches!(self, Self::Starting | Self::Connecting)
    }
}

/// A server at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerStatus {
    /// How far it is.
    pub state: State,
    /// Why it is not there.
    pub error: Option<String>,
    /// What it says about signing in.
    pub challenge: Option<String>,
    /// How many tools it has.
    pub tools: usize,
    /// Whether it has resources.
    pub has_resources: bool,
}

impl ServerStatus {
    /// Nothing is known of a server but how far it is.
    pub(super) fn new(state: State) -> Self {
        Self { state, error: None, challenge: None, tools: 0, has_resources: false }
    }
}
