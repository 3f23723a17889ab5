//! Where rules are found, and which of them count.

use serde_json::json;
use tau_agent::extensions::{DiscoveryOptions, Extensions};
use tau_agent::settings::SettingsStore;
use tau_agent::trust::resources_needing_trust;
use tau_hooks::Mode;

use super::triggered;
use crate::common::World;

const RULE: &str = "---\nttsr_trigger: panic\n---\nCalm.";

#[tokio::test]
async fn every_folder_is_looked_at_and_the_first_of_a_name_counts() {
    let world = World::new(json!(["I panic.", "Fine."]));
    let (home, agent) = (world.home.home(), world.home.agent_dir());
    let user = |path: &str| {
        let path = home.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, RULE).expect("a file");
        path
    };
    world.home.write(".pi/rules/a.md", RULE);
    world.home.write(".omp/rules/a.mdc", RULE);
    world.home.write(".omp/rules/b.mdc", RULE);
    world.home.write_agent("rules/c.md", RULE);
    user(".omp/agent/rules/d.md");
    user(".cursor/rules/e.mdc");
    world.home.write(".cursor/rules/e.mdc", RULE);
    world.home.write(".cursor/rules/f.md", RULE);
    user(".codeium/windsurf/memories/global_rules.md");
    world.home.write(".windsurf/rules/g.md", RULE);
    world.home.write(".windsurf/rules/not.mdc", RULE);
    world.home.write(".omp/rules/deeper/not.md", RULE);
    world.home.write(".omp/rules/.hidden.md", RULE);
    world.home.write(".clinerules", RULE);
    let running = world.start().await;
    running.say("How?").await;
    let events = running.events.all();
    let event = events.iter().find(|event| event["type"] == "ttsr_triggered").expect("an event");
    let found: Vec<String> = event["rules"]
        .as_array()
        .expect("rules")
        .iter()
        .map(|rule| {
            let path = rule["path"].as_str().expect("a path");
            let path = path.replace(&world.home.cwd().display().to_string(), "<cwd>");
            let path = path.replace(&agent.display().to_string(), "<agent>");
            let path = path.replace(&home.display().to_string(), "<home>");
            let source = &rule["_source"];
            format!("{} {} {} {path}", rule["name"], source["providerName"], source["level"]).replace('"', "")
        })
        .collect();
    assert_eq!(
        found,
        [
            "a tau project <cwd>/.pi/rules/a.md",
            "b tau project <cwd>/.omp/rules/b.mdc",
            "c tau user <agent>/rules/c.md",
            "d tau user <home>/.omp/agent/rules/d.md",
            "e Cursor user <home>/.cursor/rules/e.mdc",
            "f Cursor project <cwd>/.cursor/rules/f.md",
            "global_rules Windsurf user <home>/.codeium/windsurf/memories/global_rules.md",
            "g Windsurf project <cwd>/.windsurf/rules/g.md",
            "clinerules Cline project <cwd>/.clinerules",
        ]
    );
    assert_eq!(world.reports.all(), []);
}

#[tokio::test]
async fn rules_of_a_project_need_trust_and_those_for_other_programs_do_not_matter() {
    let mut world = World::new(json!(["I panic."]));
    world.home.write(".cursor/rules/style.mdc", "---\nalwaysApply: true\n---\nTabs.");
    assert_eq!(resources_needing_trust(&world.env()), [""; 0].map(std::path::PathBuf::from));
    let rule = world.home.write(".cursor/rules/calm.mdc", RULE);
    let above = world.home.write(".clinerules/calm.md", RULE);
    let real = |path: std::path::PathBuf| path.canonicalize().expect("a file");
    assert_eq!(resources_needing_trust(&world.env()), [real(rule), real(above)]);
    world.trusted = false;
    let running = world.start().await;
    running.say("How?").await;
    assert_eq!(triggered(&running.events.all()), Vec::<serde_json::Value>::new());
}

#[test]
fn rules_about_commands_need_trust_while_something_reads_them() {
    let world = World::new(json!([]));
    let own = world.home.write(".pi/policy.json", "{}").canonicalize().expect("a file");
    assert!(resources_needing_trust(&world.env()).is_empty());
    world.home.write_agent("settings.json", json!({"extensions": ["builtin:enforcement"]}).to_string());
    assert_eq!(resources_needing_trust(&world.env()), [own]);
}

#[test]
fn rules_for_the_prompt_need_trust_while_something_reads_them() {
    let world = World::new(json!([]));
    let own = world.home.write(".pi/rules/90-style.md", "Tabs.").canonicalize().expect("a file");
    world.home.write(".pi/rules/for-cursor.mdc", "Tabs.");
    world.home.write(".pi/rules/.hidden.md", "Tabs.");
    world.home.write(".cursor/rules/style.mdc", "Tabs.");
    assert!(resources_needing_trust(&world.env()).is_empty());
    world.home.write_agent("settings.json", json!({"packages": ["builtin:orchestrator"]}).to_string());
    assert_eq!(resources_needing_trust(&world.env()), [own]);
    let without = json!({"packages": [{"source": "builtin:orchestrator", "extensions": ["!rules"]}]});
    world.home.write_agent("settings.json", without.to_string());
    assert!(resources_needing_trust(&world.env()).is_empty());
}

/// The files of the project that are left out when a program is started with these extensions.
async fn left_out(world: &World, builtins: &[&str]) -> Vec<std::path::PathBuf> {
    let options = DiscoveryOptions {
        builtins: builtins.iter().map(|&name| name.to_owned()).collect(),
        ..DiscoveryOptions::default()
    };
    let extensions = Extensions::new(world.env(), world.hooks.clone(), options, None, Vec::new());
    let settings = SettingsStore::open(&world.env(), false);
    extensions.start(&settings, None, Mode::Print).await.expect("a decision on trust").skipped
}

#[tokio::test]
async fn the_command_line_can_name_what_reads_rules_for_the_prompt() {
    for (builtins, is_named) in [(&[][..], false), (&["builtin:rules"][..], true), (&["builtin:btw"][..], false)] {
        let world = World::new(json!([]));
        let own = world.home.write(".pi/rules/90-style.md", "Tabs.").canonicalize().expect("a file");
        let expected = if is_named { vec![own] } else { Vec::new() };
        assert_eq!(left_out(&world, builtins).await, expected, "{builtins:?}");
    }
}

#[tokio::test]
async fn one_reader_says_which_rules_cannot_be_read() {
    for (settings, expected) in [(json!({}), 2), (json!({"packages": ["builtin:orchestrator"]}), 1)] {
        let world = World::new(json!([])).settings(settings);
        world.home.write(".pi/rules/90-style.md", b"\xff");
        // Nobody else reads this one.
        world.home.write(".pi/rules/91-style.mdc", b"\xff");
        let _running = world.start().await;
        let told = world.reports.all();
        assert_eq!(told.len(), expected, "{told:?}");
        assert!(told.iter().any(|(file, ..)| file.ends_with("91-style.mdc")), "{told:?}");
    }
}

#[tokio::test]
async fn a_project_cannot_switch_rules_off() {
    let world = World::new(json!(["I panic.", "Fine."]));
    world.home.write_agent("rules/calm.md", RULE);
    world.home.write(".pi/settings.json", json!({"ttsr": {"enabled": false, "contextMode": "keep"}}).to_string());
    let running = world.start().await;
    running.say("How?").await;
    assert_eq!(triggered(&running.events.all()), [json!(["calm"])]);
    // The rest is a matter of taste.
    assert!(running.file().iter().all(|line| line["type"] != "context_edit"));
}

#[tokio::test]
async fn a_rule_of_another_kind_takes_its_name() {
    let world = World::new(json!(["I panic."]));
    world.home.write(".pi/rules/calm.md", "---\ndescription: ordinary\n---\nCalm.");
    world.home.write_agent("rules/calm.md", RULE);
    let running = world.start().await;
    running.say("How?").await;
    assert_eq!(triggered(&running.events.all()), Vec::<serde_json::Value>::new());
}
