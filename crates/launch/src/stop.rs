//! The wish that the program ends, from outside of it.

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use parking_lot::Mutex;
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
}

impl Stop {
    /// `watch` begins to watch for signals and has [`Stop::fire`] called for each.
    pub fn new(watch: impl Fn(&Self) -> io::Result<()> + Send + Sync + 'static) -> Self {
        let (signal, watched) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Inner { signal, fired: CancellationToken::new(), watch: Box::new(watch), watched }))
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

    /// A signal came, by its number. Gives whether it is the first.
    pub fn fire(&self, signal: u8) -> bool {
        let is_first = self.0.signal.lock().replace(signal).is_none();
        self.0.fired.cancel();
        is_first
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
