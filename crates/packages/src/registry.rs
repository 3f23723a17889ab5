//! What a registry knows of a package.

use std::collections::BTreeMap;
use std::sync::Arc;

use nodejs_semver::Version;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use url::Url;

use crate::error::PackageError;
use crate::http::{Http, Wanted, shown};
use crate::integrity::Integrity;
use crate::manifest::Manifest;
use crate::spec::Spec;

/// The short form of metadata; a registry that does not know it sends the long one.
const ACCEPT: &str = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";
const MOST_METADATA: u64 = 256 << 20;

/// All versions of a package.
pub(crate) struct Packument {
    pub name: String,
    pub registry: Url,
    tags: BTreeMap<String, String>,
    /// The versions that are versions, the oldest first. Each is read when it is wanted.
    versions: Vec<(Version, Box<RawValue>)>,
}

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "dist-tags", default)]
    tags: BTreeMap<String, String>,
    #[serde(default)]
    versions: BTreeMap<String, Box<RawValue>>,
}

/// One version of a package in a registry.
#[derive(Debug, Clone)]
pub(crate) struct Release {
    pub manifest: Manifest,
    pub archive: Option<Url>,
    pub integrity: Option<Integrity>,
}

impl Packument {
    pub(crate) async fn fetch(http: &Http, name: &str) -> Result<Arc<Self>, PackageError> {
        let registry = http.config.registry_of(name)?;
        let malformed =
            |why: String| PackageError::Malformed { what: format!("what {} says of {name}", shown(&registry)), why };
        let url = registry.join(&name.replacen('/', "%2f", 1)).map_err(|error| malformed(error.to_string()))?;
        let what = format!("the package {name}");
        let wanted = Wanted { what: &what, url: &url, registry: Some(&registry), accept: ACCEPT, limit: MOST_METADATA };
        let Some(bytes) = http.fetch(&wanted, || Ok(Vec::new())).await? else {
            return Err(PackageError::NoPackage { name: name.to_owned(), registry: shown(&registry) });
        };
        let document: Document = serde_json::from_slice(&bytes).map_err(|error| malformed(error.to_string()))?;
        let mut versions: Vec<_> = document
            .versions
            .into_iter()
            .filter_map(|(version, raw)| Some((Version::parse(&version).ok()?, raw)))
            .collect();
        versions.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Arc::new(Self { name: name.to_owned(), registry, tags: document.tags, versions }))
    }

    /// The best version for a specification: the one tagged `latest` when it fits, else the newest that is not
    /// deprecated, else the newest.
    pub(crate) fn choose(&self, spec: &Spec) -> Result<Release, PackageError> {
        let none = |wanted: String| {
            let available = self.versions.iter().rev().take(3).map(|(version, _)| version.to_string()).collect();
            PackageError::NoVersion { name: self.name.clone(), wanted, available }
        };
        let latest = self.tags.get("latest").and_then(|tag| Version::parse(tag).ok());
        let version = match spec {
            Spec::Tag(tag) => {
                let tagged = self.tags.get(tag).and_then(|version| Version::parse(version).ok());
                tagged.ok_or_else(|| none(tag.clone()))?
            }
            Spec::Range(range) => {
                let all = range.to_string();
                let fits = |version: &Version| range.satisfies(version);
                let newest = || {
                    let fitting: Vec<_> = self.versions.iter().rev().filter(|(version, _)| fits(version)).collect();
                    let good = fitting.iter().find(|(_, raw)| !is_deprecated(raw)).or_else(|| fitting.first());
                    good.map(|(version, _)| version.clone())
                };
                // A range that means everything takes the latest even when that is a pre-release.
                let any = all == "*" || all.is_empty() || all == ">=0.0.0";
                let known = |version: &Version| self.versions.iter().any(|(known, _)| known == version);
                let latest = latest.filter(|version| (any || fits(version)) && known(version));
                latest.or_else(newest).ok_or_else(|| none(all.clone()))?
            }
            _ => return Err(none("this".to_owned())),
        };
        self.release(&version).unwrap_or_else(|| Err(none(version.to_string())))
    }

    fn release(&self, version: &Version) -> Option<Result<Release, PackageError>> {
        let at = self.versions.binary_search_by(|(known, _)| known.cmp(version)).ok()?;
        let (_, raw) = self.versions.get(at)?;
        let malformed = |why: String| PackageError::Malformed {
            what: format!("what {} says of {}@{version}", shown(&self.registry), self.name),
            why,
        };
        let value: Value = match serde_json::from_str(raw.get()) {
            Ok(value) => value,
            Err(error) => return Some(Err(malformed(error.to_string()))),
        };
        let mut manifest = Manifest::read(&value);
        manifest.name.clone_from(&self.name);
        manifest.version = version.to_string();
        let text = |key: &str| value.get("dist").and_then(|dist| dist.get(key)).and_then(Value::as_str);
        let integrity = text("integrity").and_then(Integrity::parse);
        let integrity = integrity.or_else(|| text("shasum").and_then(Integrity::from_shasum));
        if integrity.is_none() {
            return Some(Err(malformed("it names no hash of the archive".to_owned())));
        }
        let archive = text("tarball").and_then(|text| self.registry.join(text).ok());
        Some(Ok(Release { manifest, archive, integrity }))
    }
}

fn is_deprecated(raw: &RawValue) -> bool {
    // Looking at the text first saves reading most of them.
    raw.get().contains("\"deprecated\"")
        && serde_json::from_str::<Value>(raw.get()).is_ok_and(|value| {
            value.get("deprecated").is_some_and(|note| !matches!(note, Value::Null | Value::Bool(false)))
        })
}

/// Where a registry has the archive of a version, unless it says otherwise.
pub(crate) fn usual_archive(registry: &Url, name: &str, version: &str) -> Option<Url> {
    let short = name.rsplit('/').next().unwrap_or(name);
    registry.join(&format!("{name}/-/{short}-{version}.tgz")).ok()
}
