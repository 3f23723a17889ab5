//! Compiled modules on disk, so that the next start need not compile them again.
//!
//! The engine trusts compiled code blindly, so only what this very program wrote may come back: the folder must
//! belong to the user alone, and every file is sealed with a hash over everything that it depends on.

use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::transform::{ModuleKind, Transformed};

/// Changes whenever the form of cache files, the transform or the engine does.
const FORMAT: &str = concat!("tau-js 1 ", env!("CARGO_PKG_VERSION"), " rquickjs 0.14.0 oxc 0.146.0");

/// The folder of compiled modules.
pub(crate) struct Cache {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Head {
    imports: Vec<String>,
    esm: bool,
    is_async: bool,
    map: Option<String>,
}

impl Cache {
    /// Uses a folder, making it when needed; `None` when others could write to it.
    pub(crate) fn open(folder: PathBuf) -> Option<Self> {
        if !folder.is_dir() {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).ok()?;
        }
        let meta = std::fs::metadata(&folder).ok()?;
        let private = meta.permissions().mode() & 0o022 == 0 && meta.uid() == rustix::process::geteuid().as_raw();
        private.then_some(Self { folder })
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

    /// The bytes behind a seal that fits them and the key.
    fn read(&self, key: &str) -> Option<Vec<u8>> {
        let mut bytes = std::fs::read(self.path(key)).ok()?;
        let seal: [u8; 16] = bytes.get(..16)?.try_into().ok()?;
        (seal == sealed(key, &bytes[16..])).then(|| bytes.split_off(16))
    }

    fn write(&self, key: &str, bytes: &[u8]) {
        // A cache that cannot be written is slow, not wrong.
        let _ = write_whole(&self.folder, &self.path(key), &[&sealed(key, bytes), bytes]);
    }

    /// The compiled code of a module of the runtime.
    pub(crate) fn get_code(&self, key: &str) -> Option<Vec<u8>> {
        self.read(key)
    }

    /// Keeps the compiled code of a module of the runtime.
    pub(crate) fn put_code(&self, key: &str, code: &[u8]) {
        self.write(key, code);
    }

    /// A module of an extension.
    pub(crate) fn get(&self, key: &str) -> Option<(Transformed, Vec<u8>)> {
        let mut bytes = self.read(key)?;
        let length = usize::try_from(u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?)).ok()?;
        let code = bytes.split_off(4 + length.min(bytes.len().checked_sub(4)?));
        let head: Head = serde_json::from_slice(&bytes[4..]).ok()?;
        let kind = if head.esm { ModuleKind::Esm } else { ModuleKind::CommonJs };
        let module =
            Transformed { code: String::new(), imports: head.imports, kind, is_async: head.is_async, map: head.map };
        Some((module, code))
    }

    /// Keeps a module of an extension.
    pub(crate) fn put(&self, key: &str, module: &Transformed, code: &[u8]) {
        let head = Head {
            imports: module.imports.clone(),
            esm: module.kind == ModuleKind::Esm,
            is_async: module.is_async,
            map: module.map.clone(),
        };
        let Ok(head) = serde_json::to_vec(&head) else { return };
        let Ok(length) = u32::try_from(head.len()) else { return };
        let mut bytes = Vec::with_capacity(4 + head.len() + code.len());
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&head);
        bytes.extend_from_slice(code);
        self.write(key, &bytes);
    }
}

fn sealed(key: &str, bytes: &[u8]) -> [u8; 16] {
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    hasher.update(key.as_bytes());
    hasher.update(bytes);
    hasher.digest128().to_le_bytes()
}

/// Another process may read the file at any moment: it sees the whole of it or nothing.
fn write_whole(folder: &Path, path: &Path, parts: &[&[u8]]) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    for part in parts {
        file.write_all(part)?;
    }
    file.persist(path)?;
    Ok(())
}
