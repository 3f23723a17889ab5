//! What requests have of the tools.

use serde_json::{Value, json};
use tau_agent_testkit::tools::spec;
use tau_agent_testkit::{Running, World};
use tau_tools::{Exposure, Invocation, ToolOutput, ToolSpec};

use crate::world::{load, say, tools, with_replies};

fn with_tools(edits: &[&str], settings: Value) -> World {
    let mut world = with_replies(json!(["Hi.", "Hi.", "Hi."])).settings(settings);
    world.tools = tools(edits);
    // The standard prompt, which lists the tools.
    world.resources.system_prompt = None;
    world.extend("tools", |registrar| {
        for (name, exposure) in [
            ("work", Exposure::Direct),
            ("ask", Exposure::ModelOnly),
            ("helper", Exposure::Codemode),
            ("rare", Exposure::Deferred),
        ] {
            let spec = ToolSpec {
                exposure,
                prompt_snippet: Some(format!("{name} snippet")),
                prompt_guidelines: vec![format!("{name} rule")],
                ..spec(name)
            };
            registrar.tool(spec, |_: Invocation, _| async { Ok(ToolOutput::text("")) });
        }
    });
    world
}

fn declared(running: &Running) -> Vec<(String, String)> {
    let requests = running.script.requests();
    let tools = requests.last().expect("a request")["tools"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    tools.iter().map(|tool| (text(&tool["name"]), text(&tool["description"]))).collect()
}

#[tokio::test]
async fn a_session_that_uses_neither_sends_what_it_sends_without_them() {
    let plain = with_tools(&[], json!({}));
    let before = say(&plain).await;
    let with = with_tools(&[], json!({"codemode": {"mode": "only"}}));
    load(&with);
    let after = say(&with).await;
    let hidden = |running: &Running, world: &World| {
        let mut requests = running.script.requests();
        // The time is another one, which no provider sees.
        for message in requests.iter_mut().flat_map(|request| request["messages"].as_array_mut().into_iter().flatten())
        {
            message["timestamp"] = Value::Null;
        }
        let text = serde_json::to_string(&requests).expect("JSON");
        text.replace(&world.home.root().display().to_string(), "<root>")
    };
    assert_eq!(hidden(&before, &plain), hidden(&after, &with));
    assert_eq!(before.tool_records(), after.tool_records());
}

#[tokio::test]
async fn declared_tools_say_how_scripts_call_them() {
    let world = with_tools(&["+codemode"], json!({}));
    load(&world);
    let running = say(&world).await;
    let declared = declared(&running);
    let names: Vec<&str> = declared.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["codemode", "work", "ask"]);
    assert!(
        declared[1].1.ends_with("\n\nIn a codemode script: `tools.work(args)`, which resolves to a string."),
        "{}",
        declared[1].1
    );
    assert_eq!(declared[2].1, "Does ask.");
    assert!(
        declared[0].1.contains("### `helper`")
            && !declared[0].1.contains("rare")
            && !declared[0].1.contains("### `work`")
    );
    let prompt = tau_hooks::HostView::system_prompt(&*running.session);
    assert!(
        prompt.contains("work snippet") && prompt.contains("Run a JavaScript program that calls other tools"),
        "{prompt}"
    );
    // The same bytes with every request.
    running.say("Again").await;
    let requests = running.script.requests();
    assert_eq!(requests[0]["tools"], requests[1]["tools"]);
}

#[tokio::test]
async fn only_codemode_is_declared_where_the_user_wants_it_so() {
    let world = with_tools(&["+codemode"], json!({"codemode": {"mode": "only", "inlineBudget": 100}}));
    load(&world);
    let running = say(&world).await;
    let declared = declared(&running);
    let names: Vec<&str> = declared.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["codemode", "ask"]);
    assert!(declared[0].1.contains("\n- work rule"), "{}", declared[0].1);
    let prompt = tau_hooks::HostView::system_prompt(&*running.session);
    assert!(!prompt.contains("work snippet") && !prompt.contains("work rule"), "{prompt}");
    assert_eq!(running.active(), "codemode,work,ask");
}

/// The mode is no gate.
#[tokio::test]
async fn a_tool_that_is_not_declared_runs_when_the_model_calls_it() {
    let mut world = with_replies(json!([[{"tool_call": {"name": "work", "arguments": {"text": "x"}}}], "Done."]))
        .settings(json!({"codemode": {"mode": "only"}}));
    world.tools = tools(&["+codemode"]);
    let ran = tau_agent_testkit::tools::with_work(&world);
    load(&world);
    let running = say(&world).await;
    assert_eq!(ran.all(), [json!({"text": "x"})]);
    assert_eq!(running.declared()[0], "codemode");
}
