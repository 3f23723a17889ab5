//! Changing a file.

use std::sync::Barrier;
use tau_hooks::QueueMode;

use serde_json::json;

use super::*;

#[test]
fn writing_keeps_what_it_does_not_know_and_its_order() {
    let home = home();
    home.write(Layer::Global, r#"{"zeta": {"deep": [1.5, null]}, "queueMode": "all", "alpha": "é"}"#);
    let store = SettingsStore::open(&home.env, true);
    store.set(Layer::Global, KeyPath::dotted("retry.maxRetries"), Some(json!(5))).expect("written");
    let model = KeyPath::of(["modelThinkingLevels", "openai/gpt-5.1"]);
    store.set(Layer::Global, &model, Some(json!("high"))).expect("written");
    store.set(Layer::Global, KeyPath::dotted("alpha"), None).expect("written");
    insta::assert_snapshot!(home.read(Layer::Global), @r#"
    {
      "zeta": {
        "deep": [
          1.5,
          null
        ]
      },
      "queueMode": "all",
      "retry": {
        "maxRetries": 5
      },
      "modelThinkingLevels": {
        "openai/gpt-5.1": "high"
      }
    }
    "#);
    let settings = store.snapshot();
    assert_eq!(settings.retry().max_retries, 5);
    assert_eq!(settings.get(&model), Some(&json!("high")));
    assert_eq!(settings.steering_mode(), QueueMode::All);
    assert!(!home.file(Layer::Global).with_extension("json.lock").exists());
}

#[test]
fn writing_creates_the_project_folder() {
    let home = home();
    let store = SettingsStore::open(&home.env, true);
    store.set(Layer::Project, KeyPath::dotted("theme"), Some(json!("dark"))).expect("written");
    assert_eq!(home.read(Layer::Project), "{\n  \"theme\": \"dark\"\n}");
    assert_eq!(store.snapshot().why(KeyPath::dotted("theme")).map(|origin| origin.layer), Some(Layer::Project));
}

#[cfg(unix)]
#[test]
fn writing_follows_links_closes_the_users_file_and_keeps_the_permissions_of_a_projects() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let home = home();
    let real = home.dir.path().join("dotfiles.json");
    fs::write(&real, "{}").expect("write");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("mode");
    let link = home.file(Layer::Global);
    fs::create_dir_all(link.parent().expect("parent")).expect("folder");
    symlink(&real, &link).expect("link");
    SettingsStore::open(&home.env, true)
        .set(Layer::Global, KeyPath::dotted("theme"), Some(json!("dark")))
        .expect("written");
    assert!(fs::symlink_metadata(&link).expect("link").is_symlink());
    assert_eq!(fs::read_to_string(&real).expect("read"), "{\n  \"theme\": \"dark\"\n}");
    let mode = |path: &std::path::Path| fs::metadata(path).expect("metadata").permissions().mode() & 0o777;
    assert_eq!(mode(&real), 0o600);
    let shared = home.file(Layer::Project);
    fs::create_dir_all(shared.parent().expect("parent")).expect("folder");
    fs::write(&shared, "{}").expect("write");
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o664)).expect("mode");
    SettingsStore::open(&home.env, true)
        .set(Layer::Project, KeyPath::dotted("theme"), Some(json!("dark")))
        .expect("written");
    assert_eq!(mode(&shared), 0o664);
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let home = home();
    home.write(Layer::Global, r#"{"kept": true}"#);
    let (writers, keys) = (8, 12);
    let start = Barrier::new(writers);
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let (env, start) = (&home.env, &start);
            scope.spawn(move || {
                // A store of its own, as another process would have.
                let store = SettingsStore::open(env, true);
                start.wait();
                for key in 0..keys {
                    let path = KeyPath::of([format!("writer{writer}"), format!("key{key}")]);
                    store.set(Layer::Global, path, Some(json!(key))).expect("written");
                }
            });
        }
    });
    let mut expected = json!({"kept": true});
    for writer in 0..writers {
        for key in 0..keys {
            expected[format!("writer{writer}")][format!("key{key}")] = json!(key);
        }
    }
    assert_eq!(home.settings().merged(), &expected);
}

#[test]
fn what_two_programs_add_to_one_list_is_in_it() {
    let home = home();
    let start = Barrier::new(4);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (env, start) = (&home.env, &start);
            scope.spawn(move || {
                let store = SettingsStore::open(env, true);
                start.wait();
                for item in 0..10 {
                    let add = |list: Option<Value>| {
                        let mut list = list.and_then(|list| list.as_array().cloned()).unwrap_or_default();
                        list.push(json!(writer * 10 + item));
                        Some(Value::Array(list))
                    };
                    store.update(Layer::Global, KeyPath::dotted("list"), add).expect("written");
                }
            });
        }
    });
    let mut all: Vec<u64> = home
        .settings()
        .get(KeyPath::dotted("list"))
        .and_then(Value::as_array)
        .expect("a list")
        .iter()
        .filter_map(Value::as_u64)
        .collect();
    all.sort_unstable();
    assert_eq!(all, (0..40).collect::<Vec<_>>());
}

#[test]
fn nothing_is_written_when_nothing_changes() {
    let home = home();
    let text = "{ \"theme\":   \"dark\" }";
    home.write(Layer::Global, text);
    let store = SettingsStore::open(&home.env, true);
    store.set(Layer::Global, KeyPath::dotted("theme"), Some(json!("dark"))).expect("nothing to do");
    store.set(Layer::Global, KeyPath::dotted("gone"), None).expect("nothing to do");
    assert_eq!(home.read(Layer::Global), text);
}
