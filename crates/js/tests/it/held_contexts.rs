//! The context of a command in the hands of handlers: the session waits for a handler, so a handler that waits for the
//! session would wait for itself, however it comes to that.

use serde_json::{Value, json};
use tau_hooks::ActionError;

use crate::bus::{hear, heard};
use crate::sessions::{noted, started};

/// Events, ways to come to the call, and calls that wait for the session. Every call that is not refused is listed.
const TRIES: &str = r#"
    const later = () => new Promise<void>((done) => setTimeout(done, 1));
    const uses: Record<string, () => Promise<unknown>> = {
      waitForIdle: () => kept.waitForIdle(),
      newSession: () => kept.newSession(),
      fork: () => kept.fork("x"),
      switchSession: () => kept.switchSession("x"),
      navigateTree: () => kept.navigateTree("x"),
      reload: () => kept.reload(),
    };
    const ways: Record<string, (use: () => Promise<unknown>) => Promise<unknown>> = {
      job: async (use) => { await null; await use(); },
      timer: async (use) => { await later(); return use(); },
      chain: (use) => later().then(later).then(use),
      inner: async (use) => { const inner = async () => { await later(); await use(); }; await inner(); },
      caught: async (use) => { try { await Promise.reject(new Error("x")); } catch { await use(); } },
      loop: async (use) => { for await (const one of [later()]) await use(); },
      several: async (use) => { await Promise.all([later().then(use), later()]); },
      callback: (use) => new Promise((done, failed) => setTimeout(() => use().then(done, failed), 1)),
      // Whoever handed it on did so before.
      method: async (use) => { const { waitForIdle } = kept; await later(); await use(); await waitForIdle(); },
    };
    const events = ["before_agent_start", "context", "turn_end", "agent_end", "agent_settled"];
    let kept: any, over: () => void;
    const said: unknown[] = [];
    export default function (pi: any) {
      for (const event of events) pi.on(event, async () => {
        if (!kept) return;
        for (const [way, go] of Object.entries(ways)) for (const [name, use] of Object.entries(uses)) {
          await go(use).then(() => said.push([event, way, name, "worked"]), (error: any) => {
            said.push([event, way, name, error.message]);
          });
        }
        if (event === "agent_settled") over?.();
      });
      pi.registerCommand("keep", { handler: async (_: string, ctx: any) => { kept = ctx; } });
      pi.registerCommand("hold", { handler: async (_: string, ctx: any) => {
        kept = ctx;
        const settled = new Promise<void>((done) => { over = done; });
        pi.sendUserMessage("Two");
        await settled;
      } });
      pi.registerCommand("tell", { handler: async () => { kept = undefined; pi.appendEntry("note", said); } });
    }
"#;

async fn tries(commands: &[&str]) -> Vec<Value> {
    let (world, running) = started(json!(["1.", "2."]), TRIES).await;
    running.say("One").await;
    for command in commands {
        running.say(command).await;
    }
    running.session.wait_until_idle().await;
    running.say("/tell").await;
    assert_eq!(world.reports.all(), []);
    let notes = noted(&running.session.session());
    notes[0].as_array().expect("a list").clone()
}

fn expected() -> Vec<Value> {
    let mut all = Vec::new();
    for event in ["before_agent_start", "context", "turn_end", "agent_end", "agent_settled"] {
        for way in ["job", "timer", "chain", "inner", "caught", "loop", "several", "callback", "method"] {
            for name in ["waitForIdle", "newSession", "fork", "switchSession", "navigateTree", "reload"] {
                all.push(json!([event, way, name, ActionError::WouldDeadlock(name).to_string()]));
            }
        }
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_is_refused_behind_an_await_too() {
    assert_eq!(tries(&["/keep", "Two"]).await, expected());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_is_refused_while_the_command_is_still_at_work() {
    assert_eq!(tries(&["/hold"]).await, expected());
}

/// Handlers of the same extension are at work meanwhile, and behind them is an `await` as well.
#[tokio::test(flavor = "multi_thread")]
async fn others_may_wait_while_a_handler_is_at_work() {
    let source = r#"
        const later = () => new Promise<void>((done) => setTimeout(done, 1));
        let kept: any;
        export default function (pi: any) {
          let atWork: () => void, free: () => void;
          const begun = new Promise<void>((done) => { atWork = done; });
          const freed = new Promise<void>((done) => { free = done; });
          pi.on("turn_end", async () => {
            await later();
            atWork();
            await freed;
          });
          // Nobody waits for what a handler leaves behind.
          pi.on("agent_end", () => {
            void (async () => {
              await later();
              await kept.waitForIdle();
              pi.events.emit("told", "left behind");
            })();
          });
          pi.registerCommand("go", { handler: async (_: string, ctx: any) => {
            kept = ctx;
            pi.sendUserMessage("Go");
            await begun;
            const idle = ctx.waitForIdle();
            setTimeout(() => kept.waitForIdle().then(() => pi.events.emit("told", "a timer")), 1);
            await later();
            free();
            await idle;
            pi.events.emit("told", "the command");
          } });
        }
    "#;
    let (world, running) = started(json!(["1."]), source).await;
    let told = hear(&world, "told");
    running.say("/go").await;
    let mut told = heard(&told, 3).await;
    told.sort_by_key(Value::to_string);
    assert_eq!(told, [json!("a timer"), json!("left behind"), json!("the command")]);
    assert_eq!(world.reports.all(), []);
}
