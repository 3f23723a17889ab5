//! What compiled code depends on besides its source, as a short text. The build script makes it with this very file, so
//! nobody has to remember to change a number.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

/// The packages that turn source into compiled code, with all that they are built from.
const PACKAGES: &[&str] = &["oxc", "rquickjs"];

/// Where tau's own part of that is, below the folder of this package: the transform, the form of cache files, and what
/// decides how a file is transformed.
pub const SOURCES: &[&str] = &["src/loader", "src/raw/code"];

/// A text for these parts; other parts have another.
pub fn of(parts: &[Vec<u8>]) -> String {
    let mut hasher = Xxh3::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    format!("{:032x}", hasher.digest128())
}

/// All that goes into the fingerprint: locked packages, sources, and the runtime as it was compiled, which changes with
/// the engine whatever a lock file says.
///
/// # Errors
/// What is missing: the lock file, a package in it, or a source.
pub fn parts(package: &Path, runtime: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let lock = package.join(lock_file(package)?);
    let text = std::fs::read_to_string(&lock).map_err(|error| format!("{}: {error}", lock.display()))?;
    let packages = locked(&text, PACKAGES).map_err(|error| format!("{}: {error}", lock.display()))?;
    let mut parts: Vec<Vec<u8>> = packages.into_iter().map(String::into_bytes).collect();
    for source in SOURCES {
        let path = package.join(source);
        sources(&path, &mut parts).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    parts.push(runtime.to_vec());
    Ok(parts)
}

/// The lock file that a package is built with, from the folder of the package.
///
/// # Errors
/// When no folder around the package has one.
pub fn lock_file(package: &Path) -> Result<PathBuf, String> {
    let height = package.ancestors().position(|folder| folder.join("Cargo.lock").is_file());
    let height = height.ok_or_else(|| format!("there is no Cargo.lock in or above {}", package.display()))?;
    Ok(std::iter::repeat_n("..", height).collect::<PathBuf>().join("Cargo.lock"))
}

/// The packages of a lock file from which these are built, themselves included, each with its version, where it is from
/// and its checksum.
fn locked(lock: &str, roots: &[&str]) -> Result<BTreeSet<String>, String> {
    let packages: Vec<Package<'_>> = lock.split("[[package]]").skip(1).map(Package::read).collect();
    let mut open: Vec<String> = roots.iter().map(|&name| name.to_owned()).collect();
    let mut found = BTreeSet::new();
    while let Some(wanted) = open.pop() {
        let mut of_that_name = packages.iter().filter(|package| package.is(&wanted)).peekable();
        if of_that_name.peek().is_none() {
            return Err(format!("it does not have the package {wanted}"));
        }
        for package in of_that_name {
            if found.insert(package.text()) {
                open.extend(package.dependencies.iter().map(|&name| name.to_owned()));
            }
        }
    }
    Ok(found)
}

/// A package of a lock file.
#[derive(Default)]
struct Package<'a> {
    name: &'a str,
    version: &'a str,
    source: &'a str,
    checksum: &'a str,
    dependencies: Vec<&'a str>,
}

impl<'a> Package<'a> {
    fn read(block: &'a str) -> Self {
        let mut package = Self::default();
        for line in block.lines().map(str::trim) {
            let quoted = |text: &'a str| text.trim_end_matches(',').trim_matches('"');
            match line.split_once(" = ") {
                Some(("name", value)) => package.name = quoted(value),
                Some(("version", value)) => package.version = quoted(value),
                Some(("source", value)) => package.source = quoted(value),
                Some(("checksum", value)) => package.checksum = quoted(value),
                None if line.starts_with('"') => package.dependencies.push(quoted(line)),
                _ => {}
            }
        }
        package
    }

    /// Whether a dependency means it: by name, and by version where several packages share the name.
    fn is(&self, wanted: &str) -> bool {
        let mut words = wanted.split(' ');
        words.next() == Some(self.name) && words.next().is_none_or(|version| version == self.version)
    }

    fn text(&self) -> String {
        [self.name, self.version, self.source, self.checksum].join(" ")
    }
}

/// The Rust files at or below a path, in the order of their names, each with its name.
fn sources(path: &Path, parts: &mut Vec<Vec<u8>>) -> io::Result<()> {
    if path.is_dir() {
        let mut below = std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        below.sort();
        return below.iter().try_for_each(|path| sources(path, parts));
    }
    if path.extension().is_some_and(|extension| extension == "rs") {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        parts.extend([name.to_vec(), std::fs::read(path)?]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
version = 4

[[package]]
name = "engine"
version = "1.0.0"
source = "registry+somewhere"
checksum = "aa"
dependencies = [
 "engine-sys",
 "shared 2.0.0",
]

[[package]]
name = "engine-sys"
version = "1.0.1"
checksum = "bb"

[[package]]
name = "shared"
version = "1.0.0"
checksum = "cc"

[[package]]
name = "shared"
version = "2.0.0"
checksum = "dd"
dependencies = [
 "engine-sys",
]

[[package]]
name = "elsewhere"
version = "7.0.0"
"#;

    fn of_lock(lock: &str) -> BTreeSet<String> {
        locked(lock, &["engine"]).expect("it has the engine")
    }

    #[test]
    fn all_that_a_package_is_built_from_is_a_part_and_nothing_else() {
        let parts = ["engine 1.0.0 registry+somewhere aa", "engine-sys 1.0.1  bb", "shared 2.0.0  dd"];
        assert_eq!(of_lock(LOCK), parts.map(str::to_owned).into());
        for (from, to) in [("1.0.1", "1.0.2"), ("aa", "ab"), ("dd", "de"), ("somewhere", "nowhere")] {
            assert_ne!(of_lock(LOCK), of_lock(&LOCK.replace(from, to)), "{from}");
        }
        for (from, to) in [("7.0.0", "7.0.1"), ("cc", "ce")] {
            assert_eq!(of_lock(LOCK), of_lock(&LOCK.replace(from, to)), "{from}");
        }
    }

    #[test]
    fn a_lock_without_the_engine_is_an_error() {
        let error = locked(LOCK, &["engine", "oxc"]).expect_err("there is no oxc");
        assert_eq!(error, "it does not have the package oxc");
    }

    #[test]
    fn every_source_and_its_name_is_a_part() {
        let dir = tempfile::tempdir().expect("temp dir");
        let (lock, src) = (dir.path().join("Cargo.lock"), dir.path().join("src"));
        std::fs::create_dir_all(src.join("raw/code")).expect("a folder");
        std::fs::create_dir_all(src.join("loader/transform")).expect("a folder");
        let packages = PACKAGES.iter().map(|name| format!("[[package]]\nname = \"{name}\"\nversion = \"1\"\n"));
        let write = |path: &str, text: &str| std::fs::write(dir.path().join(path), text).expect("written");
        let now = || of(&parts(dir.path(), b"runtime").expect("all is there"));
        std::fs::write(&lock, packages.collect::<String>()).expect("written");
        for path in ["src/raw/code.rs", "src/raw/code/compile.rs", "src/loader/transform.rs"] {
            write(path, "fn one() {}");
        }
        assert_eq!(lock_file(&src.join("raw")).expect("it is there"), Path::new("../../Cargo.lock"));
        let mut seen = vec![now()];
        assert_eq!(now(), seen[0]);
        write("src/loader/transform/awaits.rs", "");
        seen.push(now());
        write("src/loader/transform.rs", "fn two() {}");
        seen.push(now());
        write("src/raw/code/compile.rs", "fn two() {}");
        seen.push(now());
        write("Cargo.lock", &std::fs::read_to_string(&lock).expect("read").replace("\"1\"", "\"2\""));
        seen.push(now());
        seen.push(of(&parts(dir.path(), b"another").expect("all is there")));
        write("src/loader/notes.txt", "no source");
        assert_eq!(of(&parts(dir.path(), b"another").expect("all is there")), seen[5]);
        assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), seen.len());
    }
}
