mod extensions;
mod guards;
mod reading;
mod values;
mod writing;

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use super::*;

struct Home {
    dir: TempDir,
    env: Environment,
}

fn home() -> Home {
    let dir = tempfile::tempdir().expect("temp dir");
    let env = Environment::new(dir.path().join("home"), dir.path().join("app"));
    Home { dir, env }
}

impl Home {
    fn file(&self, layer: Layer) -> std::path::PathBuf {
        SettingsPaths::of(&self.env).file(layer)
    }

    fn write(&self, layer: Layer, text: impl AsRef<[u8]>) {
        let file = self.file(layer);
        fs::create_dir_all(file.parent().expect("parent")).expect("folder");
        fs::write(file, text).expect("write");
    }

    fn read(&self, layer: Layer) -> String {
        fs::read_to_string(self.file(layer)).expect("read")
    }

    fn settings(&self) -> Settings {
        Settings::load(&self.env, true)
    }
}

fn in_memory(global: Value, project: Value) -> Settings {
    Settings::in_memory(&Environment::new("/home/ada", "/project"), global, project)
}
