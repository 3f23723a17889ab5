//! The marker `.pi-co-author`.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use tau_hooks::Mode;
use tau_orchestrator::shared::settings::Source;

use super::{PROJECT_JSON, PROJECT_JSONC, co_author, entries, own, reader, text, user, world};

const MARKER: &str = ".pi-co-author";

#[tokio::test]
async fn it_becomes_the_setting_of_the_project_once() {
    let world = world(Mode::Rpc);
    let marker = world.home.write(MARKER, "");
    let (told, api) = (user(&world, &[]), reader(&world));
    let running = world.start().await;
    let file = world.home.cwd().join(".pi/settings.json");
    let expected = format!(
        "{}: it is the project's setting co_author in {} now, and was removed",
        marker.display(),
        file.display()
    );
    assert_eq!(entries(&told, 1).await, [expected]);
    assert_eq!(serde_json::from_str::<Value>(&text(&file)).expect("JSON"), own(json!({"co_author": true})));
    assert_eq!(co_author(&api), (true, Source::ProjectFile(file)));
    assert!(!marker.exists());
    running.say("/pi-config-settings co_author no project").await;
    drop(running);

    // A program that is started again does nothing.
    let again = super::world(Mode::Rpc).in_home_of(world);
    let (told, api) = (user(&again, &[]), reader(&again));
    let running = again.start().await;
    running.say("/pi-config-settings co_author").await;
    assert_eq!((entries(&told, 1).await.len(), co_author(&api).0), (1, false));
}

#[tokio::test]
async fn it_is_written_into_the_file_of_pi_config_if_there_is_one() {
    let world = world(Mode::Print);
    let file = world.home.write(PROJECT_JSONC, "{\n  // ours\n  \"use_worktrees\": true,\n}\n");
    let marker = world.home.write(MARKER, "");
    let _running = world.start().await;
    assert_eq!(text(&file), "{\n  // ours\n  \"use_worktrees\": true,\n  \"co_author\": true,\n}\n");
    assert!(!marker.exists() && !world.home.cwd().join(".pi/settings.json").exists());
    let reports = world.reports.all();
    assert!(reports.len() == 1 && reports[0].2.contains("was removed"), "{reports:?}");
}

#[tokio::test]
async fn what_the_project_says_already_stays() {
    let world = world(Mode::Print);
    let file = world.home.write(PROJECT_JSON, r#"{"co_author": false}"#);
    let marker = world.home.write(MARKER, "");
    let api = reader(&world);
    let _running = world.start().await;
    assert_eq!((co_author(&api).0, text(&file)), (false, r#"{"co_author": false}"#.to_owned()));
    assert!(!marker.exists());
}

#[tokio::test]
async fn links_and_folders_are_refused_and_stay() {
    for is_link in [true, false] {
        let world = world(Mode::Print);
        let target = world.home.write("real", "keep");
        let marker = world.home.cwd().join(MARKER);
        if is_link {
            symlink(&target, &marker).expect("a link");
        } else {
            std::fs::create_dir(&marker).expect("a folder");
        }
        let api = reader(&world);
        let _running = world.start().await;
        let reports = world.reports.all();
        let what = if is_link { "it is a symbolic link, so" } else { "it is no regular file, so" };
        assert!(
            reports.len() == 1 && reports[0].2.starts_with(&format!("{}: {what}", marker.display())),
            "{reports:?}"
        );
        assert!(marker.symlink_metadata().is_ok() && text(&target) == "keep" && !co_author(&api).0);
        assert!(!world.home.cwd().join(".pi").exists());
    }
}

#[tokio::test]
async fn it_stays_when_the_setting_cannot_be_written() {
    let world = world(Mode::Print);
    let file = world.home.write(PROJECT_JSON, "{\"use_worktrees\": ");
    let marker = world.home.write(MARKER, "");
    let _running = world.start().await;
    let texts: Vec<String> = world.reports.all().into_iter().map(|(_, _, text)| text).collect();
    let about =
        |path: &std::path::Path| texts.iter().filter(|text| text.starts_with(&path.display().to_string())).count();
    assert_eq!((about(&file), about(&marker), texts.len()), (1, 1, 2), "{texts:?}");
    assert!(marker.exists() && text(&file) == "{\"use_worktrees\": ");
}
