//! Before a run: where its session lives, what it can use, and what it begins with.

use serde_json::{Value, json};
use tau_ai::ContentBlock;
use tau_hooks::events::{BeforeAgentStart, Input, ResourcesDiscover, SessionDirectory};
use tau_hooks::payload::{
    BeforeAgentStartResult, CustomDraft, InputResult, ResourcesDiscoverResult, SessionDirectoryResult,
};
use tau_tools::Leftovers;

use crate::common::{World, messages};

/// The first answer counts.
pub async fn project_trust() {
    for (answers, trusted) in [(["undecided", "yes", "no"], true), (["undecided", "no", "yes"], false)] {
        let world = World::new(json!([]));
        world.extend("trust", |registrar| {
            for answer in answers {
                registrar.on_json("project_trust", move |event, _| async move {
                    assert!(event["cwd"].as_str().is_some_and(|cwd| cwd.ends_with("/project")));
                    Ok(Some(json!({"trusted": answer})))
                });
            }
        });
        assert_eq!(world.ask_for_trust().await, trusted);
    }
}

/// The last directory wins, and the session file goes there.
pub async fn session_directory() {
    let world = World::new(json!(["Hello."]));
    world.extend("dirs", |registrar| {
        for dir in ["first", "kept/here", ""] {
            registrar.on::<SessionDirectory>(move |event, _| async move {
                assert!(event.cwd.ends_with("/project"));
                Some(SessionDirectoryResult { session_dir: Some(dir.to_owned()) })
            });
        }
    });
    let dir = asked_directory(&world).await;
    assert_eq!(dir, world.home.cwd().join("kept/here"));
    let running = world.start_in(dir.clone()).await;
    running.say("Hi").await;
    assert_eq!(running.session.session().file().and_then(|file| file.parent()), Some(dir.as_path()));
    assert_eq!(running.file_messages(), messages([("user", "Hi"), ("assistant", "Hello.")]));
    assert_eq!(world.home.session_files(), Vec::<std::path::PathBuf>::new());
}

async fn asked_directory(world: &World) -> std::path::PathBuf {
    let dir = tau_agent::session_directory(&world.hooks, &world.env(), world.mode, &Leftovers::default())
        .await
        .expect("a session in memory");
    dir.expect("a directory")
}

/// Skills and templates of all handlers can be used.
pub async fn resources_discover() {
    // Skills are listed for a model that can read them.
    let world = World::new(json!(["One.", "Two."])).with_builtin_tools();
    world.home.write("more/dig/SKILL.md", "---\nname: dig\ndescription: Digs.\n---\nUse a spade.\n");
    world.home.write("more/greet.md", "Say hello to $1.");
    world.extend("bringer", |registrar| {
        registrar.on::<ResourcesDiscover>(|_, _| async {
            Some(ResourcesDiscoverResult { skill_paths: vec!["more/dig".to_owned()], ..Default::default() })
        });
        registrar.on::<ResourcesDiscover>(|_, _| async {
            Some(ResourcesDiscoverResult { prompt_paths: vec!["more/greet.md".to_owned()], ..Default::default() })
        });
    });
    let running = world.start().await;
    running.say("/greet Ada").await;
    running.say("/skill:dig deep").await;
    let dir = world.home.cwd().join("more/dig");
    let skill = format!(
        "<skill name=\"dig\" location=\"{0}/SKILL.md\">\nReferences are relative to {0}.\n\nUse a spade.\n</skill>\n\ndeep",
        dir.display()
    );
    assert_eq!(running.asked()[1], messages([("user", "Say hello to Ada."), ("assistant", "One."), ("user", &skill)]));
    let system = running.script.requests()[0]["system"].as_str().expect("a prompt").to_owned();
    assert!(system.contains("<name>dig</name>"), "{system}");
}

/// A picture of one pixel.
const DOT: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/// Transforms are chained, images included; what a handler swallows goes no further.
pub async fn input() {
    let world = World::new(json!(["One."]));
    world.extend("rewrite", |registrar| {
        registrar.on::<Input>(|event, _| async move {
            match event.text.as_str() {
                "secret" => Some(InputResult::Handled),
                text => {
                    let images = Some(vec![ContentBlock::image(DOT, "image/png")]);
                    Some(InputResult::Transform { text: format!("{text}?"), images })
                }
            }
        });
        registrar.on::<Input>(|event, _| async move {
            assert_ne!(event.text, "secret");
            Some(InputResult::Transform { text: event.text.to_uppercase(), images: None })
        });
    });
    let running = world.start().await;
    assert_eq!(running.say("secret").await, tau_agent::Prompted::Handled);
    assert_eq!(running.events.all(), Vec::<Value>::new());
    running.say("why").await;
    assert_eq!(running.asked(), [messages([("user", "WHY?|(image)")])]);
    assert_eq!(running.file_messages(), messages([("user", "WHY?|(image)"), ("assistant", "One.")]));
}

/// Messages of all handlers are kept, in order; the prompt is passed along and holds for this run only.
pub async fn before_agent_start() {
    let world = World::new(json!(["One.", "Two."]));
    world.extend("start", |registrar| {
        for name in ["a", "b"] {
            registrar.on::<BeforeAgentStart>(move |event, ctx| async move {
                if event.prompt != "first" {
                    return None;
                }
                assert!(ctx.host().is_idle() || event.images.is_none());
                let message = CustomDraft {
                    custom_type: name.to_owned(),
                    content: format!("note {name}").into(),
                    display: false,
                    details: Some(json!({"n": name})),
                };
                let system_prompt = Some(format!("{}+{name}", event.system_prompt));
                Some(BeforeAgentStartResult { message: Some(message), system_prompt, ..Default::default() })
            });
        }
    });
    let running = world.start().await;
    running.say("first").await;
    running.say("second").await;
    let requests = running.script.requests();
    let first = requests[0]["system"].as_str().expect("a prompt");
    let second = requests[1]["system"].as_str().expect("a prompt");
    assert_eq!(first, format!("{second}+a+b"));
    assert!(second.starts_with("You are a test."), "{second}");
    assert_eq!(running.asked()[0], messages([("user", "first"), ("user", "note a"), ("user", "note b")]));
    let customs: Vec<Value> = running.file().into_iter().filter(|line| line["type"] == "custom_message").collect();
    assert_eq!(customs.len(), 2);
    assert_eq!(
        (&customs[1]["customType"], &customs[1]["content"], &customs[1]["display"], &customs[1]["details"]),
        (&json!("b"), &json!("note b"), &json!(false), &json!({"n": "b"}))
    );
}
