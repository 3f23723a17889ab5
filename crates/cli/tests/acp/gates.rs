//! Questions of extensions: about tool calls, and others.

use std::collections::BTreeMap;

use agent_client_protocol::v1::schema::{
    ClientCapabilities, ElicitationAcceptAction, ElicitationAction, ElicitationContentValue, PermissionOptionKind,
    RequestPermissionRequest, StopReason,
};
use serde_json::json;

use crate::editor::{able, with, with_able};
use crate::place::Place;

const GATE: &str = r#"export default (pi) => {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash") return;
    if (!ctx.hasUI || ctx.mode !== "rpc") return { block: true, reason: "nobody to ask" };
    const ok = await ctx.ui.confirm("Run it?", event.input.command);
    if (!ok) return { block: true, reason: "The user said no" };
  });
};"#;

const BASH: &str = r#"
replies:
  - - tool_call: {name: bash, arguments: {command: echo ran >> log}}
  - - tool_call: {name: bash, arguments: {command: echo again >> log}}
  - Over.
"#;

#[tokio::test]
async fn a_gate_asks_for_permission() {
    let place = Place::new();
    place.write("agent/extensions/gate.ts", GATE);
    with(&place, BASH, &[] as &[&str], async |editor| {
        let id = editor.begin(&place).await;
        editor.will_choose(&["yes", "no"]);
        assert_eq!(editor.prompt(&id, "Go").await, Ok(StopReason::EndTurn));
        assert_eq!(
            editor.said(&id),
            [
                "`echo ran >> log` (completed) ```\n(no output)\n```",
                "`echo again >> log` (failed) ```\nThe user said no\n```",
                "says: Over."
            ]
        );
        let asked: Vec<RequestPermissionRequest> = editor.log(|log| log.permissions.clone());
        assert_eq!(asked.len(), 2);
        assert_eq!(
            serde_json::to_value(&asked[0]).expect("JSON"),
            json!({
                "sessionId": id,
                "toolCall": {
                    "toolCallId": "call_1",
                    "title": "`echo ran >> log`",
                    "name": "bash",
                    "kind": "execute",
                    "status": "pending",
                    "content": [{"type": "content", "content": {"type": "text", "text": "Run it?\n\necho ran >> log"}}],
                    "locations": [],
                    "rawInput": {"command": "echo ran >> log"},
                },
                "options": [
                    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
                    {"optionId": "no", "name": "No", "kind": "reject_once"},
                ],
            })
        );
    })
    .await;
    assert_eq!(place.read("work/log"), "ran\n");
}

#[tokio::test]
async fn a_tool_asks_to_choose() {
    let place = Place::new();
    place.write(
        "agent/extensions/deploy.ts",
        r#"export default (pi) => {
  pi.registerTool({
    name: "deploy", label: "Deploy", description: "Deploys",
    parameters: { type: "object", properties: {} },
    execute: async (id, params, signal, onUpdate, ctx) => {
      const where = await ctx.ui.select("Where to?", ["Production", "Always staging", "Cancel"]);
      const why = await ctx.ui.input("Why?", "a reason");
      return { content: [{ type: "text", text: `${ctx.hasUI} ${where} ${why}` }] };
    },
  });
};"#,
    );
    let script = "replies: [[{tool_call: {name: deploy, arguments: {}}}], Over.]";
    with(&place, script, &[] as &[&str], async |editor| {
        let id = editor.begin(&place).await;
        editor.will_choose(&["1"]);
        assert_eq!(editor.prompt(&id, "Go").await, Ok(StopReason::EndTurn));
        // There is no way to ask for a text here, so nobody was asked.
        assert_eq!(editor.said(&id), ["Deploy (completed) true Always staging undefined", "says: Over."]);
        let options = editor.log(|log| log.permissions[0].options.clone());
        let options: Vec<_> = options.iter().map(|option| (&*option.name, option.kind)).collect();
        assert_eq!(
            options,
            [
                ("Production", PermissionOptionKind::AllowOnce),
                ("Always staging", PermissionOptionKind::AllowAlways),
                ("Cancel", PermissionOptionKind::RejectOnce),
            ]
        );
    })
    .await;
}

/// Asks everything that can be asked, outside of a tool call.
const COMMAND: &str = r#"export default (pi) => {
  pi.registerCommand("ask", { description: "Asks", handler: async (args, ctx) => {
    const answers = [
      ctx.hasUI,
      await ctx.ui.confirm("Sure?", "It is final."),
      await ctx.ui.select("Which?", ["a", "b", "a"]),
      await ctx.ui.input("Name?", "yours"),
      await ctx.ui.editor("Text?", "draft"),
      await ctx.ui.confirm("Really?"),
    ];
    ctx.ui.notify(JSON.stringify(answers));
  } });
};"#;

#[tokio::test]
async fn other_questions_are_forms() {
    let place = Place::new();
    place.write("agent/extensions/ask.ts", COMMAND);
    with_able(&place, "replies: []", &[] as &[&str], able(), async |editor| {
        let id = editor.begin(&place).await;
        let text = |text: &str| {
            let content = BTreeMap::from([("answer".to_owned(), ElicitationContentValue::from(text))]);
            ElicitationAction::Accept(ElicitationAcceptAction::new().content(content))
        };
        let yes = ElicitationAction::Accept(ElicitationAcceptAction::new());
        editor.will_answer([yes, text("b"), text("Ada"), text("final"), ElicitationAction::Decline]);
        assert_eq!(editor.prompt(&id, "/ask").await, Ok(StopReason::EndTurn));
        assert_eq!(editor.said(&id), [r#"notice: [true,true,"b","Ada","final",false]"#]);
        let forms = editor.log(|log| serde_json::to_value(&log.forms).expect("JSON"));
        let form = |message: &str, schema: serde_json::Value| {
            json!({"mode": "form", "sessionId": id, "message": message, "requestedSchema": schema})
        };
        let field = |field: serde_json::Value| {
            json!({"type": "object", "properties": {"answer": field}, "required": ["answer"]})
        };
        let none = || json!({"type": "object", "properties": {}});
        assert_eq!(
            forms,
            json!([
                form("Sure?\n\nIt is final.", none()),
                form("Which?", field(json!({"type": "string", "title": "Which?", "enum": ["a", "b"]}))),
                form("Name?", field(json!({"type": "string", "title": "Name?", "description": "yours"}))),
                form("Text?", field(json!({"type": "string", "title": "Text?", "default": "draft"}))),
                form("Really?", none()),
            ])
        );
    })
    .await;
}

#[tokio::test]
async fn without_forms_nobody_is_asked_and_extensions_know() {
    let place = Place::new();
    place.write("agent/extensions/ask.ts", COMMAND);
    with(&place, "replies: []", &[] as &[&str], async |editor| {
        let id = editor.begin(&place).await;
        assert_eq!(editor.prompt(&id, "/ask").await, Ok(StopReason::EndTurn));
        assert_eq!(editor.said(&id), ["says: [false,false,null,null,null,false]\n"]);
    })
    .await;
}

#[tokio::test]
async fn whether_a_project_is_trusted_is_asked_before_its_session_is_there() {
    let place = Place::new();
    place.write(
        "work/.pi/extensions/own.ts",
        "export default (pi) => { pi.registerCommand('own', { handler() {} }); };",
    );
    let commands = |client: ClientCapabilities, trust: &'static str| {
        let place = &place;
        async move {
            let mut found = false;
            with_able(place, "replies: []", &[] as &[&str], client, async |editor| {
                let content = BTreeMap::from([("answer".to_owned(), ElicitationContentValue::from(trust))]);
                editor.will_answer([ElicitationAction::Accept(ElicitationAcceptAction::new().content(content))]);
                let id = editor.begin(place).await;
                editor.prompt(&id, "/session").await.expect("an answer");
                found = super::commands::names(&editor.updates(&id)).contains(&"own".to_owned());
                let scope = editor.log(|log| log.forms.first().map(|form| serde_json::to_value(form).expect("JSON")));
                assert_eq!(
                    scope.as_ref().map(|form| form["requestId"].is_null()),
                    (!trust.is_empty()).then_some(false)
                );
            })
            .await;
            found
        }
    };
    assert!(!commands(ClientCapabilities::new(), "").await);
    assert!(!commands(able(), "Do not trust (this session only)").await);
    assert!(commands(able(), "Trust (this session only)").await);
}
