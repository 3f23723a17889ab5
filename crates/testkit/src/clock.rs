//! Time that stands still until a test moves it.

use std::time::Duration;

/// The clock of a test: timers of this runtime fire when the clock is advanced, or, when every task waits for a
/// timer, at once. Dropping it lets time go on. Needs a runtime on the current thread.
#[must_use = "time goes on when the clock is dropped"]
pub struct VirtualClock {
    started: tokio::time::Instant,
}

impl VirtualClock {
    /// Stops time.
    ///
    /// # Panics
    /// Outside of a runtime on the current thread, and when time stands still already.
    pub fn pause() -> Self {
        tokio::time::pause();
        Self { started: tokio::time::Instant::now() }
    }

    /// Moves time on and lets what was waiting for it happen.
    pub async fn advance(&self, by: Duration) {
        tokio::time::advance(by).await;
        tokio::task::yield_now().await;
    }

    /// How far time has moved since it was stopped.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

impl Drop for VirtualClock {
    fn drop(&mut self) {
        // Without a runtime there is no time left to resume.
        if tokio::runtime::Handle::try_current().is_ok() && !std::thread::panicking() {
            tokio::time::resume();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn timers_follow_the_clock() {
        let clock = VirtualClock::pause();
        let timer = tokio::spawn(tokio::time::sleep(Duration::from_secs(3600)));
        clock.advance(Duration::from_secs(3599)).await;
        assert!(!timer.is_finished());
        clock.advance(Duration::from_secs(2)).await;
        assert_eq!(clock.elapsed(), Duration::from_secs(3601));
        timer.await.expect("the timer");
    }
}
