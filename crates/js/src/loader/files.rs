//! Files of extensions: read, looked up in the cache and transformed, which takes no engine and so may happen on other
//! threads while the engine starts.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use parking_lot::Mutex;

use super::cache::{Compiled, ModuleCache};
use super::transform::{Evidence, Options, SyntaxError, Transformed, transform};
use crate::ops::OpError;

/// More threads than this wait for the disk rather than work.
const THREADS: usize = 4;

/// A file, ready for the engine.
pub(super) enum File {
    /// The text of a JSON file.
    Json(String),
    /// As it was compiled by an earlier start.
    Compiled(Compiled),
    /// To be compiled, and kept under a key.
    Module(Transformed, Option<String>),
}

impl File {
    /// What it says of the dialect it was written for.
    pub(super) fn evidence(&self) -> Option<&Evidence> {
        match self {
            Self::Json(_) => None,
            Self::Compiled(compiled) => Some(&compiled.module.evidence),
            Self::Module(module, _) => Some(&module.evidence),
        }
    }
}

/// Why a file cannot be a module.
pub(super) enum Unusable {
    /// It cannot be read.
    Unread(std::io::Error),
    /// It is something that tau does not run: an error code, and what to say.
    Foreign(&'static str, String),
    /// It is no program.
    Wrong(SyntaxError),
}

impl Unusable {
    /// The error that an importer gets.
    pub(super) fn error(self, id: &str) -> OpError {
        match self {
            Self::Unread(error) => OpError::io(&error, "open", Some(id)),
            Self::Foreign(code, message) => OpError::new(code, message),
            Self::Wrong(SyntaxError { message, line, column }) => OpError {
                path: Some(format!("{id}:{line}:{column}")),
                ..OpError::new("ERR_SYNTAX", format!("{id}:{line}:{column}: {message}"))
            },
        }
    }
}

/// Reads a file for the engine; `track_await` as in [`Options`].
pub(super) fn read(id: &str, cache: Option<&ModuleCache>, track_await: bool) -> Read {
    let path = Path::new(id);
    let bytes = std::fs::read(path).map_err(Unusable::Unread)?;
    let source = String::from_utf8_lossy(&bytes);
    let source = source.strip_prefix('\u{feff}').unwrap_or(&source);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => return Ok(File::Json(source.to_owned())),
        Some("node") => {
            let message = format!("{id} is a native add-on, which tau cannot run");
            return Err(Unusable::Foreign("ERR_DLOPEN_FAILED", message));
        }
        Some("wasm") => {
            let message = format!("{id}: WebAssembly is not available in tau");
            return Err(Unusable::Foreign("ERR_UNKNOWN_FILE_EXTENSION", message));
        }
        _ => {}
    }
    let key = cache.map(|cache| cache.key(id, source, track_await));
    if let Some(compiled) = key.as_ref().and_then(|key| cache?.get(key)) {
        return Ok(File::Compiled(compiled));
    }
    let module = transform(path, source, Options { source_map: true, track_await }).map_err(Unusable::Wrong)?;
    Ok(File::Module(module, key))
}

/// Files that are being read before anybody asked for them.
#[derive(Default)]
pub(crate) struct Ahead(HashMap<String, (Receiver<Read>, Arc<Queue>)>);

type Read = Result<File, Unusable>;

/// Files that no thread has begun to read.
type Queue = Mutex<VecDeque<(String, Sender<Read>)>>;

/// Reads what waits, on a thread.
#[derive(Clone)]
struct Reader {
    queue: Arc<Queue>,
    cache: Option<Arc<ModuleCache>>,
}

impl Reader {
    /// Without a thread everything stays in the queue, and whoever needs a file reads it.
    fn spawn(self, first: bool) {
        let _ = std::thread::Builder::new().name("tau-js-files".to_owned()).spawn(move || self.run(first));
    }

    fn run(self, first: bool) {
        let mut called = !first;
        loop {
            let next = self.queue.lock().pop_front();
            let Some((id, sender)) = next else { break };
            let file = read(&id, self.cache.as_deref(), false);
            // Nobody needs help with files that were compiled before.
            let help = !called && !matches!(file, Ok(File::Compiled(_)));
            let _ = sender.send(file);
            if help {
                called = true;
                self.call_others();
            }
        }
    }

    /// Starts more threads, as many as processors have nothing better to do.
    fn call_others(&self) {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).saturating_sub(1).clamp(1, THREADS);
        let waiting = self.queue.lock().len();
        (1..threads.min(waiting + 1)).for_each(|_| self.clone().spawn(false));
    }
}

impl Ahead {
    /// Starts to read files, in this order.
    pub(crate) fn start(ids: Vec<String>, cache: Option<Arc<ModuleCache>>) -> Self {
        let mut receivers = Vec::with_capacity(ids.len());
        let mut waiting = VecDeque::with_capacity(ids.len());
        for id in ids {
            let (sender, receiver) = channel();
            receivers.push((id.clone(), receiver));
            waiting.push_back((id, sender));
        }
        let queue = Arc::new(Mutex::new(waiting));
        Reader { queue: Arc::clone(&queue), cache }.spawn(true);
        Self(receivers.into_iter().map(|(id, receiver)| (id, (receiver, Arc::clone(&queue)))).collect())
    }

    /// A file that is being read; `None` when nobody reads it, and nobody will: then it is the caller's, because on a
    /// busy machine another thread may not come to it for long.
    pub(super) fn take(&mut self, id: &str) -> Option<Read> {
        let (receiver, queue) = self.0.remove(id)?;
        let waiting = {
            let mut queue = queue.lock();
            let place = queue.iter().position(|(waiting, _)| waiting == id);
            place.and_then(|place| queue.remove(place))
        };
        if waiting.is_some() { None } else { receiver.recv().ok() }
    }

    /// Adds what others read.
    pub(super) fn add(&mut self, others: Self) {
        self.0.extend(others.0);
    }
}
