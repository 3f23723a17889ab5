//! TypeScript extensions over the replacement of a session, and what their commands can do to it.

use std::fs;
use std::sync::Arc;

use serde_json::{Value, json};
use tau_js::JsHost;
use tau_script::ScriptHost;
use tau_session::{NewSession, Session};

use crate::common::{Running, World, messages};

const LONG: &str = "This extension ctx is stale after session replacement or reload.";

/// A session with one extension of the user.
pub async fn started(replies: Value, source: &str) -> (World, Running) {
    // On a machine with much to do every handler is slow, and none of these tests is about that.
    let world = World::new(replies).settings(json!({"tau": {"limits": {"softMs": 600_000}}}));
    world.home.write_agent("extensions/probe.ts", source);
    let host: Arc<dyn ScriptHost> = Arc::new(JsHost::new(None));
    world.load_found_by(Arc::new(move |_: &_| Arc::clone(&host))).await;
    assert_eq!(world.reports.all(), []);
    let running = world.start().await;
    (world, running)
}

/// What the extension noted, by its own entries.
pub fn noted(session: &Session) -> Vec<Value> {
    let entries = session.entries();
    let lines = entries.iter().map(|entry| Value::Object(entry.to_value().expect("json")));
    lines.filter(|line| line["customType"] == "note").map(|line| line["data"].clone()).collect()
}

#[tokio::test]
async fn factories_run_again_over_the_modules_that_are_there() {
    let source = r#"
        let loads = 0;
        const old: any[] = [];
        export default function (pi: any) {
          loads++;
          pi.events.on("ping", () => pi.appendEntry("note", ["ping", loads]));
          for (const name of ["session_start", "session_switch", "session_before_switch"]) {
            pi.on(name, (event: any) => pi.appendEntry("note", [name, loads, event.reason]));
          }
          pi.registerCommand("stale", { handler: async (_: string, ctx: any) => {
            const said = old.map(([pi, ctx]) => [() => pi.appendEntry("note"), () => ctx.cwd, () => ctx.sessionManager.getBranch()]
              .map((use) => { try { use(); return "worked"; } catch (error: any) { return error.message; } }));
            old.push([pi, ctx]);
            pi.events.emit("ping", 1);
            pi.appendEntry("note", ["stale", said]);
          } });
        }
    "#;
    let (world, running) = started(json!(["1."]), source).await;
    running.say("One").await;
    running.say("/stale").await;
    let first = running.session.session();
    running.say("/new").await;
    running.say("/stale").await;
    assert_eq!(
        noted(&first),
        [
            json!(["session_start", 1, "startup"]),
            json!(["ping", 1]),
            json!(["stale", []]),
            json!(["session_before_switch", 1, "new"])
        ]
    );
    let notes = noted(&running.session.session());
    assert_eq!(
        notes[..3],
        [json!(["session_start", 2, "new"]), json!(["session_switch", 2, "new"]), json!(["ping", 2])]
    );
    let said: Vec<&str> = notes[3][1][0].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert_eq!(said.len(), 3);
    assert!(said.iter().all(|text| text.starts_with(LONG)), "{said:?}");
    assert_eq!(world.reports.all(), []);
}

/// The engine stays when a session takes the place of another, so each session has all of the memory again.
#[tokio::test(flavor = "multi_thread")]
async fn what_one_session_keeps_is_not_counted_against_the_next() {
    let source = "export default (pi) => pi.registerCommand('give', { handler: () => {
      for (let round = 0; round < 30; round += 1) pi.appendEntry('large', 'x'.repeat(1 << 20));
    } });";
    let world = World::new(json!([])).settings(json!({"tau": {"limits": {"memoryMb": 96}}}));
    world.home.write_agent("extensions/probe.ts", source);
    let host: Arc<dyn ScriptHost> = Arc::new(JsHost::new(None));
    world.load_found_by(Arc::new(move |_: &_| Arc::clone(&host))).await;
    let running = world.start().await;
    for _ in 0..4 {
        running.say("/give").await;
        let session = running.session.session();
        let entries = session.entries();
        let kept = entries
            .iter()
            .filter(|entry| entry.to_value().expect("json").get("customType") == Some(&json!("large")))
            .count();
        assert_eq!((kept, world.reports.all()), (30, vec![]));
        running.say("/new").await;
    }
}

#[tokio::test]
async fn commands_replace_the_session_and_go_on_in_the_new_one() {
    let source = r#"
        export default function (pi: any) {
          pi.registerCommand("go", { handler: async (_: string, ctx: any) => {
            const old = ctx.sessionManager.getSessionFile();
            const first = ctx.sessionManager.getBranch().find((entry: any) => entry.message?.role === "user").id;
            const result = await ctx.newSession({
              parentSession: old,
              setup: async (sm: any) => {
                sm.appendMessage({ role: "user", content: "From before", timestamp: 1 });
                sm.appendCustomEntry("note", ["setup", sm.getEntries().length]);
              },
              withSession: async (next: any) => {
                let stale = "no";
                try { ctx.isIdle(); } catch (error: any) { stale = error.message.slice(0, 35); }
                next.sessionManager.appendCustomEntry("note", ["with", stale, next.sessionManager.getHeader().parentSession === old]);
                const back = await next.switchSession(old, { withSession: async (again: any) => {
                  const forked = await again.fork(first, { withSession: async (fork: any) => {
                    fork.sessionManager.appendCustomEntry("note", ["fork", fork.sessionManager.getEntries().length]);
                    await fork.sendUserMessage("Other");
                    await fork.waitForIdle();
                  } });
                  globalThis.results = [forked];
                } });
                globalThis.results.push(back);
              },
            });
            globalThis.results.push(result);
          } });
          pi.registerCommand("tell", { handler: async () => pi.appendEntry("note", ["results", globalThis.results]) });
        }
    "#;
    let (world, running) = started(json!(["1.", "2."]), source).await;
    running.say("One").await;
    let first = running.session.session();
    running.say("/go").await;
    assert_eq!(world.reports.all(), []);
    assert_eq!(running.conversation(), messages([("user", "Other"), ("assistant", "2.")]));
    running.say("/tell").await;
    let forked = json!({"cancelled": false, "selectedText": "One"});
    assert_eq!(
        noted(&running.session.session()),
        [json!(["fork", 3]), json!(["results", [forked, {"cancelled": false}, {"cancelled": false}]])]
    );
    let files = world.home.session_files();
    let other = files.iter().map(|file| Session::open(file).expect("a session")).find(|session| {
        session.header().parent_session.as_deref() == first.file().and_then(|file| file.to_str())
            && !noted(session).is_empty()
            && noted(session)[0][0] == "setup"
    });
    let other = other.expect("the session that was set up");
    assert_eq!(noted(&other), [json!(["setup", 3]), json!(["with", &LONG[..35], true])]);
    assert_eq!(other.context().messages.len(), 1);
}

#[tokio::test]
async fn the_tree_can_be_walked_and_its_hooks_can_change_the_way() {
    let source = r#"
        export default function (pi: any) {
          pi.on("session_before_tree", (event: any) => {
            const { preparation, signal } = event;
            pi.appendEntry("note", [preparation.userWantsSummary, preparation.entriesToSummarize.length > 0,
              signal instanceof AbortSignal, signal.aborted]);
            if (preparation.customInstructions === "stop") return { cancel: true };
            return { summary: { summary: "Mine." }, label: "here" };
          });
          pi.registerCommand("go", { handler: async (text: string, ctx: any) => {
            const user = ctx.sessionManager.getBranch().find((entry: any) => entry.message?.role === "user");
            const done = await ctx.navigateTree(user.id, { summarize: true, customInstructions: text });
            pi.appendEntry("note", [done.cancelled, done.editorText, done.summaryEntry?.summary]);
            if (done.summaryEntry) {
              pi.appendEntry("note", ctx.sessionManager.getLabel(done.summaryEntry.id));
              pi.setLabel(done.summaryEntry.id, undefined);
              pi.appendEntry("note", ctx.sessionManager.getLabel(done.summaryEntry.id) ?? "none");
            }
            try { await ctx.navigateTree("nope"); } catch (error: any) { pi.appendEntry("note", error.message); }
          } });
        }
    "#;
    let (world, running) = started(json!(["1."]), source).await;
    running.say("One").await;
    running.say("/go stop").await;
    running.say("/go on").await;
    let asked = json!([true, true, true, false]);
    let unknown = json!("Entry nope not found");
    assert_eq!(
        noted(&running.session.session()),
        [
            asked.clone(),
            json!([true, null, null]),
            unknown.clone(),
            asked,
            json!([false, "One", "Mine."]),
            json!("here"),
            json!("none"),
            unknown
        ]
    );
    assert_eq!(running.conversation().into_iter().map(|(role, _)| role).collect::<Vec<_>>(), ["branchSummary"]);
    assert_eq!(world.reports.all(), []);
}

#[tokio::test]
async fn what_an_extension_writes_to_the_session_is_part_of_the_conversation() {
    let source = r#"
        export default function (pi: any) {
          pi.registerCommand("write", { handler: async (_: string, ctx: any) => {
            const { sessionManager: sm } = ctx;
            sm.appendMessage({ role: "user", content: "Written", timestamp: 1 });
            sm.appendLabelChange(sm.getLeafId(), "mine");
            try { sm.newSession(); } catch (error: any) { pi.appendEntry("note", error.message.slice(0, 29)); }
          } });
        }
    "#;
    let (world, running) = started(json!(["1."]), source).await;
    running.say("/write").await;
    running.say("And said").await;
    assert_eq!(running.asked()[0], messages([("user", "Written"), ("user", "And said")]));
    assert_eq!(running.session.session().labels().len(), 1);
    assert_eq!(noted(&running.session.session()), [json!("sessionManager.newSession can")]);
    assert_eq!(world.reports.all(), []);
}

#[tokio::test]
async fn a_session_of_another_directory_has_another_engine() {
    let source = r#"
        let loads = 0;
        export default function (pi: any) {
          loads++;
          pi.registerCommand("go", { handler: async (path: string, ctx: any) => {
            const done = await ctx.switchSession(path, { withSession: async (next: any) => {
              next.sessionManager.appendCustomEntry("note", ["with", loads, next.cwd === process.cwd()]);
            } });
            await done;
          } });
          pi.registerCommand("where", { handler: async (_: string, ctx: any) =>
            pi.appendEntry("note", ["where", loads, ctx.cwd === process.cwd()]) });
        }
    "#;
    let (world, running) = started(json!([]), source).await;
    let there = world.home.cwd().parent().expect("a parent").join("other");
    fs::create_dir_all(&there).expect("a directory");
    let file = there.join("there.jsonl");
    let session = Session::create(&there, &there, NewSession { file: Some(file.clone()), ..NewSession::default() });
    session.and_then(|session| session.persist()).expect("a file");
    running.say("/new").await;
    running.say(&format!("/go {}", file.display())).await;
    running.say("/where").await;
    assert_eq!(noted(&running.session.session()), [json!(["with", 2, false]), json!(["where", 1, true])]);
    assert_eq!(world.reports.all(), []);
}

#[tokio::test]
async fn a_user_interface_that_was_kept_goes_on_in_the_next_session() {
    let source = r#"
        let old: any, kept: any;
        export default function (pi: any) {
          pi.registerCommand("keep", { handler: async (_: string, ctx: any) => {
            [old, kept] = [ctx, ctx.ui];
            const { setStatus } = kept;
            kept.setStatus = (key: string, text: string) => setStatus(key, `changed: ${text}`);
            ctx.ui.setStatus("before", "one");
          } });
          pi.registerCommand("use", { handler: async (_: string, ctx: any) => {
            ctx.ui.setStatus("its own", "two");
            kept.setStatus("kept", "three");
            let said = "nothing";
            try { old.ui } catch (error: any) { said = error.message }
            pi.appendEntry("note", [said, kept.getEditorText(), await kept.confirm("?"), await kept.custom(() => {}) ?? "none"]);
          } });
        }
    "#;
    let (world, running) = started(json!([]), source).await;
    let shown = || world.hooks.status.entries().into_iter().map(|entry| (entry.key, entry.raw)).collect::<Vec<_>>();
    let pair = |key: &str, text: &str| (key.to_owned(), text.to_owned());
    running.say("/keep").await;
    assert_eq!(shown(), [pair("before", "changed: one")]);
    running.say("/new").await;
    running.say("/use").await;
    // What replaced a method was for the session before.
    assert_eq!(shown(), [pair("its own", "two"), pair("kept", "three")]);
    let notes = noted(&running.session.session());
    assert!(notes[0][0].as_str().is_some_and(|said| said.starts_with(LONG)), "{notes:?}");
    assert_eq!(notes[0].as_array().map(|note| &note[1..]), Some(&[json!(""), json!(false), json!("none")][..]));
    assert_eq!(world.reports.all(), []);
}

#[tokio::test]
async fn a_handler_that_uses_the_context_of_a_command_is_refused_at_once() {
    let source = r#"
        let kept: any;
        const uses: Record<string, () => Promise<unknown>> = {
          waitForIdle: () => kept.waitForIdle(),
          newSession: () => kept.newSession(),
          fork: () => kept.fork("x"),
          switchSession: () => kept.switchSession("x"),
          navigateTree: () => kept.navigateTree("x"),
          reload: () => kept.reload(),
        };
        export default function (pi: any) {
          pi.on("turn_end", async () => {
            if (!kept) return;
            for (const said of Object.values(uses).map((use) => use().then(() => "worked", (error: any) => error.message))) {
              pi.appendEntry("note", await said);
            }
          });
          pi.registerCommand("keep", { handler: async (_: string, ctx: any) => {
            kept = ctx;
            await ctx.waitForIdle();
          } });
        }
    "#;
    let (world, running) = started(json!(["1.", "2."]), source).await;
    running.say("One").await;
    running.say("/keep").await;
    let open = running.session.session();
    running.say("Two").await;
    assert!(Arc::ptr_eq(&open, &running.session.session()));
    let notes = noted(&open);
    let names = ["waitForIdle", "newSession", "fork", "switchSession", "navigateTree", "reload"];
    let refused = names.map(|name| json!(tau_hooks::ActionError::WouldDeadlock(name).to_string()));
    assert_eq!(notes, refused);
    assert_eq!(world.reports.all(), []);
}
