//! The tests of the modules of pi, written for `node:test`.

use std::path::Path;

use tau_engine::script;

#[tokio::test(flavor = "multi_thread")]
async fn pi_modules() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pi");
    let tested = script::run_all(&folder, |home| tau_js::options(home), &[]).await.expect("a folder of tests");
    println!("{}: {} passed", folder.display(), tested.passed);
    assert!(tested.failures.is_empty(), "{}", tested.failures.join("\n\n"));
    assert_ne!(tested.passed, 0, "{} has no tests", folder.display());
}
