//! What fails in the middle of a run that continues: said on standard error as it happens.

use std::sync::Arc;

use parking_lot::Mutex;
use tau_agent::{AgentSession, SessionEvent, short_error};
use tau_hooks::payload::CompactReason;

use crate::diagnostics;

/// Says from now on why a request is made again, and why there is no more room in the conversation.
pub(super) fn tell(session: &Arc<AgentSession>) {
    // Where it fails for good, it fails before each request, with the same words.
    let last = Mutex::new(None);
    let last_failure = Mutex::new(None);
    session.listen(move |event| match event {
        SessionEvent::AutoRetryStart { attempt, max_attempts, delay_ms, error_message } => {
            let seconds = delay_ms.div_ceil(1000);
            let why = short_error(error_message).trim_end_matches('.').to_owned();
            let known = last_failure.lock().replace(why.clone()).as_ref() == Some(&why) && *attempt > 1;
            let failed = if known { " again".to_owned() } else { format!(": {why}") };
            diagnostics::line(&format!(
                "The request failed{failed}. Trying again in {seconds} s (attempt {attempt} of {max_attempts})."
            ));
        }
        SessionEvent::CompactionEnd { reason, error_message: Some(why), .. } if *reason != CompactReason::Manual => {
            let why = short_error(why);
            if last.lock().replace(why.clone()).as_ref() != Some(&why) {
                diagnostics::warning(&why);
            }
        }
        _ => {}
    });
}
