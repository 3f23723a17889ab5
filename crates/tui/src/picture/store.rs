//! What keeps the data of images.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

/// Keeps the data of some images: of those that were put in last. Clones are the same one.
#[derive(Debug, Clone)]
pub struct Store(Arc<Mutex<Kept>>);

#[derive(Debug)]
struct Kept {
    most: usize,
    bytes: usize,
    data: VecDeque<Arc<[u8]>>,
}

impl Store {
    /// One for so many bytes.
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Mutex::new(Kept { most, bytes: 0, data: VecDeque::new() })))
    }

    /// Keeps data, and lets go of the oldest where they are too many together.
    pub fn keep(&self, data: Arc<[u8]>) {
        let mut kept = self.0.lock();
        kept.bytes += data.len();
        kept.data.push_back(data);
        while kept.bytes > kept.most && kept.data.len() > 1 {
            let gone = kept.data.pop_front().map_or(0, |gone| gone.len());
            kept.bytes -= gone;
        }
    }
}
