//! What counts, and which notices there are.

use std::time::Duration;

use serde_json::json;
use tau_hooks::Mode;
use tau_orchestrator::shared::settings::Source;

use super::{JSON, PROJECT_JSON, PROJECT_JSONC, co_author, entries, own, reader, settings, user, world};
use crate::world::with;

#[tokio::test]
async fn each_layer_and_each_kind_of_file_counts_in_its_turn() {
    let world = world(Mode::Print).settings(own(json!({"dream_interval_hours": 6, "use_worktrees": false})));
    let world = world.with_var("PI_CO_AUTHOR", "off").with_var("PI_DREAM_INTERVAL_HOURS", " ");
    let users =
        world.home.write_agent(JSON, r#"{"co_author": true, "dream_interval_hours": 9, "use_worktrees": true}"#);
    let own_file = world.home.agent_dir().join("settings.json");
    let api = reader(&world);
    let running = world.start().await;
    let now = settings(&api);
    // Beside tau's own file that of pi-config does not count; the variable counts more than both.
    assert_eq!((now.co_author().value, now.co_author().source), (false, Source::Variable("PI_CO_AUTHOR")));
    assert_eq!((now.use_worktrees().value, now.use_worktrees().source), (false, Source::UserFile(own_file.clone())));
    assert_eq!(now.dream_interval().value, Duration::from_secs(6 * 3600));
    drop(running);

    let again =
        super::world(Mode::Print).with_var("PI_CO_AUTHOR", "off").settings(own(json!({"use_worktrees": false})));
    let world = again.in_home_of(world);
    world.home.write(PROJECT_JSONC, "{\n  // for all of us\n  \"co_author\": true, \"dream_interval_hours\": 0.5,\n}");
    world.home.write(".pi/settings.json", own(json!({"dream_interval_hours": 24})).to_string());
    let api = reader(&world);
    let _running = world.start().await;
    let now = settings(&api);
    let of_project = |name: &str| Source::ProjectFile(world.home.cwd().join(name));
    assert_eq!((now.co_author().value, now.co_author().source), (true, of_project(PROJECT_JSONC)));
    assert_eq!(now.dream_interval().source, of_project(".pi/settings.json"));
    assert_eq!(now.dream_interval().value, Duration::from_secs(24 * 3600));
    assert!(users.exists() && world.reports.all().is_empty(), "{:?}", world.reports.all());
}

#[tokio::test]
async fn without_the_module_tau_s_own_files_and_variables_count() {
    let world = with(&[], Mode::Rpc, json!([])).settings(own(json!({"use_worktrees": true})));
    let world = world.with_var("PI_DREAM_INTERVAL_HOURS", "0.5");
    world.home.write_agent(JSON, r#"{"co_author": true}"#);
    let api = reader(&world);
    let _running = world.start().await;
    let now = settings(&api);
    assert_eq!((now.co_author().value, now.co_author().source), (false, Source::Default));
    assert!(now.use_worktrees().value);
    assert_eq!(now.dream_interval().value, Duration::from_secs(1800));
    assert!(world.hooks.commands().is_empty());
}

#[tokio::test]
async fn each_spelling_of_a_variable_counts_and_another_is_one_notice() {
    for (text, expected) in
        [("true", true), ("1", true), ("Yes", true), ("on", true), ("FALSE", false), ("0", false), ("no", false)]
    {
        let world = world(Mode::Print).with_var("PI_CO_AUTHOR", text);
        let api = reader(&world);
        let _running = world.start().await;
        assert_eq!(co_author(&api), (expected, Source::Variable("PI_CO_AUTHOR")), "{text}");
        assert!(world.reports.all().is_empty(), "{:?}", world.reports.all());
    }
    let world = world(Mode::Rpc).with_var("PI_CO_AUTHOR", "may\x1b[31mbe").with_var("PI_DREAM_INTERVAL_HOURS", "0");
    let (told, api) = (user(&world, &[]), reader(&world));
    let running = world.start().await;
    running.say("/pi-config-settings co_author").await;
    let told = entries(&told, 3).await;
    let expected = "the variable PI_CO_AUTHOR is \"maybe\", which is not used: it must be one of true, 1, yes, on, false, 0, \
                    no, off";
    assert_eq!(told[0], expected);
    assert!(told[1].contains("PI_DREAM_INTERVAL_HOURS is \"0\"") && told[1].contains("from 0.5 to 24"), "{told:?}");
    assert!(told[2].starts_with("co_author = false  (default)"), "{told:?}");
    assert_eq!(co_author(&api), (false, Source::Default));
}

#[tokio::test]
async fn a_damaged_file_is_one_notice_with_its_place_and_the_rest_works() {
    let damaged = "{\n  \"co_author\": true\n  \"use_worktrees\": true\n}\n";
    for mode in [Mode::Rpc, Mode::Print] {
        let world = world(mode);
        let file = world.home.write(PROJECT_JSON, damaged);
        world.home.write_agent(JSON, r#"{"use_worktrees": true}"#);
        let api = reader(&world);
        let told = (mode == Mode::Rpc).then(|| user(&world, &[]));
        let running = world.start().await;
        running.say("/pi-config-settings co_author").await;
        let texts = match &told {
            Some(told) => entries(told, 2).await,
            None => world.reports.all().into_iter().map(|(_, _, text)| text).collect(),
        };
        let [notice, explained] = &texts[..] else { panic!("{texts:?}") };
        assert!(notice.starts_with(&format!("{}:3:3: a comma", file.display())), "{notice}");
        assert!(notice.contains("nothing of it is used until it is corrected"), "{notice}");
        assert!(explained.contains(&format!("project {}: not used: ", file.display())), "{explained}");
        let now = settings(&api);
        assert_eq!((now.co_author().source, now.use_worktrees().value), (Source::Default, true));
    }
}

#[tokio::test]
async fn what_is_wrong_in_a_file_is_one_notice_with_lines() {
    let world = world(Mode::Rpc);
    let file = world.home.write(
        PROJECT_JSONC,
        "{\n  \"co_author\": \"yes\",\n  \"use_worktree\": true,\n  \"dream_interval_hours\": 0.4,\n  \"dco\": true\n}",
    );
    let (told, api) = (user(&world, &[]), reader(&world));
    let running = world.start().await;
    running.say("/pi-config-settings use_worktrees").await;
    let told = entries(&told, 2).await;
    let expected: Vec<String> = [
        "2: co_author must be true or false; it is not used",
        "3: use_worktree is not a setting and has no effect; did you mean use_worktrees?",
        "4: dream_interval_hours must be a number of hours from 0.5 to 24; it is not used",
    ]
    .map(|line| format!("{}:{line}", file.display()))
    .into();
    assert_eq!((told.len(), &told[0]), (2, &expected.join("\n")));
    assert!(settings(&api).all().iter().all(|one| one.source == Source::Default));
}

#[tokio::test]
async fn what_tau_tells_of_its_own_files_is_not_told_again() {
    let world = world(Mode::Print).settings(own(json!({"co_author": "yes", "co_auther": true})));
    let running = world.start().await;
    running.say("/pi-config-settings co_author").await;
    let about: Vec<_> = world.reports.all().into_iter().filter(|(_, event, _)| event == "settings").collect();
    let texts: Vec<&str> = about.iter().map(|(_, _, text)| text.as_str()).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("did you mean co_author?")), "{texts:?}");
}

#[tokio::test]
async fn nothing_of_a_project_counts_before_it_is_trusted() {
    let mut world = world(Mode::Rpc);
    world.trusted = false;
    let file = world.home.write(PROJECT_JSON, r#"{"co_author": true, "colour": 1}"#);
    world.home.write(".pi/settings.json", own(json!({"use_worktrees": true})).to_string());
    let marker = world.home.write(".pi-co-author", "");
    let (told, api) = (user(&world, &[]), reader(&world));
    let running = world.start().await;
    running.say("/pi-config-settings co_author true project").await;
    let told = entries(&told, 2).await;
    let expected = format!(
        "{}: not used, because the project is not trusted; /trust yes changes that at the next start",
        file.display()
    );
    assert_eq!((told.len(), &told[0]), (2, &expected));
    assert!(told[1].contains("co_author is not set, because the project is not trusted"), "{told:?}");
    let now = settings(&api);
    assert!(now.all().iter().all(|one| one.source == Source::Default) && marker.exists());
    assert_eq!(super::text(&file), r#"{"co_author": true, "colour": 1}"#);
}
