//! The runtime's own modules: TypeScript in `runtime/`, compiled when the program is built.

use std::ops::{Index, Range};
use std::path::Path;

use super::transform::{Options, Transformed, transform};
use super::wrap::known_exports;
use crate::raw::Code;

/// What the build says of a module of the runtime; the compiled function is at the same place among those of [`Code`]. All
/// are numbers, so that a start has nothing to relocate.
struct Embedded {
    /// Its path relative to `runtime/`, in `TEXT`.
    path: (u32, u32),
    /// The names it exports, in `TEXT`, each with a space behind it; `None` when it gives itself names as it runs.
    exports: Option<(u32, u32)>,
}

include!(concat!(env!("OUT_DIR"), "/runtime.rs"));

fn piece<T: Index<Range<usize>> + ?Sized>(all: &T, (start, end): (u32, u32)) -> Option<&T::Output> {
    Some(&all[usize::try_from(start).ok()?..usize::try_from(end).ok()?])
}

/// The place of a module among all.
fn place(path: &str) -> Option<usize> {
    let text = |module: &Embedded| piece(TEXT, module.path).unwrap_or_default();
    RUNTIME.binary_search_by(|module| text(module).cmp(path)).ok()
}

/// Where modules are read from instead while the runtime is being worked on; debug builds only.
fn folder() -> Option<&'static Path> {
    use std::sync::OnceLock;
    static FOLDER: OnceLock<Option<std::path::PathBuf>> = OnceLock::new();
    if !cfg!(debug_assertions) {
        return None;
    }
    FOLDER.get_or_init(|| tau_tools::variable("TAU_JS_RUNTIME").map(Into::into)).as_deref()
}

/// Whether the runtime has a module.
pub fn exists(path: &str) -> bool {
    match folder() {
        Some(folder) => folder.join(path).is_file(),
        None => place(path).is_some(),
    }
}

/// A module of the runtime.
pub enum Module {
    /// As the build compiled it.
    Compiled(Code),
    /// From the folder that is being worked on.
    Source(Transformed),
}

/// Reads a module of the runtime.
pub fn load(path: &str) -> Option<Module> {
    match folder() {
        Some(folder) => read(folder, path).map(Module::Source),
        None => Code::of_runtime(place(path)?).map(Module::Compiled),
    }
}

/// The names that a module of the runtime exports; `None` when only running it tells.
pub fn exports(path: &str) -> Option<Vec<String>> {
    match folder() {
        Some(folder) => known_exports(&read(folder, path)?).map(<[String]>::to_vec),
        None => {
            Some(piece(TEXT, RUNTIME.get(place(path)?)?.exports?)?.split_terminator(' ').map(str::to_owned).collect())
        }
    }
}

fn read(folder: &Path, path: &str) -> Option<Transformed> {
    let file = folder.join(path);
    let source = std::fs::read_to_string(&file).ok()?;
    match transform(&file, &source, Options { source_map: true, track_await: false }) {
        Ok(module) => Some(module),
        Err(error) => {
            eprintln!("{}:{}:{}: {}", file.display(), error.line, error.column, error.message);
            None
        }
    }
}
