//! What TypeScript extensions send, and what they hear of the provider.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_agent::SessionEvent;
use tau_hooks::Mode;
use tau_hooks::dialogs::DialogEvent;
use tau_js::JsHost;
use tau_script::ScriptHost;
use tau_session::{NewSession, Session};

use crate::bus::{hear, heard};
use crate::common::{World, messages};
use crate::sessions::{noted, started};

/// A tool or a handler asks for a reload in the name of the user, and the session goes on with the new engine.
#[tokio::test]
async fn a_command_that_was_sent_can_reload_and_what_is_sent_afterwards_arrives() {
    let source = r#"
        export default function (pi: any) {
          pi.on("session_start", (event: any) => pi.appendEntry("note", event.reason));
          pi.on("agent_settled", (_: any, ctx: any) => {
            const reloads = ctx.sessionManager.getEntries().filter((entry: any) => entry.data === "reload").length;
            if (reloads === 0) pi.sendUserMessage("/again", { expandPromptTemplates: true });
          });
          pi.registerCommand("again", { handler: async (_: string, ctx: any) => { await ctx.reload(); } });
          pi.registerCommand("ask", { handler: async () => { pi.sendUserMessage("More"); } });
        }
    "#;
    let (world, running) = started(json!(["1.", "2."]), source).await;
    running.say("Hi").await;
    assert_eq!(noted(&running.session.session()), [json!("startup"), json!("reload")]);
    running.say("/ask").await;
    let expected = messages([("user", "Hi"), ("assistant", "1."), ("user", "More"), ("assistant", "2.")]);
    assert_eq!((running.conversation(), world.reports.all()), (expected, vec![]));
}

/// A run that an extension starts does not depend on the thread of the extension.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_was_started_by_a_message_goes_on_while_the_engine_is_busy() {
    let source = r#"
        export default function (pi: any) {
          const seen: any[] = [];
          pi.on("before_agent_start", (event: any, ctx: any) => {
            seen.push([event.messageType, event.prompt, event.message?.content, ctx.isIdle()]);
          });
          pi.on("agent_settled", (event: any) => pi.appendEntry("note", [seen, event.aborted]));
          pi.registerCommand("go", { handler: async (_: string, ctx: any) => {
            pi.sendMessage({ customType: "x", content: "psst" }, { triggerTurn: true });
            seen.push(ctx.isIdle());
          } });
        }
    "#;
    let (world, running) = started(json!(["1."]), source).await;
    running.say("/go").await;
    let notes = noted(&running.session.session());
    assert_eq!(notes, [json!([[false, ["custom", "", "psst", false]], false])]);
    assert_eq!(world.reports.all(), []);
}

#[tokio::test]
async fn events_of_the_provider_come_in_their_order() {
    let source = r#"
        export default function (pi: any) {
          const seen: any[] = [];
          pi.on("provider_stream_event", (event: any) => {
            seen.push([event.type, event.provider, event.api, event.model, event.data.type]);
          });
          pi.on("agent_end", () => pi.appendEntry("note", seen));
        }
    "#;
    let (world, running) = started(json!(["1."]), source).await;
    running.say("Hi").await;
    let event = |kind: &str| json!(["provider_stream_event", "scripted", "scripted", "planner", kind]);
    let expected = ["start", "text_start", "text_delta", "text_end", "done"].map(event);
    assert_eq!(noted(&running.session.session()), [json!(expected)]);
    assert_eq!(world.reports.all(), []);
}

/// Tells of what is sent, asked and named, in every engine that a session has one after the other.
const TELLING: &str = r#"
    export default function (pi: any) {
      const tell = (...what: unknown[]) => pi.events.emit("told", what);
      pi.on("session_info_changed", (event: any) => tell("name", event.name));
      pi.on("ui_prompt_start", () => tell("prompt"));
      pi.on("message_start", ({ message }: any) => {
        if (message.customType === "idle" || message.customType === "x") tell("message", message.content);
      });
      pi.on("agent_settled", () => tell("settled"));
      pi.on("session_shutdown", (event: any) => {
        pi.sendMessage({ customType: "end", content: `end of ${event.reason}`, display: true });
      });
      pi.registerCommand("all", { handler: async (name: string, ctx: any) => {
        pi.setSessionName(name);
        await ctx.ui.confirm("Sure?", "");
        pi.sendMessage({ customType: "idle", content: `idle ${name}`, display: true });
        pi.sendMessage({ customType: "x", content: `triggered ${name}`, display: true }, { triggerTurn: true });
        await ctx.waitForIdle();
        pi.sendUserMessage(`sent ${name}`);
      } });
      pi.registerCommand("again", { handler: async (_: string, ctx: any) => { await ctx.reload(); } });
      pi.registerCommand("go", { handler: async (path: string, ctx: any) => { await ctx.switchSession(path); } });
    }
"#;

/// What extensions ask for is done on the session's own threads: an engine that ends takes none of it along.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_arrives_after_a_reload_and_in_another_folder() {
    let mut world = World::new(json!(["1.", "2.", "3.", "4.", "5.", "6."]));
    world.mode = Mode::Rpc;
    world.home.write_agent("extensions/probe.ts", TELLING);
    let host: Arc<dyn ScriptHost> = Arc::new(JsHost::new(None));
    world.load_found_by(Arc::new(move |_: &_| Arc::clone(&host))).await;
    let mut user = world.hooks.dialogs.subscribe();
    let answering = tokio::spawn(async move {
        while let Some(event) = user.recv().await {
            if let DialogEvent::Opened(request) = event {
                user.answer(request.id(), request.kind.default_answer()).expect("an open question");
            }
        }
    });
    let running = world.start().await;
    let told = hear(&world, "told");
    // Each kind of work has an order of its own.
    let told = async || {
        let mut told: Vec<String> = heard(&told, 6).await.iter().map(Value::to_string).collect();
        told.sort();
        told
    };
    let expected = |name: &str| {
        let all = [
            json!(["message", format!("idle {name}")]),
            json!(["message", format!("triggered {name}")]),
            json!(["name", name]),
            json!(["prompt"]),
            json!(["settled"]),
            json!(["settled"]),
        ];
        all.map(|told| told.to_string()).to_vec()
    };
    let said = |name: &str, answers: [&'static str; 2]| {
        messages([
            ("custom", &format!("idle {name}")),
            ("custom", &format!("triggered {name}")),
            ("assistant", answers[0]),
            ("user", &format!("sent {name}")),
            ("assistant", answers[1]),
        ])
    };

    running.say("/all one").await;
    assert_eq!(told().await, expected("one"));
    running.say("/again").await;
    running.say("/all two").await;
    assert_eq!(told().await, expected("two"));
    let mut all = said("one", ["1.", "2."]);
    all.extend(messages([("custom", "end of reload")]));
    all.extend(said("two", ["3.", "4."]));
    assert_eq!(running.conversation(), all);

    let there = world.home.cwd().parent().expect("a parent").join("other");
    std::fs::create_dir_all(&there).expect("a directory");
    let file = there.join("there.jsonl");
    let session = Session::create(&there, &there, NewSession { file: Some(file.clone()), ..NewSession::default() });
    session.and_then(|session| session.persist()).expect("a file");
    running.say(&format!("/go {}", file.display())).await;
    running.say("/all three").await;
    assert_eq!(told().await, expected("three"));
    assert_eq!(running.conversation(), said("three", ["5.", "6."]));
    assert_eq!(world.reports.all(), []);
    answering.abort();
}

/// The extension that began the run does nothing else until the run is over.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_does_not_need_the_thread_of_the_extension_that_began_it() {
    for begin in [
        "sendUserMessage('Go')",
        "sendMessage({ customType: 'x', content: 'Go', display: true }, { triggerTurn: true })",
    ] {
        let source = format!(
            "import {{ execFileSync }} from 'node:child_process';
             export default (pi) => pi.registerCommand('go', {{ handler: async (_, ctx) => {{
               pi.{begin};
               execFileSync('sh', ['-c', 'while [ ! -e over ]; do sleep 0.01; done'], {{ cwd: ctx.cwd }});
             }} }});"
        );
        let (world, running) = started(json!(["1."]), &source).await;
        let over = world.home.cwd().join("over");
        running.session.listen(move |event| {
            if matches!(event, SessionEvent::AgentSettled { .. }) {
                std::fs::write(&over, "").expect("a file");
            }
        });
        running.say("/go").await;
        let roles: Vec<String> = running.conversation().into_iter().map(|(role, _)| role).collect();
        assert_eq!((roles.last().map(String::as_str), world.reports.all()), (Some("assistant"), vec![]), "{begin}");
    }
}

/// What a handler of `before_agent_start` made of the system prompt is for that run, and nobody sees it afterwards.
#[tokio::test]
async fn the_system_prompt_of_a_run_ends_with_it() {
    let source = r#"
        export default function (pi: any) {
          let own: string | undefined = "Mine.";
          const seen: unknown[] = [];
          pi.on("before_agent_start", (event: any) => {
            const systemPrompt = own;
            own = undefined;
            seen.push(["before", event.systemPrompt]);
            return systemPrompt && { systemPrompt };
          });
          for (const event of ["agent_end", "agent_settled"]) {
            pi.on(event, (_: any, ctx: any) => { seen.push([event, ctx.getSystemPrompt()]); });
          }
          pi.registerCommand("tell", { handler: async (_: string, ctx: any) => {
            pi.appendEntry("note", [...seen, ["idle", ctx.getSystemPrompt()]]);
          } });
          pi.registerCommand("trigger", { handler: async () => {
            pi.sendMessage({ customType: "x", content: "Go on", display: true }, { triggerTurn: true });
          } });
        }
    "#;
    let (world, running) = started(json!(["1.", "2."]), source).await;
    running.say("One").await;
    running.say("/tell").await;
    running.say("/trigger").await;
    let systems: Vec<Value> = running.script.requests().iter().map(|request| request["system"].clone()).collect();
    let base = systems[1].as_str().expect("a prompt");
    assert!(base.starts_with("You are a test."), "{base}");
    assert_eq!(systems[0], "Mine.");
    let seen = json!([["before", base], ["agent_end", "Mine."], ["agent_settled", base], ["idle", base]]);
    assert_eq!((noted(&running.session.session()), world.reports.all()), (vec![seen], vec![]));
}
