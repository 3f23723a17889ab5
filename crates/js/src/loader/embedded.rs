//! The runtime's own modules: TypeScript in `runtime/`, made into function bodies when the program is built.

use std::borrow::Cow;

use super::transform::{ModuleKind, Transformed};

/// A module of the runtime as the build left it.
pub(crate) struct Embedded {
    /// Relative to `runtime/`.
    pub(crate) path: &'static str,
    /// The function body.
    pub(crate) code: &'static str,
    /// What it imports, in order.
    pub(crate) imports: &'static [&'static str],
    /// Whether it has top-level `await`.
    pub(crate) is_async: bool,
}

include!(concat!(env!("OUT_DIR"), "/runtime.rs"));

fn embedded(path: &str) -> Option<&'static Embedded> {
    RUNTIME.binary_search_by(|module| module.path.cmp(path)).ok().map(|index| &RUNTIME[index])
}

/// Where modules are read from instead while the runtime is being worked on; debug builds only.
fn folder() -> Option<&'static std::path::Path> {
    use std::sync::OnceLock;
    static FOLDER: OnceLock<Option<std::path::PathBuf>> = OnceLock::new();
    if !cfg!(debug_assertions) {
        return None;
    }
    FOLDER.get_or_init(|| std::env::var_os("TAU_JS_RUNTIME").map(Into::into)).as_deref()
}

/// Whether the runtime has a module.
pub(crate) fn exists(path: &str) -> bool {
    match folder() {
        Some(folder) => folder.join(path).is_file(),
        None => embedded(path).is_some(),
    }
}

/// The function body of a module of the runtime.
pub(crate) fn load(path: &str) -> Option<(Cow<'static, str>, Transformed)> {
    if let Some(folder) = folder() {
        let file = folder.join(path);
        let source = std::fs::read_to_string(&file).ok()?;
        let options = super::transform::Options { source_map: true, track_await: false };
        let module = match super::transform::transform(&file, &source, options) {
            Ok(module) => module,
            Err(error) => {
                eprintln!("{}:{}:{}: {}", file.display(), error.line, error.column, error.message);
                return None;
            }
        };
        return Some((Cow::Owned(module.code.clone()), module));
    }
    let module = embedded(path)?;
    let description = Transformed {
        code: String::new(),
        imports: module.imports.iter().map(|import| (*import).to_owned()).collect(),
        kind: ModuleKind::Esm,
        is_async: module.is_async,
        map: None,
    };
    Some((Cow::Borrowed(module.code), description))
}
