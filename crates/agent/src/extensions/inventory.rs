//! Everything that could be used, with what is used of it.

use super::discover::search;
use super::known::Known;
use super::options::DiscoveryOptions;
use crate::origin::ExtensionOrigin;
use crate::resources::{PathFilter, Wanted, scan};
use crate::settings::{Environment, Layer, ResourceKind, Settings};

/// Extensions and what packages bring, in the order in which they count, then the skills, prompt templates and themes of
/// the standard folders. What extensions name when they run is not among them.
pub fn inventory(env: &Environment, settings: &Settings) -> Vec<Known> {
    let (_, mut all) = search(env, settings, &DiscoveryOptions::default());
    for layer in [Layer::Project, Layer::Global] {
        if layer == Layer::Project && !settings.is_trusted() {
            continue;
        }
        let base = settings.paths().base(layer);
        let origin = match layer {
            Layer::Project => ExtensionOrigin::ProjectFolder,
            Layer::Global => ExtensionOrigin::UserFolder,
        };
        for (kind, wanted) in [
            (ResourceKind::Skills, Wanted::Skills),
            (ResourceKind::Prompts, Wanted::Markdown),
            (ResourceKind::Themes, Wanted::Json),
        ] {
            let entries = settings.resource_entries_of(layer, kind);
            let filter = PathFilter::new(entries.iter().map(|entry| entry.entry.as_str()));
            for path in scan(&base.join(kind.key()), wanted).files {
                if all.iter().all(|known| known.path != path) {
                    let enabled = filter.allows(&path, base);
                    all.push(Known { kind, path, origin, base: base.to_path_buf(), package: None, enabled });
                }
            }
        }
    }
    all
}
