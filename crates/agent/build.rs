//! Works out which manual the program carries, and notices documents that are added, which embedding a folder alone does
//! not.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../docs");
    println!("cargo::rerun-if-changed=../../examples");
    let mut files = Vec::new();
    collect(Path::new("../../docs"), &mut files);
    collect(Path::new("../../examples/src"), &mut files);
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        let content = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        (file, content).hash(&mut hasher);
    }
    println!("cargo::rustc-env=MANUAL_HASH={:016x}", hasher.finish());
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
