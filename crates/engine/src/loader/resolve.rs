//! From a specifier to a module, with Node's rules for files and packages.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use oxc_resolver::{ResolveError, ResolveOptions, Resolver};

use super::builtin::{Builtin, find};
use super::embedded;

/// Looks modules up. Files are asked for once and remembered; a reload makes a new one.
#[derive(Default)]
pub struct Resolve {
    // Made when they are needed: most extensions import nothing but modules of the runtime.
    import: OnceCell<Resolver>,
    require: OnceCell<Resolver>,
    /// The folders in which files look for what they import. To follow links costs a call of the system for each part of
    /// a path.
    folders: RefCell<HashMap<String, PathBuf>>,
}

/// A specifier that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Cannot find module '{specifier}' imported from {importer}: {why}")]
pub struct NotFound {
    specifier: String,
    importer: String,
    why: String,
}

const EXTENSIONS: &[&str] = &[".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx", ".json", ".node"];

impl Resolve {
    fn resolver(&self, require: bool) -> &Resolver {
        let import =
            || self.import.get_or_init(|| Resolver::new(options(&["node", "import", "module-sync", "default"])));
        if !require {
            return import();
        }
        let conditions = ["node", "require", "module-sync", "default"];
        self.require.get_or_init(|| import().clone_with_options(options(&conditions)))
    }

    /// The id of the module that `specifier` means in `importer`: the path of a file, or `tau:` and the path of a
    /// module of the runtime.
    pub fn resolve(&self, specifier: &str, importer: &str, require: bool) -> Result<String, NotFound> {
        let not_found = |why: String| {
            let line = (!require).then(|| place_of(specifier, importer)).flatten().unwrap_or_default();
            NotFound { specifier: specifier.to_owned(), importer: format!("{importer}{line}"), why }
        };
        if let Some(own) = importer.strip_prefix("tau:")
            && specifier.starts_with('.')
        {
            let path = join(own, specifier);
            return if embedded::exists(&path) {
                Ok(format!("tau:{path}"))
            } else {
                Err(not_found("the runtime has no such module".to_owned()))
            };
        }
        match find(specifier, embedded::exists) {
            Some(Builtin::Ops | Builtin::Runtime(_))
                if specifier.starts_with("tau:") && !importer.starts_with("tau:") =>
            {
                return Err(not_found("it is internal to tau".to_owned()));
            }
            Some(Builtin::Ops) => return Ok("tau:ops".to_owned()),
            Some(Builtin::Runtime(path)) => return Ok(format!("tau:{path}")),
            Some(Builtin::Missing(name)) => return Ok(format!("tau:missing/{name}")),
            None => {}
        }
        let specifier = match specifier.strip_prefix("file://") {
            Some(path) => percent_decoded(path),
            None => specifier.to_owned(),
        };
        // A query is how extensions ask for a fresh copy; a file name with a question mark is not a thing.
        let plain = specifier.split_once('?').map_or(specifier.as_str(), |(path, _)| path);
        match self.resolver(require).resolve(self.folder_of(importer), plain) {
            Ok(found) => {
                // Links are followed already.
                let path = found.full_path();
                let id = path.to_string_lossy().into_owned();
                self.folders.borrow_mut().entry(id.clone()).or_insert_with(|| folder(&path));
                Ok(id)
            }
            Err(error) => Err(not_found(describe(&error))),
        }
    }

    /// Where a file looks for what it imports. As in Node, that is beside the file and not beside a link to it.
    fn folder_of(&self, importer: &str) -> PathBuf {
        if let Some(known) = self.folders.borrow().get(importer) {
            return known.clone();
        }
        let path = Path::new(importer);
        let real = std::fs::canonicalize(path).map_or_else(|_| folder(path), |real| folder(&real));
        self.folders.borrow_mut().insert(importer.to_owned(), real.clone());
        real
    }
}

fn folder(file: &Path) -> PathBuf {
    file.parent().map_or_else(|| PathBuf::from("/"), Path::to_path_buf)
}

fn options(conditions: &[&str]) -> ResolveOptions {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    ResolveOptions {
        condition_names: names(conditions),
        extensions: names(EXTENSIONS),
        // What TypeScript calls `./x.js` is usually `./x.ts` on disk.
        extension_alias: vec![
            (".js".to_owned(), names(&[".js", ".ts", ".tsx"])),
            (".mjs".to_owned(), names(&[".mjs", ".mts"])),
            (".cjs".to_owned(), names(&[".cjs", ".cts"])),
            (".jsx".to_owned(), names(&[".jsx", ".tsx"])),
        ],
        main_fields: names(&["main"]),
        ..ResolveOptions::default()
    }
}

/// `:line:column` of the first place where a file writes the specifier as text: its import.
fn place_of(specifier: &str, file: &str) -> Option<String> {
    let source = tau_tools::read_small_text(Path::new(file)).ok()?;
    let quoted = ['"', '\''].map(|quote| format!("{quote}{specifier}{quote}"));
    source.lines().enumerate().find_map(|(index, line)| {
        let at = quoted.iter().find_map(|quoted| line.find(quoted))?;
        Some(format!(":{}:{}", index + 1, line[..at].chars().count() + 1))
    })
}

fn describe(error: &ResolveError) -> String {
    match error {
        ResolveError::NotFound(_) | ResolveError::MatchedAliasNotFound(..) => "no such file or package".to_owned(),
        other => other.to_string(),
    }
}

/// Joins a relative specifier to the folder of a runtime module.
fn join(importer: &str, specifier: &str) -> String {
    let mut parts: Vec<&str> = importer.split('/').collect();
    parts.pop();
    for part in specifier.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn percent_decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let decoded = (first == b'%').then(|| tail.get(..2)).flatten();
        let decoded =
            decoded.and_then(|hex| std::str::from_utf8(hex).ok()).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match decoded {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
