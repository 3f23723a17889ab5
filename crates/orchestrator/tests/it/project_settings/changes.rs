//! Files that change while a session is open.

use serde_json::json;
use tau_hooks::Mode;
use tau_orchestrator::shared::settings::Source;

use super::{JSON, PROJECT_JSON, PROJECT_JSONC, co_author, entries, own, reader, until, user, world};

#[tokio::test]
async fn a_change_of_any_file_holds_at_once() {
    let world = world(Mode::Tui);
    let (_told, api) = (user(&world, &[]), reader(&world));
    let _running = world.start().await;
    assert_eq!(co_author(&api), (false, Source::Default));
    let users = world.home.write_agent(JSON, r#"{"co_author": true}"#);
    until(&api, true).await;
    std::fs::remove_file(users).expect("it is removed");
    until(&api, false).await;
    // Neither the file nor its folder was there.
    let projects = world.home.write(PROJECT_JSONC, "{\"co_author\": true, // new\n}");
    until(&api, true).await;
    let own_file = world.home.write(".pi/settings.json", own(json!({"co_author": false})).to_string());
    until(&api, false).await;
    assert_eq!(co_author(&api).1, Source::ProjectFile(own_file.clone()));
    std::fs::write(own_file, "{}").expect("a file");
    until(&api, true).await;
    std::fs::remove_file(projects).expect("it is removed");
    until(&api, false).await;
    world.home.write_agent("settings.json", own(json!({"co_author": true})).to_string());
    until(&api, true).await;
}

#[tokio::test]
async fn a_file_that_gets_damaged_keeps_its_values_and_is_told_once() {
    let world = world(Mode::Rpc);
    let file = world.home.write(PROJECT_JSON, r#"{"co_author": true}"#);
    let (told, api) = (user(&world, &[]), reader(&world));
    let _running = world.start().await;
    assert!(co_author(&api).0);
    std::fs::write(&file, "{\n  \"co_author\": no\n}").expect("a file");
    let notice = entries(&told, 1).await.remove(0);
    assert!(notice.starts_with(&format!("{}:2:17: ", file.display())), "{notice}");
    assert!(notice.contains("what it said before still counts"), "{notice}");
    assert!(co_author(&api).0);
    std::fs::write(&file, r#"{"co_author": false}"#).expect("a file");
    until(&api, false).await;
    // Damaged again, there is a notice again, and one for tau's own file.
    std::fs::write(&file, "[]").expect("a file");
    let notice = entries(&told, 2).await.remove(1);
    assert!(notice.starts_with(&format!("{}:1:1: settings must be", file.display())), "{notice}");
    let own_file = world.home.write(".pi/settings.json", "{\"tau\": ");
    let notice = entries(&told, 3).await.remove(2);
    assert!(notice.starts_with(&format!("{}:1:", own_file.display())), "{notice}");
    std::fs::write(&own_file, own(json!({"co_author": "x"})).to_string()).expect("a file");
    let told = entries(&told, 4).await;
    assert!(told[3].contains("project-settings.co_author must be true or false"), "{told:?}");
    assert_eq!(told.len(), 4, "{told:?}");
}

#[tokio::test]
async fn for_one_answer_the_files_are_read_once() {
    let world = world(Mode::Json);
    let file = world.home.write(PROJECT_JSON, r#"{"co_author": true}"#);
    let api = reader(&world);
    let running = world.start().await;
    std::fs::write(&file, r#"{"co_author": false}"#).expect("a file");
    assert!(co_author(&api).0);
    let tasks = world.hooks.tasks.running();
    assert!(tasks.is_empty(), "{tasks:?}");
    // What the command itself writes counts.
    running.say("/pi-config-settings co_author on user").await;
    assert!(!co_author(&api).0);
}
