//! Code of extensions that nobody's session waits for, such as what draws on the screen.

use std::time::Duration;

use rquickjs::Ctx;

use super::Core;
use crate::engine::{ExtensionId, Fault, FaultKind};

impl Core {
    /// Runs `work` as a stretch of an extension within so much processor time, then the jobs that became ready, which have
    /// the usual time.
    ///
    /// When it is stopped, nothing but this has failed: calls of the extension that are under way stay under way, gates
    /// among them, and its jobs are not cleared. That is sound because `work` is called from outside, and nothing that is
    /// under way waits for what it does before it first awaits something.
    ///
    /// # Errors
    /// What `work` failed with, or was stopped for; also when it was done, and what it left for promises to do had to be
    /// stopped: nobody else would hear of that.
    pub fn attempt<T>(
        &self,
        extension: ExtensionId,
        budget: Duration,
        work: impl FnOnce(&Ctx<'_>) -> rquickjs::Result<T>,
    ) -> Result<T, Fault> {
        let outer = self.attempting.replace(Some((extension, None)));
        let done = self.enter(extension, |ctx| {
            self.limits.arm_for(budget);
            let done = work(ctx).and_then(|done| self.is_whole(ctx).map(|()| done));
            // What was stopped has told of itself; the jobs behind it are others' as well.
            let done = done.map_err(|error| match error {
                rquickjs::Error::Exception => Fault::caught(ctx, self, extension),
                error => Fault { message: error.to_string(), ..Fault::gone(extension, "") },
            });
            self.limits.arm();
            done
        });
        let left = self.attempting.replace(outer).and_then(|(_, left)| left);
        let done = match (done, left) {
            (Ok(_), Some(fault)) => Err(fault),
            (done, _) => done.map_err(|fault| Fault { extension, ..fault }),
        };
        if done.as_ref().is_err_and(|fault| fault.kind.cuts_off()) {
            // What would have given it back does not run any more.
            self.activity().give_terminal_back(Some(extension));
        }
        done
    }

    /// A job was stopped: one that was left behind by what is tried just now is for it to tell, once.
    pub(super) fn left_behind(&self, fault: &Fault) -> bool {
        let is_limit = matches!(fault.kind, FaultKind::TooLong | FaultKind::OutOfMemory);
        match &mut *self.attempting.borrow_mut() {
            Some((extension, left)) if *extension == fault.extension && is_limit => {
                // As one that was stopped: its limit is not that of what was tried.
                left.get_or_insert_with(|| Fault { kind: FaultKind::Stopped, ..fault.clone() });
                true
            }
            _ => false,
        }
    }
}
