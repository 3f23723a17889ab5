//! The built-in commands about sessions, and what commands of extensions can do.

use serde_json::json;
use tau_agent::Prompted;
use tau_hooks::payload::ForkPosition;
use tau_hooks::{ActionError, NewSessionRequest, TreeMove};

use crate::common::{Log, World, messages};

fn said(prompted: Prompted) -> String {
    match prompted {
        Prompted::Builtin(done) => done.to_string(),
        other => panic!("no built-in command: {other:?}"),
    }
}

#[tokio::test]
async fn every_command_says_what_it_did() {
    let world = World::new(json!(["1.", "2.", "3."]));
    let running = world.start().await;
    assert_eq!(said(running.say("/fork").await), "There is no message to fork at.");
    assert_eq!(said(running.say("/tree").await), "The session is empty.");
    assert_eq!(said(running.say("/label").await), "There are no labels.");
    assert_eq!(said(running.say("/resume").await), "There are no sessions yet.");
    running.say("One").await;
    running.say("Two").await;
    let first = running.session.session();
    let points = running.session.fork_points();
    let (one, two) = (points[0].0.clone(), points[1].0.clone());
    assert_eq!(
        said(running.say("/fork").await),
        format!("{one}  One\n{two}  Two\nUse /fork ENTRY to go on in a new session in front of one.")
    );
    assert_eq!(said(running.say(&format!("/label {one} start here")).await), format!("Labelled {one}: start here"));
    assert_eq!(said(running.say("/label").await), format!("{one}  start here"));
    let id = |text: &str| {
        first
            .entries()
            .iter()
            .rev()
            .find(|entry| entry.json().expect("json").contains(text))
            .expect("an entry")
            .id()
            .to_string()
    };
    let (answer, last) = (id("\"1.\""), id("\"2.\""));
    assert_eq!(
        said(running.say("/tree").await),
        format!(
            "* {one} [start here]  user: One\n* {answer}  assistant: 1.\n* {two}  user: Two\n* {last}  assistant: 2."
        )
    );
    assert_eq!(said(running.say(&format!("/tree {two}")).await), format!("Now at {answer}\nText: Two"));
    assert_eq!(said(running.say(&format!("/label {one}")).await), format!("Label of {one} cleared"));
    running.say("Three").await;
    assert!(said(running.say("/tree").await).contains(&format!("\n    {two}  user: Two\n")));

    let forked = said(running.say(&format!("/branch {one}")).await);
    assert_eq!(forked, format!("Forked: {}\nText: One", running.session.session().id()));
    assert_eq!(said(running.say("/clear").await), format!("New session: {}", running.session.session().id()));
    let file = first.file().expect("a file").display().to_string();
    assert_eq!(said(running.say(&format!("/session \"{file}\"")).await), format!("Session: {}", first.id()));
    assert_eq!(said(running.say("/clone").await), format!("Cloned: {}", running.session.session().id()));
    let list = said(running.say("/resume").await);
    assert!(list.contains(&format!("  {}  ", first.id())) && list.contains("* "), "{list}");
    assert_eq!(said(running.say(&format!("/resume '{}'", first.id())).await), format!("Session: {}", first.id()));
    let error = running.session.prompt(tau_agent::Prompt::new("/resume zzz")).await.expect_err("no such session");
    assert_eq!(error.to_string(), "No session found matching 'zzz'");
}

#[tokio::test]
async fn a_command_of_an_extension_can_do_all_of_it_and_a_handler_nothing() {
    let world = World::new(json!(["1.", "2."]));
    let log: Log<String> = Log::default();
    let done = log.clone();
    world.extend("mover", move |registrar| {
        let log = done.clone();
        registrar.command("go", "Goes places.", move |_, ctx| {
            let log = log.clone();
            async move {
                let tree = ctx.session();
                let (first, file) = (tree.branch_path(None)[3].id().to_string(), tree.file().map(ToOwned::to_owned));
                let moved = ctx.navigate_tree(&first, TreeMove::default()).await?;
                log.push(format!("tree {:?}", moved.editor_text));
                ctx.new_session(NewSessionRequest::default()).await?;
                log.push(format!("new {}", ctx.session().file() != file.as_deref()));
                ctx.switch_session(&file.expect("a file")).await?;
                log.push(format!("back {}", ctx.session().id() == tree.id()));
                let forked = ctx.fork(&first, ForkPosition::Before).await?;
                log.push(format!("fork {:?}", forked.text));
                Ok(())
            }
        });
        let log = done.clone();
        registrar.on_json("agent_end", move |_, ctx| {
            let log = log.clone();
            async move {
                let refused = [
                    ctx.new_session(NewSessionRequest::default()).await.map(drop),
                    ctx.fork("x", ForkPosition::At).await.map(drop),
                    ctx.switch_session("x".as_ref()).await.map(drop),
                    ctx.navigate_tree("x", TreeMove::default()).await.map(drop),
                ];
                for (name, done) in ["newSession", "fork", "switchSession", "navigateTree"].into_iter().zip(refused) {
                    assert_eq!(done, Err(ActionError::WouldDeadlock(name)));
                    log.push(name.to_owned());
                }
                Ok(None)
            }
        });
    });
    let running = world.start().await;
    running.say("One").await;
    assert_eq!(log.take(), ["newSession", "fork", "switchSession", "navigateTree"]);
    running.say("/go").await;
    assert_eq!(log.take(), ["tree Some(\"One\")", "new true", "back true", "fork Some(\"One\")"]);
    assert_eq!(world.reports.all(), []);
    running.say("Again").await;
    assert_eq!(running.asked()[1], messages([("user", "Again")]));
}
