//! Reading and merging the two files.

use std::time::Duration;

use serde_json::json;

use super::*;

#[test]
fn the_project_wins_key_by_key_and_every_value_knows_its_file() {
    let home = home();
    home.write(Layer::Global, r#"{"defaultModel": "a", "retry": {"enabled": false, "maxRetries": 1}, "mine": [1]}"#);
    home.write(Layer::Project, "\u{feff}{\"retry\": {\"maxRetries\": 7}, \"mine\": [2], \"theme\": \"dark\"}");
    let settings = home.settings();
    assert_eq!(
        settings.merged(),
        &json!({
            "defaultModel": "a",
            "retry": {"enabled": false, "maxRetries": 7},
            "mine": [2],
            "theme": "dark"
        })
    );
    let why = |key: &str| settings.why(KeyPath::dotted(key)).map(|origin| (origin.layer, origin.path));
    let global = Some((Layer::Global, home.file(Layer::Global)));
    let project = Some((Layer::Project, home.file(Layer::Project)));
    assert_eq!(why("defaultModel"), global);
    assert_eq!(why("retry.enabled"), global);
    assert_eq!(why("retry.maxRetries"), project);
    assert_eq!(why("retry"), project);
    assert_eq!(why("compaction"), None);
    assert_eq!(settings.errors(), []);
}

#[test]
fn an_untrusted_project_counts_for_nothing() {
    let home = home();
    home.write(Layer::Global, r#"{"theme": "light"}"#);
    home.write(Layer::Project, "not even JSON");
    let settings = Settings::load(&home.env, false);
    assert_eq!(settings.merged(), &json!({"theme": "light"}));
    assert_eq!(settings.errors(), []);
    let store = SettingsStore::from(settings);
    let refused = store.set(Layer::Project, KeyPath::dotted("theme"), Some(json!("dark")));
    assert_eq!(refused, Err(SettingsError::Untrusted { path: home.file(Layer::Project) }));
}

#[test]
fn a_damaged_file_is_named_with_its_place_and_never_written() {
    let cases: [(&[u8], usize, usize, &str); 5] = [
        (b"{\n  \"theme\": \"dark\",\n  oops\n}", 3, 3, "key must be a string"),
        (b"{\"theme\": \"dark\"", 1, 16, "EOF while parsing an object"),
        (b"[1, 2]", 1, 1, "settings must be a JSON object"),
        (b"{\n \"a\": \"\xff\"}", 2, 8, "the file is not UTF-8 text"),
        (b"{} trailing", 1, 4, "trailing characters"),
    ];
    for (text, line, column, message) in cases {
        let home = home();
        home.write(Layer::Global, text);
        let store = SettingsStore::open(&home.env, true);
        let expected =
            SettingsError::Malformed { path: home.file(Layer::Global), line, column, message: message.into() };
        let settings = store.snapshot();
        assert_eq!(settings.errors(), std::slice::from_ref(&expected));
        assert_eq!(settings.merged(), &json!({}));
        assert_eq!(store.set(Layer::Global, KeyPath::dotted("theme"), Some(json!("x"))), Err(expected.clone()));
        assert_eq!(fs::read(home.file(Layer::Global)).expect("read"), text);
        assert_eq!(expected.to_string(), format!("{}:{line}:{column}: {message}", home.file(Layer::Global).display()));
    }
}

#[test]
fn a_file_that_gets_damaged_while_running_keeps_its_values() {
    let home = home();
    home.write(Layer::Global, r#"{"theme": "dark"}"#);
    let store = SettingsStore::open(&home.env, true);
    home.write(Layer::Global, "{");
    let settings = store.reload(true);
    assert_eq!(settings.theme(), Some("dark"));
    assert_eq!(settings.errors().len(), 1);
    home.write(Layer::Global, r#"{"theme": "light"}"#);
    let settings = store.reload(true);
    assert_eq!((settings.theme(), settings.errors().len()), (Some("light"), 0));
}

#[test]
fn a_missing_file_is_fine_and_an_empty_one_is_named() {
    let home = home();
    assert_eq!(home.settings().merged(), &json!({}));
    home.write(Layer::Global, " \n");
    let settings = home.settings();
    assert_eq!((settings.merged(), settings.errors().len(), settings.unknown().count()), (&json!({}), 1, 1));
}

/// Other programs empty the file before they fill it, holding the lock: a reader must not see the empty moment.
#[test]
fn a_reader_waits_for_a_writer_that_is_halfway() {
    let home = home();
    home.write(Layer::Global, "");
    let file = home.file(Layer::Global);
    let lock = FileLock::acquire(&file, Duration::ZERO).expect("free");
    let reader = std::thread::spawn({
        let env = home.env.clone();
        move || Settings::load(&env, true)
    });
    std::thread::sleep(Duration::from_millis(30));
    fs::write(&file, r#"{"theme": "dark"}"#).expect("write");
    drop(lock);
    assert_eq!(reader.join().expect("reader").theme(), Some("dark"));
}
