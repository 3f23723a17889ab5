//! The resources of a session: loaded from folders, from packages and from what extensions name, and looked after.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use tau_hooks::events::ResourcesDiscover;
use tau_hooks::payload::{DiscoverReason, ResourcesDiscoverEvent, ResourcesDiscoverResult};
use tau_hooks::{Report, SourceInfo};

use super::AgentSession;
use super::themes::ThemeState;
use crate::extensions::Found;
use crate::resources::{
    ContextWatch, Diagnostic, DiscoveredPath, LoadOptions, Provenance, Resources, load_context_files,
};
use crate::settings::{CONFIG_DIR, Environment};
use crate::trust::real;

/// What is loaded.
#[derive(Default)]
pub(super) struct ResourceState {
    pub(super) loaded: RwLock<Arc<Resources>>,
    pub(super) themes: ThemeState,
    /// Where context files may be, as it looked when they were read.
    contexts: Mutex<ContextWatch>,
    /// Whether extensions named any of what is loaded.
    discovered: Mutex<bool>,
}

impl AgentSession {
    /// Skills, templates, themes and context files.
    pub fn resources(&self) -> Arc<Resources> {
        Arc::clone(&self.resources.loaded.read())
    }

    /// What is loaded besides the standard folders.
    fn load_options(&self) -> LoadOptions {
        let mut load = self.load.clone();
        if let Some(extensions) = &self.extensions {
            load.packages.clone_from(&extensions.found().resources);
        }
        load
    }

    /// Reads everything that is there without asking extensions, and tells all that is wrong with it.
    pub(super) fn load_resources(&self) {
        *self.resources.discovered.lock() = false;
        // An expression that took too long may try again.
        self.drop_rules();
        self.load_with(&self.load_options(), &[]);
    }

    /// As [`AgentSession::load_resources`] in the same place; tells only what was not wrong before.
    pub(super) fn reload_resources(&self) {
        *self.resources.discovered.lock() = false;
        // An expression that took too long may try again.
        self.drop_rules();
        self.load_with(&self.load_options(), &self.resources().diagnostics);
    }

    fn load_with(&self, options: &LoadOptions, told: &[Diagnostic]) {
        let env = self.env();
        let (mut resources, contexts) = Resources::load_watched(&env, &self.settings.snapshot(), options);
        *self.resources.contexts.lock() = contexts;
        self.renew_rules(&mut resources);
        let resources = Arc::new(resources);
        self.report_resources(resources.diagnostics.iter().filter(|diagnostic| !told.contains(diagnostic)));
        *self.resources.loaded.write() = resources;
        self.refresh_theme();
    }

    fn report_resources<'a>(&self, diagnostics: impl Iterator<Item = &'a Diagnostic>) {
        for diagnostic in diagnostics {
            let path = diagnostic.path.display().to_string();
            self.hooks.dispatcher.reports.send(&Report::diagnostic(path, "resources", diagnostic.to_string()));
        }
    }

    /// Asks extensions for files and folders, and reads them too.
    pub(super) async fn discover_resources(self: &Arc<Self>, reason: DiscoverReason) {
        let cwd = self.cwd().display().to_string();
        let event = || ResourcesDiscoverEvent { cwd, reason };
        let done = self.hooks.dispatcher.dispatch::<ResourcesDiscover>(&self.scope(), event).await;
        let found = done.output.filter(|found| found.shares.iter().any(|share| !share.is_empty()));
        let before = std::mem::replace(&mut *self.resources.discovered.lock(), found.is_some());
        if found.is_none() && !before {
            return;
        }
        let mut load = self.load_options();
        add_discovered(&mut load, found.unwrap_or_default());
        self.leave_out_untrusted(&mut load).await;
        self.load_with(&load, &self.resources().diagnostics);
    }

    /// Takes away what extensions named of a project that is not trusted: an extension of the user's names a folder of
    /// whatever project there is, and its files instruct the model as all others of the project do.
    async fn leave_out_untrusted(&self, load: &mut LoadOptions) {
        if self.settings.snapshot().is_trusted() {
            return;
        }
        let place = NamedPlace::new(self.env(), self.extensions.as_ref().map(|extensions| extensions.found()));
        let mut lists = [&mut load.discovered_skills, &mut load.discovered_prompts, &mut load.discovered_themes];
        let named: Vec<_> =
            lists.iter().flat_map(|list| list.iter()).filter_map(|path| place.in_project(path)).collect();
        if named.is_empty() {
            return;
        }
        let admitted = match &self.extensions {
            Some(extensions) => extensions.admits(named, &self.settings, self.mode).await,
            None => false,
        };
        if !admitted {
            lists.iter_mut().for_each(|list| list.retain(|path| place.in_project(path).is_none()));
        }
    }

    /// Reads the context files again if they may have changed since they were last read; gives whether they did.
    pub(crate) fn refresh_context_files(&self) -> bool {
        let mut contexts = self.resources.contexts.lock();
        if self.load.no_context_files || !contexts.may_have_changed() {
            return false;
        }
        let (env, mut diagnostics) = (self.env(), Vec::new());
        *contexts = ContextWatch::new(&env);
        let files = load_context_files(&env, &contexts, &mut diagnostics);
        let known = self.resources();
        let news = diagnostics.iter().filter(|diagnostic| !known.diagnostics.contains(diagnostic));
        self.report_resources(news.clone());
        let news: Vec<Diagnostic> = news.cloned().collect();
        let has_changed = files != known.context_files;
        if has_changed || !news.is_empty() {
            let mut resources = Resources::clone(&known);
            resources.context_files = files;
            resources.diagnostics.extend(news);
            *self.resources.loaded.write() = Arc::new(resources);
        }
        drop(contexts);
        if has_changed {
            tracing::info!(target: "tau::resources", "context files changed");
            self.rebuild_prompt();
        }
        has_changed
    }

    /// Where a skill, template or theme comes from.
    pub(super) fn resource_source(&self, path: &Path, provenance: &Provenance) -> SourceInfo {
        let text = path.display().to_string();
        let parent = |path: &Path| path.parent().map(|parent| parent.display().to_string());
        match provenance {
            Provenance::User => self.of_layer(path, "user"),
            Provenance::Project => self.of_layer(path, "project"),
            Provenance::Flag => SourceInfo { base_dir: parent(path), ..SourceInfo::new(text, "local") },
            Provenance::Extension(extension) => SourceInfo {
                base_dir: if extension.starts_with('<') { None } else { parent(Path::new(extension)) },
                ..SourceInfo::new(text, format!("extension:{}", label(extension)))
            },
            Provenance::Package(root) => {
                let found = self.extensions.as_ref().map(|extensions| extensions.found());
                let mut parts = found.iter().flat_map(|found| &found.resources);
                let part = parts.find(|part| part.package_root == *root);
                let layer = part.and_then(|part| part.origin.layer());
                SourceInfo {
                    path: text,
                    source: part.map(|part| part.package.clone()).unwrap_or_default(),
                    scope: layer.map_or("temporary", scope_of).to_owned(),
                    origin: "package".to_owned(),
                    base_dir: Some(root.display().to_string()),
                }
            }
        }
    }

    /// Something of the user or of the project: found in a standard folder, or named in settings.
    fn of_layer(&self, path: &Path, scope: &str) -> SourceInfo {
        let env = self.env();
        let own = if scope == "user" { env.agent_dir() } else { env.cwd.join(CONFIG_DIR) };
        let shared = path.ancestors().find(|folder| folder.ends_with(".agents"));
        let base = path.starts_with(&own).then_some(own.as_path()).or(shared);
        SourceInfo {
            scope: scope.to_owned(),
            base_dir: base.map(|base| base.display().to_string()),
            ..SourceInfo::new(path.display().to_string(), if base.is_some() { "auto" } else { "local" })
        }
    }
}

fn scope_of(layer: crate::settings::Layer) -> &'static str {
    match layer {
        crate::settings::Layer::Project => "project",
        crate::settings::Layer::Global => "user",
    }
}

/// How an extension is called where its resources are listed.
fn label(extension: &str) -> String {
    if extension.starts_with('<') {
        return extension.replace(['<', '>'], "");
    }
    let file = Path::new(extension).file_name().unwrap_or_default().to_string_lossy();
    file.strip_suffix(".ts").or_else(|| file.strip_suffix(".js")).unwrap_or(&file).to_owned()
}

/// Tells which paths that extensions name are files of the project.
struct NamedPlace {
    env: Arc<Environment>,
    cwd: PathBuf,
    found: Option<Arc<Found>>,
}

impl NamedPlace {
    fn new(env: Arc<Environment>, found: Option<Arc<Found>>) -> Self {
        Self { cwd: real(&env.cwd), env, found }
    }

    /// The file or folder, when it is one of the project. What an extension brings along, in its package or beside it, is
    /// as good as the extension.
    fn in_project(&self, named: &DiscoveredPath) -> Option<PathBuf> {
        // Around the home directory everything of the user's is in the project.
        if real(&self.env.home).starts_with(&self.cwd) {
            return None;
        }
        let path = self.env.resolve(&named.path, &self.env.cwd);
        let target = path.canonicalize().ok()?;
        let is_in_project = path.starts_with(&self.env.cwd) || target.starts_with(&self.cwd);
        (is_in_project && !self.is_own(&named.extension, &target)).then_some(path)
    }

    fn is_own(&self, extension: &str, target: &Path) -> bool {
        let mut files = self.found.iter().flat_map(|found| &found.extensions);
        let file = files.find(|file| file.path.to_str() == Some(extension));
        match file.and_then(|file| file.package_root.as_deref()) {
            Some(root) => target.starts_with(real(root)),
            None => {
                let folder = Path::new(extension).parent().map(real).filter(|folder| !self.cwd.starts_with(folder));
                folder.is_some_and(|folder| target.starts_with(folder))
            }
        }
    }
}

/// Adds what extensions named, each path with its extension.
fn add_discovered(load: &mut LoadOptions, found: ResourcesDiscoverResult) {
    let mut skills = found.skill_paths.into_iter();
    let mut prompts = found.prompt_paths.into_iter();
    let mut themes = found.theme_paths.into_iter();
    for share in found.shares {
        let named = |path| DiscoveredPath { path, extension: share.extension.to_string() };
        load.discovered_skills.extend(skills.by_ref().take(share.skills).map(named));
        load.discovered_prompts.extend(prompts.by_ref().take(share.prompts).map(named));
        load.discovered_themes.extend(themes.by_ref().take(share.themes).map(named));
    }
}
