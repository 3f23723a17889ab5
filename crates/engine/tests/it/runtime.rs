//! The tests of the runtime's modules, written for `node:test`: the same files pass in Node.

use std::path::{Path, PathBuf};

use tau_engine::ops::Left;
use tau_engine::{Engine, EngineOptions, script};

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let entries = std::fs::read_dir(&folder).expect("a folder of tests");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(".test.ts"));
    files.sort();
    assert!(!files.is_empty(), "{} has no tests", folder.display());
    files
}

/// Tests that may leave something behind: connections that are kept for the next request.
const MAY_LEAVE: &[&str] = &["fetch.test.ts", "http.test.ts", "tls.test.ts"];

/// Runs the tests of a folder.
async fn run_all(folder: &str) {
    let mut failures = Vec::new();
    let mut passed = 0;
    for file in files(folder) {
        let temp = tempfile::tempdir().expect("a folder");
        let mut options = EngineOptions::new(temp.path());
        options.env.insert("HOME".to_owned(), temp.path().display().to_string());
        let engine = Engine::start(options).expect("an engine");
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match script::run(&engine, &file).await {
            Ok(report) => {
                passed += report["passed"].as_u64().unwrap_or(0);
                if report.is_null() {
                    failures.push(format!("{name}: it registered no test"));
                }
                for failure in report["failures"].as_array().into_iter().flatten() {
                    failures.push(format!("{name}: {}: {}", failure["name"], failure["error"].as_str().unwrap_or("")));
                }
            }
            Err(error) => failures.push(format!("{name}: {error}")),
        }
        let left = if MAY_LEAVE.contains(&name.as_str()) { Left::default() } else { script::left(&engine).await };
        if left != Left::default() {
            failures.push(format!("{name}: it left {left:?}"));
        }
        engine.stop();
    }
    println!("{folder}: {passed} passed, {} failed", failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
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
