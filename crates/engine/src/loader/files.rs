//! Files of extensions: read, looked up in the cache and transformed, which takes no engine and so may happen on other
//! threads while the engine starts.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use parking_lot::Mutex;

use super::cache::{Compiled, ModuleCache};
use super::transform::{Evidence, Options, SyntaxError, THREAD_STACK, Transformed, stack, transform};
use crate::ops::OpError;

/// More threads than this wait for the disk rather than work.
const THREADS: usize = 4;

/// A file, ready for the engine.
pub(super) enum File {
    /// The text of a JSON file.
    Json(String),
    /// As it was compiled by an earlier start, under this key.
    Compiled(Compiled, String),
    /// To be compiled, and kept under a key.
    Module(Transformed, String),
}

impl File {
    /// What it says of the dialect it was written for.
    pub(super) fn evidence(&self) -> Option<&Evidence> {
        match self {
            Self::Json(_) => None,
            Self::Compiled(compiled, _) => Some(&compiled.module.evidence),
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

/// Reads a file for the engine; `track_await` as in [`Options`], `most` as in [`most_source`].
pub(super) fn read(id: &str, cache: Option<&ModuleCache>, track_await: bool, most: usize) -> Read {
    match begin(id, cache, track_await, most) {
        Begun::Done(file) => file,
        Begun::Source(source) => source.transform(),
    }
}

/// A file that was read.
enum Begun {
    /// There is nothing more to do.
    Done(Read),
    /// Nobody compiled it before.
    Source(Source),
}

/// The source of a module.
struct Source {
    id: String,
    bytes: Vec<u8>,
    key: String,
    track_await: bool,
}

impl Source {
    fn transform(self) -> Read {
        let Self { id, bytes, key, track_await } = self;
        let source = text(&bytes);
        let options = Options { source_map: true, track_await: track_await || waits_for_session(&source) };
        let module = transform(Path::new(&id), &source, options).map_err(Unusable::Wrong)?;
        Ok(File::Module(module, key))
    }
}

/// What only the context of a command has, and hardly anything else.
const OF_COMMANDS: &[&str] = &["waitForIdle", "newSession", "switchSession", "navigateTree"];

/// What the context of a command has, as have other things.
const OFTEN_OF_COMMANDS: &[&str] = &[".reload(", ".fork(", ".branch("];

/// Whether a module may ask of the context of a command what a handler must not: then the code itself has to say, also
/// behind an `await`, whether it runs for a handler.
fn waits_for_session(source: &str) -> bool {
    let has = |word: &&str| source.contains(*word);
    OF_COMMANDS.iter().any(has) || (has(&"registerCommand") && OFTEN_OF_COMMANDS.iter().any(has))
}

/// The text of a file, without a mark for the order of bytes.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}

/// The largest module or data file that is loaded, in bytes.
pub(super) const MAX_MODULE: u64 = 64 << 20;

/// How much memory the parser and the transforms take for a byte of a source.
const PARSED: usize = 100;

/// The longest source that is parsed whatever scripts may hold, in bytes.
const LEAST_SOURCE: usize = 2 << 20;

/// The longest source that is parsed for an engine that may hold so many bytes: what that takes is memory as well.
pub fn most_source(limit: usize) -> usize {
    (limit / PARSED).max(LEAST_SOURCE)
}

/// Reads a file, as far as that goes without compiling it.
fn begin(id: &str, cache: Option<&ModuleCache>, track_await: bool, most: usize) -> Begun {
    let path = Path::new(id);
    let bytes = match tau_tools::read_bounded(path, MAX_MODULE) {
        Ok(bytes) => bytes,
        Err(error) => return Begun::Done(Err(Unusable::Unread(error))),
    };
    let foreign = |code, message| Begun::Done(Err(Unusable::Foreign(code, message)));
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => return Begun::Done(Ok(File::Json(text(&bytes).into_owned()))),
        Some("node") => {
            return foreign("ERR_DLOPEN_FAILED", crate::engine::refused_add_on(id));
        }
        Some("wasm") => {
            return foreign(
                "ERR_UNKNOWN_FILE_EXTENSION",
                format!("{id}: a file of WebAssembly cannot be imported; read it and pass it to WebAssembly.compile()"),
            );
        }
        _ => {}
    }
    let key = ModuleCache::key(id, &text(&bytes), track_await);
    match cache.and_then(|cache| cache.get(&key)) {
        Some(compiled) => Begun::Done(Ok(File::Compiled(compiled, key))),
        None if bytes.len() > most => foreign("ERR_MEMORY_ALLOCATION_FAILED", too_long(id, bytes.len(), most)),
        None => Begun::Source(Source { id: id.to_owned(), bytes, key, track_await }),
    }
}

/// What is said of a source that is not parsed.
pub(super) fn too_long(id: &str, length: usize, most: usize) -> String {
    format!(
        "{id} has {length} bytes; to parse more than {most} would need more memory than scripts may take, which \
         tau.limits.memoryMb and tau.limits.isolatedMemoryMb say"
    )
}

/// Files that are being read before anybody asked for them.
#[derive(Default)]
pub struct Ahead(HashMap<String, (Receiver<Read>, Arc<Queue>)>);

type Read = Result<File, Unusable>;

/// Files that no thread has begun to read.
type Queue = Mutex<VecDeque<(String, Sender<Read>)>>;

/// Reads what waits.
#[derive(Clone)]
struct Reader {
    queue: Arc<Queue>,
    cache: Option<Arc<ModuleCache>>,
    most: usize,
}

impl Reader {
    /// Reads files as long as all of them were compiled before; with the first that was not, threads go on.
    fn run_here(self) {
        while let Some((id, sender)) = self.next() {
            // The engine that wanted the file may have ended.
            match begin(&id, self.cache.as_deref(), false, self.most) {
                Begun::Done(file) => drop(sender.send(file)),
                Begun::Source(source) => return self.call_others(move || drop(sender.send(source.transform()))),
            }
        }
    }

    fn run(&self) {
        while let Some((id, sender)) = self.next() {
            // The engine that wanted the file may have ended.
            let _ = sender.send(read(&id, self.cache.as_deref(), false, self.most));
        }
    }

    fn next(&self) -> Option<(String, Sender<Read>)> {
        self.queue.lock().pop_front()
    }

    /// Starts threads, as many as processors have nothing better to do; one of them begins with `first`.
    ///
    /// Without a thread everything stays in the queue, and whoever needs a file reads it.
    fn call_others(&self, first: impl FnOnce() + Send + 'static) {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).saturating_sub(1).clamp(1, THREADS);
        let waiting = self.queue.lock().len();
        let spawn = |work: Box<dyn FnOnce() + Send>| {
            let thread = std::thread::Builder::new().name("tau-js-files".to_owned()).stack_size(THREAD_STACK);
            let _ = thread.spawn(move || {
                stack::begin(THREAD_STACK);
                work();
            });
        };
        let begins = self.clone();
        spawn(Box::new(move || {
            first();
            begins.run();
        }));
        for _ in 1..threads.min(waiting + 1) {
            let helps = self.clone();
            spawn(Box::new(move || helps.run()));
        }
    }
}

/// Files that wait to be read.
pub struct Reading(Reader);

impl Reading {
    /// Reads what was compiled by an earlier start, and leaves the rest to threads: a thread takes longer to start than
    /// such a file to read.
    pub fn start(self) {
        self.0.run_here();
    }
}

impl Ahead {
    /// Files to be read in this order, once [`Reading::start`] is called; `most` as in [`most_source`].
    pub fn new(ids: Vec<String>, cache: Option<Arc<ModuleCache>>, most: usize) -> (Self, Reading) {
        let mut receivers = Vec::with_capacity(ids.len());
        let mut waiting = VecDeque::with_capacity(ids.len());
        for id in ids {
            let (sender, receiver) = channel();
            receivers.push((id.clone(), receiver));
            waiting.push_back((id, sender));
        }
        let queue = Arc::new(Mutex::new(waiting));
        let reading = Reading(Reader { queue: Arc::clone(&queue), cache, most });
        let ahead = Self(receivers.into_iter().map(|(id, receiver)| (id, (receiver, Arc::clone(&queue)))).collect());
        (ahead, reading)
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
