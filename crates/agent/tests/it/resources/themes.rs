//! The colour theme in use.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_agent::Prompt;
use tau_hooks::events::ResourcesDiscover;
use tau_hooks::payload::ResourcesDiscoverResult;
use tau_hooks::{Host, HostActions, HostView};
use tau_view::theme::Color;

use crate::common::themes::theme;
use crate::common::{Running, World};

fn used(running: &Running) -> (String, Option<Color>) {
    let theme = HostView::theme(&*running.session).expect("a theme");
    (theme.colors.name.clone(), theme.colors.color("accent"))
}

fn names(running: &Running) -> Vec<(String, bool)> {
    let themes = HostView::themes(&*running.session);
    themes.iter().map(|theme| (theme.colors.name.clone(), theme.path.is_some())).collect()
}

fn own(name: &str, accent: u8) -> (String, Option<Color>) {
    (name.to_owned(), Some(Color::Indexed(accent)))
}

#[tokio::test]
async fn the_setting_names_it_and_extensions_may_bring_it() {
    let world = World::new(json!([])).settings(json!({"theme": "ocean"}));
    world.home.write("themes/ocean.json", theme("ocean", 4));
    world.home.write_agent("themes/moss.json", theme("moss", 2));
    world.extend("bringer", |registrar| {
        registrar.on::<ResourcesDiscover>(|_, _| async {
            Some(ResourcesDiscoverResult { theme_paths: vec!["themes".to_owned()], ..Default::default() })
        });
    });
    let running = world.start().await;
    assert_eq!(used(&running), own("ocean", 4));
    let all = [("dark", false), ("light", false), ("moss", true), ("ocean", true)]
        .map(|(name, file)| (name.to_owned(), file));
    assert_eq!(names(&running), all);
    assert_eq!(world.reports.all(), []);
    let ocean = HostView::themes(&*running.session).remove(3);
    assert_eq!(ocean.source_info.as_ref().map(|info| info.source.as_str()), Some("extension:native:bringer"));

    // Whoever asks again learns that it is another one.
    let before = HostView::theme(&*running.session).expect("a theme").serial();
    HostActions::set_theme(&*running.session, "moss").expect("a theme that is there");
    assert_eq!(used(&running), own("moss", 2));
    assert_ne!(HostView::theme(&*running.session).expect("a theme").serial(), before);
    let settings = std::fs::read_to_string(world.home.agent_dir().join("settings.json")).expect("settings");
    assert_eq!(serde_json::from_str::<Value>(&settings).expect("JSON"), json!({"theme": "moss"}));
    let refused = HostActions::set_theme(&*running.session, "none").expect_err("there is no such theme");
    assert_eq!((refused.to_string(), used(&running)), ("Theme not found: none".to_owned(), own("moss", 2)));

    // A reload reads the files again.
    world.home.write_agent("themes/moss.json", theme("moss", 3));
    let session: Arc<dyn Host> = running.session.clone();
    session.reload().await.expect("a reload");
    assert_eq!(used(&running), own("moss", 3));
}

#[tokio::test]
async fn an_unknown_one_is_told_with_those_there_are() {
    let mut world = World::new(json!([])).settings(json!({"theme": "oceon"}));
    let running = world.start().await;
    assert_eq!(used(&running).0, "dark");
    let told = |world: &World| world.reports.take().into_iter().map(|(.., text)| text).collect::<Vec<_>>();
    assert_eq!(told(&world), ["theme: there is no theme \"oceon\"; there are dark, light, system"]);
    world.resources.use_theme = Some("light/dark".to_owned());
    let running = world.start().await;
    assert_eq!((used(&running).0.as_str(), told(&world).len()), ("dark", 0));
    world.resources.use_theme = Some("light".to_owned());
    let running = world.start().await;
    assert_eq!((used(&running).0.as_str(), told(&world).len()), ("light", 0));
}

#[tokio::test]
async fn a_file_may_take_the_place_of_a_built_in_one() {
    let world = World::new(json!([]));
    world.home.write(".pi/themes/mine.json", theme("dark", 9));
    let running = world.start().await;
    assert_eq!((used(&running), names(&running).len()), (own("dark", 9), 2));
}

#[tokio::test]
async fn a_light_and_a_dark_one_are_chosen_together_and_take_the_place_of_one() {
    let world = World::new(json!([]));
    world.home.write_agent("themes/moss.json", theme("moss", 2));
    let running = world.start().await;
    HostActions::set_theme(&*running.session, "light").expect("a theme that is there");
    running.session.prompt(Prompt::new("/theme light/moss")).await.expect("a command");
    // Nothing says that the terminal is light.
    assert_eq!(used(&running), own("moss", 2));
    assert_eq!(running.session.theme_setting().as_deref(), Some("light/moss"));
    assert_eq!(running.session.settings().snapshot().theme(), Some("light/moss"));
    running.session.use_theme("light");
    assert_eq!(
        (used(&running).0.as_str(), running.session.settings().snapshot().theme()),
        ("light", Some("light/moss"))
    );
}

#[tokio::test]
async fn a_file_is_read_again_when_somebody_says_that_it_changed() {
    let world = World::new(json!([])).settings(json!({"theme": "moss"}));
    let file = world.home.write_agent("themes/moss.json", theme("moss", 2));
    let running = world.start().await;
    let mut changes = running.session.loaded_changes();
    running.session.reread_theme(&file).expect("a theme");
    assert!(!changes.has_changed().expect("a session"), "it is as it was");
    world.home.write_agent("themes/moss.json", theme("moss", 3));
    running.session.reread_theme(&file).expect("a theme");
    assert_eq!(used(&running), own("moss", 3));
    assert!(changes.has_changed().expect("a session"));
    changes.mark_unchanged();
    // What is no theme, or another one, changes nothing; nor does a file that is gone.
    world.home.write_agent("themes/moss.json", "{ broken");
    let wrong = running.session.reread_theme(&file).expect_err("it is broken");
    assert_eq!((wrong.path.as_path(), wrong.line), (file.as_path(), Some(1)));
    world.home.write_agent("themes/moss.json", theme("fern", 4));
    let wrong = running.session.reread_theme(&file).expect_err("another theme");
    assert_eq!(wrong.message, "the theme \"moss\" is called \"fern\" now; /reload takes it");
    std::fs::remove_file(&file).expect("it is removed");
    running.session.reread_theme(&file).expect("nothing to read");
    assert_eq!(used(&running), own("moss", 3));
    assert!(!changes.has_changed().expect("a session"));
}
