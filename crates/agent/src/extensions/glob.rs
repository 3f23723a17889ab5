//! Patterns of a package's manifest that stand for files and folders.

use std::fs;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

/// How deep a `**` looks, so that links in circles come to an end.
const DEEPEST: usize = 32;

/// What matches `pattern` below `root`, in byte order. Hidden names are only found when the pattern spells them out.
pub(super) fn expand(pattern: &str, root: &Path) -> Vec<PathBuf> {
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let literal = parts.iter().take_while(|part| !part.contains(['*', '?', '[', '{'])).count();
    let (start, rest) = parts.split_at(literal);
    let mut base = root.to_path_buf();
    for part in start {
        match *part {
            ".." => drop(base.pop()),
            part => base.push(part),
        }
    }
    let glob = GlobBuilder::new(&rest.join("/")).literal_separator(true).build();
    let Ok(glob) = glob else { return Vec::new() };
    let deepest = if rest.iter().any(|part| part.contains("**")) { DEEPEST } else { rest.len() };
    let mut found = Vec::new();
    walk(&base, &base, deepest, &glob.compile_matcher(), &mut found);
    found.sort_unstable_by(|a, b| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
    found
}

fn walk(folder: &Path, base: &Path, left: usize, glob: &GlobMatcher, found: &mut Vec<PathBuf>) {
    let Some(left) = left.checked_sub(1) else { return };
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b".") || name == "node_modules" {
            continue;
        }
        let path = entry.path();
        if path.strip_prefix(base).is_ok_and(|relative| glob.is_match(relative)) {
            found.push(path.clone());
        }
        if path.is_dir() {
            walk(&path, base, left, glob, found);
        }
    }
}
