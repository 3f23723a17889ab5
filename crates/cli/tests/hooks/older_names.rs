//! What hooks of a certain time find under its names, and others do not.

use serde_json::{Value, json};
use tau_rpc::*;
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::support::{Place, answer, notices, prompt, text, texts};

/// Reads and writes files in the way of Bun, if it is there.
const FILES: &str = r#"
import type { API } from "PACKAGE";
export default function (pi: API): void {
  pi.registerCommand("files", {
    description: "Copies a file",
    handler: async (_args, ctx) => {
      if (typeof Bun === "undefined") return ctx.ui.notify("no Bun", "info");
      const notes = Bun.file("notes");
      const written = await Bun.write("deep/copy", (await notes.text()).toUpperCase());
      const missing = await Bun.file("missing").exists();
      let absent = "";
      try { Bun.serve({}); } catch (error) { absent = error.message; }
      ctx.ui.notify(JSON.stringify([await notes.exists(), missing, notes.size, written, absent.split(" (")[0]]), "info");
    },
  });
}
"#;

#[test]
fn hooks_that_were_written_for_bun_see_it_and_extensions_beside_them_do_not() {
    let source = |package: &str, api: &str| FILES.replace("PACKAGE", package).replace("API", api);
    let place = Place::new().hook("hook.ts", &source("@oh-my-pi/pi-coding-agent/hooks", "HookAPI")).hook(
        "extension.ts",
        &source("@earendil-works/pi-coding-agent", "ExtensionAPI").replace("\"files\"", "\"other\""),
    );
    place.home.write("notes", "a line\n");
    let client = place.rpc("replies: []", &[]);
    client.call(text("/files")).unwrap();
    client.call(text("/other")).unwrap();
    let told: Vec<String> = notices(&client.records()).into_iter().map(|(text, _)| text).collect();
    assert_eq!(told, [r#"[true,false,7,7,"Bun.serve is not available in tau"]"#, "no Bun"]);
    assert_eq!(place.lines("deep/copy"), ["A LINE"]);
}

/// Hooks of some weeks in one event for everything: this one knows what came then.
const WEEKS: &str = r#"
import { findModel, messageTransformer } from "@mariozechner/pi-coding-agent";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

export default function (pi: HookAPI) {
  pi.on("session", async (event, ctx) => {
    const { reason, targetTurnIndex, entries } = event;
    const target = entries[targetTurnIndex]?.message?.content;
    ctx.ui.notify(JSON.stringify([reason, target?.[0]?.text ?? null]), "info");
    if (reason === "before_compact") {
      const { messagesToSummarize, messagesToKeep, tokensBefore, resolveApiKey, model, signal } = event;
      const seen = messageTransformer([...messagesToSummarize, ...messagesToKeep]).map(({ role }) => role);
      const { model: found, error } = findModel("elsewhere", "other");
      const known = [model.provider, error, findModel("nobody", "nothing").model, await resolveApiKey(found), signal.aborted];
      return { compactionEntry: { type: "compaction", summary: JSON.stringify([seen, known]), firstKeptEntryIndex: entries.length, tokensBefore } };
    }
    if (["before_new", "new", "before_branch", "branch", "compact", "before_switch", "shutdown"].includes(reason)) return;
  });
}
"#;

#[test]
fn hooks_that_know_other_reasons_of_session_are_told_them() {
    let place = Place::new().hook("weeks.ts", WEEKS);
    with_provider(&place, "http://127.0.0.1:9");
    place.home.write_agent("settings.json", json!({"compaction": {"keepRecentTokens": 5}}).to_string());
    let script = r#"
replies:
  - A long way off.
  - As far as before.
  - - expect: {messages: 2, contains: "assistant"}
    - text: Still there.
"#;
    let client = place.rpc(script, &[]);
    prompt(&client, "Where is the boat?");
    prompt(&client, "And how far is the harbour?");
    let done = client.call(Compact { custom_instructions: None }).unwrap();
    // A place behind all entries keeps none of them: the model sees the summary and what comes behind it.
    let known = json!([["user", "assistant", "user", "assistant"], ["scripted", null, null, "its-key", false]]);
    assert_eq!(serde_json::from_str::<Value>(&done.summary).unwrap(), known);
    assert_eq!(answer(&prompt(&client, "Still?")), "Still there.");
    let points = client.call(GetForkMessages {}).unwrap().messages;
    client.call(Fork { entry_id: points[1].entry_id.clone() }).unwrap();
    client.call(NewSession { parent_session: None }).unwrap();
    let end = client.close();
    assert_eq!(end.status.code(), Some(0));
    let told: Vec<Value> = notices(&end.records).iter().map(|(text, _)| serde_json::from_str(text).unwrap()).collect();
    let second = "And how far is the harbour?";
    assert_eq!(
        told,
        [
            json!(["start", null]),
            json!(["before_compact", null]),
            json!(["compact", null]),
            json!(["before_branch", second]),
            json!(["branch", null]),
            json!(["before_new", null]),
            json!(["new", null]),
            json!(["shutdown", null]),
        ]
    );
}

/// Asks a model that is no built-in one by the name of its provider, with a prompt in parts, and looks at a key.
const ASKS: &str = r#"
import type { HookAPI } from "@oh-my-pi/pi-coding-agent";
import { complete, getModel } from "@oh-my-pi/pi-ai";
import { isArrowUp, isCtrlC, isEscape } from "@mariozechner/pi-tui";

export default function (pi: HookAPI): void {
  pi.registerCommand("ask", {
    description: "Asks another model",
    handler: async (_args, ctx) => {
      const model = getModel("elsewhere", "other");
      const messages = [{ role: "user", content: "Hello", timestamp: 0 }];
      const apiKey = await ctx.modelRegistry.getApiKey(model);
      const said = await complete(model, { systemPrompt: ["Be brief.", "Be kind."], messages }, { apiKey });
      const keys = [isArrowUp("\x1b[A"), isArrowUp("w"), isCtrlC("\x03"), isEscape("\x1b")];
      ctx.ui.notify(JSON.stringify([said.content.map(({ text }) => text), getModel("nobody", "nothing") ?? null, keys]), "info");
    },
  });
}
"#;

#[test]
fn a_hook_asks_a_model_of_the_session() {
    let server = LoopbackServer::start([Reply::text("Hello yourself.")]);
    let place = Place::new().hook("asks.ts", ASKS);
    with_provider(&place, &server.url());
    let client = place.rpc("replies: []", &[]);
    client.call(text("/ask")).unwrap();
    let told: Vec<String> = notices(&client.records()).into_iter().map(|(text, _)| text).collect();
    assert_eq!(told, [r#"[["Hello yourself."],null,[true,false,true,true]]"#]);
    let [request] = &server.requests()[..] else { panic!("one request") };
    assert_eq!(request.headers["x-api-key"], "its-key");
    assert_eq!(texts(&request.body["system"]), "Be brief.\n\nBe kind.");
}

/// A model that the user configured.
fn with_provider(place: &Place, url: &str) {
    let model = json!({"id": "other", "name": "Other", "reasoning": false, "input": ["text"], "contextWindow": 9000,
        "maxTokens": 900, "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}});
    let provider = json!({"baseUrl": url, "api": "anthropic-messages", "apiKey": "its-key", "models": [model]});
    place.home.write_agent("models.json", json!({"providers": {"elsewhere": provider}}).to_string());
}
