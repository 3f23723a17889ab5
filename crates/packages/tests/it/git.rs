//! Repositories.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use tau_packages::PackageError;

use crate::support::{Home, Registry};

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main", "-C"])
        .arg(folder)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// A repository with a tag on its first commit and a second one on its branch.
struct Upstream {
    folder: tempfile::TempDir,
    commits: [String; 2],
}

impl Upstream {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("temp dir");
        let path = folder.path();
        git(path, &["init", "--quiet"]);
        let mut commits = Vec::new();
        for version in ["1.0.0", "2.0.0"] {
            let manifest = json!({"name": "tool", "version": version, "dependencies": {"dep": "^1"}});
            fs::write(path.join("package.json"), manifest.to_string()).expect("write");
            git(path, &["add", "."]);
            git(path, &["commit", "--quiet", "-m", version]);
            if version == "1.0.0" {
                git(path, &["tag", "-a", "v1", "-m", "one"]);
            }
            commits.push(git(path, &["rev-parse", "HEAD"]));
        }
        Self { folder, commits: commits.try_into().expect("two") }
    }

    /// Serves it at `/team/tool` as plain files.
    fn publish(&self, registry: &Registry) -> String {
        git(self.folder.path(), &["update-server-info"]);
        registry.serve("/team/tool", &self.folder.path().join(".git"));
        format!("git:{}/team/tool", registry.base)
    }
}

async fn registry() -> Registry {
    let registry = Registry::start().await;
    registry.publish(json!({"name": "dep", "version": "1.0.0"}), &[]);
    registry
}

/// Makes git fetch from a folder what is asked of a host that does not exist: with shallow clones, as from a real server.
fn redirect(home: &mut Home, upstream: &Upstream) {
    let folder = upstream.folder.path().display();
    for (name, value) in [
        ("GIT_CONFIG_COUNT", "1".to_owned()),
        ("GIT_CONFIG_KEY_0", format!("url.file://{folder}.insteadOf")),
        ("GIT_CONFIG_VALUE_0", "https://git.invalid/team/tool".to_owned()),
    ] {
        home.vars.insert(name.to_owned(), value);
    }
}

#[tokio::test]
async fn branches_tags_and_commits_from_a_plain_server() {
    let (registry, upstream) = (registry().await, Upstream::new());
    let source = upstream.publish(&registry);
    let [first, second] = upstream.commits.clone();
    for (reference, commit) in [("", &second), ("@main", &second), ("@v1", &first), (&format!("@{first}"), &first)] {
        let home = Home::new(&registry);
        let report = home.install(&format!("{source}{reference}")).await.expect(reference);
        assert_eq!(report.change.and_then(|change| change.after).as_ref(), Some(commit), "{reference}");
        let folder = home.agent().join("git/127.0.0.1/team/tool");
        assert!(folder.join("node_modules/dep/package.json").is_file());
        assert!(folder.join(".git").is_dir());
        let lock = home.json("tau-lock.json");
        let locked = &lock["git"]["127.0.0.1/team/tool"];
        assert_eq!(locked["commit"].as_str(), Some(commit.as_str()));
        assert_eq!(locked["packages"]["node_modules/dep"]["version"], "1.0.0");
        assert!(locked["integrity"].as_str().is_some_and(|text| text.starts_with("sha512-")));
    }
}

#[tokio::test]
async fn updates_pins_and_removal() {
    let (registry, upstream) = (registry().await, Upstream::new());
    let mut home = Home::new(&registry);
    redirect(&mut home, &upstream);
    let source = "https://git.invalid/team/tool";
    home.install(source).await.expect("installs");
    let folder = home.agent().join("git/git.invalid/team/tool");
    assert_eq!(git(&folder, &["rev-parse", "--abbrev-ref", "HEAD@{upstream}"]), "origin/main");
    assert_eq!(git(&folder, &["rev-list", "--count", "HEAD"]), "1", "no history");

    fs::write(upstream.folder.path().join("new.txt"), "new").expect("write");
    git(upstream.folder.path(), &["add", "."]);
    git(upstream.folder.path(), &["commit", "--quiet", "-m", "new"]);
    let newest = git(upstream.folder.path(), &["rev-parse", "HEAD"]);

    let mut elsewhere = Home::new(&registry);
    redirect(&mut elsewhere, &upstream);
    fs::create_dir_all(elsewhere.agent()).expect("folder");
    fs::copy(home.agent().join("tau-lock.json"), elsewhere.agent().join("tau-lock.json")).expect("copy");
    let pinned = elsewhere.restore(source).await.expect("installs").change.expect("a change");
    assert_eq!(pinned.after.as_ref(), Some(&upstream.commits[1]));

    let change = home.install(source).await.expect("updates").change.expect("a change");
    assert_eq!((change.before.as_ref(), change.after.as_ref()), (Some(&upstream.commits[1]), Some(&newest)));
    assert!(folder.join("new.txt").is_file());
    let again = home.install(source).await.expect("nothing to do").change.expect("the same");
    assert_eq!((again.before.as_ref(), again.after.as_ref()), (Some(&newest), Some(&newest)));

    home.offline = true;
    home.remove(source).await.expect("removes");
    assert!(!home.agent().join("git/git.invalid").exists());
    assert_eq!(home.json("tau-lock.json")["git"], json!({}));
}

#[tokio::test]
async fn failures_leave_what_was_there() {
    let (registry, upstream) = (registry().await, Upstream::new());
    let mut home = Home::new(&registry);
    redirect(&mut home, &upstream);
    let source = "https://git.invalid/team/tool";
    home.install(source).await.expect("installs");
    let before = home.tree();
    let error = home.install(&format!("{source}@no-such")).await.expect_err("no branch").to_string();
    assert_eq!(
        error,
        "git:git.invalid/team/tool@no-such: `git checkout` failed: there is no branch, tag or commit \"no-such\""
    );
    assert_eq!(home.tree(), before);

    let mut lock = home.json("tau-lock.json");
    lock["git"]["git.invalid/team/tool"]["integrity"] = "sha512-AAAA".into();
    fs::write(home.agent().join("tau-lock.json"), lock.to_string()).expect("write");
    let error = home.restore(source).await.expect_err("other content");
    assert!(matches!(error, PackageError::Integrity { .. }), "{error}");
    assert_eq!(home.tree(), before);

    let error = home.install(&format!("{source}@--upload-pack=touch")).await.expect_err("an option").to_string();
    assert!(error.ends_with("this is no name of a branch, a tag or a commit"), "{error}");
    let secret = "https://ada:hunter2@127.0.0.1:1/team/other";
    let error = home.install(secret).await.expect_err("nobody there").to_string();
    assert!(error.starts_with("git:127.0.0.1/team/other: `git ") && !error.contains("hunter2"), "{error}");
    assert_eq!(home.tree(), before);
}

#[tokio::test]
async fn a_repository_is_a_dependency_too() {
    let (registry, upstream) = (registry().await, Upstream::new());
    let address = upstream.publish(&registry).replace("git:http", "git+http");
    registry
        .publish(json!({"name": "user", "version": "1.0.0", "dependencies": {"tool": format!("{address}#v1")}}), &[]);
    let home = Home::new(&registry);
    home.install("npm:user").await.expect("installs");
    let lock = home.json("tau-lock.json");
    let resolved = format!("{address}#{}", upstream.commits[0]);
    assert_eq!(lock["packages"]["node_modules/tool"]["resolved"], resolved);
    assert!(home.agent().join("npm/node_modules/dep/package.json").is_file());
    assert!(!home.agent().join("npm/node_modules/tool/.git").exists());
}
