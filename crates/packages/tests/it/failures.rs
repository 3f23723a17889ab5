//! Whatever fails says what, where and what to do, and leaves what was there.

use std::fs;

use serde_json::json;

use crate::support::{Home, Registry, Reply, archive};

async fn installed() -> (Registry, Home, Vec<String>) {
    let registry = Registry::start().await;
    registry.publish(json!({"name": "good", "version": "1.0.0"}), &[]);
    let home = Home::new(&registry);
    home.install("npm:good").await.expect("installs");
    let tree = home.tree();
    (registry, home, tree)
}

#[tokio::test]
async fn what_the_registry_gets_wrong() {
    let (registry, home, before) = installed().await;
    registry.publish(json!({"name": "forged", "version": "1.0.0"}), &[]);
    registry.edit("forged", |document| document["versions"]["1.0.0"]["dist"]["integrity"] = "sha512-AAAA".into());
    registry.publish(json!({"name": "hashless", "version": "1.0.0"}), &[]);
    registry.edit("hashless", |document| {
        document["versions"]["1.0.0"]["dist"].as_object_mut().expect("dist").remove("integrity");
    });
    registry.publish(json!({"name": "lost", "version": "1.0.0"}), &[]);
    registry.reply("/lost/-/lost-1.0.0.tgz", [Reply::Status(404)]);
    registry.publish(json!({"name": "ours", "version": "1.0.0", "os": ["plan9"]}), &[]);
    registry.publish(json!({"name": "wants", "version": "1.0.0", "dependencies": {"nothing": "^9"}}), &[]);
    registry.publish(json!({"name": "local", "version": "1.0.0", "dependencies": {"other": "file:../other"}}), &[]);
    registry.reply("/private", [Reply::Status(401)]);
    registry.reply("/broken", [Reply::Status(500)]);
    registry.reply("/nonsense", [Reply::Bytes(b"<html>".to_vec())]);
    registry.reply("/round", [Reply::Redirect("/round".to_owned())]);
    let base = &registry.base;
    let cases = [
        ("forged", "forged@1.0.0 is not what the registry promises: expected sha512-AAAA, got sha512-"),
        ("hashless", "of hashless@1.0.0 cannot be understood: it names no hash of the archive"),
        ("lost", "answered 404; the registry knows the version but has lost its archive"),
        ("ours", "ours@1.0.0 is for os plan9 only, this is "),
        ("wants", &format!("wants@1.0.0: there is no package \"nothing\" in {base}/")),
        ("local", "local@1.0.0: other: it names a folder of the machine it was made on"),
        ("good@^7", "good has no version that fits \">=7.0.0 <8.0.0-0\"; there is 1.0.0"),
        ("good@beta", "good has no version that fits \"beta\"; there is 1.0.0"),
        (
            "private",
            &format!("the package private: {base}/private answered 401; put a token for this registry into .npmrc"),
        ),
        ("broken", &format!("the package broken: {base}/broken answered 500; it has a problem of its own")),
        ("nonsense", &format!("what {base}/ says of nonsense cannot be understood: expected value at line 1")),
        ("round", "it points from one address to the next without end"),
    ];
    for (name, expected) in cases {
        let error = home.install(&format!("npm:{name}")).await.expect_err(name).to_string();
        assert!(error.contains(expected), "{name}: {error}");
        assert!(!error.contains("secret-echo"), "{error}");
        assert_eq!(home.tree(), before, "{name}");
    }
}

#[tokio::test]
async fn hostile_archives() {
    let (registry, home, before) = installed().await;
    let outside = home.dir.path().join("evil");
    let absolute = outside.display().to_string();
    for (at, path) in ["package/../../../../evil", absolute.as_str(), "../../../../../evil"].into_iter().enumerate() {
        let manifest = json!({"name": "hostile", "version": format!("1.0.{at}")});
        let bytes = archive(&[("package/package.json", &manifest.to_string()), (path, "evil")]);
        registry.publish_archive(manifest, bytes);
        let error = home.install("npm:hostile").await.expect_err(path).to_string();
        assert!(error.starts_with(&format!("the archive of hostile@1.0.{at} is refused: ")), "{error}");
        assert_eq!(home.tree(), before, "{path}");
        assert!(!outside.exists(), "{path}");
    }
    registry.publish_archive(json!({"name": "hostile", "version": "2.0.0"}), archive(&[("package/a", "no manifest")]));
    let error = home.install("npm:hostile").await.expect_err("no manifest").to_string();
    assert_eq!(error, "hostile@2.0.0 cannot be understood: it has no package.json");
    assert_eq!(home.tree(), before);
}

#[tokio::test]
async fn a_download_that_breaks_off_is_tried_again() {
    let (registry, home, before) = installed().await;
    registry.publish(json!({"name": "far", "version": "1.0.0"}), &[]);
    let bytes = archive(&[("package/package.json", "{\"name\":\"far\",\"version\":\"1.0.0\"}")]);
    let path = "/far/-/far-1.0.0.tgz";
    registry.reply(path, [Reply::Half(bytes.clone())]);
    let error = home.install("npm:far").await.expect_err("half").to_string();
    assert!(error.contains(&format!("far@1.0.0: {}{path} cannot be reached: ", registry.base)), "{error}");
    assert_eq!(home.tree(), before);
    let tries = registry.seen().into_iter().filter(|seen| seen.path == path).count();
    assert_eq!(tries, 3);
    registry.publish(json!({"name": "far", "version": "1.0.0"}), &[]);
    registry.edit("far", |document| {
        document["versions"]["1.0.0"]["dist"]["integrity"] = crate::support::sha512(&bytes).into()
    });
    registry.reply(path, [Reply::Half(bytes.clone()), Reply::Status(503), Reply::Bytes(bytes)]);
    home.install("npm:far").await.expect("the third time");
}

#[tokio::test]
async fn offline() {
    let (registry, mut home, before) = installed().await;
    registry.seen();
    home.offline = true;
    let error = home.install("npm:more").await.expect_err("offline").to_string();
    let expected = "the package more is not here, and tau is offline; run the command again without --offline";
    assert_eq!(error, expected);
    let error = home.install("git:example.org/a/b").await.expect_err("offline").to_string();
    assert_eq!(error, expected.replace("the package more", "git:example.org/a/b"));
    // What is here needs nobody.
    home.restore("npm:good").await.expect("is here");
    assert_eq!(home.tree(), [&["git/.gitignore".to_owned()][..], &before[..]].concat());
    assert_eq!(registry.seen(), []);
}

#[tokio::test]
async fn nobody_there() {
    let (registry, mut home, before) = installed().await;
    drop(registry);
    home.vars.insert("npm_config_fetch_retries".to_owned(), "0".to_owned());
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("bind").local_addr().expect("address");
    home.vars.insert("npm_config_registry".to_owned(), format!("http://ada:hunter2@{free}/npm"));
    let error = home.install("npm:more").await.expect_err("nobody").to_string();
    assert!(error.starts_with(&format!("the package more: http://{free}/npm/more cannot be reached: ")), "{error}");
    assert!(!error.contains("hunter2"), "{error}");
    assert_eq!(home.tree(), before);
}

#[tokio::test]
async fn a_crash_in_the_middle_is_mended() {
    let (registry, home, before) = installed().await;
    let npm = home.agent().join("npm");
    let (modules, lock) = (npm.join("node_modules"), home.agent().join("tau-lock.json"));
    let note = json!({
        "folder": modules,
        "hadFolder": true,
        "files": [[lock, fs::read_to_string(&lock).expect("a lock file")]],
    });
    // As a kill leaves it after the new packages were put in place, and an archive was half fetched.
    fs::rename(&modules, npm.join(".node_modules.tau-old")).expect("renamed");
    fs::create_dir_all(modules.join("good")).expect("a folder");
    fs::write(&lock, "{").expect("written");
    fs::write(npm.join(".tau-change.json"), note.to_string()).expect("written");
    fs::create_dir_all(npm.join(".tau-AbCd/part-1")).expect("a folder");
    home.store().recover().await.expect("recovers");
    assert_eq!(home.tree(), before);
    registry.publish(json!({"name": "more", "version": "1.0.0"}), &[]);
    registry.seen();
    home.install("npm:more").await.expect("installs");
    home.remove("npm:more").await.expect("removes");
    assert_eq!(home.tree(), before);
    assert!(registry.seen().iter().all(|seen| !seen.path.contains("good")), "what was there was taken over");
}

#[tokio::test]
async fn two_at_once_lose_nothing() {
    let (registry, home, _) = installed().await;
    let names: Vec<String> = (0..6).map(|at| format!("p{at}")).collect();
    for name in &names {
        registry.publish(json!({"name": name, "version": "1.0.0"}), &[]);
    }
    let sources: Vec<String> = names.iter().map(|name| format!("npm:{name}")).collect();
    let all = futures_util::future::join_all(sources.iter().map(|source| home.install(source))).await;
    assert!(all.iter().all(Result::is_ok), "{all:?}");
    let dependencies = home.json("npm/package.json")["dependencies"].clone();
    assert_eq!(dependencies.as_object().expect("dependencies").len(), 7);
    assert_eq!(home.tree().iter().filter(|line| line.contains(" = ")).count(), 7);
}
