//! Compactions: shown as such by clients that know them, else as thoughts.

use agent_client_protocol::v1::schema::{CompactionStatus, CompactionUpdate, SessionUpdate};
use tau_hooks::payload::CompactionDone;

use super::{Teller, text_block};

impl Teller {
    pub(super) fn compaction_begins(&self) {
        let number = {
            let mut state = self.state.lock();
            state.compactions += 1;
            state.compactions
        };
        if self.client.compactions {
            self.compaction(number, CompactionStatus::InProgress, |update| update)
        } else {
            self.remark("The conversation is being compacted.\n")
        }
    }

    pub(super) fn compaction_ends(&self, done: Option<&CompactionDone>, aborted: bool, error: Option<&str>) {
        let number = self.state.lock().compactions;
        match (self.client.compactions, done) {
            (true, Some(done)) => self.compaction(number, CompactionStatus::Completed, |update| {
                update.summary(vec![text_block(&done.summary)])
            }),
            (true, None) if aborted => self.compaction(number, CompactionStatus::Cancelled, |update| update),
            (true, None) => self.compaction(number, CompactionStatus::Failed, |update| match error {
                Some(error) => update.error(error.to_owned()),
                None => update,
            }),
            (false, Some(done)) => self.remark(&format!("The conversation was compacted:\n\n{}\n", done.summary)),
            (false, None) => {
                let why = error.map(|error| format!(": {error}")).unwrap_or_default();
                self.remark(&format!("The conversation was not compacted{why}\n"));
            }
        }
    }

    pub(super) fn compaction(
        &self,
        number: u64,
        status: CompactionStatus,
        with: impl FnOnce(CompactionUpdate) -> CompactionUpdate,
    ) {
        let update = with(CompactionUpdate::new(format!("compaction-{number}"), status));
        self.outbox.push(SessionUpdate::CompactionUpdate(update));
    }
}
