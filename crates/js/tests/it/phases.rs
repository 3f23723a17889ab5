//! What `pi` and `ctx` do while their extension loads, at work, and after their end.

use serde_json::{Value, json};

use crate::common::{World, calls};
use crate::sessions::{noted, started};
use crate::support::Scripts;
use crate::tour;

const LOADING: &str = "Extension runtime not initialized. Action methods cannot be called during extension loading.";

#[tokio::test]
async fn while_loading_actions_are_refused_before_their_arguments_are_looked_at() {
    let source = r#"
        export default function (pi: any) {
          const said: any = {};
          for (const name of ["sendMessage", "sendUserMessage", "setThinkingLevel", "getActiveTools", "setLabel"]) {
            try { pi[name]("nonsense"); } catch (error: any) { said[name] = error.message; }
          }
          pi.setModel({}).catch((error: any) => { said.setModel = error.message; });
          try { pi.registerTool({ name: "bare", execute() {} }); } catch (error: any) { said.registerTool = error.message; }
          pi.registerTool({ name: "any", description: "a", parameters: { anyOf: [{ type: "object" }] }, execute() {} });
          pi.on("session_start", () => pi.appendEntry("note", said));
        }
    "#;
    let (world, running) = started(json!(["1."]), source).await;
    running.say("One").await;
    let path = world.home.agent_dir().join("extensions/probe.ts");
    let said = json!({
        "sendMessage": LOADING,
        "sendUserMessage": LOADING,
        "setThinkingLevel": LOADING,
        "getActiveTools": LOADING,
        "setLabel": LOADING,
        "setModel": "Extension runtime not initialized",
        "registerTool": format!(
            "Tool \"bare\" registered by extension \"{}\" must define an object parameter schema.", path.display()
        ),
    });
    assert_eq!(noted(&running.session.session()), [said]);
    let tools: Vec<String> = world.hooks.tools().into_iter().map(|(_, tool)| tool.spec().name.clone()).collect();
    assert_eq!(tools, ["any"]);
}

/// Tries everything of a kept `pi` that needs no session, and of a kept `ctx`; says what was thrown.
const TRY: &str = r#"
  globalThis.tryKept = async (pi, ctx) => {
    const uses = {
      on: () => pi.on("turn_start", () => {}),
      registerCommand: () => pi.registerCommand("late", { handler() {} }),
      getFlag: () => pi.getFlag("f"),
      exec: () => pi.exec("true"),
      emit: () => pi.events.emit("late", 1),
      listen: () => pi.events.on("late", () => {}),
      ...(ctx && { ui: () => ctx.ui, isIdle: () => ctx.isIdle() }),
    };
    const said = {};
    for (const name in uses) {
      try { await uses[name](); said[name] = "worked"; } catch (error) { said[name] = error.message.slice(0, 64); }
    }
    return said;
  };
"#;

fn all(names: &[&str], message: &str) -> Value {
    let message: String = message.chars().take(64).collect();
    names.iter().map(|name| ((*name).to_owned(), Value::from(message.clone()))).collect()
}

const KEPT: [&str; 6] = ["on", "registerCommand", "getFlag", "exec", "emit", "listen"];

#[tokio::test(flavor = "multi_thread")]
async fn what_an_extension_kept_that_failed_to_load_says_so() {
    let world = tour::world();
    let failing = format!("{TRY}\nexport default (pi) => {{\n  globalThis.kept = pi;\n  throw new Error('no');\n}};\n");
    let asking = "export default (pi) => {
  pi.registerCommand('try', { handler: async () => pi.events.emit('said', await globalThis.tryKept(globalThis.kept)) });
};";
    let path = world.home.write_agent("extensions/failing.ts", failing);
    world.home.write_agent("extensions/later.ts", asking);
    let scripts = Scripts::new(&world);
    scripts.load_found_in(&world).await;
    let log = crate::bus::hear(&world, "said");
    world.start().await.say("/try").await;
    let message = format!("Extension \"{}\" failed to load and its API is no longer active.", path.display());
    assert_eq!(crate::bus::heard(&log, 1).await, [all(&KEPT, &message)]);
}

#[tokio::test]
async fn what_was_kept_from_a_session_that_was_replaced_throws() {
    let source = format!(
        "{TRY}
        let old: any;
        export default function (pi: any) {{
          pi.registerFlag('f', {{ type: 'boolean', default: true }});
          pi.registerCommand('keep', {{ handler: async (_: string, ctx: any) => {{
            if (old) pi.appendEntry('note', await globalThis.tryKept(...old));
            old = [pi, ctx];
          }} }});
        }}"
    );
    let (_world, running) = started(json!(["1.", "2."]), &source).await;
    running.say("One").await;
    running.say("/keep").await;
    running.say("/new").await;
    running.say("/keep").await;
    running.say("Two").await;
    let stale = "This extension ctx is stale after session replacement or reload.";
    let names: Vec<&str> = KEPT.into_iter().chain(["ui", "isIdle"]).collect();
    assert_eq!(noted(&running.session.session()), [all(&names, stale)]);
}

#[tokio::test]
async fn a_tool_hears_of_an_abort_by_each_of_its_signals() {
    let source = r#"
        export default function (pi: any) {
          pi.registerTool({ name: "wait", description: "w", parameters: { type: "object" },
            async execute(_id: string, _args: any, signal: AbortSignal, _update: any, ctx: any) {
              const heard = (signal: AbortSignal) => new Promise((done) => signal.addEventListener("abort", done));
              const both = [heard(signal), heard(ctx.signal), heard(ctx.signal)];
              setTimeout(() => ctx.abort());
              await Promise.all(both);
              return { content: [{ type: "text", text: "heard of it" }] };
            } });
        }
    "#;
    let (_world, running) = started(json!([calls([("c", "wait", json!({}))])]), source).await;
    running.say("One").await;
    assert_eq!(running.conversation().last(), Some(&("toolResult".to_owned(), "heard of it".to_owned())));
}

#[tokio::test]
async fn programs_of_every_kind_find_this_one_as_pi_and_what_extensions_put_into_the_environment() {
    let source = r#"
        import { createBashTool, execCommand } from "@earendil-works/pi-coding-agent";
        const LOOK = 'basename "$(command -v pi)"; echo "$ADDED ${DROPPED-dropped} $PI_CODING_AGENT"';
        export default function (pi: any) {
          process.env.PATH = "/usr/bin:/bin";
          process.env.DROPPED = "not yet";
          pi.registerCommand("look", { handler: async (_: string, ctx: any) => {
            process.env.ADDED = "added";
            delete process.env.DROPPED;
            const bash = await createBashTool(ctx.cwd).execute("c", { command: LOOK });
            pi.appendEntry("note", {
              exec: (await pi.exec("sh", ["-c", LOOK])).stdout,
              ctx: (await ctx.exec("sh", ["-c", LOOK])).stdout,
              command: (await execCommand("sh", ["-c", LOOK], ctx.cwd)).stdout,
              bash: bash.content[0].text,
            });
          } });
        }
    "#;
    let model = calls([("c", "bash", json!({"command": "echo \"$ADDED ${DROPPED-dropped} $PI_CODING_AGENT\""}))]);
    let world = World::new(json!([model, "done"])).with_builtin_tools();
    world.home.write_agent("extensions/probe.ts", source);
    let scripts = Scripts::new(&world);
    scripts.load_found_in(&world).await;
    let running = world.start().await;
    running.say("/look").await;
    running.say("One").await;
    let seen = "pi\nadded dropped true\n";
    let expected = json!({"exec": seen, "ctx": seen, "command": seen, "bash": seen});
    assert_eq!(noted(&running.session.session()), [expected]);
    let results: Vec<_> = running.conversation().into_iter().filter(|(role, _)| role == "toolResult").collect();
    assert_eq!(results, [("toolResult".to_owned(), "added dropped true\n".to_owned())]);
}

#[tokio::test]
async fn what_is_missing_names_itself_and_who_wanted_it() {
    let source = r#"
        import { ModelRuntime } from "@earendil-works/pi-coding-agent";
        import { TUI } from "@earendil-works/pi-tui";
        import { fork } from "node:child_process";
        import * as vm from "node:vm";
        import { Worker } from "node:worker_threads";
        export default function (pi: any) {
          pi.registerCommand("use", { handler: async () => {
            const uses = [
              () => (ModelRuntime as any).create(), () => new (TUI as any)(),
              () => fork("x"), () => new vm.Script("x"), () => new Worker("x"),
              () => new WebAssembly.Tag({ parameters: [] }),
            ];
            const said: string[] = [];
            for (const use of uses) {
              try { await use(); said.push("worked"); } catch (error: any) { said.push(error.message); }
            }
            pi.appendEntry("note", [said, WebAssembly.validate(new Uint8Array())]);
          } });
        }
    "#;
    let (_world, running) = started(json!(["1."]), source).await;
    running.say("/use").await;
    running.say("One").await;
    let names = [
        "ModelRuntime.create",
        "TUI",
        "child_process.fork (an IPC channel)",
        "vm.Script",
        "worker_threads.Worker",
        "WebAssembly.Tag",
    ];
    let said: Vec<String> =
        names.iter().map(|name| format!("{name} is not available in tau (used by probe)")).collect();
    assert_eq!(noted(&running.session.session()), [json!([said, false])]);
}
