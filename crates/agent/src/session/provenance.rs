//! Where the resources of a session come from.

use std::path::Path;

use tau_hooks::SourceInfo;

use crate::parts::Parts;
use crate::resources::Provenance;
use crate::settings::CONFIG_DIR;

/// Where a skill, template or theme comes from.
pub(super) fn resource_source(parts: &Parts, path: &Path, provenance: &Provenance) -> SourceInfo {
    let text = path.display().to_string();
    let parent = |path: &Path| path.parent().map(|parent| parent.display().to_string());
    match provenance {
        Provenance::User => of_layer(parts, path, "user"),
        Provenance::Project => of_layer(parts, path, "project"),
        Provenance::Flag => SourceInfo { base_dir: parent(path), ..SourceInfo::new(text, "local") },
        Provenance::Extension(extension) => SourceInfo {
            base_dir: if extension.starts_with('<') { None } else { parent(Path::new(extension)) },
            ..SourceInfo::new(text, format!("extension:{}", label(extension)))
        },
        Provenance::Package(root) => {
            let found = parts.extensions.as_ref().map(|extensions| extensions.found());
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
fn of_layer(parts: &Parts, path: &Path, scope: &str) -> SourceInfo {
    let env = parts.conversation.env();
    let own = if scope == "user" { env.agent_dir() } else { env.cwd.join(CONFIG_DIR) };
    let shared = path.ancestors().find(|folder| folder.ends_with(".agents"));
    let base = path.starts_with(&own).then_some(own.as_path()).or(shared);
    SourceInfo {
        scope: scope.to_owned(),
        base_dir: base.map(|base| base.display().to_string()),
        ..SourceInfo::new(path.display().to_string(), if base.is_some() { "auto" } else { "local" })
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
