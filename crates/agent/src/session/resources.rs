//! The resources of a session: loaded from folders, from packages and from what extensions name, and looked after.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tau_hooks::events::ResourcesDiscover;
use tau_hooks::payload::{DiscoverReason, ResourcesDiscoverEvent, ResourcesDiscoverResult};

use super::AgentSession;
use crate::extensions::Found;
use crate::parts::{Live, Parts};
use crate::pipeline::context_files::report_resources;
use crate::prompt::SystemPrompt;
use crate::resources::{Diagnostic, DiscoveredPath, LoadOptions, Resources};
use crate::session::rules::renew_rules;
use crate::session::themes::refresh_theme;
use crate::settings::Environment;
use crate::trust::real;

impl AgentSession {
    /// The standard system prompt, in named parts with their authors.
    pub fn system_prompt_parts(&self) -> SystemPrompt {
        self.parts.prompting.parts()
    }

    /// Skills, templates, themes and context files.
    pub fn resources(&self) -> Arc<Resources> {
        self.parts.prompting.resources()
    }
}

/// What is loaded besides the standard folders.
fn load_options(parts: &Parts) -> LoadOptions {
    let mut load = parts.prompting.options.clone();
    if let Some(extensions) = &parts.extensions {
        load.packages.clone_from(&extensions.found().resources);
    }
    load
}

/// Reads everything that is there without asking extensions, and tells all that is wrong with it.
pub(super) fn load_resources(parts: &Parts) {
    parts.prompting.note_discovered(false);
    // An expression that took too long may try again.
    parts.prompting.set_rules(None);
    load_with(parts, &load_options(parts), &[]);
}

/// As [`AgentSession::load_resources`] in the same place; tells only what was not wrong before.
pub(super) fn reload_resources(parts: &Parts) {
    parts.prompting.note_discovered(false);
    // An expression that took too long may try again.
    parts.prompting.set_rules(None);
    load_with(parts, &load_options(parts), &parts.prompting.resources().diagnostics);
}

fn load_with(parts: &Parts, options: &LoadOptions, told: &[Diagnostic]) {
    let env = parts.conversation.env();
    let (mut resources, contexts) = Resources::load_watched(&env, &parts.settings(), options);
    parts.prompting.watch_contexts(contexts);
    renew_rules(parts, &mut resources);
    let resources = Arc::new(resources);
    report_resources(parts, resources.diagnostics.iter().filter(|diagnostic| !told.contains(diagnostic)));
    parts.prompting.set_resources(resources);
    refresh_theme(parts);
    parts.prompting.report_change();
}

/// Asks extensions for files and folders, and reads them too.
pub(super) async fn discover_resources(live: &Live, reason: DiscoverReason) {
    let cwd = live.conversation.cwd().display().to_string();
    let event = || ResourcesDiscoverEvent { cwd, reason };
    let done = live.hooks.dispatcher.dispatch::<ResourcesDiscover>(&live.scope(), event).await;
    let found = done.into_output().filter(|found| found.shares.iter().any(|share| !share.is_empty()));
    let before = live.prompting.note_discovered(found.is_some());
    if found.is_none() && !before {
        return;
    }
    let mut load = load_options(live);
    add_discovered(&mut load, found.unwrap_or_default());
    leave_out_untrusted(live, &mut load).await;
    load_with(live, &load, &live.prompting.resources().diagnostics);
}

/// Takes away what extensions named of a project that is not trusted: an extension of the user's names a folder of
/// whatever project there is, and its files instruct the model as all others of the project do.
async fn leave_out_untrusted(parts: &Parts, load: &mut LoadOptions) {
    if parts.settings().is_trusted() {
        return;
    }
    let place =
        NamedPlace::new(parts.conversation.env(), parts.extensions.as_ref().map(|extensions| extensions.found()));
    let mut lists = [&mut load.discovered_skills, &mut load.discovered_prompts, &mut load.discovered_themes];
    let named: Vec<_> = lists.iter().flat_map(|list| list.iter()).filter_map(|path| place.in_project(path)).collect();
    if named.is_empty() {
        return;
    }
    let admitted = match &parts.extensions {
        Some(extensions) => extensions.admits(named, &parts.services.settings, parts.mode).await,
        None => false,
    };
    if !admitted {
        lists.iter_mut().for_each(|list| list.retain(|path| place.in_project(path).is_none()));
    }
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
