//! Settings that extensions declare, file by file.

use serde_json::{Value, json};
use tau_hooks::{Api, SettingLayer, SettingSpec};

use crate::common::{Log, World};

/// An extension with the setting `limit`.
fn notes(world: &World) -> Api {
    let made = Log::default();
    let api = made.clone();
    world.extend("notes", move |registrar| {
        let schema = json!({"type": "integer", "maximum": 9});
        registrar.setting(SettingSpec::new("limit", "how many", 3).schema(schema)).expect("a setting");
        api.push(registrar.api());
    });
    made.take().pop().expect("an api")
}

fn limit(value: &Value) -> Value {
    json!({"tau": {"extensions": {"notes": {"limit": value}}}})
}

#[tokio::test]
async fn an_extension_sets_its_own_settings_in_either_file() {
    let world = World::new(json!([])).settings(json!({"theme": "dark"}));
    let api = notes(&world);
    let _running = world.start().await;
    let says = |layer| api.setting_in("notes", "limit", layer).expect("a file");
    let (users, projects) = (world.home.agent_dir().join("settings.json"), world.home.cwd().join(".pi/settings.json"));
    assert_eq!((says(SettingLayer::User).path, says(SettingLayer::User).says), (users.clone(), Ok(None)));
    let written = api.set_setting("limit", SettingLayer::User, Some(json!(5))).await;
    assert_eq!(written, Ok(users.clone()));
    assert_eq!(api.setting("limit").expect("a value").value, 5);
    let written = api.set_setting("limit", SettingLayer::Project, Some(json!(7))).await;
    assert_eq!(written, Ok(projects.clone()));
    assert_eq!(api.setting("limit").expect("a value").value, 7);
    assert_eq!(says(SettingLayer::User).says, Ok(Some(json!(5))));
    let read = |path| serde_json::from_str::<Value>(&std::fs::read_to_string(path).expect("a file")).expect("JSON");
    let mut expected = limit(&json!(5));
    expected["theme"] = json!("dark");
    assert_eq!((read(&users), read(&projects)), (expected, limit(&json!(7))));
    api.set_setting("limit", SettingLayer::Project, None).await.expect("it is removed");
    assert_eq!(api.setting("limit").expect("a value").value, 5);
    // What nobody declared, and what does not fit, is not written.
    let error = |done: Result<_, tau_hooks::ActionError>| {
        done.map(|_: std::path::PathBuf| ()).expect_err("an error").to_string()
    };
    let undeclared = error(api.set_setting("theme", SettingLayer::User, Some(json!(1))).await);
    assert!(undeclared.contains("was not declared"), "{undeclared}");
    let wrong = error(api.set_setting("limit", SettingLayer::User, Some(json!(10))).await);
    assert!(wrong.starts_with("limit cannot be set: "), "{wrong}");
    assert_eq!(says(SettingLayer::User).says, Ok(Some(json!(5))));
}

#[tokio::test]
async fn a_change_of_a_file_counts_when_it_is_read_again() {
    let world = World::new(json!([]));
    let api = notes(&world);
    let _running = world.start().await;
    let file = world.home.write_agent("settings.json", limit(&json!(4)).to_string());
    assert_eq!(api.setting("limit").expect("a value").value, 3);
    assert_eq!(api.read_settings_again(), Ok(Vec::new()));
    assert_eq!(api.setting("limit").expect("a value").value, 4);
    std::fs::write(&file, "{\n x").expect("a file");
    let damaged = api.read_settings_again().expect("problems");
    assert!(damaged.len() == 1 && damaged[0].starts_with(&format!("{}:2:2: ", file.display())), "{damaged:?}");
    // What it said before stays.
    let says = api.setting_in("notes", "limit", SettingLayer::User).expect("a file").says;
    assert_eq!(says, Ok(Some(json!(4))));
}

#[tokio::test]
async fn the_file_of_a_project_that_is_not_trusted_is_neither_read_nor_written() {
    let mut world = World::new(json!([]));
    world.trusted = false;
    let file = world.home.write(".pi/settings.json", limit(&json!(4)).to_string());
    let api = notes(&world);
    let _running = world.start().await;
    let says = api.setting_in("notes", "limit", SettingLayer::Project).expect("a file").says;
    assert_eq!(says, Err("the project is not trusted".to_owned()));
    let refused = api.set_setting("limit", SettingLayer::Project, Some(json!(5))).await.expect_err("an error");
    assert!(refused.to_string().contains("the project is not trusted"), "{refused}");
    assert_eq!(std::fs::read_to_string(file).expect("a file"), limit(&json!(4)).to_string());
}
