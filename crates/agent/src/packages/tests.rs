//! Settings and packages in step.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::extensions::{PackageInstaller, inventory};
use crate::settings::{Environment, Layer, SettingsStore};

struct Home {
    _dir: TempDir,
    env: Environment,
    settings: Arc<SettingsStore>,
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("parent")).expect("folder");
    fs::write(path, text).expect("write");
}

impl Home {
    fn new(user: &Value, project: &Value) -> Self {
        let dir = tempfile::tempdir().expect("temp dir");
        let root = dir.path().canonicalize().expect("real path");
        let env = Environment::new(root.join("home"), root.join("project"));
        write(&env.agent_dir().join("settings.json"), &user.to_string());
        write(&env.project_dir().join("settings.json"), &project.to_string());
        write(&root.join("project/pack/extensions/one.ts"), "");
        write(&root.join("project/pack/skills/two/SKILL.md"), "---\nname: two\ndescription: x\n---\n");
        write(&env.agent_dir().join("extensions/mine.ts"), "");
        let settings = Arc::new(SettingsStore::open(&env, true));
        Self { _dir: dir, env, settings }
    }

    fn packages(&self) -> Packages {
        let installer = PackageInstaller { offline: true, progress: Arc::new(|_| ()) };
        Packages::new(self.env.clone(), Arc::clone(&self.settings), installer)
    }

    fn file(&self, layer: Layer) -> Value {
        let path = self.settings.snapshot().paths().file(layer);
        serde_json::from_str(&fs::read_to_string(path).expect("read")).expect("JSON")
    }

    fn switch(&self, wanted: &str, on: bool, layer: Option<Layer>) -> Result<Vec<String>, SwitchError> {
        switch(&self.env, &self.settings, wanted, on, layer)
    }

    /// What is used, by its pattern.
    fn used(&self) -> Vec<String> {
        let all = inventory(&self.env, &self.settings.snapshot());
        all.iter().filter(|known| known.enabled).map(|known| known.pattern()).collect()
    }
}

#[tokio::test]
async fn a_folder_is_named_relative_to_the_settings() {
    let home = Home::new(&json!({"kept": 1, "packages": ["npm:a"]}), &json!({}));
    let done = home.packages().install("./pack", Layer::Project).await.expect("named");
    assert_eq!(done.source, "../pack");
    home.packages().install("pack/", Layer::Global).await.expect("named");
    assert_eq!(home.file(Layer::Project), json!({"packages": ["../pack"]}));
    assert_eq!(home.file(Layer::Global), json!({"kept": 1, "packages": ["npm:a", "../../../project/pack"]}));
    // A second time changes nothing.
    home.packages().install("./pack", Layer::Project).await.expect("named");
    assert_eq!(home.file(Layer::Project), json!({"packages": ["../pack"]}));
    let listed: Vec<_> =
        home.packages().list().into_iter().map(|one| (one.source, one.layer, one.folder.is_some())).collect();
    assert_eq!(
        listed,
        [
            ("npm:a".to_owned(), Layer::Global, false),
            ("../../../project/pack".to_owned(), Layer::Global, true),
            ("../pack".to_owned(), Layer::Project, true)
        ]
    );
    home.packages().remove("./pack", Layer::Project).await.expect("removed");
    assert_eq!(home.file(Layer::Project), json!({"packages": []}));
    assert!(home.env.cwd.join("pack/extensions/one.ts").is_file(), "a folder of the user's stays");
}

#[tokio::test]
async fn what_cannot_be_done_is_said_and_changes_nothing() {
    let home = Home::new(&json!({"packages": ["npm:tool@1", {"source": "git:github.com/me/x"}]}), &json!({}));
    let before = home.file(Layer::Global);
    let cases = [
        (
            home.packages().remove("tool", Layer::Global).await,
            "No matching package found for tool. Did you mean npm:tool@1?",
        ),
        (
            home.packages().remove("github.com/me/x", Layer::Global).await,
            "No matching package found for github.com/me/x. Did you mean git:github.com/me/x?",
        ),
        (home.packages().remove("npm:other", Layer::Project).await, "No matching package found for npm:other"),
        (
            home.packages().install("npm:new", Layer::Global).await,
            "the package new is not here, and tau is offline; run the command again without --offline",
        ),
        (home.packages().install("npm:../x", Layer::Global).await, "npm:../x: this is no name of an npm package"),
    ];
    for (result, expected) in cases {
        assert_eq!(result.expect_err(expected).to_string(), expected);
    }
    let gone = home.packages().install("./gone", Layer::Global).await.expect_err("nothing there").to_string();
    assert!(gone.starts_with("there is nothing at ") && gone.ends_with("/project/gone"), "{gone}");
    write(&home.env.cwd.join("pack/package.json"), "{}");
    let file = home.packages().install("pack/package.json", Layer::Global).await.expect_err("no module").to_string();
    assert!(file.ends_with("/project/pack/package.json is no extension; a package is named by its folder"), "{file}");
    assert_eq!(home.file(Layer::Global), before);

    fs::write(home.env.agent_dir().join("settings.json"), "{\n  \"packages\": [,\n").expect("damage");
    home.settings.reload(true);
    let error = home.packages().install("./pack", Layer::Global).await.expect_err("damaged").to_string();
    assert!(error.contains("settings.json:2:16: expected value"), "{error}");

    let untrusted = Home::new(&json!({}), &json!({}));
    untrusted.settings.reload(false);
    let error = untrusted.packages().install("./pack", Layer::Project).await.expect_err("untrusted").to_string();
    assert!(error.ends_with("the project is not trusted, its settings are left alone"), "{error}");
}

#[test]
fn parts_of_packages_are_switched_where_they_are_named() {
    let home = Home::new(&json!({"packages": ["../../../project/pack"]}), &json!({}));
    let all = ["extensions/mine.ts", "extensions/one.ts", "skills/two/SKILL.md"];
    assert_eq!(home.used(), all);
    home.switch("one", false, None).expect("off");
    assert_eq!(
        home.file(Layer::Global),
        json!({"packages": [{"source": "../../../project/pack", "extensions": ["-extensions/one.ts"]}]})
    );
    assert_eq!(home.used(), [all[0], all[2]]);
    home.switch("extensions/one.ts", true, None).expect("on");
    assert_eq!(home.file(Layer::Global)["packages"][0]["extensions"], json!(["+extensions/one.ts"]));
    assert_eq!(home.used(), all);
    home.switch("./pack", false, None).expect("all of it");
    assert_eq!(home.used(), [all[0]]);
    home.switch("./pack", true, None).expect("all of it");
    assert_eq!(home.file(Layer::Global), json!({"packages": ["../../../project/pack"]}));
}

#[test]
fn a_project_decides_about_what_is_the_users() {
    let home = Home::new(&json!({"packages": ["../../../project/pack"]}), &json!({}));
    home.switch("two", false, Some(Layer::Project)).expect("off");
    assert_eq!(
        home.file(Layer::Project),
        json!({"packages": [{"source": "../pack", "autoload": false, "skills": ["-skills/two/SKILL.md"]}]})
    );
    assert_eq!(home.used(), ["extensions/mine.ts", "extensions/one.ts"]);
    home.switch("mine", false, Some(Layer::Project)).expect("off");
    assert_eq!(home.used(), ["extensions/one.ts"]);
    home.switch("mine", true, Some(Layer::Project)).expect("on");
    assert_eq!(home.used().len(), 2);
    assert_eq!(home.file(Layer::Global), json!({"packages": ["../../../project/pack"]}));
}

#[test]
fn one_part_of_a_package_that_is_off_is_switched_without_the_others() {
    let home = Home::new(&json!({"packages": ["../../../project/pack"]}), &json!({}));
    write(&home.env.cwd.join("pack/extensions/loud.ts"), "");
    home.switch("./pack", false, None).expect("all off");
    home.switch("loud", true, None).expect("one on");
    let extensions = |home: &Home| home.file(Layer::Global)["packages"][0]["extensions"].clone();
    assert_eq!(extensions(&home), json!(["!**", "+extensions/loud.ts"]));
    assert_eq!(home.used().len(), 2);
    assert!(home.used().contains(&"extensions/loud.ts".to_owned()), "{:?}", home.used());
    home.switch("loud", false, None).expect("off again");
    assert_eq!(home.used(), ["extensions/mine.ts"]);
    home.switch("./pack", false, None).expect("all off");
    home.switch("loud", false, None).expect("off already");
    assert_eq!(home.used(), ["extensions/mine.ts"], "what is switched off switches nothing else on");
    home.switch("loud", true, Some(Layer::Project)).expect("on in the project");
    assert_eq!(home.used().len(), 2);
    assert!(home.used().contains(&"extensions/loud.ts".to_owned()), "{:?}", home.used());
}

#[test]
fn a_package_is_switched_by_the_name_that_it_has() {
    let home = Home::new(&json!({"packages": ["../../../project/pack"]}), &json!({}));
    home.switch("pack", false, None).expect("by its folder");
    assert_eq!(home.used(), ["extensions/mine.ts"]);
    home.switch("pack", true, None).expect("by its folder");
    write(&home.env.cwd.join("pack/package.json"), r#"{"name": "@me/packed"}"#);
    home.switch("@me/packed", false, None).expect("by its manifest");
    assert_eq!(home.used(), ["extensions/mine.ts"]);
}

#[test]
fn what_is_meant_must_be_clear() {
    let home = Home::new(&json!({"packages": ["../../../project/pack"]}), &json!({}));
    write(&home.env.agent_dir().join("extensions/one.ts"), "");
    let error = home.switch("one", false, None).expect_err("two").to_string();
    assert!(error.starts_with("\"one\" could be any of: ") && error.matches("one.ts").count() == 2, "{error}");
    let path = home.env.agent_dir().join("extensions/one.ts").display().to_string();
    home.switch(&path, false, None).expect("one");
    assert_eq!(home.file(Layer::Global)["extensions"], json!(["-extensions/one.ts"]));
    let error = home.switch("nobody", false, None).expect_err("nothing").to_string();
    assert!(error.starts_with("there is no extension, skill, prompt template, theme or package \"nobody\""), "{error}");
}

#[test]
fn an_extension_of_a_package_without_folders_is_switched_off_and_on() {
    let home = Home::new(&json!({"packages": ["../../../project/flat"]}), &json!({}));
    write(&home.env.cwd.join("flat/one.ts"), "");
    write(&home.env.cwd.join("flat/two.ts"), "");
    assert_eq!(home.used(), ["extensions/mine.ts", "one.ts", "two.ts"]);
    home.switch("one.ts", false, None).expect("switched off");
    assert_eq!(home.used(), ["extensions/mine.ts", "two.ts"]);
    assert_eq!(
        home.file(Layer::Global),
        json!({"packages": [{"source": "../../../project/flat", "extensions": ["-one.ts"]}]})
    );
    home.switch("one.ts", true, None).expect("switched on");
    assert_eq!(home.used(), ["extensions/mine.ts", "one.ts", "two.ts"]);
}
