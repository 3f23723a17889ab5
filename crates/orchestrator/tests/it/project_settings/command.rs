//! `/pi-config-settings`.

use serde_json::{Value, json};
use tau_agent::Prompted;
use tau_hooks::Mode;
use tau_hooks::dialogs::NotifyLevel;
use tau_orchestrator::shared::settings::Source;

use super::{JSON, PROJECT_JSONC, co_author, own, reader, settings, text, user, world};
use crate::screen::{first, notices};

#[tokio::test]
async fn a_list_leads_to_what_can_be_changed() {
    for mode in [Mode::Tui, Mode::Rpc] {
        let world = world(mode).with_var("PI_USE_WORKTREES", "1");
        let file = world.home.write(PROJECT_JSONC, "{\n  \"use_worktrees\": false, // ours\n}\n");
        let answers = ["co_author", "user", "dream_interval_hours", "25", "0.5", "project", "use_worktrees", "project"];
        let (shown, api) = (user(&world, &answers), reader(&world));
        let running = world.start().await;
        assert_eq!(running.say("/pi-config-settings").await, Prompted::Command { failed: false });
        let own_file = world.home.agent_dir().join("settings.json");
        let shown = shown.all();
        let (file_name, own_name) = (file.display(), own_file.display());
        let expected = [
            format!(
                "Settings of the suite\nco_author = false  (default)\nuse_worktrees = false  (project {file_name})\n\
                 dream_interval_hours = 3  (default)"
            ),
            format!("Where is co_author = true set?\nuser: {own_name}\nproject: {file_name}"),
            format!("co_author = true is set in your file {own_name}"),
            format!(
                "Settings of the suite\nco_author = true  (user {own_name})\nuse_worktrees = false  (project {file_name})\n\
                 dream_interval_hours = 3  (default)"
            ),
            "dream_interval_hours: hours between two rounds in which memories are put in order (a number of hours from 0.5 \
             to 24)\n3"
                .to_owned(),
            "dream_interval_hours cannot be \"25\": it must be a number of hours from 0.5 to 24".to_owned(),
        ];
        assert_eq!(shown[..expected.len()], expected);
        assert_eq!(
            shown.last().map(String::as_str),
            Some(&*format!(
                "Settings of the suite\nco_author = true  (user {own_name})\nuse_worktrees = true  (project {file_name})\n\
                 dream_interval_hours = 0.5  (project {file_name})"
            ))
        );
        // Comments stay.
        assert_eq!(text(&file), "{\n  \"use_worktrees\": true, // ours\n  \"dream_interval_hours\": 0.5,\n}\n");
        assert_eq!(serde_json::from_str::<Value>(&text(&own_file)).expect("JSON"), own(json!({"co_author": true})));
        assert_eq!(co_author(&api), (true, Source::UserFile(own_file)));
    }
}

#[tokio::test]
async fn leaving_a_question_changes_nothing() {
    for answers in [&["co_author"][..], &["dream_interval_hours"], &["dream_interval_hours", " "]] {
        let world = world(Mode::Tui);
        let (shown, api) = (user(&world, answers), reader(&world));
        let running = world.start().await;
        running.say("/pi-config-settings").await;
        assert!(settings(&api).all().iter().all(|one| one.source == Source::Default));
        let shown = shown.all();
        assert_eq!(shown.first(), shown.last(), "{shown:?}");
        assert!(shown.len() > 2, "{shown:?}");
    }
}

#[tokio::test]
async fn one_key_is_explained_layer_by_layer() {
    let world = world(Mode::Tui).with_var("PI_CO_AUTHOR", "0").settings(own(json!({"co_author": "x"})));
    let users = world.home.write_agent(JSON, "{\n\"co_author\": false\n}");
    let projects = world.home.write(PROJECT_JSONC, "{\"co_author\": true}");
    let told = notices(&world);
    let running = world.start().await;
    running.say("/pi-config-settings co_author").await;
    let (level, text) = first(&told).await;
    let (agent, project) = (world.home.agent_dir(), world.home.cwd().join(".pi"));
    let expected = [
        format!("co_author = true  (project {})", projects.display()),
        "  commits name the agent as an author, too; it takes true or false".to_owned(),
        format!("  project {}: nothing", project.join("settings.json").display()),
        format!("  project {}:1: true, which counts", projects.display()),
        "  variable PI_CO_AUTHOR: false, which a place above outranks".to_owned(),
        format!(
            "  user {}: \"x\", which does not count: the setting does not take it",
            agent.join("settings.json").display()
        ),
        format!("  user {}:2: false, which a place above outranks", users.display()),
        "  default: false".to_owned(),
    ];
    assert_eq!((level, text), (NotifyLevel::Info, expected.join("\n")));
}

#[tokio::test]
async fn where_nobody_sees_notices_the_answer_is_a_report() {
    for mode in [Mode::Print, Mode::Json] {
        let world = world(mode);
        let api = reader(&world);
        let running = world.start().await;
        assert_eq!(running.say("/pi-config-settings").await, Prompted::Command { failed: false });
        let (_, event, text) = world.reports.take().remove(0);
        assert_eq!(event, "command:pi-config-settings");
        let expected =
            "co_author = false  (default)\nuse_worktrees = false  (default)\ndream_interval_hours = 3  (default)";
        assert_eq!(text, expected);
        // Nobody can be asked for the file, so it is the user's.
        assert_eq!(running.say("/pi-config-settings co_author on").await, Prompted::Command { failed: false });
        assert!(world.reports.take()[0].2.starts_with("co_author = true is set in your file "));
        assert_eq!(co_author(&api), (true, Source::UserFile(world.home.agent_dir().join("settings.json"))));
        for wrong in ["co_auther", "co_author maybe", "co_author true both", "dream_interval_hours 0"] {
            let done = running.say(&format!("/pi-config-settings {wrong}")).await;
            assert_eq!(done, Prompted::Command { failed: true }, "{wrong}");
        }
        assert!(world.reports.all()[0].2.contains("did you mean co_author?"), "{:?}", world.reports.all());
    }
}

#[tokio::test]
async fn a_value_that_does_not_count_is_said_to() {
    let world = world(Mode::Rpc).with_var("PI_CO_AUTHOR", "no");
    let (shown, api) = (user(&world, &[]), reader(&world));
    let running = world.start().await;
    running.say("/pi-config-settings co_author true user").await;
    let own_file = world.home.agent_dir().join("settings.json");
    let expected = format!(
        "co_author = true is set in your file {}\nIt does not count here: variable PI_CO_AUTHOR says false",
        own_file.display()
    );
    assert_eq!(super::entries(&shown, 1).await, [expected]);
    assert!(!co_author(&api).0);
    running.say("/pi-config-settings co_author true project").await;
    assert_eq!(co_author(&api), (true, Source::ProjectFile(world.home.cwd().join(".pi/settings.json"))));
}

#[tokio::test]
async fn a_file_that_cannot_be_understood_is_not_written() {
    let world = world(Mode::Rpc);
    let twice = "{\"co_author\": true,\n \"co_author\": false}";
    let file = world.home.write(PROJECT_JSONC, twice);
    let shown = user(&world, &[]);
    let running = world.start().await;
    running.say("/pi-config-settings co_author true project").await;
    let told = super::entries(&shown, 2).await;
    assert!(told[1].starts_with(&format!("{}: co_author is not set: line 2:", file.display())), "{told:?}");
    assert_eq!(text(&file), twice);
    std::fs::write(&file, "{").expect("a file");
    running.say("/pi-config-settings co_author true project").await;
    while !shown.all().iter().any(|told| told.ends_with("; co_author is not set")) {
        tokio::task::yield_now().await;
    }
    assert_eq!(text(&file), "{");
    assert!(!file.with_extension("jsonc.lock").exists());
}
