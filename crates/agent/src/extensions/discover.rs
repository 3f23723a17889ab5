//! Looking for extensions, in the order in which they count.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tau_packages::Source;

use super::folder::{Entry, extensions_of, index_of};
use super::known::Known;
use super::options::DiscoveryOptions;
use super::package;
use super::source::{identity, places};
use crate::found::Hint;
use crate::found::{Absent, Found, FoundExtension, short_name};
use crate::hook_folders;
use crate::origin::{ExtensionOrigin, PackageResource};
use crate::package_entry::{Filter, PackageEntry};
use crate::resources::{Diagnostic, PathFilter};
use crate::settings::{BuiltinPackage, builtin_names, builtin_package, is_builtin_extension, keys, nearest_builtin};
use crate::settings::{Environment, Layer, ResourceKind, Settings, is_empty_entry};

/// Finds everything. The project counts when the settings were loaded as trusted.
///
/// The order is that of [`ExtensionOrigin`]; within a list that of the list, within a folder that of the names' bytes. A
/// file that is found twice counts where it was found first.
pub fn discover(env: &Environment, settings: &Settings, options: &DiscoveryOptions) -> Found {
    search(env, settings, options).0
}

/// As [`discover`], with what is switched off besides.
pub(super) fn search(env: &Environment, settings: &Settings, options: &DiscoveryOptions) -> (Found, Vec<Known>) {
    let mut search = Search {
        env,
        settings,
        isolated: isolated(env, settings),
        decided: HashMap::new(),
        found: Found::default(),
        known: Vec::new(),
        extensions: !options.no_extensions,
        otherwise: Hint::default(),
    };
    let packages = configured(env, settings, &mut search.found.diagnostics);
    for layer in [Layer::Project, Layer::Global] {
        if layer == Layer::Global || settings.is_trusted() {
            search.listed(layer);
            search.folder(layer);
            packages.iter().filter(|package| package.layer == layer).for_each(|package| search.package(package));
        }
    }
    if search.extensions {
        search.hooks();
    }
    search.extensions = true;
    for (index, path) in options.paths.iter().enumerate() {
        search.otherwise = if options.hooks.contains(&index) { Hint::NAMED } else { Hint::default() };
        search.named(path);
    }
    if !options.no_extensions {
        search.check_isolated();
    }
    super::twins::settle(&mut search.found, options, settings);
    (search.found, search.known)
}

/// What `tau.isolate` names; paths are whole.
fn isolated(env: &Environment, settings: &Settings) -> Vec<String> {
    let resolve = |wanted: String| {
        if wanted.starts_with('~') { env.resolve(&wanted, &env.cwd).display().to_string() } else { wanted }
    };
    settings.tau().isolate.into_iter().map(resolve).collect()
}

struct Search<'a> {
    env: &'a Environment,
    settings: &'a Settings,
    isolated: Vec<String>,
    /// What was decided about a file, by its real path: the first that says something about it counts.
    decided: HashMap<(ResourceKind, PathBuf), bool>,
    found: Found,
    /// Everything that was looked at, used or not.
    known: Vec<Known>,
    /// Whether extensions count at the moment.
    extensions: bool,
    /// The dialect of a file on the command line for which nothing else speaks.
    otherwise: Hint,
}

/// A package of the settings.
pub(super) struct Configured {
    pub layer: Layer,
    pub entry: PackageEntry,
    /// The source and the folder it starts at: those of the entry that this one changes, if it does.
    pub source: Source,
    pub base: PathBuf,
}

/// Where something was found.
struct Place<'a> {
    origin: ExtensionOrigin,
    base: &'a Path,
    root: Option<&'a Path>,
    package: Option<&'a str>,
}

impl Search<'_> {
    /// The entries of the setting `extensions`.
    fn listed(&mut self, layer: Layer) {
        let entries = self.settings.resource_entries_of(layer, ResourceKind::Extensions);
        let filter = PathFilter::new(entries.iter().map(|entry| entry.entry.as_str()));
        let origin = origin(layer, ExtensionOrigin::ProjectSettings, ExtensionOrigin::UserSettings);
        for name in self.settings.builtin_extensions_of(layer).iter().filter(|name| !is_builtin_extension(name)) {
            let text = format!("extensions: {}", unknown_builtin(name));
            self.found.diagnostics.push(Diagnostic::warning(&self.settings.paths().file(layer), text));
        }
        for name in self.settings.builtin_extensions_of(layer).iter().filter(|name| builtin_package(name).is_some()) {
            let text = format!("extensions: {name} is a package; name it in `packages`");
            self.found.diagnostics.push(Diagnostic::warning(&self.settings.paths().file(layer), text));
        }
        for entry in entries.iter().filter(|entry| !PathFilter::is_pattern(&entry.entry)) {
            let path = self.env.resolve(&entry.entry, &entry.base);
            let files = if path.is_dir() {
                extensions_of(&path, &mut Vec::new(), &mut self.found.diagnostics)
            } else if path.is_file() {
                vec![Entry { path, manifest: None }]
            } else {
                self.absent(path, origin, None);
                continue;
            };
            for file in files {
                let enabled = filter.chooses(&file.path, &entry.base);
                let place = Place { origin, base: &entry.base, root: None, package: None };
                self.extension(file, &place, enabled);
            }
        }
    }

    /// The standard folder.
    fn folder(&mut self, layer: Layer) {
        let entries = self.settings.resource_entries_of(layer, ResourceKind::Extensions);
        let filter = PathFilter::new(entries.iter().map(|entry| entry.entry.as_str()));
        let origin = origin(layer, ExtensionOrigin::ProjectFolder, ExtensionOrigin::UserFolder);
        let base = self.settings.paths().base(layer).to_path_buf();
        let folder = base.join(ResourceKind::Extensions.key());
        for file in extensions_of(&folder, &mut Vec::new(), &mut self.found.diagnostics) {
            let enabled = filter.allows(&file.path, &base);
            self.extension(file, &Place { origin, base: &base, root: None, package: None }, enabled);
        }
    }

    /// Hooks, in whichever folders they are.
    fn hooks(&mut self) {
        let found = hook_folders::find(self.env, self.settings);
        for (path, text) in found.warnings {
            self.found.diagnostics.push(Diagnostic::warning(&path, text));
        }
        self.found.skipped.extend(found.skipped);
        self.found.absent.extend(found.absent);
        self.found.gate_faults.extend(found.faults);
        self.found.standing.extend(found.standing);
        self.found.switched_off.extend(found.off);
        self.found.unread.extend(found.unread);
        found.files.into_iter().for_each(|file| self.take(file));
    }

    fn package(&mut self, configured: &Configured) {
        let Configured { layer, entry, source, base } = configured;
        if let Source::Builtin(name) = source {
            return self.of_program(name, entry, *layer);
        }
        let origin = origin(*layer, ExtensionOrigin::ProjectPackage, ExtensionOrigin::UserPackage);
        match self.installed(source, base, &entry.source) {
            Installed::At(root) => self.at(&root, &entry.source, entry.filter.as_ref(), origin),
            Installed::Absent { expected, package } => self.absent(expected, origin, package),
        }
    }

    /// A package that is part of the program. Its extensions are loaded elsewhere; here is checked what the entry says.
    fn of_program(&mut self, name: &str, entry: &PackageEntry, layer: Layer) {
        let mut complain = |text: String| {
            self.found
                .diagnostics
                .push(Diagnostic::warning(&self.settings.paths().file(layer), format!("packages: {text}")));
        };
        let Some(package) = builtin_package(name) else {
            let what = if is_builtin_extension(name) {
                format!("{name} is no package; name it in `extensions`")
            } else {
                unknown_builtin(name)
            };
            return complain(what);
        };
        for kind in entry.filter.iter().flat_map(Filter::other_lists) {
            complain(format!(
                "{name} has modules only, so `{}` chooses nothing; name modules in `extensions`",
                kind.key()
            ));
        }
        for pattern in entry.filter.as_ref().map(Filter::of_extensions).unwrap_or_default() {
            if let Some(problem) = unknown_module(package, pattern) {
                complain(problem);
            }
        }
    }

    /// What the command line names.
    fn named(&mut self, path: &str) {
        let source = Source::parse(path);
        let base = match source {
            Source::Local(_) => self.env.cwd.clone(),
            Source::Npm(_) | Source::Git(_) | Source::Builtin(_) => self.env.agent_dir(),
        };
        match self.installed(&source, &base, path) {
            Installed::At(root) => self.at(&root, path, None, ExtensionOrigin::CommandLine),
            Installed::Absent { expected, package } => self.absent(expected, ExtensionOrigin::CommandLine, package),
        }
    }

    fn installed(&self, source: &Source, base: &Path, written: &str) -> Installed {
        let not_installed = |expected| Installed::Absent { expected, package: Some(written.to_owned()) };
        let mut places = places(source, self.env, base).into_iter();
        let Some(first) = places.next() else { return not_installed(PathBuf::from(written)) };
        if first.exists() {
            return Installed::At(first);
        }
        match source {
            Source::Local(_) => Installed::Absent { expected: first, package: None },
            _ => places.find(|place| place.exists()).map_or_else(|| not_installed(first), Installed::At),
        }
    }

    /// What a file or a folder is: an extension, a package, or a folder of extensions.
    fn at(&mut self, path: &Path, written: &str, filter: Option<&Filter>, origin: ExtensionOrigin) {
        if path.is_file() && origin == ExtensionOrigin::CommandLine {
            self.take(hook_folders::of_named(path.to_path_buf(), origin, self.env, self.otherwise));
            return;
        }
        if path.is_file() {
            let base = path.parent().unwrap_or(path);
            let place = Place { origin, base, root: None, package: None };
            self.extension(Entry { path: path.to_path_buf(), manifest: None }, &place, true);
            return;
        }
        let parts = package::parts(path, filter, &mut self.found.diagnostics);
        let place = Place { origin, base: path, root: Some(path), package: Some(written) };
        let Some(parts) = parts else {
            // Patterns about it belong to its entry in the settings.
            let package = place.package.filter(|_| origin != ExtensionOrigin::CommandLine);
            let place = Place { root: None, package, ..place };
            let files = extensions_of(path, &mut Vec::new(), &mut self.found.diagnostics);
            if files.is_empty() {
                let reason = if path.is_dir() {
                    "there is no extension in this folder"
                } else {
                    "this is neither a file nor a folder; an extension is loaded from a file"
                };
                let reason = reason.to_owned();
                self.found.absent.push(Absent { path: path.to_path_buf(), origin, package: None, reason });
            }
            files.into_iter().for_each(|file| self.extension(file, &place, true));
            return;
        };
        // A folder with skills beside its index is an extension that brings skills.
        let by_manifest = package::has_manifest(path);
        if filter.is_none()
            && !by_manifest
            && !path.join(ResourceKind::Extensions.key()).is_dir()
            && let Some(index) = index_of(path)
        {
            self.extension(Entry { path: index, manifest: None }, &place, true);
        }
        for part in parts {
            match part.kind {
                ResourceKind::Extensions => self.extension(part.entry, &place, part.enabled),
                kind => self.resource(kind, part.entry.path, &place, part.enabled),
            }
        }
    }

    fn extension(&mut self, entry: Entry, place: &Place<'_>, enabled: bool) {
        let real_path = fs::canonicalize(&entry.path).unwrap_or_else(|_| entry.path.clone());
        // What the command line names is wanted, whatever the settings say.
        let decided = place.origin != ExtensionOrigin::CommandLine
            && *self.decided.entry((ResourceKind::Extensions, real_path.clone())).or_insert(enabled) != enabled;
        self.note(ResourceKind::Extensions, &entry.path, place, enabled);
        if !enabled || !self.extensions || decided {
            return;
        }
        let root = place.root.or(entry.manifest.as_deref());
        let hint = match place.origin {
            ExtensionOrigin::CommandLine => self.otherwise,
            _ => Hint::default(),
        };
        self.take(FoundExtension {
            name: short_name(&entry.path, root),
            package_root: root.map(Path::to_path_buf),
            base_dir: place.base.to_path_buf(),
            package: place.package.map(str::to_owned),
            real_path,
            hint,
            ..FoundExtension::module(entry.path, place.origin)
        });
    }

    /// Adds a file unless it is there already.
    fn take(&mut self, mut found: FoundExtension) {
        if let Some(known) = self.found.extensions.iter_mut().find(|known| known.real_path == found.real_path) {
            known.named |= found.named;
            return;
        }
        found.isolated =
            found.form.is_module() && self.isolated.iter().any(|wanted| wanted == "*" || found.answers_to(wanted));
        self.found.extensions.push(found);
    }

    /// Reports the entries of `tau.isolate` that match nothing: the user believes that an extension is isolated. One that
    /// exists and is not loaded here is no mistake.
    fn check_isolated(&mut self) {
        let file = self.settings.paths().file(Layer::Global);
        let is_elsewhere = |wanted: &str| Path::new(wanted).is_absolute() && Path::new(wanted).exists();
        for wanted in self.isolated.iter().filter(|wanted| *wanted != "*") {
            let found = self.found.extensions.iter().find(|found| found.answers_to(wanted));
            let why = match found {
                Some(found) if found.form.is_module() => continue,
                Some(_) => "which is no module: only modules can have an engine of their own",
                None if is_elsewhere(wanted) => continue,
                None => "and no loaded extension is called that",
            };
            self.found.diagnostics.push(Diagnostic::warning(&file, format!("tau.isolate names `{wanted}`, {why}")));
        }
    }

    fn resource(&mut self, kind: ResourceKind, path: PathBuf, place: &Place<'_>, enabled: bool) {
        let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        self.note(kind, &path, place, enabled);
        let is_first = self.decided.insert((kind, real), enabled).is_none();
        if let (true, true, Some(root), Some(package)) = (is_first, enabled, place.root, place.package) {
            let (package_root, package) = (root.to_path_buf(), package.to_owned());
            self.found.resources.push(PackageResource { kind, path, origin: place.origin, package_root, package });
        }
    }

    /// Keeps what was decided about a file; the first that says something counts.
    fn note(&mut self, kind: ResourceKind, path: &Path, place: &Place<'_>, enabled: bool) {
        if self.known.iter().any(|known| known.kind == kind && known.path == path) {
            return;
        }
        self.known.push(Known {
            kind,
            path: path.to_path_buf(),
            origin: place.origin,
            base: place.base.to_path_buf(),
            package: place.package.map(str::to_owned),
            enabled,
        });
    }

    fn absent(&mut self, path: PathBuf, origin: ExtensionOrigin, package: Option<String>) {
        let reason = match &package {
            Some(package) => format!("the package \"{package}\" is not installed"),
            None => format!("Extension path does not exist: {}", path.display()),
        };
        if self.extensions || package.is_some() {
            self.found.absent.push(Absent { path, origin, package, reason });
        }
    }
}

/// Where a package is looked for.
enum Installed {
    /// It is here.
    At(PathBuf),
    /// It is not where it is expected.
    Absent {
        expected: PathBuf,
        /// Its name, when it has to be installed.
        package: Option<String>,
    },
}

/// The packages of both settings files; of two entries for one package the project's counts, unless it only changes the
/// user's.
pub(super) fn configured(env: &Environment, settings: &Settings, diagnostics: &mut Vec<Diagnostic>) -> Vec<Configured> {
    let mut all: Vec<(String, Configured)> = Vec::new();
    for layer in [Layer::Project, Layer::Global] {
        let base = settings.paths().base(layer);
        let entries = settings.get_in(layer, keys::PACKAGES).and_then(Value::as_array);
        for value in entries.into_iter().flatten() {
            let entry = match PackageEntry::parse(value) {
                Ok(entry) => entry,
                Err(message) => {
                    diagnostics.push(Diagnostic::error(&settings.paths().file(layer), message));
                    continue;
                }
            };
            if is_empty_entry(&entry.source) {
                continue;
            }
            let source = Source::parse(&entry.source);
            let identity = identity(&source, env, base);
            let configured = Configured { layer, entry, source, base: base.to_path_buf() };
            match all.iter_mut().find(|(known, _)| *known == identity) {
                Some((_, known)) if layer == Layer::Project => *known = configured,
                Some((_, known)) if known.layer == Layer::Project && known.entry.is_change() => {
                    known.source = configured.source.clone();
                    known.base.clone_from(&configured.base);
                    all.push((identity, configured));
                }
                Some(_) => {}
                None => all.push((identity, configured)),
            }
        }
    }
    all.into_iter().map(|(_, configured)| configured).collect()
}

pub(super) fn unknown_builtin(name: &str) -> String {
    match nearest_builtin(name) {
        Some(meant) => format!("there is no {name}; did you mean {meant}?"),
        None => format!("there is no {name}; there are {}", builtin_names().collect::<Vec<_>>().join(", ")),
    }
}

/// What is wrong with a pattern that chooses among the extensions of a package.
fn unknown_module(package: &BuiltinPackage, pattern: &str) -> Option<String> {
    let name = pattern.trim_start_matches(['!', '+', '-']);
    let is_known = PathFilter::is_pattern(name) || package.short_names().any(|known| known == name);
    let near = |known: &&str| strsim::damerau_levenshtein(known, name) <= 2;
    (!is_known).then(|| match package.short_names().find(near) {
        Some(meant) => format!("{} has no module {name}; did you mean {meant}?", package.name),
        None => {
            let known: Vec<&str> = package.short_names().collect();
            format!("{} has no module {name}; it has {}", package.name, known.join(", "))
        }
    })
}

fn origin(layer: Layer, project: ExtensionOrigin, user: ExtensionOrigin) -> ExtensionOrigin {
    match layer {
        Layer::Project => project,
        Layer::Global => user,
    }
}
