//! What a provider keeps of a conversation, so that a request need only say what is new.

/// The thread of a conversation at its provider.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum Thread {
    /// The next request begins one.
    #[default]
    New,
    /// The next request may continue one.
    Open(OpenThread),
    /// The provider does not want threads in this conversation.
    Off,
}

/// A thread that can be continued.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OpenThread {
    /// How many messages the provider has.
    pub count: usize,
    /// A hash over them and over everything else that must not change.
    pub hash: u64,
    /// The id of the last answer.
    pub reply: String,
}
