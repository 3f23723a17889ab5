//! What is installed, and where.

use serde_json::json;
use tau_packages::{Change, Place, Report, Source};

use crate::support::{Home, Registry};

/// A package with everything that can be asked for.
async fn registry() -> Registry {
    let registry = Registry::start().await;
    registry.publish(json!({"name": "leaf", "version": "1.0.0"}), &[]);
    registry.publish(json!({"name": "leaf", "version": "1.4.0"}), &[("package/index.js", "one")]);
    registry.publish(json!({"name": "leaf", "version": "2.0.0-beta.1"}), &[]);
    registry.publish(json!({"name": "leaf", "version": "2.1.0"}), &[("package/index.js", "two")]);
    registry.publish(json!({"name": "@me/inner", "version": "1.0.0", "dependencies": {"leaf": "~1.4.0"}}), &[]);
    registry.publish(json!({"name": "beside", "version": "3.0.0"}), &[]);
    registry.publish(
        json!({"name": "elsewhere", "version": "1.0.0", "os": ["plan9"], "dependencies": {"never": "1"}}),
        &[],
    );
    registry.publish(
        json!({
            "name": "tool", "version": "0.3.0", "bin": {"tool": "./cli.js"}, "scripts": {"postinstall": "touch /tmp/x"},
            "dependencies": {"leaf": "^2.0.0", "@me/inner": "*", "old-leaf": "npm:leaf@1.0.0", "typebox": "^1.0.0"},
            "optionalDependencies": {"elsewhere": "^1.0.0", "gone": "1"},
            "peerDependencies": {"@mariozechner/pi-coding-agent": "*", "@earendil-works/pi-tui": "*", "beside": "^3", "maybe": "1"},
            "peerDependenciesMeta": {"maybe": {"optional": true}},
            "devDependencies": {"never": "1"}
        }),
        &[("package/cli.js", "#!/usr/bin/env node"), ("package/deep/file.txt", "text")],
    );
    registry
}

#[tokio::test]
async fn dependencies_are_flat_where_they_can_be() {
    let registry = registry().await;
    let home = Home::new(&registry);
    let report = home.install("npm:tool").await.expect("installs");
    let folder = home.agent().join("npm/node_modules/tool");
    assert_eq!(
        report,
        Report {
            change: Some(Change { before: None, after: Some("0.3.0".to_owned()), folder: folder.clone() }),
            notes: vec![
                format!(
                    "left out gone, which tool@0.3.0 can do without: there is no package \"gone\" in {}/",
                    registry.base
                ),
                "tool@0.3.0 has install scripts; tau does not run them".to_owned(),
                "tool lists typebox in dependencies; tau has them built in, and they belong in peerDependencies"
                    .to_owned(),
            ],
        }
    );
    assert_eq!(
        home.tree(),
        [
            "npm/.gitignore",
            "npm/.tau-lock",
            "npm/node_modules/.bin/tool -> ../tool/./cli.js",
            "npm/node_modules/@me/inner/node_modules/leaf/index.js",
            "npm/node_modules/@me/inner/node_modules/leaf = \"1.4.0\"",
            "npm/node_modules/@me/inner = \"1.0.0\"",
            "npm/node_modules/beside = \"3.0.0\"",
            "npm/node_modules/leaf/index.js",
            "npm/node_modules/leaf = \"2.1.0\"",
            "npm/node_modules/old-leaf = \"1.0.0\"",
            "npm/node_modules/tool/cli.js",
            "npm/node_modules/tool/deep/file.txt",
            "npm/node_modules/tool = \"0.3.0\"",
            "npm/package-lock.json",
            "npm/package.json",
            "tau-lock.json",
        ]
    );
    assert_eq!(
        home.json("npm/package.json"),
        json!({"name": "pi-extensions", "private": true, "dependencies": {"tool": "^0.3.0"}})
    );
    let mut lock = home.json("tau-lock.json");
    for entry in lock["packages"].as_object_mut().expect("packages").values_mut() {
        let known = entry["integrity"].as_str().is_some_and(|text| text.len() == 95 && text.starts_with("sha512-"));
        assert!(known, "{entry}");
        entry["integrity"] = "sha512".into();
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&lock).expect("text"));
}

#[tokio::test]
async fn what_is_installed_is_found_and_judged() {
    let registry = registry().await;
    let home = Home::new(&registry);
    home.install("npm:leaf@^1.0.0").await.expect("installs");
    let place: &Place = &home.store().place().clone();
    let has = |source: &str| place.has(&Source::parse(source));
    assert_eq!(place.installed(&Source::parse("npm:leaf")).and_then(|found| found.version), Some("1.4.0".to_owned()));
    let cases = [
        ("npm:leaf", true),
        ("npm:leaf@1.4.0", true),
        ("npm:leaf@^2", false),
        ("npm:leaf@next", true),
        ("npm:tool", false),
        ("npm:../x", false),
    ];
    for (source, expected) in cases {
        assert_eq!(has(source), expected, "{source}");
    }
    assert_eq!(home.json("npm/package.json")["dependencies"], json!({"leaf": "^1.0.0"}));
}

#[tokio::test]
async fn removing_takes_what_nobody_needs_and_asks_nobody() {
    let registry = registry().await;
    let mut home = Home::new(&registry);
    home.install("npm:tool").await.expect("installs");
    home.install("npm:leaf@2.1.0").await.expect("installs");
    registry.seen();
    home.offline = true;
    let report = home.remove("npm:tool").await.expect("removes");
    assert_eq!(report.change.and_then(|change| change.before), Some("0.3.0".to_owned()));
    assert_eq!(registry.seen(), []);
    let tree = home.tree();
    let packages: Vec<_> = tree.iter().filter(|line| line.contains("node_modules")).collect();
    assert_eq!(packages, ["npm/node_modules/leaf/index.js", "npm/node_modules/leaf = \"2.1.0\""]);
    assert_eq!(home.remove("npm:tool").await, Ok(Report::default()));
}

#[tokio::test]
async fn bundled_packages_come_with_their_archive() {
    let registry = Registry::start().await;
    registry.publish(
        json!({"name": "box", "version": "1.0.0", "dependencies": {"inside": "^1"}, "bundleDependencies": ["inside"]}),
        &[("package/node_modules/inside/package.json", "{\"name\":\"inside\",\"version\":\"1.2.3\"}")],
    );
    let home = Home::new(&registry);
    home.install("npm:box").await.expect("installs");
    let place = home.agent().join("npm/node_modules/box/node_modules/inside/package.json");
    assert!(place.is_file());
    // A second operation takes it over whole.
    registry.publish(json!({"name": "more", "version": "1.0.0"}), &[]);
    home.install("npm:more").await.expect("installs");
    assert!(place.is_file());
}

#[tokio::test]
async fn an_archive_somewhere_is_a_dependency_too() {
    let registry = Registry::start().await;
    let archive = crate::support::archive(&[("x/package.json", "{\"name\":\"loose\",\"version\":\"0.1.0\"}")]);
    registry.reply("/files/loose.tgz", [crate::support::Reply::Bytes(archive.clone())]);
    let url = format!("{}/files/loose.tgz", registry.base);
    registry.publish(json!({"name": "user", "version": "1.0.0", "dependencies": {"loose": url}}), &[]);
    let home = Home::new(&registry);
    home.install("npm:user").await.expect("installs");
    let lock = home.json("tau-lock.json");
    assert_eq!(
        lock["packages"]["node_modules/loose"],
        json!({"version": "0.1.0", "resolved": url, "integrity": crate::support::sha512(&archive)})
    );
}

#[tokio::test]
async fn circles_and_peers_in_conflict_come_to_an_end() {
    let registry = Registry::start().await;
    registry.publish(json!({"name": "a", "version": "1.0.0", "dependencies": {"b": "1"}}), &[]);
    registry.publish(
        json!({"name": "b", "version": "1.0.0", "dependencies": {"a": "1"}, "peerDependencies": {"c": "2"}}),
        &[],
    );
    registry.publish(json!({"name": "c", "version": "2.0.0"}), &[]);
    registry.publish(json!({"name": "c", "version": "1.0.0"}), &[]);
    registry.publish(json!({"name": "top", "version": "1.0.0", "dependencies": {"a": "1", "c": "1"}}), &[]);
    let home = Home::new(&registry);
    let report = home.install("npm:top").await.expect("installs");
    assert_eq!(report.notes, ["b@1.0.0 wants another version of c beside it; it gets c@1.0.0"]);
}
