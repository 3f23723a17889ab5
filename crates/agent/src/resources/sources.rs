//! Where skills, prompt templates and themes are looked for, and in which order.

use std::path::{Path, PathBuf};

use super::Provenance;
use super::options::{DiscoveredPath, LoadOptions};
use super::scan::{Scanned, Wanted, scan};
use crate::diagnostic::Diagnostic;
use crate::origin::PackageResource;
use crate::path_filter::PathFilter;
use crate::settings::{Environment, Layer, ResourceKind, Settings, is_empty_entry};

/// A file to read.
pub(super) struct Source {
    pub path: PathBuf,
    pub provenance: Provenance,
    /// Somebody named this very file.
    pub explicit: bool,
}

/// What is looked for.
#[derive(Clone, Copy)]
struct WantedFiles {
    /// In standard folders.
    in_folder: Wanted,
    /// In folders that settings name.
    in_settings: Wanted,
}

/// How one kind of resource is looked for.
struct Search<'a> {
    env: &'a Environment,
    settings: &'a Settings,
    kind: ResourceKind,
    wanted: WantedFiles,
    packages: &'a [PackageResource],
    sources: Vec<Source>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

/// The files that may be skills, the most important first.
pub(super) fn skill_sources(
    env: &Environment,
    settings: &Settings,
    options: &LoadOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Source> {
    let wanted = WantedFiles { in_folder: Wanted::Skills, in_settings: Wanted::Skills };
    let mut search = Search::new(env, settings, ResourceKind::Skills, wanted, options, diagnostics);
    if !options.no_skills {
        let of_user = env.home.join(".agents").join("skills");
        if settings.is_trusted() {
            search.layer(Layer::Project);
            for folder in shared_skill_folders(env).into_iter().filter(|folder| *folder != of_user) {
                search.shared(Layer::Project, &folder);
            }
            search.packages(Some(Layer::Project));
        }
        search.layer(Layer::Global);
        search.shared(Layer::Global, &of_user);
        search.packages(Some(Layer::Global));
    }
    search.packages(None);
    search.named(options.base(env), &options.skill_paths, &options.discovered_skills);
    search.sources
}

/// The files of prompt templates, the most important first.
pub(super) fn template_sources(
    env: &Environment,
    settings: &Settings,
    options: &LoadOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Source> {
    let wanted = WantedFiles { in_folder: Wanted::MarkdownHere, in_settings: Wanted::Markdown };
    let mut search = Search::new(env, settings, ResourceKind::Prompts, wanted, options, diagnostics);
    if !options.no_prompt_templates {
        search.layers();
    }
    search.packages(None);
    search.named(options.base(env), &options.prompt_template_paths, &options.discovered_prompts);
    search.sources
}

/// The files of themes, the most important first.
pub(super) fn theme_sources(
    env: &Environment,
    settings: &Settings,
    options: &LoadOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Source> {
    let wanted = WantedFiles { in_folder: Wanted::JsonHere, in_settings: Wanted::Json };
    let mut search = Search::new(env, settings, ResourceKind::Themes, wanted, options, diagnostics);
    if !options.no_themes {
        search.layers();
    }
    search.packages(None);
    search.named(options.base(env), &options.theme_paths, &options.discovered_themes);
    search.sources
}

/// `.agents/skills` from the working directory up to the root of the repository, or of the file system.
fn shared_skill_folders(env: &Environment) -> Vec<PathBuf> {
    let root = env.cwd.ancestors().find(|dir| dir.join(".git").exists());
    let mut folders = Vec::new();
    for dir in env.cwd.ancestors() {
        folders.push(dir.join(".agents").join("skills"));
        if Some(dir) == root {
            break;
        }
    }
    folders
}

impl<'a> Search<'a> {
    fn new(
        env: &'a Environment,
        settings: &'a Settings,
        kind: ResourceKind,
        wanted: WantedFiles,
        options: &'a LoadOptions,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Self {
        let packages = &options.packages;
        Self { env, settings, kind, wanted, packages, sources: Vec::new(), diagnostics }
    }

    /// The project, when it is trusted, and the user.
    fn layers(&mut self) {
        if self.settings.is_trusted() {
            self.layer(Layer::Project);
            self.packages(Some(Layer::Project));
        }
        self.layer(Layer::Global);
        self.packages(Some(Layer::Global));
    }

    /// What the packages of a layer bring; those of the command line without one.
    fn packages(&mut self, layer: Option<Layer>) {
        let (packages, kind) = (self.packages, self.kind);
        for part in packages.iter().filter(|part| part.kind == kind && part.origin.layer() == layer) {
            self.add(part.path.clone(), Provenance::Package(part.package_root.clone()), false);
        }
    }

    /// The settings entries of a layer, then its standard folder.
    fn layer(&mut self, layer: Layer) {
        let entries = self.settings.resource_entries_of(layer, self.kind);
        let filter = self.filter(layer);
        for entry in entries.iter().filter(|entry| !PathFilter::is_pattern(&entry.entry)) {
            let path = self.env.resolve(&entry.entry, &entry.base);
            for (file, explicit) in self.files_of(&path, self.wanted.in_settings) {
                if filter.chooses(&file, &entry.base) {
                    self.add(file, provenance(layer), explicit);
                }
            }
        }
        let base = self.settings.paths().base(layer).to_path_buf();
        self.folder(layer, &base.join(self.kind.key()), &base, self.wanted.in_folder);
    }

    /// A folder in the layout that agents share.
    fn shared(&mut self, layer: Layer, folder: &Path) {
        let base = folder.parent().unwrap_or(folder);
        self.folder(layer, folder, base, Wanted::SharedSkills);
    }

    fn folder(&mut self, layer: Layer, folder: &Path, base: &Path, wanted: Wanted) {
        let filter = self.filter(layer);
        for file in self.scan(folder, wanted) {
            if filter.allows(&file, base) {
                self.add(file, provenance(layer), false);
            }
        }
    }

    /// What the command line, whose relative paths start at `base`, and the extensions named.
    fn named(&mut self, base: &Path, flags: &[String], discovered: &[DiscoveredPath]) {
        let flags = flags.iter().map(|path| (path, base, Provenance::Flag));
        let cwd = self.env.cwd.as_path();
        let discovered = discovered.iter().map(|of| (&of.path, cwd, Provenance::Extension(of.extension.clone())));
        for (path, base, provenance) in flags.chain(discovered) {
            if is_empty_entry(path) {
                self.diagnostics
                    .push(Diagnostic::error(base, format!("an empty path of {} is left out", self.kind.key())));
                continue;
            }
            let path = self.env.resolve(path, base);
            for (file, explicit) in self.files_of(&path, self.wanted.in_folder) {
                self.add(file, provenance.clone(), explicit);
            }
        }
    }

    /// The files that a path leads to, and whether it names the file itself.
    fn files_of(&mut self, path: &Path, wanted: Wanted) -> Vec<(PathBuf, bool)> {
        if path.is_dir() {
            return self.scan(path, wanted).into_iter().map(|file| (file, false)).collect();
        }
        if !path.exists() {
            self.diagnostics.push(Diagnostic::error(path, "no such file or folder"));
        } else if path.extension().is_some_and(|extension| extension == wanted.extension()) {
            return vec![(path.to_path_buf(), true)];
        } else {
            let kind = if wanted.extension() == "md" { "Markdown" } else { "JSON" };
            self.diagnostics.push(Diagnostic::error(path, format!("not a {kind} file")));
        }
        Vec::new()
    }

    /// The files below a folder.
    fn scan(&mut self, folder: &Path, wanted: Wanted) -> Vec<PathBuf> {
        let Scanned { files, problem } = scan(folder, wanted);
        self.diagnostics.extend(problem);
        files
    }

    fn filter(&self, layer: Layer) -> PathFilter {
        let entries = self.settings.resource_entries_of(layer, self.kind);
        PathFilter::new(entries.iter().map(|entry| entry.entry.as_str()))
    }

    fn add(&mut self, path: PathBuf, provenance: Provenance, explicit: bool) {
        self.sources.push(Source { path, provenance, explicit });
    }
}

fn provenance(layer: Layer) -> Provenance {
    match layer {
        Layer::Global => Provenance::User,
        Layer::Project => Provenance::Project,
    }
}
