//! What native extensions add to a session: pieces of the system prompt, and how commands of the bash tool start.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use serde_json::{Value, json};
use tau_hooks::{HandlerError, HostView as _};
use tau_tools::bash::{BashExec, BashExecError, BashOperations};

use crate::common::{World, calls};

#[tokio::test]
async fn without_pieces_the_prompt_is_what_it_was_and_with_some_it_only_grows() {
    let world = World::new(json!(["Done.", "Done."])).with_builtin_tools();
    let told = Arc::new(AtomicUsize::new(0));
    world.extend("quiet", |registrar| {
        registrar.prompt_segment("nothing", 0, |_| None).expect("a name");
        registrar.prompt_segment("blank", 0, |_| Some(" \n".to_owned())).expect("a name");
        registrar.prompt_segment("panics", 0, |_| panic!("what a day")).expect("a name");
    });
    let running = world.start().await;
    let plain = running.session.system_prompt_parts().text().to_owned();
    assert!(!plain.contains("nothing") && !plain.contains("blank") && !plain.contains("panics"));
    let reports = world.reports.take();
    assert!(
        reports.iter().any(|(extension, _, text)| extension == "<native:quiet>" && text.contains("what a day")),
        "{reports:?}"
    );

    world.extend("speaks", |registrar| {
        let told = Arc::clone(&told);
        registrar
            .prompt_segment("facts", 2, move |sight| {
                let number = told.fetch_add(1, Ordering::SeqCst);
                Some(format!("fact {number} about {} tools", sight.tools.len()))
            })
            .expect("a name");
        registrar.prompt_segment("first", 1, |_| Some("comes first".to_owned())).expect("a name");
        registrar.command("again", "", |_, ctx| async move { Ok(ctx.api()?.prompt_changed()?) });
    });
    running.say("/again").await;
    let tools = running.session.active_tools().len();
    let added = format!("\n\n<first>\ncomes first\n</first>\n\n<facts>\nfact 0 about {tools} tools\n</facts>");
    let grown = running.session.system_prompt_parts().text().to_owned();
    assert_eq!(grown.replace(&added, ""), plain);
    assert_eq!(grown.len(), plain.len() + added.len(), "{grown}");
    assert!(grown.find(&added).expect("it is there") < grown.find("Current date: ").expect("the end"));
    running.say("/again").await;
    running.say("Hi").await;
    let asked = running.script.requests();
    assert!(asked[0]["system"].as_str().expect("a prompt").contains("<facts>\nfact 1 about"), "{asked:?}");
    let authors: Vec<String> =
        running.session.system_prompt_parts().parts().iter().map(|part| part.author.to_string()).collect();
    assert!(authors.contains(&"<native:speaks>".to_owned()), "{authors:?}");
}

/// Runs another command.
struct Instead(Arc<dyn BashOperations>);

#[async_trait]
impl BashOperations for Instead {
    async fn exec(&self, command: &str, cwd: &Path, exec: BashExec) -> Result<Option<i32>, BashExecError> {
        self.0.exec(&format!("BOXED=yes; {command}"), cwd, exec).await
    }
}

/// The result of a command of the model.
async fn result(world: World) -> Value {
    let running = world.start().await;
    running.say("Hi").await;
    let lines = running.file();
    let result = lines.iter().find(|line| line["message"]["role"] == "toolResult").expect("a result");
    result["message"].clone()
}

fn world(command: &str) -> World {
    World::new(json!([calls([("c1", "bash", json!({"command": command}))]), "Done."])).with_builtin_tools()
}

#[tokio::test]
async fn an_extension_changes_how_commands_of_the_model_start() {
    let world = world("echo boxed: $BOXED");
    world.extend("box", |registrar| {
        registrar.wrap_bash(|inner| Ok(Arc::new(Instead(inner))));
    });
    assert_eq!(result(world).await["content"][0]["text"], "boxed: yes\n");
}

#[tokio::test]
async fn a_command_whose_box_cannot_be_made_does_not_run() {
    let world = world("touch made");
    world.extend("box", |registrar| {
        registrar.wrap_bash(|_| Err(HandlerError::msg("no box")));
    });
    let made = world.home.cwd().join("made");
    let result = result(world).await;
    assert_eq!(
        (&result["isError"], &result["content"][0]["text"]),
        (&json!(true), &json!("Blocked: extension <native:box> could not start the command: no box"))
    );
    assert!(!made.exists());
}
