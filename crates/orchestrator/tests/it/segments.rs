//! Texts that several modules put behind the system prompt.

use serde_json::json;
use tau_agent_testkit::World;
use tau_hooks::HandlerError;
use tau_orchestrator::shared::segments::{Stability, append};

use crate::world::load;

/// Loads an extension with a text; one that is called `broken` fails.
fn extend(world: &World, name: &'static str, stability: Stability) {
    world.extend(name, move |registrar| {
        append(registrar, stability, move |event, _| async move {
            match name {
                "broken" => Err(HandlerError::msg("no text today")),
                "none" => Ok(None),
                _ => Ok(Some(format!("{name}: {}", event.prompt))),
            }
        })
        .expect("a session");
    });
}

async fn prompt(world: &World) -> String {
    let running = world.start().await;
    running.say("Hi").await;
    running.script.requests()[0]["system"].as_str().expect("a prompt").to_owned()
}

#[tokio::test]
async fn what_changes_often_stands_behind_what_does_not() {
    use Stability::{Stable, Volatile};
    for (segments, expected) in [
        (
            &[("one", Volatile), ("two", Stable), ("three", Volatile), ("four", Stable), ("five", Volatile)][..],
            "two|four|one|three|five",
        ),
        (&[("one", Volatile), ("two", Volatile)][..], "one|two"),
        (&[("one", Stable), ("two", Stable)][..], "one|two"),
        (&[("one", Volatile), ("none", Stable)][..], "one"),
        (&[("one", Volatile), ("broken", Stable)][..], "one"),
    ] {
        let world = World::new(json!(["Fine."]));
        for (name, stability) in segments {
            extend(&world, name, *stability);
        }
        let prompt = prompt(&world).await;
        let texts: Vec<String> = expected.split('|').map(|name| format!("{name}: Hi")).collect();
        assert!(prompt.ends_with(&format!("\n\n{}", texts.join("\n\n"))), "{segments:?}: {prompt}");
        let is_broken = segments.iter().any(|(name, _)| *name == "broken");
        let told: Vec<String> = world.reports.all().into_iter().map(|(.., text)| text).collect();
        assert_eq!(told, if is_broken { vec!["no text today".to_owned()] } else { Vec::new() });
    }
}

#[tokio::test]
async fn rules_stand_before_a_text_of_an_earlier_module_that_changes() {
    let world = World::new(json!(["Fine."]));
    extend(&world, "status", Stability::Volatile);
    load(&world, &["rules"]);
    let prompt = prompt(&world).await;
    assert!(prompt.ends_with("</session_rules>\n\nstatus: Hi"), "{prompt}");
}

#[tokio::test]
async fn a_module_that_is_removed_takes_its_text_along() {
    let world = World::new(json!(["Fine.", "Fine."]));
    extend(&world, "one", Stability::Volatile);
    extend(&world, "two", Stability::Stable);
    let running = world.start().await;
    running.say("Hi").await;
    let two = world.hooks.extensions().into_iter().find(|owner| &*owner.name == "two").expect("the extension");
    world.hooks.unload(&two);
    running.say("Again").await;
    let prompts: Vec<String> = running
        .script
        .requests()
        .iter()
        .map(|request| request["system"].as_str().expect("a prompt").to_owned())
        .collect();
    assert!(prompts[0].ends_with("\n\ntwo: Hi\n\none: Hi") && prompts[1].ends_with("\n\none: Again"), "{prompts:#?}");
    assert!(!prompts[1].contains("two:"), "{prompts:#?}");
}
