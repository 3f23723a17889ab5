//! The lock file decides which version and which content is installed.

use std::fs;

use serde_json::json;
use tau_packages::PackageError;

use crate::support::{Home, Registry};

async fn registry() -> Registry {
    let registry = Registry::start().await;
    registry.publish(json!({"name": "dep", "version": "1.0.0"}), &[]);
    registry.publish(json!({"name": "tool", "version": "1.0.0", "dependencies": {"dep": "^1"}}), &[]);
    registry
}

fn versions(home: &Home) -> Vec<String> {
    home.tree().into_iter().filter(|line| line.contains(" = ")).collect()
}

#[tokio::test]
async fn a_lock_file_gives_the_same_elsewhere() {
    let registry = registry().await;
    let first = Home::new(&registry);
    first.install("npm:tool").await.expect("installs");
    registry.publish(json!({"name": "dep", "version": "1.1.0"}), &[]);
    registry.publish(json!({"name": "tool", "version": "1.2.0", "dependencies": {"dep": "^1"}}), &[]);

    let mut second = Home::new(&registry);
    second.shared_lock = true;
    fs::create_dir_all(second.agent()).expect("folder");
    fs::copy(first.agent().join("tau-lock.json"), second.agent().join("tau-lock.json")).expect("copy");
    registry.seen();
    second.restore("npm:tool").await.expect("installs");
    let pinned = ["npm/node_modules/dep = \"1.0.0\"", "npm/node_modules/tool = \"1.0.0\""];
    assert_eq!(versions(&second), pinned);
    let asked: Vec<_> = registry.seen().into_iter().map(|seen| seen.path).collect();
    assert!(asked.iter().all(|path| path.ends_with("-1.0.0.tgz")), "only archives: {asked:?}");
    assert_eq!(first.json("tau-lock.json"), second.json("tau-lock.json"));

    // What was there before counts when something else is added; an update does not mind.
    registry.publish(json!({"name": "more", "version": "1.0.0", "dependencies": {"dep": "1"}}), &[]);
    second.install("npm:more").await.expect("installs");
    assert_eq!(versions(&second), [pinned[0], "npm/node_modules/more = \"1.0.0\"", pinned[1]]);
    let report = second.install("npm:tool").await.expect("updates");
    let change = report.change.expect("a change");
    assert_eq!((change.before.as_deref(), change.after.as_deref()), (Some("1.0.0"), Some("1.2.0")));
    assert_eq!(
        versions(&second),
        ["npm/node_modules/dep = \"1.1.0\"", "npm/node_modules/more = \"1.0.0\"", "npm/node_modules/tool = \"1.2.0\""]
    );
}

#[tokio::test]
async fn what_npm_pinned_counts() {
    let registry = registry().await;
    let first = Home::new(&registry);
    first.install("npm:tool").await.expect("installs");
    registry.publish(json!({"name": "dep", "version": "1.1.0"}), &[]);
    registry.publish(json!({"name": "more", "version": "1.0.0", "dependencies": {"dep": "1"}}), &[]);
    fs::remove_file(first.agent().join("tau-lock.json")).expect("remove");
    first.install("npm:more").await.expect("installs");
    assert!(versions(&first).contains(&"npm/node_modules/dep = \"1.0.0\"".to_owned()));
}

#[tokio::test]
async fn other_content_under_a_pinned_version_is_refused() {
    let registry = registry().await;
    let first = Home::new(&registry);
    first.install("npm:tool").await.expect("installs");
    // The registry changes its mind, and its hash with it.
    registry.publish(json!({"name": "dep", "version": "1.0.0"}), &[("package/evil.js", "evil")]);
    let second = Home::new(&registry);
    fs::create_dir_all(second.agent()).expect("folder");
    fs::copy(first.agent().join("tau-lock.json"), second.agent().join("tau-lock.json")).expect("copy");
    let error = second.restore("npm:tool").await.expect_err("other content");
    let PackageError::Integrity { what, promised_by, .. } = &error else { panic!("{error}") };
    assert_eq!((what.as_str(), promised_by.as_str()), ("dep@1.0.0", "the lock file"));
    assert_eq!(versions(&second), Vec::<String>::new());
}

#[tokio::test]
async fn what_somebody_keeps_in_package_json_stays() {
    let registry = registry().await;
    let home = Home::new(&registry);
    let npm = home.agent().join("npm");
    fs::create_dir_all(&npm).expect("folder");
    fs::write(
        npm.join("package.json"),
        "{\"name\": \"mine\", \"custom\": [1], \"dependencies\": {\"dep\": \"1.0.0\"}}",
    )
    .expect("write");
    home.install("npm:tool@1").await.expect("installs");
    assert_eq!(
        home.json("npm/package.json"),
        json!({"name": "mine", "custom": [1], "dependencies": {"dep": "1.0.0", "tool": "1"}})
    );
    fs::write(npm.join("package.json"), "{\"dependencies\": ").expect("write");
    let error = home.install("npm:dep").await.expect_err("damaged").to_string();
    assert!(error.contains("package.json cannot be understood"), "{error}");
    assert_eq!(fs::read_to_string(npm.join("package.json")).expect("read"), "{\"dependencies\": ");
}
