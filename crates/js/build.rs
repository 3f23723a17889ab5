//! Makes function bodies of the TypeScript in `runtime/` and a table of them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[path = "src/loader/transform.rs"]
mod transform;

fn main() {
    println!("cargo::rerun-if-changed=runtime");
    println!("cargo::rerun-if-changed=src/loader/transform.rs");
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("runtime");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let mut files = Vec::new();
    collect(&root, &mut files);
    let mut modules: Vec<(String, PathBuf)> = files
        .into_iter()
        .filter_map(|file| Some((file.strip_prefix(&root).ok()?.to_string_lossy().into_owned(), file)))
        .collect();
    modules.sort();
    let mut table = String::from("static RUNTIME: &[Embedded] = &[\n");
    for (index, (path, file)) in modules.iter().enumerate() {
        let source = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let module = transform::transform(file, &source, transform::Options::default())
            .unwrap_or_else(|error| panic!("{}:{}:{}: {}", file.display(), error.line, error.column, error.message));
        let name = format!("{index}.js");
        std::fs::write(out.join(&name), &module.code).unwrap_or_else(|error| panic!("{name}: {error}"));
        writeln!(
            table,
            "    Embedded {{ path: {path:?}, code: include_str!({:?}), imports: &{:?}, is_async: {} }},",
            out.join(&name),
            module.imports,
            module.is_async
        )
        .unwrap_or_default();
    }
    table.push_str("];\n");
    std::fs::write(out.join("runtime.rs"), table).unwrap_or_else(|error| panic!("runtime.rs: {error}"));
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "ts") {
            files.push(path);
        }
    }
}
