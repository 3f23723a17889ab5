//! Repeating a request that failed: when, how often, and after which pause.

use std::time::Duration;

use tau_ai::{AssistantMessage, retry_after};

use crate::settings::RetrySettings;

/// The next attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RetryPlan {
    /// Counts from 1.
    pub(crate) attempt: u32,
    /// How many there will be at most.
    pub(crate) max_attempts: u32,
    /// The pause before it.
    pub(crate) delay: Duration,
    /// Why the last one failed.
    pub(crate) error_message: String,
}

impl RetryPlan {
    /// [`Self::delay`] in milliseconds.
    pub(crate) fn delay_ms(&self) -> u64 {
        u64::try_from(self.delay.as_millis()).unwrap_or(u64::MAX)
    }
}

/// What to do about a failed answer after `made` attempts; `None` is nothing. The pause doubles with every attempt and
/// is as long as the provider asks for, at least.
pub(crate) fn retry_plan(settings: &RetrySettings, made: u32, answer: &AssistantMessage) -> Option<RetryPlan> {
    if !settings.enabled || made >= settings.max_retries {
        return None;
    }
    let wanted = retry_after(answer).unwrap_or_default();
    // Nobody sits in front of a session for hours; the error says what the provider wants.
    if settings.max_wanted.is_some_and(|limit| wanted > limit) {
        return None;
    }
    let doubled = 1_u32.checked_shl(made).map_or(settings.max_delay, |times| settings.base_delay.saturating_mul(times));
    Some(RetryPlan {
        attempt: made + 1,
        max_attempts: settings.max_retries,
        delay: doubled.min(settings.max_delay).max(wanted),
        error_message: answer.error_message.clone().unwrap_or_else(|| "Unknown error".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn settings() -> RetrySettings {
        RetrySettings {
            enabled: true,
            max_retries: 40,
            base_delay: Duration::from_secs(2),
            max_delay: Duration::from_secs(60),
            max_wanted: Some(Duration::from_secs(60)),
        }
    }

    fn wanting(millis: u64) -> AssistantMessage {
        let mut answer = AssistantMessage::empty();
        answer.extra.insert("retryAfterMs".to_owned(), json!(millis));
        answer
    }

    #[test]
    fn the_pause_doubles_up_to_a_limit() {
        let delay = |made| retry_plan(&settings(), made, &wanting(0)).map(|plan| plan.delay.as_secs());
        assert_eq!(
            [0, 1, 2, 4, 5, 31, 32, 39, 40].map(delay),
            [Some(2), Some(4), Some(8), Some(32), Some(60), Some(60), Some(60), Some(60), None]
        );
    }

    #[test]
    fn a_provider_gets_the_pause_it_asks_for_within_reason() {
        let delay = |millis| retry_plan(&settings(), 1, &wanting(millis)).map(|plan| plan.delay_ms());
        assert_eq!([3_999, 4_001, 60_000, 60_001].map(delay), [Some(4_000), Some(4_001), Some(60_000), None]);
        let patient = RetrySettings { max_wanted: None, ..settings() };
        assert_eq!(retry_plan(&patient, 0, &wanting(7_200_000)).map(|plan| plan.delay.as_secs()), Some(7200));
    }

    #[test]
    fn nothing_is_repeated_when_that_is_switched_off() {
        assert_eq!(retry_plan(&RetrySettings { enabled: false, ..settings() }, 0, &wanting(0)), None);
        assert_eq!(retry_plan(&RetrySettings { max_retries: 0, ..settings() }, 0, &wanting(0)), None);
    }
}
