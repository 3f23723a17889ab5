//! Fetches packages into a folder of its own, once each.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use tempfile::TempDir;
use tokio::sync::OnceCell;
use url::Url;

use crate::chosen::{Origin, Package};
use crate::error::PackageError;
use crate::git::Git;
use crate::http::{Http, Wanted};
use crate::integrity::{Hasher, Hashes, Integrity};
use crate::lock::{LockedPackage, read_object};
use crate::manifest::Manifest;
use crate::registry::{Packument, Release, usual_archive};
use crate::source::GitSource;
use crate::spec::Spec;
use crate::unpack::{CAPS, unpack};

const MOST_ARCHIVE: u64 = 512 << 20;

/// Lock files name this registry for whatever came from the one that is configured.
const PUBLIC_REGISTRY: &str = "registry.npmjs.org";

type Once<T> = Arc<OnceCell<Result<T, PackageError>>>;

/// How the names of folders begin that an operation keeps its parts in.
pub(crate) const SCRATCH: &str = ".tau-";

/// One operation's way to registries and repositories.
pub(crate) struct Fetcher {
    pub(crate) http: Http,
    pub(crate) git: Git,
    scratch: TempDir,
    packuments: Mutex<HashMap<String, Once<Arc<Packument>>>>,
    packages: Mutex<HashMap<String, Once<Package>>>,
}

impl Fetcher {
    /// `beside` is on the file system that packages end up on.
    pub(crate) fn new(http: Http, git: Git, beside: &Path) -> Result<Self, PackageError> {
        let scratch = tempfile::Builder::new().prefix(SCRATCH).tempdir_in(beside).map_err(PackageError::io(beside))?;
        Ok(Self { http, git, scratch, packuments: Mutex::default(), packages: Mutex::default() })
    }

    /// A folder that is gone when the operation ends.
    pub(crate) fn folder(&self) -> Result<PathBuf, PackageError> {
        let made = tempfile::Builder::new().prefix("part-").tempdir_in(self.scratch.path());
        made.map(TempDir::keep).map_err(PackageError::io(self.scratch.path()))
    }

    pub(crate) async fn packument(&self, name: &str) -> Result<Arc<Packument>, PackageError> {
        let once = Arc::clone(self.packuments.lock().entry(name.to_owned()).or_default());
        once.get_or_init(|| Packument::fetch(&self.http, name)).await.clone()
    }

    pub(crate) fn release(&self, packument: &Packument, release: Release) -> Result<Package, PackageError> {
        let Release { manifest, archive, integrity } = release;
        let usual = usual_archive(&packument.registry, &packument.name, &manifest.version);
        let archive = archive.or_else(|| usual.clone()).ok_or_else(|| PackageError::Malformed {
            what: format!("{}@{}", manifest.name, manifest.version),
            why: "nobody says where its archive is".to_owned(),
        })?;
        let is_usual = usual.as_ref() == Some(&archive);
        let origin = Origin::Registry { archive, registry: packument.registry.clone(), usual: is_usual };
        Ok(Package { manifest, origin, integrity, pinned: false })
    }

    /// A package as the lock file has it, without asking anybody.
    pub(crate) fn pinned(&self, folder: &str, spec: &Spec, pin: &LockedPackage) -> Result<Package, PackageError> {
        let manifest = pin.manifest.clone();
        let integrity = pin.integrity.as_deref().and_then(Integrity::parse);
        let malformed =
            |why: &str| PackageError::Malformed { what: format!("the lock of {folder}"), why: why.to_owned() };
        let origin = match spec {
            Spec::Archive(url) => Origin::Archive { url: url.clone(), ready: None },
            Spec::Git(source) => {
                let resolved = pin.resolved.as_deref().unwrap_or_default();
                let (_, commit) = resolved.split_once('#').ok_or_else(|| malformed("it names no commit"))?;
                Origin::Git { source: source.clone(), commit: commit.to_owned(), ready: None }
            }
            _ => {
                let registry = self.http.config.registry_of(&manifest.name)?;
                let usual = usual_archive(&registry, &manifest.name, &manifest.version);
                let named = pin.resolved.as_deref().and_then(|text| Url::parse(text).ok());
                let named = named.filter(|url| url.host_str() != Some(PUBLIC_REGISTRY));
                let archive = named.or_else(|| usual.clone()).ok_or_else(|| malformed("its archive has no address"))?;
                let is_usual = usual.as_ref() == Some(&archive);
                if integrity.is_none() {
                    return Err(malformed("it has no hash"));
                }
                Origin::Registry { archive, registry, usual: is_usual }
            }
        };
        Ok(Package { manifest, origin, integrity, pinned: true })
    }

    /// An archive that is no package of a registry: what is in it is only known when it is here.
    pub(crate) async fn archive(&self, url: &Url) -> Result<Package, PackageError> {
        let once = Arc::clone(self.packages.lock().entry(url.to_string()).or_default());
        let fetch = async || {
            let ready = self.folder()?;
            let what = crate::http::shown(url);
            let hashes = self.download(&what, url, None, None, &ready).await?;
            let manifest = read_manifest(&ready, &what)?;
            let integrity = Integrity::parse(&hashes.strongest());
            let origin = Origin::Archive { url: url.clone(), ready: Some(ready) };
            Ok(Package { manifest, origin, integrity, pinned: false })
        };
        once.get_or_init(fetch).await.clone()
    }

    /// A repository as a dependency.
    pub(crate) async fn repository(&self, source: &GitSource) -> Result<Package, PackageError> {
        let key = format!("{}#{}", source.url, source.reference.as_deref().unwrap_or_default());
        let once = Arc::clone(self.packages.lock().entry(key).or_default());
        let fetch = async || {
            let ready = self.folder()?.join("repository");
            let commit = self.git.checkout(source, None, &ready).await?;
            fs::remove_dir_all(ready.join(".git")).map_err(PackageError::io(&ready))?;
            let manifest = read_manifest(&ready, &source.path)?;
            let integrity = Integrity::parse(&crate::git::hash_of_files(&ready)?);
            let origin = Origin::Git { source: source.clone(), commit, ready: Some(ready) };
            Ok(Package { manifest, origin, integrity, pinned: false })
        };
        once.get_or_init(fetch).await.clone()
    }

    /// Puts the content of a package into a folder, which does not exist yet, after checking it; gives its hash.
    pub(crate) async fn put(&self, package: &Package, into: &Path) -> Result<String, PackageError> {
        let what = format!("{}@{}", package.manifest.name, package.manifest.version);
        let known = package.integrity.as_ref().map(|integrity| (integrity, package.pinned));
        match &package.origin {
            Origin::Root => Ok(String::new()),
            Origin::Archive { ready: Some(ready), .. } | Origin::Git { ready: Some(ready), .. } => {
                make_parent(into)?;
                // The same repository may be wanted in two places.
                copy_tree(ready, into, false).map_err(PackageError::io(into))?;
                Ok(package.integrity.as_ref().map(Integrity::text).unwrap_or_default())
            }
            Origin::Registry { archive, registry, .. } => {
                let hashes = self.download(&what, archive, Some(registry), known, into).await?;
                Ok(hashes.strongest())
            }
            Origin::Archive { url, .. } => {
                let hashes = self.download(&what, url, None, known, into).await?;
                Ok(hashes.strongest())
            }
            Origin::Git { source, commit, .. } => {
                make_parent(into)?;
                self.git.checkout(source, Some(commit), into).await?;
                fs::remove_dir_all(into.join(".git")).map_err(PackageError::io(into))?;
                let found = crate::git::hash_of_files(into)?;
                match package.integrity.as_ref().map(Integrity::text) {
                    Some(expected) if expected != found => {
                        Err(PackageError::Integrity { what, promised_by: "the lock file".to_owned(), expected, found })
                    }
                    _ => Ok(found),
                }
            }
        }
    }

    /// Downloads an archive, checks it, and only then unpacks it.
    async fn download(
        &self,
        what: &str,
        url: &Url,
        registry: Option<&Url>,
        known: Option<(&Integrity, bool)>,
        into: &Path,
    ) -> Result<Hashes, PackageError> {
        let file =
            tempfile::NamedTempFile::new_in(self.scratch.path()).map_err(PackageError::io(self.scratch.path()))?;
        let wanted = Wanted { what, url, registry, accept: "*/*", limit: MOST_ARCHIVE };
        let restart = || {
            let file = File::create(file.path()).map_err(PackageError::io(file.path()))?;
            Ok(Download { file, hasher: Hasher::default() })
        };
        let Some(download) = self.http.fetch(&wanted, restart).await? else {
            return Err(PackageError::Refused {
                what: what.to_owned(),
                url: crate::http::shown(url),
                status: 404,
                hint: "the registry knows the version but has lost its archive".to_owned(),
            });
        };
        let hashes = download.hasher.finish();
        if let Some((integrity, pinned)) = known
            && let Err(found) = integrity.check(&hashes)
        {
            let promised_by = if pinned { "the lock file" } else { "the registry" };
            let (what, expected) = (what.to_owned(), integrity.text());
            return Err(PackageError::Integrity { what, promised_by: promised_by.to_owned(), expected, found });
        }
        let (path, into, what) = (file.path().to_path_buf(), into.to_path_buf(), what.to_owned());
        let unpacked = tokio::task::spawn_blocking(move || {
            let archive = File::open(&path).map_err(PackageError::io(&path))?;
            unpack(io::BufReader::new(archive), &into, &what, CAPS)
        });
        let failed = |error: tokio::task::JoinError| PackageError::Malformed {
            what: "an archive".to_owned(),
            why: error.to_string(),
        };
        unpacked.await.map_err(failed)??;
        Ok(hashes)
    }
}

struct Download {
    file: File,
    hasher: Hasher,
}

impl Write for Download {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all(bytes)?;
        self.hasher.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

pub(crate) fn make_parent(path: &Path) -> Result<(), PackageError> {
    let parent = path.parent().unwrap_or(path);
    fs::create_dir_all(parent).map_err(PackageError::io(parent))
}

/// The manifest of an unpacked package; it must have one.
pub(crate) fn read_manifest(folder: &Path, what: &str) -> Result<Manifest, PackageError> {
    let Some(document) = read_object(&folder.join("package.json"))? else {
        return Err(PackageError::Malformed { what: what.to_owned(), why: "it has no package.json".to_owned() });
    };
    Ok(Manifest::read(&serde_json::Value::Object(document)))
}

/// Copies a folder, by hard links where that is possible and `link` allows it, without `node_modules` in it.
pub(crate) fn copy_tree(from: &Path, to: &Path, link: bool) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if entry.file_name() != "node_modules" {
                copy_tree(&source, &target, link)?;
            }
        } else if kind.is_file() && !(link && fs::hard_link(&source, &target).is_ok()) {
            fs::copy(&source, &target)?;
        } else if kind.is_symlink() {
            #[cfg(unix)]
            std::os::unix::fs::symlink(fs::read_link(&source)?, &target)?;
        }
    }
    Ok(())
}
