//! Compiles the TypeScript in `runtime/` and makes a table of its modules.
#![allow(clippy::disallowed_methods, reason = "a build script reads what cargo tells it")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[path = "src/raw/code/compile.rs"]
mod compile;
#[path = "src/raw/code/fingerprint.rs"]
mod fingerprint;
#[expect(dead_code, reason = "shared with the loader, which uses all of it")]
#[path = "src/loader/transform/mod.rs"]
mod transform;
#[path = "src/loader/wrap.rs"]
mod wrap;

/// Modules of the runtime that are there with a feature only.
const LEFT_OUT: &[(&str, &str)] = &[("node/sqlite.ts", "sqlite")];

fn main() {
    let package = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let lock = fingerprint::lock_file(&package).unwrap_or_else(|error| panic!("{error}"));
    for path in fingerprint::SOURCES.iter().map(Path::new).chain([Path::new("runtime"), &lock]) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let root = package.join("runtime");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let mut files = Vec::new();
    collect(&root, &mut files);
    let mut modules: Vec<(String, PathBuf)> = files
        .into_iter()
        .filter_map(|file| Some((file.strip_prefix(&root).ok()?.to_string_lossy().into_owned(), file)))
        .collect();
    modules.sort();
    // A module without its ops is one that tau does not have.
    let has = |feature: &str| std::env::var_os(format!("CARGO_FEATURE_{}", feature.to_uppercase())).is_some();
    modules.retain(|(path, _)| LEFT_OUT.iter().all(|(module, feature)| path != module || has(feature)));
    let runtime = rquickjs::Runtime::new().unwrap_or_else(|error| panic!("{error}"));
    let context = rquickjs::Context::full(&runtime).unwrap_or_else(|error| panic!("{error}"));
    let mut table = String::from("static RUNTIME: &[Embedded] = &[\n");
    let mut places = String::from("static RUNTIME_PLACES: &[(u32, u32)] = &[\n");
    let (mut text, mut code) = (String::new(), Vec::new());
    for (path, file) in &modules {
        let source = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let module = transform::transform(file, &source, transform::Options::default())
            .unwrap_or_else(|error| panic!("{}:{}:{}: {}", file.display(), error.line, error.column, error.message));
        // Modules of the runtime are evaluated where they are first used, which may be anywhere.
        assert!(!module.is_async, "{}: top-level await", file.display());
        let wrapped = wrap::wrapped(&module, &module.code);
        let compiled = context
            .with(|ctx| {
                compile::compile(&ctx, &wrapped, &format!("tau:{path}")).map_err(|_| format!("{:?}", ctx.catch()))
            })
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let place = put(&mut text, path);
        let exports = wrap::known_exports(&module)
            .map(|names| put(&mut text, &names.iter().map(|name| format!("{name} ")).collect::<String>()));
        let start = code.len();
        code.extend_from_slice(&compiled);
        writeln!(table, "    Embedded {{ path: {place:?}, exports: {exports:?} }},").unwrap_or_default();
        writeln!(places, "    ({start}, {}),", code.len()).unwrap_or_default();
    }
    // No path of this build: what is written here stays right when the folder of the build is moved or copied.
    let beside = |file: &str| format!(r#"concat!(env!("OUT_DIR"), "/{file}")"#);
    writeln!(table, "];\nstatic TEXT: &str = include_str!({});", beside("runtime.txt")).unwrap_or_default();
    let parts = fingerprint::parts(&package, &code).unwrap_or_else(|error| panic!("{error}"));
    writeln!(places, "];\nconst FINGERPRINT: &str = {:?};", fingerprint::of(&parts)).unwrap_or_default();
    for (name, content) in [
        ("runtime.rs", table.as_bytes()),
        ("runtime_code.rs", places.as_bytes()),
        ("runtime.txt", text.as_bytes()),
        ("runtime.qjs", &code),
    ] {
        std::fs::write(out.join(name), content).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// Appends a text; gives its place.
fn put(all: &mut String, text: &str) -> (usize, usize) {
    let start = all.len();
    all.push_str(text);
    (start, all.len())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.to_string_lossy().ends_with(".ts") && !path.to_string_lossy().ends_with(".d.ts") {
            files.push(path);
        }
    }
}
