//! Where time, ids and chance come from. A program has real ones and passes none of this along; a run that is to be
//! repeated exactly gets others, as values.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::BoxFuture;
use uuid::{Builder, Uuid};

/// The wall clock, or another one.
#[derive(Clone, Default)]
pub struct Clock(Option<Arc<Other>>);

/// A clock that is not the system's.
struct Other {
    now_ms: Box<dyn Fn() -> i64 + Send + Sync>,
    reaches: Option<Box<Reaches>>,
}

/// Waits until a clock shows a time, in milliseconds since the epoch.
type Reaches = dyn Fn(i64) -> BoxFuture<'static, ()> + Send + Sync;

/// Fills bytes for somebody with a name.
type Fill = dyn Fn(&str, &mut [u8]) + Send + Sync;

/// Bytes that nobody can foresee, or others. What they are for is named: equal names share a sequence, so that who asks
/// first among several that work at once makes no difference to the others.
#[derive(Clone, Default)]
pub struct Random(Option<Arc<Fill>>);

/// Random ids, or others. The purpose means what it does for [`Random`].
#[derive(Clone, Default)]
pub struct Ids(Random);

/// A clock, ids and chance. The default are the real ones, and asking them costs what asking the system costs.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The clock.
    pub clock: Clock,
    /// Ids.
    pub ids: Ids,
    /// Chance.
    pub random: Random,
}

impl Clock {
    /// A clock that shows what `now_ms` gives, in milliseconds since the epoch.
    pub fn of(now_ms: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(Other { now_ms: Box::new(now_ms), reaches: None })))
    }

    /// As [`Clock::of`], with `reaches` for who waits until it shows a time, in milliseconds since the epoch.
    pub fn with_timers(
        now_ms: impl Fn() -> i64 + Send + Sync + 'static,
        reaches: impl Fn(i64) -> BoxFuture<'static, ()> + Send + Sync + 'static,
    ) -> Self {
        Self(Some(Arc::new(Other { now_ms: Box::new(now_ms), reaches: Some(Box::new(reaches)) })))
    }

    /// Whether it is the clock of the system.
    pub fn is_real(&self) -> bool {
        self.0.is_none()
    }

    /// Now, in milliseconds since the epoch.
    #[inline]
    pub fn now_ms(&self) -> i64 {
        match &self.0 {
            None => crate::clock::now_ms(),
            Some(other) => (other.now_ms)(),
        }
    }

    /// Waits until the clock shows a time, in milliseconds since the epoch. It may be later than that: a machine that
    /// sleeps lets no timer fire.
    pub async fn reached(&self, time_ms: i64) {
        match self.0.as_ref().and_then(|other| other.reaches.as_ref()) {
            Some(reaches) => reaches(time_ms).await,
            None => {
                let left = time_ms.saturating_sub(self.now_ms());
                tokio::time::sleep(Duration::from_millis(u64::try_from(left).unwrap_or(0))).await;
            }
        }
    }

    /// Now.
    pub fn now(&self) -> SystemTime {
        match &self.0 {
            None => crate::clock::now(),
            Some(other) => {
                let now = (other.now_ms)();
                let span = Duration::from_millis(now.unsigned_abs());
                let time = if now < 0 { UNIX_EPOCH.checked_sub(span) } else { UNIX_EPOCH.checked_add(span) };
                time.unwrap_or(UNIX_EPOCH)
            }
        }
    }
}

impl Random {
    /// Bytes that `fill` gives, for a purpose.
    pub fn of(fill: impl Fn(&str, &mut [u8]) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(fill)))
    }

    /// Whether it is the system's.
    pub fn is_real(&self) -> bool {
        self.0.is_none()
    }

    /// Fills bytes for a purpose; `false` when they are to be the system's, and then they stay as they are.
    pub fn fill(&self, purpose: &str, bytes: &mut [u8]) -> bool {
        match &self.0 {
            None => false,
            Some(fill) => {
                fill(purpose, bytes);
                true
            }
        }
    }
}

impl Ids {
    /// Ids made of these bytes.
    pub fn of(random: Random) -> Self {
        Self(random)
    }

    /// A new id for a purpose.
    pub fn id(&self, purpose: &str) -> Uuid {
        let mut bytes = [0; 16];
        if self.0.fill(purpose, &mut bytes) {
            Builder::from_random_bytes(bytes).into_uuid()
        } else {
            crate::ids::random_id()
        }
    }

    /// A new id of a time, for a purpose: see [`crate::id_at`].
    pub fn id_at(&self, purpose: &str, ms: i64) -> Uuid {
        let mut bytes = [0; 10];
        if self.0.fill(purpose, &mut bytes) { crate::ids::of_time(ms, &bytes) } else { crate::ids::id_at(ms) }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_real() { "the system's clock" } else { "another clock" })
    }
}

impl fmt::Debug for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_real() { "the system's chance" } else { "other chance" })
    }
}

impl fmt::Debug for Ids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_clock_is_waited_for_by_its_own_timers() {
        let began = tokio::time::Instant::now();
        Clock::of(|| 1_000).reached(3_000).await;
        Clock::of(|| 1_000).reached(0).await;
        assert_eq!(began.elapsed(), Duration::from_secs(2));
        let (asked, heard) = std::sync::mpsc::channel();
        let own = Clock::with_timers(
            || 5,
            move |time| {
                asked.send(time).expect("a test that listens");
                Box::pin(std::future::ready(()))
            },
        );
        own.reached(60_000).await;
        assert_eq!((heard.recv(), own.now_ms(), began.elapsed()), (Ok(60_000), 5, Duration::from_secs(2)));
    }

    #[test]
    fn real_ones_are_the_systems_and_others_are_what_they_were_given() {
        let real = Sources::default();
        assert_ne!(real.ids.id("x"), real.ids.id("x"));
        assert!((crate::now_ms() - real.clock.now_ms()).abs() < 60_000);
        assert!(!real.random.fill("x", &mut [0]));
        let clock = Clock::of(|| -1_500);
        assert_eq!((clock.now_ms(), crate::clock::ms_since_epoch(clock.now())), (-1_500, -1_500));
        let random = Random::of(|purpose, bytes| bytes.fill(purpose.len() as u8));
        let ids = Ids::of(random);
        assert_eq!(ids.id("abc").to_string(), "03030303-0303-4303-8303-030303030303");
        assert_eq!(ids.id_at("abc", 1).to_string(), "00000000-0001-7303-8303-030303030303");
    }
}
