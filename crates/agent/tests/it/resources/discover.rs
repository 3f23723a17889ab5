//! Resources that extensions bring, and whose they are.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use tau_hooks::events::ResourcesDiscover;
use tau_hooks::payload::{DiscoverReason, ResourcesDiscoverResult};
use tau_hooks::{Host, HostView, SourceInfo};

use crate::common::{Running, World, messages};

fn brings(skills: &[&str], prompts: &[&str], themes: &[&str]) -> ResourcesDiscoverResult {
    let list = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
    let (skill_paths, prompt_paths, theme_paths) = (list(skills), list(prompts), list(themes));
    ResourcesDiscoverResult { skill_paths, prompt_paths, theme_paths, ..Default::default() }
}

/// The commands of prompts and skills with where they come from.
fn sources(running: &Running) -> Vec<(String, String, Option<String>)> {
    let commands = running.session.commands().into_iter().filter(|command| command.source != "extension");
    let shown = |info: SourceInfo| format!("{} {} {}", info.source, info.scope, info.origin);
    let mut all: Vec<_> = commands
        .map(|command| {
            let info = command.source_info.expect("a source");
            (command.name, shown(info.clone()), info.base_dir)
        })
        .collect();
    all.sort();
    all
}

#[tokio::test]
async fn each_resource_is_known_to_be_its_bringers() {
    let world = World::new(json!(["One."])).with_builtin_tools();
    for name in ["a", "b"] {
        world.home.write(&format!("more/{name}/SKILL.md"), format!("---\nname: {name}\ndescription: D.\n---\n"));
        world.home.write(&format!("more/prompts/{name}.md"), "Text.");
    }
    world.home.write("more/single.md", "Single.");
    world.home.write_agent("prompts/own.md", "Mine.");
    world.home.write(".pi/prompts/ours.md", "Ours.");
    world.home.write("listed.md", "Listed.");
    let listed = world_path(&world, "listed.md");
    let world = world.settings(json!({"prompts": [listed]}));
    world.extend("first", |registrar| {
        registrar.on::<ResourcesDiscover>(|_, _| async { Some(brings(&["more/a"], &["more/single.md"], &[])) });
    });
    world.extend("nothing", |registrar| {
        registrar.on::<ResourcesDiscover>(|_, _| async { Some(brings(&[], &[], &[])) });
    });
    world.extend("second", |registrar| {
        registrar.on::<ResourcesDiscover>(|_, _| async { Some(brings(&["more/b"], &["more/prompts"], &[])) });
    });
    let running = world.start().await;
    let (agent, pi) =
        (world.home.agent_dir().display().to_string(), world.home.cwd().join(".pi").display().to_string());
    let row =
        |name: &str, source: &str, base: Option<&str>| (name.to_owned(), source.to_owned(), base.map(str::to_owned));
    let (first, second) = ("extension:native:first temporary top-level", "extension:native:second temporary top-level");
    assert_eq!(
        sources(&running),
        [
            row("a", second, None),
            row("b", second, None),
            row("listed", "local user top-level", None),
            row("ours", "auto project top-level", Some(&pi)),
            row("own", "auto user top-level", Some(&agent)),
            row("single", first, None),
            row("skill:a", first, None),
            row("skill:b", second, None),
        ]
    );
    running.say("/single").await;
    assert_eq!(running.asked()[0], messages([("user", "Single.")]));
    let system = running.script.requests()[0]["system"].as_str().expect("a prompt").to_owned();
    assert!(system.contains("<name>a</name>") && system.contains("<name>b</name>"), "{system}");
}

fn world_path(world: &World, path: &str) -> String {
    world.home.cwd().join(path).display().to_string()
}

#[tokio::test]
async fn a_reload_asks_again_and_what_is_not_named_any_more_is_gone() {
    let world = World::new(json!(["One.", "Two."])).with_builtin_tools();
    world.home.write("start.md", "Start.");
    world.home.write("reload.md", "Reload.");
    world.extend("bringer", |registrar| {
        registrar.on::<ResourcesDiscover>(|event, _| {
            let path = if event.reason == DiscoverReason::Startup { "start.md" } else { "reload.md" };
            std::future::ready(Some(brings(&[], &[path], &[])))
        });
    });
    let running = world.start().await;
    running.say("/start").await;
    running.session.reload().await.expect("a reload");
    running.say("/reload").await;
    let names: Vec<_> = sources(&running).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names, ["reload"]);
}

#[tokio::test]
async fn what_is_wrong_is_told_once_and_kept_for_whoever_asks() {
    let world = World::new(json!([]));
    let agent = world.home.write_agent("prompts/go.md", "Go.");
    let project = world.home.write(".pi/prompts/go.md", "Go here.");
    let broken = world.home.write("bad.json", "{}");
    world.extend("bringer", |registrar| {
        registrar.on::<ResourcesDiscover>(|_, _| async { Some(brings(&["nowhere"], &[], &["bad.json"])) });
    });
    let running = world.start().await;
    let of = |path: &Path, text: &str| format!("{}: {text}", path.display());
    let expected = [
        of(&agent, &format!("the prompt go is not used: {} has that name", project.display())),
        of(&world.home.cwd().join("nowhere"), "no such file or folder"),
        of(&broken, "name is missing; colors is missing"),
    ];
    let told: Vec<String> = world.reports.all().into_iter().map(|(.., text)| text).collect();
    assert_eq!(told, expected);
    let mut kept: Vec<String> = running.session.resources().diagnostics.iter().map(ToString::to_string).collect();
    kept.sort();
    let mut expected = expected.to_vec();
    expected.sort();
    assert_eq!(kept, expected);
    let session: Arc<dyn Host> = running.session.clone();
    session.reload().await.expect("a reload");
    assert_eq!(world.reports.all().len(), 6);
}
