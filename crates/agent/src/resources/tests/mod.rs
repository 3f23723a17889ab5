mod context;
mod skills;
mod templates;
mod themes;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;
use crate::settings::{Environment, Settings};

/// A temporary file system with a home and a project `work/app`.
struct Place {
    _dir: TempDir,
    root: PathBuf,
    env: Environment,
}

fn place() -> Place {
    let dir = tempfile::tempdir().expect("temp dir");
    let root = fs::canonicalize(dir.path()).expect("real path");
    let env = Environment::new(root.join("home"), root.join("work/app"));
    fs::create_dir_all(&env.home).expect("home");
    fs::create_dir_all(&env.cwd).expect("project");
    Place { _dir: dir, root, env }
}

impl Place {
    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        fs::write(&path, text).expect("write");
        path
    }

    fn skill(&self, folder: &str, name: &str) -> PathBuf {
        self.write(&format!("{folder}/SKILL.md"), &format!("---\nname: {name}\ndescription: About {name}.\n---\nBody"))
    }

    fn load(&self, trusted: bool, options: LoadOptions) -> Resources {
        Resources::load(&self.env, &Settings::load(&self.env, trusted), &options)
    }

    fn short(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).expect("inside").display().to_string()
    }

    fn skills(&self, resources: &Resources) -> Vec<(String, String)> {
        resources.skills.iter().map(|skill| (skill.name.clone(), self.short(&skill.file_path))).collect()
    }

    /// Context files of this place, without what lies above the temporary folder.
    fn contexts(&self, resources: &Resources) -> Vec<String> {
        let ours = resources.context_files.iter().filter(|file| file.path.starts_with(&self.root));
        ours.map(|file| file.content.clone()).collect()
    }

    fn diagnostics(&self, resources: &Resources) -> Vec<String> {
        let root = format!("{}/", self.root.display());
        resources.diagnostics.iter().map(|diagnostic| diagnostic.to_string().replace(&root, "")).collect()
    }
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}
