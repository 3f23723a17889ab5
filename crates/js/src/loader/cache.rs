//! Compiled modules on disk, so that the next start need not compile them again.
//!
//! The engine trusts compiled code blindly, so only what this very program wrote may come back: the folder must
//! belong to the user alone, and every file is sealed with a hash over everything that it depends on.

use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::transform::{Evidence, ModuleKind, Transformed};

/// Changes whenever the form of cache files, the transform or the engine does.
const FORMAT: &str = concat!("tau-js 7 ", env!("CARGO_PKG_VERSION"), " rquickjs 0.14.0 oxc 0.146.0");

/// A folder of compiled modules.
#[derive(Debug)]
pub struct ModuleCache {
    folder: PathBuf,
    waiting: Mutex<Waiting>,
}

/// What is to be written.
#[derive(Debug, Default)]
struct Waiting {
    /// Files with their content.
    files: Vec<(PathBuf, Vec<u8>)>,
    /// There is nothing more urgent any more.
    may_write: bool,
    /// A thread is about to write.
    thread: bool,
}

/// How long what was compiled is kept back: right after loading, whoever started tau waits for everything else.
const LATER: Duration = Duration::from_millis(200);

#[derive(Serialize, Deserialize)]
struct Head {
    imports: Vec<String>,
    esm: bool,
    is_async: bool,
    /// The length of the mappings, which come before the code.
    mappings: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    evidence: Option<Box<Said>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    tracks_await: bool,
}

/// [`Evidence`], of which most modules have none.
#[derive(Serialize, Deserialize)]
struct Said {
    pragma: Option<String>,
    imports: Vec<(String, String)>,
    uses: Vec<String>,
    words: Vec<String>,
}

impl Said {
    fn from(evidence: &Evidence) -> Option<Box<Self>> {
        let Evidence { pragma, imports, uses, words } = evidence.clone();
        (*evidence != Evidence::default()).then(|| Box::new(Self { pragma, imports, uses, words }))
    }

    fn evidence(self) -> Evidence {
        let Self { pragma, imports, uses, words } = self;
        Evidence { pragma, imports, uses, words }
    }
}

/// A module of an extension as it was compiled.
pub(crate) struct Compiled {
    /// Without its code.
    pub(crate) module: Transformed,
    bytes: Vec<u8>,
    code: usize,
}

impl Compiled {
    /// The compiled function.
    pub(crate) fn code(&self) -> &[u8] {
        &self.bytes[self.code..]
    }
}

impl ModuleCache {
    /// Uses a folder, making it when needed; `None` when others could write to it.
    pub fn open(folder: PathBuf) -> Option<Self> {
        if !folder.is_dir() {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).ok()?;
        }
        is_ours(&std::fs::metadata(&folder).ok()?).then_some(Self { folder, waiting: Mutex::default() })
    }

    /// The folder, which nobody else may write to.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The name of a module's file: from where it is, what it is, and how it is compiled.
    pub(crate) fn key(&self, name: &str, source: &str, track_await: bool) -> String {
        let mut text = Vec::with_capacity(source.len() + name.len() + 64);
        for part in [FORMAT, name, if track_await { "tracked" } else { "" }, source] {
            text.extend_from_slice(&(part.len() as u64).to_le_bytes());
            text.extend_from_slice(part.as_bytes());
        }
        format!("{:032x}", xxh3_128(&text))
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.qjs"))
    }

    /// A module that was kept under this key, if its seal fits it and the key.
    pub(crate) fn get(&self, key: &str) -> Option<Compiled> {
        let file = std::fs::File::open(self.path(key)).ok()?;
        let meta = file.metadata().ok()?;
        // It may be older than the permissions of the folder, and what is in it is run as it is.
        if !is_ours(&meta) {
            return None;
        }
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(usize::try_from(meta.len()).ok()?).ok()?;
        // The length is known: reading a file as a whole asks the system for it again.
        file.take(meta.len()).read_to_end(&mut bytes).ok()?;
        let (seal, rest) = bytes.split_at_checked(16)?;
        if *seal != sealed(key, rest) {
            return None;
        }
        let (length, rest) = rest.split_at_checked(4)?;
        let length = usize::try_from(u32::from_le_bytes(length.try_into().ok()?)).ok()?;
        let (head, rest) = rest.split_at_checked(length)?;
        let head: Head = serde_json::from_slice(head).ok()?;
        let (mappings, code) = rest.split_at_checked(usize::try_from(head.mappings.unwrap_or(0)).ok()?)?;
        let mappings = String::from_utf8(mappings.to_vec()).ok()?;
        let module = Transformed {
            code: String::new(),
            imports: head.imports,
            kind: if head.esm { ModuleKind::Esm } else { ModuleKind::CommonJs },
            is_async: head.is_async,
            exports: None,
            mappings: head.mappings.map(|_| mappings),
            evidence: head.evidence.map(|said| said.evidence()).unwrap_or_default(),
            tracks_await: head.tracks_await,
        };
        let code = bytes.len() - code.len();
        Some(Compiled { module, bytes, code })
    }

    /// Keeps a module. Its file is written by another thread, once that may be: nobody waits for it.
    pub(crate) fn put(self: &Arc<Self>, key: String, module: &Transformed, code: &[u8]) {
        let mappings = module.mappings.as_deref();
        let Ok(length) = mappings.map(|mappings| u32::try_from(mappings.len())).transpose() else { return };
        let head = Head {
            imports: module.imports.clone(),
            esm: module.kind == ModuleKind::Esm,
            is_async: module.is_async,
            mappings: length,
            evidence: Said::from(&module.evidence),
            tracks_await: module.tracks_await,
        };
        let Ok(head) = serde_json::to_vec(&head) else { return };
        let Ok(length) = u32::try_from(head.len()) else { return };
        let mut bytes = vec![0; 16];
        for part in [&length.to_le_bytes(), &*head, mappings.unwrap_or_default().as_bytes(), code] {
            bytes.extend_from_slice(part);
        }
        let seal = sealed(&key, &bytes[16..]);
        bytes[..16].copy_from_slice(&seal);
        let mut waiting = self.waiting.lock();
        waiting.files.push((self.path(&key), bytes));
        if waiting.may_write {
            self.start_writing(&mut waiting);
        }
    }

    /// From now on files may be written.
    pub(crate) fn write(self: &Arc<Self>) {
        let mut waiting = self.waiting.lock();
        waiting.may_write = true;
        if !waiting.files.is_empty() {
            self.start_writing(&mut waiting);
        }
    }

    fn start_writing(self: &Arc<Self>, waiting: &mut Waiting) {
        if std::mem::replace(&mut waiting.thread, true) {
            return;
        }
        let cache = Arc::clone(self);
        let later = move || {
            std::thread::sleep(LATER);
            cache.waiting.lock().thread = false;
            cache.flush();
        };
        // What no thread writes is written at the end.
        if std::thread::Builder::new().name("tau-js-cache".to_owned()).spawn(later).is_err() {
            waiting.thread = false;
        }
    }

    /// Writes what is still waiting, before the program ends.
    pub(crate) fn flush(&self) {
        let files = std::mem::take(&mut self.waiting.lock().files);
        for (path, bytes) in files {
            // A cache that cannot be written is slow, not wrong.
            let _ = write_whole(&self.folder, &path, &bytes);
        }
    }
}

/// Whether nobody else could write to it.
fn is_ours(meta: &std::fs::Metadata) -> bool {
    meta.permissions().mode() & 0o022 == 0 && meta.uid() == rustix::process::geteuid().as_raw()
}

fn sealed(key: &str, bytes: &[u8]) -> [u8; 16] {
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    hasher.update(key.as_bytes());
    hasher.update(bytes);
    hasher.digest128().to_le_bytes()
}

/// Another process may read the file at any moment: it sees the whole of it or nothing.
fn write_whole(folder: &Path, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(cache: &ModuleCache, key: &str) -> Vec<u8> {
        loop {
            match std::fs::read(cache.path(key)) {
                Ok(bytes) => return bytes,
                Err(_) => std::thread::yield_now(),
            }
        }
    }

    #[test]
    fn what_was_kept_comes_back_and_nothing_else() {
        let dir = tempfile::tempdir().expect("temp dir");
        let cache = Arc::new(ModuleCache::open(dir.path().join("modules")).expect("private"));
        let module = Transformed {
            code: String::new(),
            imports: vec!["node:fs".to_owned()],
            kind: ModuleKind::Esm,
            is_async: true,
            exports: None,
            mappings: Some("AAAA;ü".to_owned()),
            evidence: Evidence { uses: vec!["pi.send".to_owned()], ..Evidence::default() },
            tracks_await: true,
        };
        let key = cache.key("/a.ts", "await 1", false);
        assert_ne!(key, cache.key("/a.ts", "await 1", true));
        cache.put(key.clone(), &module, b"code");
        assert!(cache.get(&key).is_none(), "nothing is written before that may be");
        cache.write();
        let bytes = written(&cache, &key);
        let found = cache.get(&key).expect("kept");
        assert_eq!((&found.module, found.code()), (&module, b"code".as_slice()));

        let evidence = Evidence::default();
        let bare = Transformed {
            mappings: None,
            kind: ModuleKind::CommonJs,
            is_async: false,
            evidence,
            tracks_await: false,
            ..module
        };
        let other = cache.key("/b.js", "1", false);
        cache.put(other.clone(), &bare, b"");
        cache.flush();
        let found = cache.get(&other).expect("written at the end");
        assert_eq!((&found.module, found.code()), (&bare, b"".as_slice()));

        for (mode, is_used) in [(0o622, false), (0o602, false), (0o644, true)] {
            std::fs::set_permissions(cache.path(&other), PermissionsExt::from_mode(mode)).expect("permissions");
            assert_eq!(cache.get(&other).is_some(), is_used, "others could write to it: {mode:o}");
        }
        std::fs::write(cache.path(&other), &bytes).expect("write");
        assert!(cache.get(&other).is_none(), "sealed for another key");
        for end in [0, 15, 19, bytes.len() - 1] {
            std::fs::write(cache.path(&key), &bytes[..end]).expect("write");
            assert!(cache.get(&key).is_none(), "cut at {end}");
        }
    }
}
