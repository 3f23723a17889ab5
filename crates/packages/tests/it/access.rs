//! Tokens, redirects and proxies.

use serde_json::json;

use crate::support::{Home, Registry, Reply, Seen};

fn seen(path: &str, authorization: Option<&str>) -> Seen {
    Seen { path: path.to_owned(), authorization: authorization.map(str::to_owned) }
}

#[tokio::test]
async fn a_token_goes_to_its_host_only() {
    let registry = Registry::start().await;
    let other = Registry::start().await;
    registry.publish(json!({"name": "@me/tool", "version": "1.0.0"}), &[]);
    registry.publish(json!({"name": "moved", "version": "1.0.0"}), &[]);
    other.publish(json!({"name": "@me/tool", "version": "1.0.0"}), &[]);
    other.publish(json!({"name": "moved", "version": "1.0.0"}), &[]);
    // One archive is on another host, another one is moved there.
    registry.edit("@me/tool", |document| {
        document["versions"]["1.0.0"]["dist"]["tarball"] = format!("{}/@me/tool/-/tool-1.0.0.tgz", other.base).into();
    });
    let path = "/moved/-/moved-1.0.0.tgz";
    registry.reply(path, [Reply::Redirect(format!("{}{path}", other.base))]);

    let mut home = Home::new(&registry);
    home.vars.insert("MY_TOKEN".to_owned(), "s3cret".to_owned());
    let host = registry.base.trim_start_matches("http:");
    home.npmrc(&format!("@me:registry={}\n{host}/:_authToken=${{MY_TOKEN}}\n", registry.base));
    home.install("npm:@me/tool").await.expect("installs");
    home.install("npm:moved").await.expect("installs");
    let token = Some("Bearer s3cret");
    assert_eq!(registry.seen(), [seen("/@me%2ftool", token), seen("/moved", token), seen(path, token)]);
    assert_eq!(other.seen(), [seen("/@me/tool/-/tool-1.0.0.tgz", None), seen(path, None)]);
    for file in ["tau-lock.json", "npm/package-lock.json", "npm/package.json"] {
        assert!(!home.json(file).to_string().contains("s3cret"), "{file}");
    }
}

#[tokio::test]
async fn a_user_and_a_password() {
    let registry = Registry::start().await;
    registry.publish(json!({"name": "tool", "version": "1.0.0"}), &[]);
    let home = Home::new(&registry);
    let host = registry.base.trim_start_matches("http:");
    home.npmrc(&format!("{host}/:username=ada\n{host}/:_password=aHVudGVyMg==\n"));
    home.install("npm:tool").await.expect("installs");
    let both = Some("Basic YWRhOmh1bnRlcjI=");
    assert_eq!(registry.seen(), [seen("/tool", both), seen("/tool/-/tool-1.0.0.tgz", both)]);
}

#[tokio::test]
async fn through_a_proxy_and_past_it() {
    let proxy = Registry::start().await;
    let direct = Registry::start().await;
    for registry in [&proxy, &direct] {
        registry.publish(json!({"name": "tool", "version": "1.0.0"}), &[]);
        registry.edit("tool", |document| {
            let dist = &mut document["versions"]["1.0.0"]["dist"];
            dist.as_object_mut().expect("dist").remove("tarball");
        });
    }
    let mut home = Home::new(&direct);
    home.npmrc(&format!("proxy={}\n", proxy.base));
    home.vars.insert("npm_config_registry".to_owned(), "http://registry.invalid/".to_owned());
    home.install("npm:tool").await.expect("installs");
    assert_eq!(proxy.seen(), [seen("/tool", None), seen("/tool/-/tool-1.0.0.tgz", None)]);

    let mut home = Home::new(&direct);
    home.npmrc(&format!("proxy={}\n", proxy.base));
    home.vars.insert("NO_PROXY".to_owned(), "127.0.0.1".to_owned());
    home.install("npm:tool").await.expect("installs");
    assert_eq!(proxy.seen(), []);
    assert_eq!(direct.seen().len(), 2);
}

#[tokio::test]
async fn settings_that_make_no_sense_are_named() {
    let registry = Registry::start().await;
    let cases = [
        (
            "cafile=/nowhere/ca.pem",
            "the file /nowhere/ca.pem that `cafile` in .npmrc names cannot be understood: No such file",
        ),
        (
            "proxy=http://ada:hunter2@[",
            "the settings for the network cannot be understood: the proxy in .npmrc is no address",
        ),
    ];
    for (text, expected) in cases {
        let home = Home::new(&registry);
        home.npmrc(text);
        let error = home.install("npm:tool").await.expect_err(text).to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}
