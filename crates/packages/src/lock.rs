//! The lock file: which version and which content of everything was installed.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::error::PackageError;
use crate::manifest::Manifest;

/// The name of the file, beside the settings.
pub const LOCK_FILE: &str = "tau-lock.json";

/// What is pinned in one scope.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Lock {
    /// npm packages by their place, as in `node_modules/a/node_modules/b`.
    pub npm: Pins,
    /// Repositories by `host/path`.
    pub git: BTreeMap<String, LockedGit>,
    /// What the file holds besides.
    rest: Map<String, Value>,
}

/// Packages by their place.
pub(crate) type Pins = BTreeMap<String, LockedPackage>;

/// A pinned npm package.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct LockedPackage {
    pub manifest: Manifest,
    /// Where the archive is, unless it is where the registry usually has it.
    pub resolved: Option<String>,
    pub integrity: Option<String>,
    pub optional: bool,
    pub peer: bool,
}

/// A pinned repository.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct LockedGit {
    pub url: String,
    pub reference: Option<String>,
    pub commit: String,
    /// The hash of its files.
    pub integrity: String,
    /// Its dependencies.
    pub packages: Pins,
}

impl Lock {
    /// Reads the file; a missing one is empty.
    pub(crate) fn read(file: &Path) -> Result<Self, PackageError> {
        let Some(mut document) = read_object(file)? else { return Ok(Self::default()) };
        let npm = document.shift_remove("packages");
        let git = document.shift_remove("git");
        document.shift_remove("lockfileVersion");
        let repository = |(name, value): (&String, &Value)| {
            let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
            let locked = LockedGit {
                url: text("url").unwrap_or_default(),
                reference: text("ref"),
                commit: text("commit")?,
                integrity: text("integrity").unwrap_or_default(),
                packages: pins(value.get("packages")),
            };
            Some((name.clone(), locked))
        };
        let git = git.as_ref().and_then(Value::as_object);
        Ok(Self {
            npm: pins(npm.as_ref()),
            git: git.into_iter().flatten().filter_map(repository).collect(),
            rest: document,
        })
    }

    /// Writes the file in one step.
    pub(crate) fn write(&self, file: &Path) -> Result<(), PackageError> {
        let mut document = Map::from_iter([("lockfileVersion".to_owned(), json!(1))]);
        document.insert("packages".to_owned(), Value::Object(packages(&self.npm)));
        let repository = |(name, locked): (&String, &LockedGit)| {
            let mut entry = Map::new();
            entry.insert("url".to_owned(), locked.url.clone().into());
            if let Some(reference) = &locked.reference {
                entry.insert("ref".to_owned(), reference.clone().into());
            }
            entry.insert("commit".to_owned(), locked.commit.clone().into());
            entry.insert("integrity".to_owned(), locked.integrity.clone().into());
            if !locked.packages.is_empty() {
                entry.insert("packages".to_owned(), Value::Object(packages(&locked.packages)));
            }
            (name.clone(), Value::Object(entry))
        };
        document.insert("git".to_owned(), Value::Object(self.git.iter().map(repository).collect()));
        document.extend(self.rest.clone());
        write_json(file, &Value::Object(document))
    }
}

/// The pins of a lock file of npm, version 2 or 3; a missing one or another kind has none.
pub(crate) fn pins_of_npm(file: &Path) -> Pins {
    let document = read_object(file).ok().flatten().unwrap_or_default();
    pins(document.get("packages"))
}

/// A lock file for npm, so that it agrees on what is installed.
pub(crate) fn for_npm(manifest: &Map<String, Value>, all: &Pins) -> Value {
    let mut root = Map::new();
    for key in ["name", "version", "dependencies", "devDependencies", "optionalDependencies"] {
        if let Some(value) = manifest.get(key) {
            root.insert(key.to_owned(), value.clone());
        }
    }
    let name = manifest.get("name").cloned().unwrap_or_default();
    let mut everything = Map::from_iter([(String::new(), Value::Object(root))]);
    everything.extend(packages(all));
    for entry in everything.values_mut() {
        let is_repository = entry.get("resolved").and_then(Value::as_str).is_some_and(|text| text.starts_with("git+"));
        // npm would take our hash of the files for one of an archive.
        if let (true, Some(entry)) = (is_repository, entry.as_object_mut()) {
            entry.shift_remove("integrity");
        }
    }
    json!({"name": name, "lockfileVersion": 3, "requires": true, "packages": everything})
}

fn pins(value: Option<&Value>) -> Pins {
    let entry = |(place, value): (&String, &Value)| {
        // Links and what comes in another archive are nothing to install.
        let is_set = |key: &str| value.get(key) == Some(&Value::Bool(true));
        if place.is_empty() || is_set("link") || is_set("inBundle") || is_set("dev") {
            return None;
        }
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let mut manifest = Manifest::read(value);
        if manifest.name.is_empty() {
            manifest.name = name_of(place).to_owned();
        }
        let locked = LockedPackage {
            manifest,
            resolved: text("resolved"),
            integrity: text("integrity"),
            optional: is_set("optional"),
            peer: is_set("peer"),
        };
        Some((place.clone(), locked))
    };
    let map = value.and_then(Value::as_object);
    map.into_iter().flatten().filter_map(entry).filter(|(_, locked)| !locked.manifest.version.is_empty()).collect()
}

fn packages(pins: &Pins) -> Map<String, Value> {
    let entry = |(place, locked): (&String, &LockedPackage)| {
        let mut entry = Map::new();
        if locked.manifest.name != name_of(place) {
            entry.insert("name".to_owned(), locked.manifest.name.clone().into());
        }
        entry.insert("version".to_owned(), locked.manifest.version.clone().into());
        let texts = [("resolved", &locked.resolved), ("integrity", &locked.integrity)];
        entry.extend(texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text.clone()?.into()))));
        for (key, set) in [("optional", locked.optional), ("peer", locked.peer)] {
            if set {
                entry.insert(key.to_owned(), true.into());
            }
        }
        locked.manifest.write(&mut entry);
        (place.clone(), Value::Object(entry))
    };
    pins.iter().map(entry).collect()
}

/// The name of the folder at a place.
pub(crate) fn name_of(place: &str) -> &str {
    place.rsplit_once("node_modules/").map_or(place, |(_, name)| name)
}

/// A JSON object from a file; `None` when there is no file.
pub(crate) fn read_object(file: &Path) -> Result<Option<Map<String, Value>>, PackageError> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(PackageError::io(file)(error)),
    };
    let malformed = |why: String| PackageError::Malformed { what: file.display().to_string(), why };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(Some(map)),
        Ok(_) => Err(malformed("it is no object".to_owned())),
        Err(error) => Err(malformed(error.to_string())),
    }
}

/// Writes JSON in one step: readers see the old file or the new one.
pub(crate) fn write_json(file: &Path, value: &Value) -> Result<(), PackageError> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| PackageError::Malformed { what: file.display().to_string(), why: error.to_string() })?;
    text.push('\n');
    replace_text(file, &text)
}

/// Writes a text in one step.
pub(crate) fn replace_text(file: &Path, text: &str) -> Result<(), PackageError> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(PackageError::io(folder))?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tau-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o644));
    }
    let written = builder.tempfile_in(folder).and_then(|mut temporary| {
        temporary.write_all(text.as_bytes())?;
        temporary.as_file().sync_all()?;
        temporary.persist(file).map_err(|error| error.error)
    });
    written.map(drop).map_err(PackageError::io(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let dir = tempfile::tempdir().expect("temp dir");
        let file = dir.path().join("deep").join(LOCK_FILE);
        assert_eq!(Lock::read(&file), Ok(Lock::default()));
        let package = |name: &str, version: &str| LockedPackage {
            manifest: Manifest { name: name.to_owned(), version: version.to_owned(), ..Manifest::default() },
            resolved: None,
            integrity: Some("sha512-x".to_owned()),
            optional: name == "b",
            peer: false,
        };
        let npm: Pins =
            [("node_modules/a", package("a", "1.0.0")), ("node_modules/a/node_modules/@me/b", package("c", "2.0.0"))]
                .map(|(place, package)| (place.to_owned(), package))
                .into();
        let repository = LockedGit {
            url: "https://x.example/a/b".to_owned(),
            reference: Some("v1".to_owned()),
            commit: "0".repeat(40),
            integrity: "sha512-y".to_owned(),
            packages: npm.clone(),
        };
        let rest = Map::from_iter([("later".to_owned(), json!({"kept": true}))]);
        let lock = Lock { npm: npm.clone(), git: [("x.example/a/b".to_owned(), repository)].into(), rest };
        lock.write(&file).expect("write");
        assert_eq!(Lock::read(&file), Ok(lock));
        let theirs = dir.path().join("package-lock.json");
        let manifest = Map::from_iter([("dependencies".to_owned(), json!({"a": "^1.0.0"}))]);
        write_json(&theirs, &for_npm(&manifest, &npm)).expect("write");
        assert_eq!(pins_of_npm(&theirs), npm);
    }

    #[test]
    fn a_damaged_file_is_named() {
        let dir = tempfile::tempdir().expect("temp dir");
        let file = dir.path().join(LOCK_FILE);
        fs::write(&file, "{\"packages\": ").expect("write");
        let error = Lock::read(&file).expect_err("damaged").to_string();
        assert!(error.contains("tau-lock.json cannot be understood: EOF") && error.contains("line 1"), "{error}");
    }
}
