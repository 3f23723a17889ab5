//! Whether tau runs inside a container.

use std::path::Path;

/// Whether one of the marks of a container is there. A container with cgroup version 2 often shows only its marker file.
pub fn is_container() -> bool {
    is_container_at(Path::new("/"))
}

fn is_container_at(root: &Path) -> bool {
    let has_marker = [".dockerenv", "run/.containerenv"].iter().any(|marker| root.join(marker).exists());
    let words = ["docker", "containerd", "kubepods", "libpod"];
    // Without the file there is nothing to know.
    let groups = tau_tools::read_small_text(&root.join("proc/1/cgroup")).unwrap_or_default();
    has_marker || words.iter().any(|word| groups.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_and_groups_tell() {
        for (file, text, expected) in [
            (".dockerenv", "", true),
            ("run/.containerenv", "", true),
            ("proc/1/cgroup", "0::/system.slice/docker-12.scope\n", true),
            ("proc/1/cgroup", "0::/\n", false),
        ] {
            let root = tempfile::tempdir().expect("a folder");
            let path = root.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(&path, text).expect("a file");
            assert_eq!(is_container_at(root.path()), expected, "{file} {text}");
        }
    }
}
