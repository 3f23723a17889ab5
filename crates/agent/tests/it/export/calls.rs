//! `/export`, and what front ends call.

use std::path::{Path, PathBuf};

use serde_json::json;
use tau_agent::Prompted;
use tau_agent::export::ExportError;
use tau_session::Session;

use super::audit::{audit, texts};
use crate::common::World;

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file")
}

#[tokio::test]
async fn a_session_is_written_as_a_page_under_a_name_of_its_own() {
    let world = World::new(json!(["Hello."]));
    let running = world.start().await;
    assert!(matches!(running.session.export(None), Err(ExportError::Nothing)));
    running.say("Hi").await;
    let path = running.session.export(None).expect("exported");
    let session = running.session.session();
    let stem = session.file().and_then(Path::file_stem).expect("a file").to_string_lossy();
    assert_eq!(path, running.session.cwd().join(format!("tau-session-{stem}.html")));
    let document = audit(&read(&path));
    assert_eq!(texts(&document, "section.branch article.user > p:not(.head)"), ["Hi"]);
    let prompt = texts(&document, "header .system pre code");
    assert_eq!(prompt, [running.session.system_prompt_parts().text()]);
}

#[tokio::test]
async fn a_name_that_ends_in_jsonl_gets_the_branch_as_lines() {
    let world = World::new(json!(["Hello.", "Again."]));
    let running = world.start().await;
    running.say("Hi").await;
    let left = running.session.session().leaf().expect("a leaf");
    let first = running.session.session().entries()[0].id().clone();
    running.say("Not this").await;
    running.session.session().set_leaf(&left).expect("moved");
    let path = running.session.export(Some(PathBuf::from("deep/er/branch.jsonl"))).expect("exported");
    assert_eq!(path, running.session.cwd().join("deep/er/branch.jsonl"));
    let copy = Session::view(&path).expect("a session");
    assert_eq!(copy.context(), running.session.session().context());
    assert_eq!((copy.leaf(), copy.entries()[0].id()), (Some(left), &first));
}

#[tokio::test]
async fn the_command_takes_a_path_and_says_where_the_file_is() {
    let world = World::new(json!(["Hello."]));
    let running = world.start().await;
    running.say("Hi").await;
    for (typed, name) in [("\"my page.html\"", "my page.html"), ("all of it.html", "all of it.html")] {
        let said = running.say(&format!("/export {typed}")).await;
        let path = running.session.cwd().join(name);
        assert_eq!(said, Prompted::Builtin(format!("Session exported to: {}", path.display()).into()));
        audit(&read(&path));
    }
    let unclear = running.session.prompt(tau_agent::Prompt::new("/export \"a.html\" b")).await.expect_err("refused");
    assert_eq!(unclear.to_string(), "Failed to export session: there is more text behind the quotes");
    let own = running.session.session().file().expect("a file").display().to_string();
    let before = read(Path::new(&own));
    let refused = running.session.prompt(tau_agent::Prompt::new(format!("/export {own}"))).await.expect_err("refused");
    assert_eq!(
        refused.to_string(),
        format!("Failed to export session: {own} is the session's own file; choose another one")
    );
    assert_eq!(read(Path::new(&own)), before);
}
