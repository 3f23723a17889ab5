//! MCP servers in sessions of the SDK: such a session may do nothing that the one may not which opened it.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_js::JsHost;
use tau_script::ScriptHost;
use tau_testkit::mcp_script;

use crate::common::{World, calls};
use crate::sessions::noted;

/// A server with three tools.
fn server() -> String {
    let tool = |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    let tools = format!(r#"{{"tools":[{},{},{}]}}"#, tool("greet"), tool("drop"), tool("keep"));
    let said = r#"{"content":[{"type":"text","text":"hello"}]}"#;
    mcp_script(r#"{"tools":{}}"#, &[("tools/list", &tools), ("tools/call", said)])
}

/// Opens a session with servers and notes what its calls gave. `OPTIONS` are those of the servers. The gate is the parent's.
const OPENER: &str = r#"
    import {
      createAgentSession, createMcpExtension, DefaultResourceLoader, SessionManager,
    } from "@earendil-works/pi-coding-agent";
    export default function (pi: any) {
      pi.on("tool_call", (event: any) => {
        if (event.toolName.endsWith("drop")) return { block: true, reason: "not that" };
      });
      pi.registerCommand("go", { handler: async (_: string, ctx: any) => {
        const loader = new DefaultResourceLoader({
          cwd: ctx.cwd, noExtensions: true, extensionFactories: [createMcpExtension(OPTIONS)],
        });
        await loader.reload();
        const { session } = await createAgentSession({
          name: "helper", resourceLoader: loader, sessionManager: SessionManager.inMemory(),
        });
        await session.prompt("Go");
        const results = session.messages.filter((m: any) => m.role === "toolResult").map((m: any) => m.content[0].text);
        const tools = session.getAllTools().map((tool: any) => tool.name).filter((name: string) => name.startsWith("mcp__"));
        pi.appendEntry("note", { results, tools: tools.toSorted() });
        session.dispose();
      } });
    }
"#;

fn entry(world: &World) -> Value {
    let file = world.home.write_agent("server.sh", server());
    json!({"command": "/bin/sh", "args": [file], "exposure": "direct"})
}

/// A model that calls all three tools.
fn world() -> World {
    let call = |tool: &'static str, name: &'static str| (tool, name, json!({}));
    let calls = calls([call("a", "mcp__s__greet"), call("b", "mcp__s__drop"), call("c", "mcp__s__keep")]);
    World::new(json!([calls, "Done."]))
}

/// What the session noted, and what was reported.
async fn said(world: World, options: &str) -> (Vec<Value>, Vec<String>) {
    world.home.write_agent("extensions/opener.ts", OPENER.replace("OPTIONS", options));
    world.load_found_by(Arc::new(|_: &_| Arc::new(JsHost::new(None)) as Arc<dyn ScriptHost>)).await;
    let running = world.start().await;
    running.say("/go").await;
    let reports = world.reports.all().into_iter().map(|(_, _, text)| text).collect();
    (noted(&running.session.session()), reports)
}

const ALL: [&str; 3] = ["mcp__s__drop", "mcp__s__greet", "mcp__s__keep"];

#[tokio::test(flavor = "multi_thread")]
async fn every_call_passes_the_gates_of_the_parent_and_what_it_excludes_is_out_of_reach() {
    let mut world = world();
    world.tools.exclude = vec!["mcp__*__keep".to_owned()];
    let servers = json!({"mcpServers": {"s": entry(&world)}});
    world.home.write_agent("mcp.json", servers.to_string());
    let (noted, reports) = said(world, "").await;
    // The parent has no servers itself.
    assert_eq!(reports, ["\"mcp__*__keep\" matches no tool"]);
    assert_eq!(noted[0]["results"], json!(["hello", "not that", "Tool mcp__s__keep not found"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_does_without_servers_does_without_them_in_children_too() {
    let world = world();
    let servers = json!({"mcpServers": {"s": entry(&world)}});
    world.home.write_agent("mcp.json", servers.to_string());
    world.hooks.withhold(["builtin:mcp".to_owned()]);
    let (noted, reports) = said(world, "").await;
    assert_eq!(noted[0]["tools"], json!([]));
    assert!(reports.len() == 1 && reports[0].starts_with("no servers are connected"), "{reports:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_of_a_project_are_there_where_the_parent_trusts_it() {
    for trusted in [false, true] {
        let mut world = world();
        world.trusted = trusted;
        let servers = json!({"mcpServers": {"s": entry(&world)}});
        world.home.write(".pi/mcp.json", servers.to_string());
        let (noted, _) = said(world, "").await;
        assert_eq!(noted[0]["tools"], if trusted { json!(ALL) } else { json!([]) });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_can_name_the_servers_itself() {
    let world = world();
    let others = json!({"mcpServers": {"other": entry(&world)}});
    world.home.write_agent("mcp.json", others.to_string());
    let config = json!({
        "servers": [
            {"name": "s", "config": entry(&world), "source": "program", "scope": "global"},
            {"name": "bad", "config": {"url": "ftp://x"}, "source": "program"},
        ],
        "errors": ["a problem of the program"],
    });
    let (noted, reports) = said(world, &format!("{{ startupWaitMs: 9000, loadConfig: () => ({config}) }}")).await;
    assert_eq!(noted[0]["results"], json!(["hello", "not that", "hello"]));
    assert_eq!(noted[0]["tools"], json!(ALL));
    assert!(reports.len() == 1 && reports[0].contains("a problem of the program"), "{reports:?}");
    assert!(reports[0].contains("program: server \"bad\": url \"ftp://x\" is not an http"), "{reports:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_option_that_tau_does_not_have_is_refused() {
    let (noted, reports) = said(world(), "{ createTransport: () => {} }").await;
    assert_eq!(noted, [] as [Value; 0]);
    assert!(reports[0].contains("createMcpExtension has no option `createTransport` in tau"), "{reports:?}");
}
