//! Files that are read before the engine asks for them.

use std::path::Path;

use serde_json::{Value, json};
use tau_script::ScriptHost;

use crate::support::{Scripts, found};
use crate::tour;

/// Loads files of a folder in this order, with compiled modules kept beside them; gives what they say, and what is wrong.
async fn load(folder: &Path, names: &[&str]) -> (Vec<Value>, Vec<Option<String>>) {
    let world = tour::world();
    let scripts = Scripts::new(&world).cached(&folder.join("cache"));
    let here = crate::bus::hear(&world, "here");
    let outcomes = scripts.load_found(&world, names.iter().map(|name| found(&folder.join(name))).collect()).await;
    scripts.host.shut_down().await;
    let wrong: Vec<Option<String>> =
        outcomes.into_iter().map(|outcome| outcome.result.err().map(|error| error.to_string())).collect();
    let said = crate::bus::heard(&here, wrong.iter().filter(|wrong| wrong.is_none()).count()).await;
    (said, wrong)
}

fn write(folder: &Path, name: &str) {
    let source = format!("export default (pi) => pi.events.emit('here', '{name}');");
    std::fs::write(folder.join(name), source).expect("a file");
}

/// Those that were compiled before are read by whoever loads; from the first that was not, threads go on.
#[tokio::test(flavor = "multi_thread")]
async fn files_are_loaded_in_order_whether_they_were_compiled_before_or_not() {
    let temp = tempfile::tempdir().expect("a folder");
    for names in [
        ["one.ts", "two.ts", "three.ts"].as_slice(),
        &["one.ts", "two.ts", "three.ts"],
        &["one.ts", "new.ts", "two.ts", "newer.ts", "three.ts", "newest.ts"],
        &["first.ts", "one.ts"],
    ] {
        names.iter().for_each(|name| write(temp.path(), name));
        let (said, wrong) = load(temp.path(), names).await;
        assert_eq!(said, names.iter().map(|name| json!(name)).collect::<Vec<_>>());
        assert!(wrong.iter().all(Option::is_none), "{wrong:?}");
    }
}

/// What is wrong with a file is told of that file, wherever it stands among those that were compiled before.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_cannot_be_read_does_not_stop_the_others() {
    let temp = tempfile::tempdir().expect("a folder");
    ["one.ts", "two.ts"].iter().for_each(|name| write(temp.path(), name));
    std::fs::write(temp.path().join("broken.ts"), "export default (").expect("a file");
    load(temp.path(), &["one.ts", "two.ts"]).await;
    let (said, wrong) = load(temp.path(), &["one.ts", "gone.ts", "broken.ts", "two.ts"]).await;
    assert_eq!(said, [json!("one.ts"), json!("two.ts")]);
    let names = |at: usize, text: &str| wrong[at].as_ref().is_some_and(|wrong: &String| wrong.contains(text));
    assert!(wrong[0].is_none() && names(1, "gone.ts") && names(2, "broken.ts:1") && wrong[3].is_none(), "{wrong:?}");
}
