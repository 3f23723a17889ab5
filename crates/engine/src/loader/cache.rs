//! Compiled modules on disk, so that the next start need not compile them again.
//!
//! The engine trusts compiled code blindly, so only what this very program wrote may come back. [`CodeFiles`] sees to
//! that; here is which module a file is for, and what is kept beside its code.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::transform::{Evidence, ModuleKind, Transformed};
use crate::raw::{Code, CodeFiles, FolderError, Refusal, Sealed};

/// A folder of compiled modules.
#[derive(Debug)]
pub struct ModuleCache {
    files: CodeFiles,
    waiting: Mutex<Waiting>,
    refused: Mutex<Refused>,
}

/// What is to be written.
#[derive(Default)]
struct Waiting {
    /// Files by name.
    files: Vec<(String, Sealed)>,
    /// There is nothing more urgent any more.
    may_write: bool,
    /// A thread is about to write.
    thread: bool,
}

impl std::fmt::Debug for Waiting {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Waiting").field("files", &self.files.len()).finish_non_exhaustive()
    }
}

/// The first file that was not used because of whose it is or what it holds.
#[derive(Debug, Default)]
enum Refused {
    #[default]
    None,
    /// The user has not heard of it.
    New(Refusal),
    Named,
}

/// Why there is no cache.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The folder cannot be made or opened.
    #[error("the folder for compiled code {} cannot be used: {source}", path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// What is in the folder could be somebody else's: to run it would be to run whatever they want.
    #[error(
        "{why}, so compiled code is not kept there and every start compiles extensions anew; only you may own and write to that folder"
    )]
    Unsafe {
        /// What is wrong with the folder.
        why: String,
    },
}

/// How long what was compiled is kept back: right after loading, whoever started tau waits for everything else.
const LATER: Duration = Duration::from_millis(200);

#[derive(Serialize, Deserialize)]
struct Head {
    imports: Vec<String>,
    esm: bool,
    is_async: bool,
    /// The mappings come after this.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    has_mappings: bool,
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
pub struct Compiled {
    /// Without its code.
    pub module: Transformed,
    /// The compiled function.
    pub code: Code,
}

impl ModuleCache {
    /// Uses a folder, making it when needed.
    ///
    /// # Errors
    /// When that fails, and when the folder is not the user's own or others can write to it.
    pub fn open(folder: PathBuf) -> Result<Self, CacheError> {
        match CodeFiles::open(folder.clone()) {
            Ok(files) => Ok(Self { files, waiting: Mutex::default(), refused: Mutex::default() }),
            Err(FolderError::Refused(refusal)) => Err(CacheError::Unsafe { why: refusal.to_string() }),
            Err(FolderError::Io(source)) => Err(CacheError::Io { path: folder, source }),
        }
    }

    /// The folder, which nobody else may write to.
    pub fn folder(&self) -> &Path {
        self.files.folder()
    }

    /// The name of a module's file: from where it is, what it is, and how it is compiled.
    pub fn key(name: &str, source: &str, track_await: bool) -> String {
        CodeFiles::name(&[name, if track_await { "tracked" } else { "" }, source])
    }

    /// A module that was kept under this key.
    pub fn get(&self, key: &str) -> Option<Compiled> {
        let kept = match self.files.read(key) {
            Ok(kept) => kept?,
            Err(refusal) => {
                self.refuse(refusal);
                return None;
            }
        };
        let (length, rest) = kept.about().split_at_checked(4)?;
        let length = usize::try_from(u32::from_le_bytes(length.try_into().ok()?)).ok()?;
        let (head, mappings) = rest.split_at_checked(length)?;
        let head: Head = serde_json::from_slice(head).ok()?;
        let mappings = head.has_mappings.then(|| String::from_utf8(mappings.to_vec())).transpose().ok()?;
        let module = Transformed {
            code: String::new(),
            imports: head.imports,
            kind: if head.esm { ModuleKind::Esm } else { ModuleKind::CommonJs },
            is_async: head.is_async,
            exports: None,
            mappings,
            evidence: head.evidence.map(|said| said.evidence()).unwrap_or_default(),
            tracks_await: head.tracks_await,
        };
        Some(Compiled { module, code: kept.code() })
    }

    /// Remembers the first file that is not used, for the user.
    fn refuse(&self, refusal: Refusal) {
        tracing::warn!(%refusal, "compiled code is not used");
        let mut refused = self.refused.lock();
        if matches!(*refused, Refused::None) {
            *refused = Refused::New(refusal);
        }
    }

    /// What the user should know of a file that was not used; once.
    pub fn take_refusal(&self) -> Option<String> {
        let mut refused = self.refused.lock();
        match std::mem::replace(&mut *refused, Refused::Named) {
            Refused::New(refusal) => Some(format!(
                "{refusal}, so the compiled code in it is not used; the extension is compiled anew, which replaces the file"
            )),
            before => {
                *refused = before;
                None
            }
        }
    }

    /// Keeps a module. Its file is written by another thread, once that may be: nobody waits for it.
    pub fn put(self: &Arc<Self>, key: String, module: &Transformed, code: &Code) {
        let head = Head {
            imports: module.imports.clone(),
            esm: module.kind == ModuleKind::Esm,
            is_async: module.is_async,
            has_mappings: module.mappings.is_some(),
            evidence: Said::from(&module.evidence),
            tracks_await: module.tracks_await,
        };
        let Ok(head) = serde_json::to_vec(&head) else { return };
        let Ok(length) = u32::try_from(head.len()) else { return };
        let mappings = module.mappings.as_deref().unwrap_or_default();
        let about = [&length.to_le_bytes(), &*head, mappings.as_bytes()].concat();
        let Some(sealed) = CodeFiles::seal(&key, &about, code) else { return };
        let mut waiting = self.waiting.lock();
        waiting.files.push((key, sealed));
        if waiting.may_write {
            self.start_writing(&mut waiting);
        }
    }

    /// From now on files may be written.
    pub fn write(self: &Arc<Self>) {
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
    pub fn flush(&self) {
        let files = std::mem::take(&mut self.waiting.lock().files);
        for (name, sealed) in files {
            // A cache that cannot be written is slow, not wrong.
            if let Err(error) = self.files.write(&name, &sealed) {
                tracing::debug!(%error, name, "compiled code is not kept");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn compiled(source: &str) -> Code {
        let runtime = rquickjs::Runtime::new().expect("an engine");
        let context = rquickjs::Context::full(&runtime).expect("a context");
        context.with(|ctx| Code::compile(&ctx, source, "test.js").expect("it is a program"))
    }

    fn value(code: &Code) -> i32 {
        let runtime = rquickjs::Runtime::new().expect("an engine");
        let context = rquickjs::Context::full(&runtime).expect("a context");
        context.with(|ctx| code.run(&ctx).expect("it runs").as_int().expect("a number"))
    }

    fn module() -> Transformed {
        Transformed {
            code: String::new(),
            imports: vec!["node:fs".to_owned()],
            kind: ModuleKind::Esm,
            is_async: true,
            exports: None,
            mappings: Some("AAAA;ü".to_owned()),
            evidence: Evidence { uses: vec!["pi.send".to_owned()], ..Evidence::default() },
            tracks_await: true,
        }
    }

    #[test]
    fn what_was_kept_comes_back_and_nothing_else() {
        let dir = tempfile::tempdir().expect("temp dir");
        let cache = Arc::new(ModuleCache::open(dir.path().join("modules")).expect("private"));
        let module = module();
        let key = ModuleCache::key("/a.ts", "await 1", false);
        assert_ne!(key, ModuleCache::key("/a.ts", "await 1", true));
        cache.put(key.clone(), &module, &compiled("1"));
        assert!(cache.get(&key).is_none(), "nothing is written before that may be");
        cache.write();
        let found = loop {
            match cache.get(&key) {
                Some(found) => break found,
                None => std::thread::yield_now(),
            }
        };
        assert_eq!((&found.module, value(&found.code)), (&module, 1));

        let evidence = Evidence::default();
        let bare = Transformed {
            mappings: None,
            kind: ModuleKind::CommonJs,
            is_async: false,
            evidence,
            tracks_await: false,
            ..module
        };
        let other = ModuleCache::key("/b.js", "1", false);
        cache.put(other.clone(), &bare, &compiled("2"));
        cache.flush();
        let found = cache.get(&other).expect("written at the end");
        assert_eq!((&found.module, value(&found.code)), (&bare, 2));
        assert_eq!(cache.take_refusal(), None);
    }

    #[test]
    fn the_first_file_that_others_could_have_written_is_named_once_and_each_is_replaced() {
        let dir = tempfile::tempdir().expect("temp dir");
        let cache = Arc::new(ModuleCache::open(dir.path().join("modules")).expect("private"));
        let keys = ["/a.ts", "/b.ts"].map(|name| ModuleCache::key(name, "1", false));
        for key in &keys {
            cache.put(key.clone(), &module(), &compiled("1"));
        }
        cache.flush();
        let paths = keys.each_ref().map(|key| cache.folder().join(key));
        for path in &paths {
            std::fs::set_permissions(path, PermissionsExt::from_mode(0o666)).expect("permissions");
        }
        for key in &keys {
            assert!(cache.get(key).is_none());
            cache.put(key.clone(), &module(), &compiled("2"));
        }
        let text = cache.take_refusal().expect("one was refused");
        let start = format!("others can write to {} (its mode is 666), so ", paths[0].display());
        assert!(text.starts_with(&start), "{text}");
        assert_eq!(cache.take_refusal(), None);
        cache.flush();
        for key in &keys {
            assert_eq!(value(&cache.get(key).expect("written anew").code), 2);
        }
    }
}
