//! Who speaks with the client about a session.

use std::sync::Arc;

use super::dialogs::Asker;
use super::outbox::Outbox;
use super::teller::Teller;

/// Who speaks with the client about a session, also before there is one.
#[derive(Clone)]
pub(super) struct Speakers {
    pub(super) outbox: Arc<Outbox>,
    pub(super) teller: Arc<Teller>,
    pub(super) asker: Arc<Asker>,
}
