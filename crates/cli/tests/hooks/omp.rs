//! oh-my-pi's hooks, as their documentation shows them.

use serde_json::json;
use tau_rpc::*;

use super::support::{Place, answer, asked, prompt, results, session_files, text};

const POLICY: &str = r#"
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

export default function hook(pi: HookAPI): void {
  pi.on("tool_call", async (event) => {
    const command = String(event.input.command ?? "");
    if (event.toolName === "bash" && command.includes("rm -r")) return { block: true, reason: "against the policy" };
  });
}
"#;

const RISK: &str = r#"
replies:
  - - tool_call: {name: bash, arguments: {command: "rm -r keep && echo gone"}}
    - tool_call: {name: bash, arguments: {command: "echo safe"}}
  - Done.
"#;

#[test]
fn a_policy_blocks_in_every_mode() {
    for mode in [&["-p", "Go"][..], &["--mode", "json", "Go"], &["--mode", "rpc"]] {
        let place = Place::new().hook("policy.ts", POLICY);
        place.home.write("keep/file", "");
        let records = match mode {
            ["--mode", "rpc"] => prompt(&place.rpc(RISK, &[]), "Go"),
            ["-p", _] => {
                let done = place.run(RISK, mode);
                assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (Some(0), "Done.\n", ""));
                assert!(place.has("keep/file"));
                continue;
            }
            _ => place.run(RISK, mode).events(),
        };
        let blocked = ("bash".to_owned(), "against the policy".to_owned(), true);
        assert_eq!(results(&records), [blocked, ("bash".to_owned(), "safe\n".to_owned(), false)]);
        assert!(place.has("keep/file"));
    }
}

const CONFIRMS: &str = r#"
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

export default function (pi: HookAPI): void {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash") return;
    const command = String(event.input.command ?? "");
    if (!command.includes("rm -r")) return;
    if (!ctx.hasUI) return { block: true, reason: "nobody can be asked" };
    const sure = await ctx.ui.confirm("Careful", `Run ${command}?`);
    if (!sure) return { block: true, reason: "the user said no" };
  });
}
"#;

#[test]
fn a_gate_asks_where_somebody_can_be_asked() {
    for (answer, reason) in [
        (json!({"confirmed": true}), None),
        (json!({"confirmed": false}), Some("the user said no")),
        (json!({"cancelled": true}), Some("the user said no")),
    ] {
        let place = Place::new().hook("confirms.ts", CONFIRMS);
        place.home.write("keep/file", "");
        let client = place.rpc(RISK, &[]);
        client.answer_dialogs(move |_| Some(answer.clone()));
        let records = prompt(&client, "Go");
        assert_eq!(asked(&records), ["Careful"]);
        let (_, text, is_error) = results(&records).remove(0);
        assert_eq!((text.as_str(), is_error), (reason.unwrap_or("gone\n"), reason.is_some()));
        assert_eq!(place.has("keep/file"), reason.is_some());
    }
    let place = Place::new().hook("confirms.ts", CONFIRMS);
    place.home.write("keep/file", "");
    let (_, text, is_error) = results(&place.run(RISK, &["--mode", "json", "Go"]).events()).remove(0);
    assert_eq!((text.as_str(), is_error), ("nobody can be asked", true));
    assert!(place.has("keep/file"));
}

const REDACTS: &str = r#"
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

export default function (pi: HookAPI): void {
  pi.on("tool_result", async (event) => {
    if (event.toolName !== "read" || event.isError) return;
    const hide = (text: string) => text.replaceAll(/TOKEN=\S+/g, "TOKEN=(hidden)");
    return { content: event.content.map((block) => (block.type === "text" ? { ...block, text: hide(block.text) } : block)) };
  });
}
"#;

#[test]
fn what_a_tool_says_is_redacted_before_the_model_reads_it() {
    let place = Place::new().hook("redacts.ts", REDACTS);
    place.home.write("settings", "A=1\nTOKEN=abc\nTOKEN=def end\n");
    let script = r#"
replies:
  - - tool_call: {name: read, arguments: {path: settings}}
    - tool_call: {name: bash, arguments: {command: "cat settings"}}
    - tool_call: {name: read, arguments: {path: "TOKEN=none"}}
  - - expect: {messages: 5}
    - text: "{{tool.call_1.text}}"
"#;
    let done = place.run(script, &["-p", "Go"]);
    assert_eq!((done.code, done.stdout.trim_end()), (Some(0), "A=1\nTOKEN=(hidden)\nTOKEN=(hidden) end"));
    let place = Place::new().hook("redacts.ts", REDACTS);
    place.home.write("settings", "A=1\nTOKEN=abc\n");
    let results = results(&place.run(script, &["--mode", "json", "Go"]).events());
    assert_eq!(results[0], ("read".to_owned(), "A=1\nTOKEN=(hidden)\n".to_owned(), false));
    assert_eq!(results[1], ("bash".to_owned(), "A=1\nTOKEN=abc\n".to_owned(), false));
    // What failed is left alone, whatever a hook says.
    assert!(results[2].2 && results[2].1.contains("TOKEN=none"), "{results:?}");
}

const FILTERS: &str = r#"
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

export default function (pi: HookAPI): void {
  const note = (customType: string, content: string) => pi.sendMessage({ customType, content, display: true });
  pi.on("session_start", async () => {
    note("debugging", "for nobody");
    note("hint", "for the model");
  });
  pi.on("context", async (event) => {
    return { messages: event.messages.filter((message) => message.role !== "custom" || message.customType !== "debugging") };
  });
}
"#;

#[test]
fn a_filter_of_the_context_keeps_messages_from_the_model_and_not_from_the_session() {
    let place = Place::new().hook("filters.ts", FILTERS);
    let script = "replies: [[{expect: {contains: for the model, not_contains: for nobody}}, {text: Seen.}]]";
    let client = place.rpc(script, &[]);
    assert_eq!(answer(&prompt(&client, "What is there?")), "Seen.");
    let kept = serde_json::to_value(client.call(GetMessages {}).unwrap()).unwrap();
    let kept = kept["messages"].as_array().unwrap().iter();
    let custom: Vec<_> =
        kept.filter(|message| message["role"] == "custom").map(|message| &message["customType"]).collect();
    assert_eq!(custom, ["debugging", "hint"]);
}

const HANDOFF: &str = r#"
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

export default function (pi: HookAPI): void {
  pi.registerCommand("handover", {
    description: "Goes on in a session of its own",
    handler: async (args, ctx) => {
      await ctx.waitForIdle();
      const { cancelled } = await ctx.newSession({
        parentSession: ctx.sessionManager.getSessionFile(),
        setup: async (session) => {
          session.appendMessage({ role: "user", content: [{ type: "text", text: `Before: ${args}` }], timestamp: Date.now() });
        },
      });
      ctx.ui.notify(`cancelled: ${cancelled}`, "info");
    },
  });
}
"#;

#[test]
fn a_command_hands_over_to_a_new_session_whose_first_message_the_model_sees() {
    let place = Place::new().hook("handoff.ts", HANDOFF);
    let script =
        "replies: [One, [{expect: {messages: 2, contains: 'Before: the sea', last_user: Go on}}, {text: Two}]]";
    let client = place.rpc(script, &[]);
    prompt(&client, "first");
    let first = client.call(GetState {}).unwrap().session_file;
    let mark = client.mark();
    client.call(text("/handover the sea")).unwrap();
    let notice = client.wait_for(mark, "the notice", |record| record["method"] == "notify");
    assert_eq!(notice["message"], "cancelled: false");
    let header = client.event(mark, "session");
    assert_eq!(header["parentSession"].as_str().map(str::to_owned), first);
    client.event(mark, "agent_settled");
    assert_eq!(answer(&prompt(&client, "Go on")), "Two");
    assert_eq!(client.close().status.code(), Some(0));
    assert_eq!(session_files(&place.home).len(), 2);
}
