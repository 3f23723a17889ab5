use std::fs;
use std::path::Path;

use serde_json::json;
use tau_examples::ProtectedPaths;
use tau_testkit::{Stage, StaticHost};
use tempfile::TempDir;

use super::blocked;

/// A project with files, in a folder of its own.
fn project() -> TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    for folder in ["src", ".git/hooks", "secrets"] {
        fs::create_dir_all(dir.path().join(folder)).expect("a folder");
    }
    for file in [".env", "src/main.rs", "secrets/key"] {
        fs::write(dir.path().join(file), "x").expect("a file");
    }
    dir
}

fn protecting<'a>(list: &'a ProtectedPaths, path: &str, cwd: &Path) -> Option<&'a str> {
    list.protecting(path, cwd)
}

#[test]
fn a_name_is_protected_wherever_it_is_and_however_it_is_spelled() {
    let dir = project();
    let cwd = &dir.path().join("src");
    let list = ProtectedPaths::new([".env", ".git"]);
    let absolute = dir.path().join(".env").display().to_string();
    for path in [
        ".env",
        "../.env",
        "./../src/../.env",
        "../.ENV",
        "@../.env",
        "file:../.env",
        "new/folder/.env",
        "../.git/hooks/pre-commit",
        "../.git",
        "../.git/",
        &absolute,
        &format!("file://{absolute}"),
        &format!("file://{}", absolute.replace(".env", "%2Eenv")),
    ] {
        assert!(protecting(&list, path, cwd).is_some(), "{path}");
    }
    for path in ["main.rs", "../.envrc", ".env.example", "../.github/workflows/ci.yml", "env", "../x.env"] {
        assert_eq!(protecting(&list, path, cwd), None, "{path}");
    }
}

#[test]
fn a_place_is_protected_with_all_below_it() {
    let dir = project();
    let list = ProtectedPaths::new(["secrets/", "~/.ssh", "/etc"]);
    let home = std::env::home_dir().expect("there is a home");
    for (path, entry) in [
        ("secrets", "secrets/"),
        ("secrets/key", "secrets/"),
        ("./secrets/deep/new", "secrets/"),
        ("src/../secrets/key", "secrets/"),
        ("~/.ssh/config", "~/.ssh"),
        (&home.join(".ssh/id").display().to_string(), "~/.ssh"),
        ("/etc/../etc/hosts", "/etc"),
    ] {
        assert_eq!(protecting(&list, path, dir.path()), Some(entry), "{path}");
    }
    for path in ["src/secrets", "secrets.txt", "~/.sshrc", "/etcetera"] {
        assert_eq!(protecting(&list, path, dir.path()), None, "{path}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_judged_by_where_they_lead() {
    use std::os::unix::fs::symlink;

    let dir = project();
    let root = dir.path();
    symlink(root.join(".env"), root.join("harmless.txt")).expect("a link");
    symlink("../.git", root.join("src/g")).expect("a link");
    symlink("secrets/../.env.local", root.join("dangling")).expect("a link");
    symlink("dangling", root.join("dangling2")).expect("a link");
    symlink("loop", root.join("loop")).expect("a link");
    symlink("src", root.join("code")).expect("a link");
    symlink("secrets", root.join("open")).expect("a link");
    let list = ProtectedPaths::new([".env", ".git", ".env.local", "secrets/"]);
    for path in ["harmless.txt", "src/g/config", "src/g/new/file", "dangling", "dangling2", "open/key", "open/new"] {
        assert!(protecting(&list, path, root).is_some(), "{path}");
    }
    for path in ["code/main.rs", "code/new.rs", "loop"] {
        assert_eq!(protecting(&list, path, root), None, "{path}");
    }
    // A protected place that is a link itself protects both its names.
    let linked = ProtectedPaths::new(["open/"]);
    assert!(protecting(&linked, "secrets/key", root).is_some() && protecting(&linked, "open/key", root).is_some());
}

#[tokio::test]
async fn writing_is_blocked_and_everything_else_is_not() {
    let dir = project();
    let stage = Stage::with_host(StaticHost::in_dir(dir.path()));
    stage.load(&ProtectedPaths::default()).expect("it can be loaded");
    let input = json!({ "path": "src/../.env", "content": "" });
    let reason =
        "Not written: `src/../.env` is protected (by `.env`). Leave it as it is, or ask the user to change it.";
    for tool in ["write", "edit"] {
        assert_eq!(blocked(&stage, tool, input.clone()).await.as_deref(), Some(reason));
        assert_eq!(blocked(&stage, tool, json!({ "path": "src/main.rs" })).await, None);
    }
    assert_eq!(blocked(&stage, "read", input).await, None);
    assert_eq!(blocked(&stage, "write", json!({ "file": ".env" })).await, None);
}
