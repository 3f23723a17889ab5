//! What was found for a session, for the top of the screen.

use std::path::Path;

use tau_agent::AgentSession;
use tau_agent::extensions::is_builtin_name;
use tau_agent::resources::Provenance;
use tau_agent::settings::Environment;
use tau_tui::blocks::{Group, Listing, Section};
use tau_tui::look::SharedLook;

use crate::paths::short;

/// The listing of a session; `expanded` says where each thing is from.
pub(crate) fn listing(session: &AgentSession, env: &Environment, look: SharedLook, expanded: bool) -> Listing {
    let resources = session.resources();
    let mut sections = Vec::new();
    let context = resources.context_files.iter().map(|file| (String::new(), path(&file.path, env)));
    sections.push(section("Context", context));
    let skills = resources.skills.iter().map(|skill| (place(&skill.provenance, env), skill.name.clone()));
    sections.push(section("Skills", skills));
    let prompts = resources.prompt_templates.iter();
    let prompts = prompts.map(|prompt| (place(&prompt.provenance, env), format!("/{}", prompt.name)));
    sections.push(section("Prompts", prompts));
    let extensions = session.hooks().extensions();
    let shown = extensions.iter().filter(|owner| !owner.path.starts_with('<') && !is_builtin_name(&owner.path));
    let names = shown.map(|owner| {
        if expanded {
            (String::new(), path(Path::new(&*owner.path), env))
        } else {
            (String::new(), owner.name.to_string())
        }
    });
    sections.push(section("Extensions", names));
    let themes = resources.themes.iter().map(|theme| (place(&theme.provenance, env), theme.name.clone()));
    sections.push(section("Themes", themes));
    let wrong = resources.diagnostics.iter().map(|diagnostic| (String::new(), diagnostic.to_string()));
    sections.push(Section { wrong: true, ..section("Issues", wrong) });
    Listing { look, sections, expanded }
}

/// Where a resource is from, in words.
fn place(provenance: &Provenance, env: &Environment) -> String {
    match provenance {
        Provenance::User => "user".to_owned(),
        Provenance::Project => "project".to_owned(),
        Provenance::Package(root) => format!("package {}", short(root, env)),
        Provenance::Flag => "command line".to_owned(),
        Provenance::Extension(extension) => format!("extension {}", short(Path::new(extension), env)),
    }
}

/// A file of the project as it stands in it, any other as people write it.
fn path(path: &Path, env: &Environment) -> String {
    match path.strip_prefix(&env.cwd) {
        Ok(inner) => inner.display().to_string(),
        Err(_) => short(path, env),
    }
}

fn section(title: &str, items: impl Iterator<Item = (String, String)>) -> Section {
    let mut groups: Vec<Group> = Vec::new();
    for (name, item) in items {
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.items.push(item),
            None => groups.push(Group { name, items: vec![item] }),
        }
    }
    Section { title: title.to_owned(), groups, wrong: false }
}
