//! Both files, as they meet.

use std::path::Path;

use serde_json::{Value, json};
use tau_mcp::{Config, Exposure, Scope};

fn load(user: Value, project: Option<Value>) -> (Config, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, value: &Value| {
        let path = folder.path().join(name);
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        std::fs::write(&path, text).expect("a file");
        path
    };
    let user = write("user.json", &user);
    let project = project.map(|project| write("project.json", &project));
    (Config::load(&user, project.as_deref()), folder)
}

fn problems(config: &Config) -> Vec<String> {
    config.errors.iter().map(|error| error.problem.clone()).collect()
}

#[test]
fn files_that_are_not_there_say_nothing() {
    assert_eq!(Config::load(Path::new("/no/such/file"), Some(Path::new("/no/such/other"))), Config::default());
}

#[test]
fn bad_entries_are_reported_and_the_rest_works() {
    let (config, _folder) = load(
        json!({"autoEnableCodemode": 1, "mcpServers": {
            "a b": {"command": "x"}, "both": {"command": "x", "url": "http://y"}, "e-v": {"command": "x"},
            "e_v": {"command": "y"}, "good": {"command": "z"}}}),
        None,
    );
    let names: Vec<&str> = config.servers.iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names, ["e-v", "good"]);
    assert_eq!(
        problems(&config),
        [
            "autoEnableCodemode must be true or false",
            "the name \"a b\" may only have letters, digits, \"_\" and \"-\"",
            "server \"both\": use either command or url, not both",
            "server \"e_v\" conflicts with \"e-v\": their tools would have the same names; rename one of them",
        ]
    );
    for (text, problem) in [
        (json!("nothing"), "the file is no JSON: expected ident at line 1 column 2"),
        (json!("[]"), "the file must hold a JSON object"),
        (json!({"mcpServers": []}), "mcpServers must be an object"),
    ] {
        assert_eq!(problems(&load(text, None).0), [problem]);
    }
    assert_eq!(load(json!("\u{feff} "), None).0, Config::default());
}

#[test]
fn a_project_replaces_and_changes_servers_of_the_user() {
    let user = json!({"autoEnableCodemode": true, "mcpServers": {
        "a": {"command": "x", "env": {"K": "v"}}, "b": {"command": "y"}, "c": {"command": "z"}}});
    let project = json!({"autoEnableCodemode": false, "mcpServers": {
        "a": {"enabled": false, "exposure": "direct", "command": null, "env": {"K": "w"}, "timeout": 3},
        "b": {"command": "other"}, "d": {"url": "https://d.org", "auth": {"provider": "p"}},
        "c": {"exposure": "wide"}, "C": {"enabled": false}}});
    let (config, folder) = load(user.clone(), Some(project));
    let file = folder.path().join("project.json");
    let find = |name: &str| config.servers.iter().find(|server| server.name == name).expect("a server");
    let a = find("a");
    assert_eq!((a.scope, a.config.enabled, a.config.exposure), (Scope::Global, false, Exposure::Direct));
    assert_eq!(a.changed_by.as_deref(), Some(file.as_path()));
    assert_eq!(a.config.timeout.as_secs(), 60);
    assert_eq!((find("b").scope, find("b").config.target()), (Scope::Project, "other".to_owned()));
    assert_eq!(config.auto_enable_codemode, Some(false));
    assert_eq!(
        problems(&config),
        [
            "server \"d\": auth is for the user's own mcp.json; move the entry there",
            "server \"c\": exposure must be one of \"codemode\", \"deferred\", \"direct\", \"hidden\"",
            "server \"C\": your own mcp.json has no such server whose entry this could change; give it command or url",
        ]
    );
    let (alone, _folder) = load(user, None);
    assert_eq!(alone.auto_enable_codemode, Some(true));
    assert!(alone.servers.iter().all(|server| server.scope == Scope::Global && server.config.enabled));
}

#[test]
fn a_file_without_an_end_is_not_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let (endless, pipe) = (folder.path().join("endless"), folder.path().join("pipe"));
    std::os::unix::fs::symlink("/dev/zero", &endless).expect("a link");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let problems = problems(&Config::load(&endless, Some(&pipe)));
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems.iter().all(|problem| problem.starts_with("the file cannot be read: ")), "{problems:?}");
}
