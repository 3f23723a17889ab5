//! Installing, updating and removing.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};
use tau_sys::lock::Exclusive;

use crate::area::{Installed as Present, remove, stage};
use crate::config::NpmConfig;
use crate::error::PackageError;
use crate::fetch::{Fetcher, SCRATCH, read_manifest};
use crate::git::{Git, hash_of_files};
use crate::host;
use crate::http::Http;
use crate::journal::{self, Change as Replacing};
use crate::lock::{Lock, LockedGit, Pins, for_npm, pins_of_npm, read_object, write_json};
use crate::manifest::{Dependencies, Manifest};
use crate::source::{GitSource, NpmSource, Source};
use crate::spec::Spec;
use crate::tree::{Known, Tree, closure};

/// Where packages of one scope are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The folder whose `node_modules` holds npm packages.
    pub npm: PathBuf,
    /// The folder that holds repositories, by host and path.
    pub git: PathBuf,
    /// The lock file.
    pub lock: PathBuf,
    /// Whether the lock file goes from machine to machine with a project. Then it outranks what npm noted here.
    pub shared_lock: bool,
}

/// How registries and repositories are reached.
#[derive(Clone)]
pub struct Access {
    /// The user's home directory, for `.npmrc`.
    pub home: PathBuf,
    /// Environment variables.
    pub vars: BTreeMap<String, String>,
    /// Further `.npmrc` files, which count more than the user's.
    pub npmrc: Vec<PathBuf>,
    /// Whether the network may not be used.
    pub offline: bool,
    /// Is told what is done, in a few words each time.
    pub progress: Arc<dyn Fn(&str) + Send + Sync>,
}

/// How a version is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// As the lock file says, when it says something.
    Pinned,
    /// The newest that fits, with everything it needs.
    Newest,
}

/// What an operation did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The package, before and after.
    pub change: Option<Change>,
    /// What the user should know besides: install scripts that were not run, what was left out.
    pub notes: Vec<String>,
}

/// A package before and after. Repositories have commits in place of versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The version that was there.
    pub before: Option<String>,
    /// The version that is there.
    pub after: Option<String>,
    /// Its folder.
    pub folder: PathBuf,
}

/// A package that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Its folder.
    pub folder: PathBuf,
    /// What its manifest says.
    pub version: Option<String>,
}

/// A place for packages, and the way to get them.
pub struct Store {
    place: Place,
    access: Access,
}

impl Place {
    /// The folder of a package, whether it is there or not; `None` for paths, and for names that lead elsewhere.
    pub fn folder_of(&self, source: &Source) -> Option<PathBuf> {
        source.check().ok()?;
        match source {
            Source::Npm(npm) => Some(self.npm.join("node_modules").join(&npm.name)),
            Source::Git(git) => Some(self.git.join(&git.host).join(&git.path)),
            Source::Builtin(_) | Source::Local(_) => None,
        }
    }

    /// The package, if it is there.
    pub fn installed(&self, source: &Source) -> Option<Installed> {
        let folder = self.folder_of(source).filter(|folder| folder.is_dir())?;
        let manifest = read_manifest(&folder, "").ok();
        Some(Installed { version: manifest.map(|manifest| manifest.version).filter(|text| !text.is_empty()), folder })
    }

    /// Puts `new` (or nothing) in the place of a folder and lets files and the lock file be written, all of it or nothing.
    fn change(
        &self,
        folder: &Path,
        files: &[PathBuf],
        new: Option<&Path>,
        write: impl FnOnce() -> Result<(), PackageError>,
    ) -> Result<(), PackageError> {
        let mut written = files.to_vec();
        written.push(self.lock.clone());
        let change = Replacing::begin(&self.npm, folder, &written)?;
        if let Err(error) = change.replace(new).and_then(|()| write()) {
            change.roll_back();
            return Err(error);
        }
        change.commit()
    }

    /// Whether the package is there, in a version that its source allows.
    pub fn has(&self, source: &Source) -> bool {
        match (self.installed(source), source) {
            (None, _) => false,
            (Some(found), Source::Npm(NpmSource { version: Some(wanted), .. })) => match Spec::parse(wanted) {
                Spec::Range(range) => found
                    .version
                    .and_then(|version| nodejs_semver::Version::parse(version).ok())
                    .is_some_and(|version| range.satisfies(&version)),
                _ => true,
            },
            (Some(_), _) => true,
        }
    }
}

/// Says which packages of the host a package lists where a copy would be installed elsewhere.
fn host_note(what: &str, manifest: &Manifest) -> Option<String> {
    let names: Vec<&str> = manifest.dependencies.keys().map(String::as_str).filter(|name| host::has(name)).collect();
    let listed = names.join(", ");
    (!names.is_empty()).then(|| {
        format!("{what} lists {listed} in dependencies; tau has them built in, and they belong in peerDependencies")
    })
}

impl Store {
    /// Nothing is read or reached before it is needed.
    pub fn new(place: Place, access: Access) -> Self {
        Self { place, access }
    }

    /// Where its packages are.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Installs a package, or another version of it. A path is left alone.
    ///
    /// # Errors
    /// What failed, and where. What was installed before is as it was.
    pub async fn install(&self, source: &Source, wish: Wish) -> Result<Report, PackageError> {
        source.check()?;
        match source {
            Source::Builtin(_) | Source::Local(_) => Ok(Report::default()),
            Source::Npm(npm) => self.install_npm(npm, wish).await,
            Source::Git(git) => self.install_git(git, wish).await,
        }
    }

    /// Whether a newer version than the one that is there could be installed. Asks the registry or the repository and
    /// changes nothing.
    ///
    /// # Errors
    /// When nobody answers, or no version fits.
    pub async fn has_newer(&self, source: &Source) -> Result<bool, PackageError> {
        source.check()?;
        let Some(folder) = self.place.folder_of(source) else { return Ok(false) };
        match source {
            Source::Builtin(_) | Source::Local(_) => Ok(false),
            Source::Npm(npm) => {
                let spec = Spec::parse(npm.version.as_deref().unwrap_or("latest"));
                let Some((name, spec)) = spec.in_registry(&npm.name) else { return Ok(false) };
                let release = self.fetcher(&self.place.npm)?.packument(name).await?.choose(spec)?;
                let version = |text: &str| nodejs_semver::Version::parse(text).ok();
                Ok(version_in(&folder).is_none_or(|here| version(&here) < version(&release.manifest.version)))
            }
            Source::Git(git) => {
                let fetcher = self.fetcher(&self.place.git)?;
                // A commit is no name of anything at the origin: it stays.
                let newest = fetcher.git.newest(git).await?;
                Ok(newest.is_some() && newest != fetcher.git.head(&folder).await)
            }
        }
    }

    /// Removes a package and what only it needed. What is not there is no error.
    ///
    /// # Errors
    /// What failed, and where. What was installed before is as it was.
    pub async fn remove(&self, source: &Source) -> Result<Report, PackageError> {
        source.check()?;
        match source {
            Source::Builtin(_) | Source::Local(_) => Ok(Report::default()),
            Source::Npm(npm) => self.remove_npm(npm).await,
            Source::Git(git) => self.remove_git(git).await,
        }
    }

    async fn guard(&self) -> Result<Exclusive, PackageError> {
        ignore_all(&self.place.npm)?;
        fs::create_dir_all(&self.place.npm).map_err(PackageError::io(&self.place.npm))?;
        let file = self.place.npm.join(".tau-lock");
        let guard = Exclusive::take(&file, || {
            (self.access.progress)("Waiting for another tau that works on packages");
        });
        let guard = guard.await.map_err(PackageError::io(&file))?;
        journal::recover(&self.place.npm)?;
        // Nobody else is at work: what a kill left of an archive is of no use.
        for folder in [&self.place.npm, &self.place.git] {
            forget_scratch(folder);
        }
        Ok(guard)
    }

    /// Puts back what there was before a change that a crash or a kill left in the middle. Costs nothing when there is
    /// none; every change does it by itself.
    ///
    /// # Errors
    /// What failed, and where.
    pub async fn recover(&self) -> Result<(), PackageError> {
        if journal::is_pending(&self.place.npm) {
            self.guard().await?;
        }
        Ok(())
    }

    fn fetcher(&self, beside: &Path) -> Result<Fetcher, PackageError> {
        let mut projects = vec![self.place.npm.join(".npmrc")];
        projects.splice(0..0, self.access.npmrc.iter().cloned());
        let config = NpmConfig::load(&self.access.home, &self.access.vars, &projects);
        let git = Git::new(self.access.vars.clone(), self.access.offline);
        Fetcher::new(Http::new(config, self.access.offline), git, beside)
    }

    async fn install_npm(&self, npm: &NpmSource, wish: Wish) -> Result<Report, PackageError> {
        let _guard = self.guard().await?;
        let mut area = NpmArea::open(&self.place)?;
        let folder = area.folder(&npm.name);
        let before = version_in(&folder);
        let known = area.dependencies.get(&npm.name).cloned();
        let pinned = area.pins.contains_key(&format!("node_modules/{}", npm.name));
        let wanted = match (&npm.version, wish) {
            (Some(version), _) => version.clone(),
            (None, Wish::Pinned) if known.is_some() || pinned => known.clone().unwrap_or_else(|| "*".to_owned()),
            (None, _) => "latest".to_owned(),
        };
        area.dependencies.insert(npm.name.clone(), wanted.clone());
        let mut fresh = match wish {
            Wish::Newest => closure(&area.pins, &npm.name),
            Wish::Pinned => HashSet::new(),
        };
        // A tag says nothing about the version that is there.
        if matches!(Spec::parse(&wanted), Spec::Tag(_)) && !(wish == Wish::Pinned && pinned) {
            fresh.insert(npm.name.clone());
        }
        let fetcher = self.fetcher(&self.place.npm)?;
        let mut notes = area.apply(self, &fetcher, &fresh, Some((&npm.name, npm.version.as_deref(), known))).await?;
        notes.extend(read_manifest(&folder, &npm.name).ok().and_then(|manifest| host_note(&npm.name, &manifest)));
        let after = version_in(&folder);
        Ok(Report { change: Some(Change { before, after, folder }), notes })
    }

    async fn remove_npm(&self, npm: &NpmSource) -> Result<Report, PackageError> {
        let _guard = self.guard().await?;
        let mut area = NpmArea::open(&self.place)?;
        let folder = area.folder(&npm.name);
        let before = version_in(&folder);
        let was_known = area.dependencies.remove(&npm.name).is_some();
        if !was_known && before.is_none() {
            return Ok(Report::default());
        }
        let fetcher = self.fetcher(&self.place.npm)?;
        let notes = area.apply(self, &fetcher, &HashSet::new(), None).await?;
        Ok(Report { change: Some(Change { before, after: None, folder }), notes })
    }

    async fn install_git(&self, git: &GitSource, wish: Wish) -> Result<Report, PackageError> {
        let _guard = self.guard().await?;
        ignore_all(&self.place.git)?;
        let source = Source::Git(git.clone());
        let Some(folder) = self.place.folder_of(&source) else { return Ok(Report::default()) };
        let fetcher = self.fetcher(&self.place.git)?;
        let mut lock = Lock::read(&self.place.lock)?;
        let name = format!("{}/{}", git.host, git.path);
        let before = if folder.is_dir() { fetcher.git.head(&folder).await } else { None };
        let same_source = |locked: &&LockedGit| locked.reference == git.reference;
        let pin = lock.git.get(&name).filter(same_source).filter(|_| wish == Wish::Pinned).cloned();
        if let (Some(before), Wish::Newest) = (&before, wish)
            && fetcher.git.newest(git).await?.as_ref() == Some(before)
            && lock.git.get(&name).is_some_and(|locked| &locked.commit == before)
        {
            let after = Some(before.clone());
            return Ok(Report { change: Some(Change { before: after.clone(), after, folder }), notes: Vec::new() });
        }
        (self.access.progress)(&format!("Fetching {source}"));
        let new = fetcher.folder()?.join("repository");
        let commit = fetcher.git.checkout(git, pin.as_ref().map(|pin| pin.commit.as_str()), &new).await?;
        let integrity = hash_of_files(&new)?;
        if let Some(pin) = pin.as_ref().filter(|pin| !pin.integrity.is_empty() && pin.integrity != integrity) {
            return Err(PackageError::Integrity {
                what: source.to_string(),
                promised_by: "the lock file".to_owned(),
                expected: pin.integrity.clone(),
                found: integrity,
            });
        }
        let mut packages = Pins::new();
        let mut notes = Vec::new();
        if new.join("package.json").is_file() {
            let manifest = read_manifest(&new, &source.to_string())?;
            let mut pins = pins_of_npm(&new.join("package-lock.json"));
            pins.extend(pin.map(|pin| pin.packages).unwrap_or_default());
            if manifest.install_script {
                notes.push(format!("{source} has install scripts; tau does not run them"));
            }
            notes.extend(host_note(&source.to_string(), &manifest));
            let known = Known { pins: &pins, fresh: &HashSet::new() };
            let tree = Tree::resolve(&fetcher, manifest, &known).await?;
            let present = lock.git.get(&name).map(|locked| Present { folder: &folder, pins: &locked.packages });
            remove(&new.join("node_modules"))?;
            let staged = stage(&fetcher, &tree, &new, present, &self.access.progress).await?;
            packages = staged.pins;
            notes.extend(staged.notes);
        }
        let locked = LockedGit {
            url: git.public_url(),
            reference: git.reference.clone(),
            commit: commit.clone(),
            integrity,
            packages,
        };
        lock.git.insert(name, locked);
        self.place.change(&folder, &[], Some(&new), || lock.write(&self.place.lock))?;
        Ok(Report { change: Some(Change { before, after: Some(commit), folder }), notes })
    }

    async fn remove_git(&self, git: &GitSource) -> Result<Report, PackageError> {
        let _guard = self.guard().await?;
        let Some(folder) = self.place.folder_of(&Source::Git(git.clone())) else { return Ok(Report::default()) };
        let mut lock = Lock::read(&self.place.lock)?;
        let known = lock.git.remove(&format!("{}/{}", git.host, git.path));
        if !folder.is_dir() {
            if known.is_some() {
                lock.write(&self.place.lock)?;
            }
            return Ok(Report::default());
        }
        let before = Git::new(self.access.vars.clone(), true).head(&folder).await;
        self.place.change(&folder, &[], None, || match known {
            Some(_) => lock.write(&self.place.lock),
            None => Ok(()),
        })?;
        // Folders that are empty now go too, up to the one for all.
        let mut parent = folder.parent();
        while let Some(empty) = parent.filter(|parent| *parent != self.place.git && parent.starts_with(&self.place.git))
        {
            if fs::remove_dir(empty).is_err() {
                break;
            }
            parent = empty.parent();
        }
        Ok(Report { change: Some(Change { before, after: None, folder }), notes: Vec::new() })
    }
}

/// The npm packages of a place, as they are written down.
struct NpmArea<'a> {
    place: &'a Place,
    manifest: Map<String, Value>,
    dependencies: Dependencies,
    lock: Lock,
    /// What is installed.
    present: Pins,
    /// What counts.
    pins: Pins,
}

impl<'a> NpmArea<'a> {
    fn open(place: &'a Place) -> Result<Self, PackageError> {
        let manifest = read_object(&place.npm.join("package.json"))?.unwrap_or_else(|| {
            // The same that pi writes.
            Map::from_iter([("name".to_owned(), "pi-extensions".into()), ("private".to_owned(), true.into())])
        });
        let dependencies = Manifest::read(&Value::Object(manifest.clone())).dependencies;
        let lock = Lock::read(&place.lock)?;
        let theirs = pins_of_npm(&place.npm.join("package-lock.json"));
        let present = if theirs.is_empty() { lock.npm.clone() } else { theirs.clone() };
        let pins = if place.shared_lock {
            let mut pins = theirs;
            pins.extend(lock.npm.clone());
            pins
        } else {
            present.clone()
        };
        Ok(Self { place, manifest, dependencies, lock, present, pins })
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.place.npm.join("node_modules").join(name)
    }

    /// Makes what is on the disk what the dependencies say. `added` is the package that was asked for, the version that
    /// was asked for, and what was noted before.
    async fn apply(
        &mut self,
        store: &Store,
        fetcher: &Fetcher,
        fresh: &HashSet<String>,
        added: Option<(&str, Option<&str>, Option<String>)>,
    ) -> Result<Vec<String>, PackageError> {
        let root = Manifest { dependencies: self.dependencies.clone(), ..Manifest::default() };
        let tree = Tree::resolve(fetcher, root, &Known { pins: &self.pins, fresh }).await?;
        let into = fetcher.folder()?;
        let present = Present { folder: &self.place.npm, pins: &self.present };
        let staged = stage(fetcher, &tree, &into, Some(present), &store.access.progress).await?;
        if let Some((name, asked, known)) = added {
            let version = staged.pins.get(&format!("node_modules/{name}")).map(|pin| pin.manifest.version.clone());
            let is_tag = asked.is_none_or(|asked| matches!(Spec::parse(asked), Spec::Tag(_)));
            let kept = known.filter(|_| asked.is_none()).filter(|known| {
                version.as_deref().is_some_and(|version| Spec::parse(known).accepts(name, version, name))
            });
            if let (true, Some(version)) = (is_tag, version) {
                self.dependencies.insert(name.to_owned(), kept.unwrap_or_else(|| format!("^{version}")));
            }
        }
        let all = self.dependencies.iter().map(|(name, spec)| (name.clone(), spec.clone().into())).collect();
        self.manifest.insert("dependencies".to_owned(), Value::Object(all));
        let modules = into.join("node_modules");
        fs::create_dir_all(&modules).map_err(PackageError::io(&modules))?;
        let files = ["package.json", "package-lock.json"].map(|name| self.place.npm.join(name));
        let place = self.place;
        let live = place.npm.join("node_modules");
        place.change(&live, &files, Some(&modules), || self.write_down(staged.pins, &files))?;
        Ok(staged.notes)
    }

    fn write_down(&mut self, pins: Pins, files: &[PathBuf; 2]) -> Result<(), PackageError> {
        let theirs = for_npm(&self.manifest, &pins);
        self.lock.npm = pins;
        write_json(&files[0], &Value::Object(self.manifest.clone()))?;
        write_json(&files[1], &theirs)?;
        self.lock.write(&self.place.lock)
    }
}

fn version_in(folder: &Path) -> Option<String> {
    let manifest = read_manifest(folder, "").ok()?;
    Some(manifest.version).filter(|version| !version.is_empty())
}

/// Removes the folders that an operation keeps its parts in.
fn forget_scratch(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let scratch = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(SCRATCH);
    for entry in entries.filter(|entry| scratch(&entry.file_name()) && entry.path().is_dir()) {
        if let Err(error) = remove(&entry.path()) {
            tracing::debug!("{error}");
        }
    }
}

/// Folders of packages are nothing for version control, and no project of their own.
fn ignore_all(folder: &Path) -> Result<(), PackageError> {
    fs::create_dir_all(folder).map_err(PackageError::io(folder))?;
    let file = folder.join(".gitignore");
    if file.exists() {
        return Ok(());
    }
    fs::write(&file, "*\n!.gitignore\n").map_err(PackageError::io(&file))
}
