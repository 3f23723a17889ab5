//! `throw null` and its kin, wherever an extension is called: the user reads what was thrown.

use serde_json::json;

use crate::common::{World, calls};
use crate::support::{Scripts, Told};

/// What is thrown or rejected, and how it is told.
const NOTHINGS: &[(&str, &str)] = &[
    ("throw null", "null"),
    ("throw undefined", "undefined"),
    ("return Promise.reject(null)", "null"),
    ("return Promise.reject()", "undefined"),
    ("return (async () => { await null; throw null; })()", "null"),
    ("throw 'out of memory'", "out of memory"),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_factory_that_throws_nothing_is_told_with_what_it_threw() {
    for (body, told) in NOTHINGS {
        let world = World::new(json!([]));
        let source = format!("export default () => {{ {body}; }};");
        let outcomes = Scripts::new(&world).load(&world, &[("nothing.ts", &source)]).await;
        let error = outcomes[0].result.as_ref().err().map(ToString::to_string);
        assert_eq!(error.as_deref(), Some(*told), "{body}");
    }
    let world = World::new(json!([]));
    let outcomes = Scripts::new(&world).load(&world, &[("module.ts", "throw null;\nexport default () => {};")]).await;
    assert_eq!(outcomes[0].result.as_ref().err().map(ToString::to_string).as_deref(), Some("null"));
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_commands_and_timers_that_throw_nothing_are_told_with_what_they_threw() {
    for (body, told) in NOTHINGS {
        let world = World::new(json!([calls([("call-a", "work", json!({}))]), "Done."]));
        let source = format!(
            "export default (pi) => {{
  const fail = () => {{ {body}; }};
  pi.registerCommand('fail', {{ handler: fail }});
  pi.registerTool({{ name: 'work', description: 'w', parameters: {{ type: 'object', properties: {{}} }}, execute: fail }});
  pi.on('turn_start', () => new Promise((done) => setTimeout(() => {{ setTimeout(done, 0); return fail(); }}, 0)));
}};"
        );
        let scripts = Scripts::new(&world);
        let outcomes = scripts.load(&world, &[("nothing.ts", &source)]).await;
        assert!(outcomes[0].result.is_ok(), "{body}: {:?}", outcomes[0].result);
        let running = world.start().await;
        running.say("/fail").await;
        running.say("Do the work.").await;
        let result = running.conversation().into_iter().find(|(role, _)| role == "toolResult");
        assert_eq!(result.map(|(_, text)| text).as_deref(), Some(*told), "{body}");
        let reports: Vec<Told> = scripts.told.all();
        let of = |event: &str| reports.iter().any(|(_, of, message, _)| of.contains(event) && message.contains(told));
        assert!(of("command"), "{body}: {reports:?}");
        // Of the timer, outside any call.
        assert!(reports.iter().filter(|(_, _, message, _)| message.contains(told)).count() > 1, "{body}: {reports:?}");
        let memory = reports.iter().any(|(_, _, message, _)| message.contains("out of memory"));
        assert_eq!(memory, *told == "out of memory", "{body}: {reports:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gate_that_throws_nothing_blocks_and_says_what_it_threw() {
    for (body, told) in NOTHINGS {
        let world = World::new(json!([calls([("call-a", "work", json!({}))]), "Done."]));
        let source = format!(
            "export default (pi) => {{
  pi.registerTool({{ name: 'work', description: 'w', parameters: {{ type: 'object', properties: {{}} }}, execute: () => ({{ content: [] }}) }});
  pi.on('tool_call', () => {{ {body}; }});
  pi.on('session_shutdown', () => {{ {body}; }});
}};"
        );
        let scripts = Scripts::new(&world);
        scripts.load(&world, &[("nothing.ts", &source)]).await;
        let running = world.start().await;
        running.say("Do the work.").await;
        let result = running.conversation().into_iter().find(|(role, _)| role == "toolResult").map(|(_, text)| text);
        assert!(result.as_ref().is_some_and(|text| text.contains(told)), "{body}: {result:?}");
        let memory = result.as_ref().is_some_and(|text| text.contains("out of memory"));
        assert_eq!(memory, *told == "out of memory", "{body}: {result:?}");
    }
}
