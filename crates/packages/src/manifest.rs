//! What a package says about itself, as far as installing it goes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// Name and specification.
pub(crate) type Dependencies = BTreeMap<String, String>;

/// The parts of `package.json` that count here; they are the same in metadata of registries and in lock files. What is
/// written wrongly counts as missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub name: String,
    pub version: String,
    /// Without the optional ones.
    pub dependencies: Dependencies,
    pub optional: Dependencies,
    pub peers: Dependencies,
    /// Peers that nobody has to bring.
    pub optional_peers: BTreeSet<String>,
    /// Dependencies that come in the archive.
    pub bundled: BTreeSet<String>,
    pub os: Vec<String>,
    pub cpu: Vec<String>,
    pub libc: Vec<String>,
    pub install_script: bool,
    /// Commands: name and path.
    pub bin: BTreeMap<String, String>,
}

impl Manifest {
    pub(crate) fn read(value: &Value) -> Self {
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let optional = dependencies(value, "optionalDependencies");
        let mut required = dependencies(value, "dependencies");
        // npm repeats optional dependencies among the others.
        required.retain(|name, _| !optional.contains_key(name));
        let meta = value.get("peerDependenciesMeta").and_then(Value::as_object);
        let is_optional = |meta: &Value| meta.get("optional") == Some(&Value::Bool(true));
        let optional_peers =
            meta.into_iter().flatten().filter(|(_, meta)| is_optional(meta)).map(|(name, _)| name.clone()).collect();
        let bundled = ["bundleDependencies", "bundledDependencies"].iter().find_map(|key| value.get(key));
        let bundled = match bundled {
            Some(Value::Bool(true)) => required.keys().chain(optional.keys()).cloned().collect(),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => BTreeSet::new(),
        };
        let scripts = value.get("scripts");
        let has = |name: &str| scripts.and_then(|scripts| scripts.get(name)).is_some_and(Value::is_string);
        let name = text("name");
        let bin = match value.get("bin") {
            Some(Value::String(path)) => {
                let short = name.rsplit('/').next().unwrap_or_default().to_owned();
                BTreeMap::from([(short, path.clone())])
            }
            Some(Value::Object(map)) => {
                map.iter().filter_map(|(name, path)| Some((name.clone(), path.as_str()?.to_owned()))).collect()
            }
            _ => BTreeMap::new(),
        };
        Self {
            name,
            version: text("version"),
            dependencies: required,
            optional,
            peers: dependencies(value, "peerDependencies"),
            optional_peers,
            bundled,
            os: list(value, "os"),
            cpu: list(value, "cpu"),
            libc: list(value, "libc"),
            install_script: value.get("hasInstallScript") == Some(&Value::Bool(true))
                || ["preinstall", "install", "postinstall"].into_iter().any(has),
            bin,
        }
    }

    /// Adds what a lock file keeps. Name and version are somebody else's.
    pub(crate) fn write(&self, to: &mut Map<String, Value>) {
        let mut put = |key: &str, value: Value| {
            let empty = match &value {
                Value::Object(map) => map.is_empty(),
                Value::Array(list) => list.is_empty(),
                Value::Bool(set) => !set,
                _ => false,
            };
            if !empty {
                to.insert(key.to_owned(), value);
            }
        };
        let object = |map: &Dependencies| map.iter().map(|(key, value)| (key.clone(), value.clone().into())).collect();
        let array = |list: Vec<&String>| Value::Array(list.into_iter().map(|text| text.clone().into()).collect());
        put("hasInstallScript", self.install_script.into());
        put("bundleDependencies", array(self.bundled.iter().collect()));
        put("os", array(self.os.iter().collect()));
        put("cpu", array(self.cpu.iter().collect()));
        put("libc", array(self.libc.iter().collect()));
        put("dependencies", Value::Object(object(&self.dependencies)));
        put("optionalDependencies", Value::Object(object(&self.optional)));
        put("peerDependencies", Value::Object(object(&self.peers)));
        let meta = |name: &String| (name.clone(), serde_json::json!({"optional": true}));
        put("peerDependenciesMeta", Value::Object(self.optional_peers.iter().map(meta).collect()));
        put("bin", Value::Object(object(&self.bin)));
    }

    /// Why it is not for this system: for which it is, and what this is.
    pub(crate) fn unfit(&self) -> Option<(String, String)> {
        let os = match std::env::consts::OS {
            "macos" => "darwin",
            "windows" => "win32",
            os => os,
        };
        let cpu = match std::env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            "x86" => "ia32",
            cpu => cpu,
        };
        let libc = (os == "linux").then(c_library).unwrap_or_default();
        let here = [("os", os, &self.os), ("cpu", cpu, &self.cpu), ("libc", libc, &self.libc)];
        here.into_iter()
            .find(|(_, here, wanted)| !allows(wanted, here))
            .map(|(kind, here, wanted)| (format!("{kind} {}", wanted.join(", ")), here.to_owned()))
    }
}

fn c_library() -> &'static str {
    let musl = ["/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1"];
    let glibc = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];
    let exists = |files: [&str; 2]| files.iter().any(|file| std::path::Path::new(file).exists());
    if exists(musl) && !exists(glibc) { "musl" } else { "glibc" }
}

/// A list that may also forbid, with `!`.
fn allows(list: &[String], here: &str) -> bool {
    let forbidden = list.iter().any(|entry| entry.strip_prefix('!') == Some(here));
    let mut allowed = list.iter().filter(|entry| !entry.starts_with('!')).peekable();
    !forbidden && (allowed.peek().is_none() || allowed.any(|entry| entry == here || entry == "any"))
}

fn dependencies(value: &Value, key: &str) -> Dependencies {
    let map = value.get(key).and_then(Value::as_object);
    let text = |(name, spec): (&String, &Value)| Some((name.clone(), spec.as_str()?.to_owned()));
    map.into_iter().flatten().filter_map(text).collect()
}

fn list(value: &Value, key: &str) -> Vec<String> {
    match value.get(key) {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_read_is_what_a_lock_keeps() {
        let manifest = Manifest::read(&json!({
            "name": "@me/x", "version": "1.2.3", "scripts": {"postinstall": "node x"}, "bin": "./cli.js",
            "dependencies": {"a": "^1", "b": "2", "odd": 3}, "optionalDependencies": {"b": "2"},
            "peerDependencies": {"c": "*", "d": "*"}, "peerDependenciesMeta": {"d": {"optional": true}},
            "bundledDependencies": ["a"], "os": "linux", "cpu": ["x64", "!arm"], "libc": 5,
        }));
        let mut kept = Map::new();
        manifest.write(&mut kept);
        assert_eq!(
            Value::Object(kept.clone()),
            json!({
                "hasInstallScript": true, "bundleDependencies": ["a"], "os": ["linux"], "cpu": ["x64", "!arm"],
                "dependencies": {"a": "^1"}, "optionalDependencies": {"b": "2"}, "peerDependencies": {"c": "*", "d": "*"},
                "peerDependenciesMeta": {"d": {"optional": true}}, "bin": {"x": "./cli.js"},
            })
        );
        kept.insert("name".into(), "@me/x".into());
        kept.insert("version".into(), "1.2.3".into());
        assert_eq!(Manifest::read(&Value::Object(kept)), manifest);
    }

    #[test]
    fn systems() {
        let lists: [(&[&str], bool); 6] = [
            (&[], true),
            (&["linux"], true),
            (&["darwin"], false),
            (&["!linux"], false),
            (&["!darwin"], true),
            (&["any"], true),
        ];
        for (list, fits) in lists {
            let owned: Vec<String> = list.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(allows(&owned, "linux"), fits, "{list:?}");
        }
    }
}
