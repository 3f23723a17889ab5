//! The wish that the program ends, from outside of it.

use std::io;
use std::process::ExitCode;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Says when the program shall end. Clones share it.
///
/// Nothing is watched before [`Stop::watch`]: until a front end has something to end in order, a signal does what it does
/// without tau.
#[derive(Clone)]
pub struct Stop(Arc<Inner>);

type Watch = Box<dyn Fn(&Stop) -> io::Result<()> + Send + Sync>;

struct Inner {
    signal: Mutex<Option<u8>>,
    fired: CancellationToken,
    watch: Watch,
    watched: Mutex<bool>,
    /// Who takes interrupts in the place of an end.
    interrupts: Mutex<Vec<Weak<Notify>>>,
}

/// The signal of ctrl+c.
const INTERRUPT: u8 = 2;

/// Takes interrupts, until it is dropped.
pub struct Interrupts(Arc<Notify>);

impl Interrupts {
    /// Completes when one comes, or has come since the last one that was taken.
    pub async fn next(&self) {
        self.0.notified().await;
    }
}

impl Stop {
    /// `watch` begins to watch for signals and has [`Stop::fire`] called for each.
    pub fn new(watch: impl Fn(&Self) -> io::Result<()> + Send + Sync + 'static) -> Self {
        let (signal, watched, interrupts) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self(Arc::new(Inner { signal, fired: CancellationToken::new(), watch: Box::new(watch), watched, interrupts }))
    }

    /// From now on signals fire this, as long as the program lives. Called again, it changes nothing.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn watch(&self) -> io::Result<()> {
        let mut watched = self.0.watched.lock();
        if !*watched {
            (self.0.watch)(self)?;
            *watched = true;
        }
        Ok(())
    }

    /// A signal came, by its number. Gives whether it is the first; one that is taken in the place of an end always is.
    pub fn fire(&self, signal: u8) -> bool {
        if signal == INTERRUPT && self.0.signal.lock().is_none() && self.gives_interrupt() {
            return true;
        }
        let is_first = self.0.signal.lock().replace(signal).is_none();
        self.0.fired.cancel();
        is_first
    }

    /// While the answer is kept, interrupts go to it and end nothing: another program has the terminal, and the user
    /// speaks to that.
    pub fn interrupts(&self) -> Interrupts {
        let notify = Arc::new(Notify::new());
        self.0.interrupts.lock().push(Arc::downgrade(&notify));
        Interrupts(notify)
    }

    /// Gives an interrupt to those who take it; whether anybody does.
    fn gives_interrupt(&self) -> bool {
        let mut takers = self.0.interrupts.lock();
        takers.retain(|taker| taker.strong_count() > 0);
        let last = takers.last().and_then(Weak::upgrade);
        if let Some(last) = &last {
            last.notify_one();
        }
        last.is_some()
    }

    /// The exit code after a signal: 128 and its number.
    pub fn code(&self) -> Option<ExitCode> {
        self.0.signal.lock().map(|signal| ExitCode::from(128 + signal))
    }

    /// Completes when the first signal comes.
    pub async fn fired(&self) {
        self.0.fired.cancelled().await;
    }

    /// Waits for something unless a signal comes first.
    pub async fn unless<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.0.fired.cancelled() => None,
            done = work => Some(done),
        }
    }
}
