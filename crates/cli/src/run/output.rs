//! Standard output, which carries nothing but the result.

use std::io::{self, BufWriter, Stdout, Write};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// Standard output, shared by everything that writes results. When the reader goes away, `gone` fires.
#[derive(Clone)]
pub(super) struct Output {
    out: Arc<Mutex<BufWriter<Stdout>>>,
    gone: CancellationToken,
}

impl Output {
    pub(super) fn new(gone: CancellationToken) -> Self {
        Self { out: Arc::new(Mutex::new(BufWriter::new(io::stdout()))), gone }
    }

    /// Writes a text, and hands it to the system at once.
    pub(super) fn write(&self, text: &[u8]) {
        if self.gone.is_cancelled() {
            return;
        }
        let mut out = self.out.lock();
        if out.write_all(text).and_then(|()| out.flush()).is_err() {
            self.gone.cancel();
        }
    }

    /// Writes a value as a line of JSON.
    pub(super) fn json(&self, value: &impl serde::Serialize) {
        match serde_json::to_vec(value) {
            Ok(mut line) => {
                line.push(b'\n');
                self.write(&line);
            }
            Err(error) => super::diagnostics::error(&format!("an event could not be written: {error}")),
        }
    }
}
