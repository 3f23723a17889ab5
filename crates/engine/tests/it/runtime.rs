//! The tests of the runtime's modules, written for `node:test`: the same files pass in Node.

use std::path::Path;

use tau_engine::{EngineOptions, script};

/// Tests that may leave something behind: connections that are kept for the next request.
const MAY_LEAVE: &[&str] = &["fetch.test.ts", "http.test.ts", "tls.test.ts"];

async fn run_all(folder: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let tested = script::run_all(&folder, |home| EngineOptions::new(home), MAY_LEAVE).await.expect("a folder of tests");
    println!("{}: {} passed", folder.display(), tested.passed);
    assert!(tested.failures.is_empty(), "{}", tested.failures.join("\n\n"));
    assert_ne!(tested.passed, 0, "{} has no tests", folder.display());
}

#[tokio::test(flavor = "multi_thread")]
async fn node_and_web_modules() {
    run_all("node").await;
}

/// What files may say of modules: the loader that extensions are written for gives the same, except for `beyond`.
#[tokio::test(flavor = "multi_thread")]
async fn loader() {
    run_all("loader").await;
}

/// Packages of npm that tau has a module in place of. But for `beyond`, the files pass in Node with the packages.
#[tokio::test(flavor = "multi_thread")]
async fn stand_ins_for_packages() {
    run_all("npm").await;
}
