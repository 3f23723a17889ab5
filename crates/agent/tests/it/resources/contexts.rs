//! Context files change while a session goes on.

use std::fs;

use serde_json::json;
use tau_agent::resources::LoadOptions;
use tau_hooks::events::BeforeAgentStart;

use crate::common::{Log, Running, World};

/// A session with the standard prompt that is asked several times.
fn world() -> World {
    let mut world = World::new(json!(["One.", "Two.", "Three.", "Four.", "Five.", "Six."]));
    world.resources = LoadOptions::default();
    world
}

/// The contents of this place's context files, as the system prompt of the last request has them.
fn told(running: &Running) -> Vec<String> {
    let requests = running.script.requests();
    let system = requests.last().expect("a request")["system"].as_str().expect("a prompt").to_owned();
    let marked = system.split("<<").skip(1).filter_map(|rest| rest.split_once(">>"));
    marked.map(|(text, _)| text.to_owned()).collect()
}

#[tokio::test]
async fn what_changes_between_two_prompts_is_in_the_next_one() {
    let world = world();
    world.home.write("AGENTS.md", "<<first>>");
    let running = world.start().await;
    running.say("1").await;
    assert_eq!(told(&running), ["first"]);
    // As long as before, right away.
    world.home.write("AGENTS.md", "<<again>>");
    running.say("2").await;
    assert_eq!(told(&running), ["again"]);
    world.home.write_agent("CLAUDE.md", "<<of the user>>");
    let above = world.home.cwd().parent().expect("a parent").join("AGENTS.md");
    fs::write(&above, "<<above>>").expect("written");
    running.say("3").await;
    assert_eq!(told(&running), ["of the user", "above", "again"]);
    fs::remove_file(&above).expect("removed");
    world.home.write("AGENTS.override.md", "<<instead>>");
    running.say("4").await;
    assert_eq!(told(&running), ["of the user", "instead"]);
    let moved = world.home.agent_dir().join("CLAUDE.md");
    fs::rename(&moved, moved.with_extension("old")).expect("renamed");
    running.say("5").await;
    assert_eq!(told(&running), ["instead"]);
    let prompts = running.script.requests();
    running.say("6").await;
    assert_eq!(running.script.requests()[5]["system"], prompts[4]["system"]);
    assert_eq!(running.session.resources().context_files.last().expect("a file").content, "<<instead>>");
}

#[tokio::test]
async fn a_link_that_leads_elsewhere_later_counts_too() {
    let world = world();
    let target = world.home.root().join("shared.md");
    std::os::unix::fs::symlink(&target, world.home.cwd().join("AGENTS.md")).expect("a link");
    let running = world.start().await;
    running.say("1").await;
    assert_eq!(told(&running), [""; 0]);
    fs::write(&target, "<<shared>>").expect("written");
    running.say("2").await;
    assert_eq!(told(&running), ["shared"]);
}

#[tokio::test]
async fn a_run_keeps_the_prompt_it_began_with_and_handlers_see_the_new_files() {
    let world = world();
    world.home.write("AGENTS.md", "<<first>>");
    let seen: Log<usize> = Log::default();
    let files = seen.clone();
    world.extend("reader", move |registrar| {
        let files = files.clone();
        registrar.on::<BeforeAgentStart>(move |event, _| {
            let listed = event.system_prompt_options["contextFiles"].as_array().cloned().unwrap_or_default();
            files.push(
                listed.iter().filter(|file| file["content"].as_str().is_some_and(|text| text.contains("<<"))).count(),
            );
            std::future::ready(None)
        });
    });
    let running = world.start().await;
    running.say("1").await;
    world.home.write_agent("AGENTS.md", "<<second>>");
    running.say("2").await;
    assert_eq!((told(&running), seen.all()), (vec!["second".to_owned(), "first".to_owned()], vec![1, 2]));
}

#[tokio::test]
async fn nothing_is_looked_for_when_nothing_is_wanted() {
    let mut world = world();
    world.resources.no_context_files = true;
    let running = world.start().await;
    running.say("1").await;
    world.home.write("AGENTS.md", "<<first>>");
    running.say("2").await;
    assert_eq!(told(&running), [""; 0]);
}
