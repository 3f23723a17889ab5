//! Whether a path stays in a folder once links are followed.

use std::path::Path;

/// Whether what is written to `path` lands outside of `folder`: the path, or the nearest part of it that exists, leads there by
/// links. When that cannot be told, it does.
pub fn leads_out(path: &Path, folder: &Path) -> bool {
    let Ok(folder) = folder.canonicalize() else { return true };
    let mut there = path.ancestors().filter(|part| part.symlink_metadata().is_ok());
    !there.next().is_some_and(|part| part.canonicalize().is_ok_and(|real| real.starts_with(&folder)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed() {
        let (project, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let at = |path: &str| project.path().join(path);
        fs::create_dir(at("in")).expect("a folder");
        fs::write(at("in/file"), "").expect("a file");
        symlink(other.path(), at("out")).expect("a link");
        symlink(other.path().join("none"), at("nowhere")).expect("a link");
        symlink(at("in"), at("back")).expect("a link");
        for (path, expected) in [
            ("in/file", false),
            ("in/new", false),
            ("new/deep/file", false),
            ("back/file", false),
            ("out", true),
            ("out/file", true),
            ("nowhere", true),
        ] {
            assert_eq!(leads_out(&at(path), project.path()), expected, "{path}");
        }
        assert!(leads_out(other.path(), project.path()) && leads_out(&at("in"), &at("none")));
    }
}
