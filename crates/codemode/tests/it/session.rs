//! What scripts keep in a session, and what the model reads of them.

use serde_json::{Value, json};
use tau_agent_testkit::Log;
use tau_agent_testkit::tools::{recording, spec};
use tau_codemode::extension::STORE_ENTRY;
use tau_hooks::TreeMove;
use tau_tools::{Invocation, ToolOutput, ToolSpec};

use crate::world::{load, output, result, say, scripted};

fn stored(lines: &[Value]) -> Vec<Value> {
    let entries = lines.iter().filter(|line| line["customType"] == STORE_ENTRY);
    entries.map(|line| line["data"].clone()).collect()
}

#[tokio::test]
async fn values_are_kept_for_later_scripts_of_the_branch() {
    let world = scripted(&[
        "store('a', {n: 1}); store('b', 2)",
        "store('a', undefined); store('c', 3); return [load('a'), load('b')]",
        "store('b', 9); throw new Error('x')",
        "return [load('a') === undefined, load('b'), load('c')]",
    ]);
    load(&world);
    let running = world.start().await;
    for n in 0..4 {
        running.say(&format!("Go {n}")).await;
    }
    assert_eq!(output(&running), "[true,2,3]");
    let expected = [json!({"set": {"a": {"n": 1}, "b": 2}, "delete": []}), json!({"set": {"c": 3}, "delete": ["a"]})];
    assert_eq!(stored(&running.file()), expected);
}

#[tokio::test]
async fn another_branch_has_other_values() {
    let world = scripted(&["store('a', 1)", "store('a', 2)", "return load('a')"]);
    load(&world);
    let running = world.start().await;
    running.say("One").await;
    let leaf = running.session.session().leaf().expect("an entry").to_string();
    running.say("Two").await;
    running.session.navigate_tree(&leaf, TreeMove::default()).await.expect("a move");
    running.say("Three").await;
    assert_eq!(output(&running), "1");
}

#[tokio::test]
async fn the_result_has_a_heading_the_output_and_what_was_called() {
    let world = scripted(&["text('a'); console.log('b'); await tools.work({text: 'x'}); return await tools.data({})"]);
    let ran = Log::default();
    world.extend("work", |registrar| {
        recording(registrar, "work", &ran);
        let data = ToolSpec { output_schema: Some(json!({"type": "object"})), ..spec("data") };
        registrar.tool(data, |_: Invocation, _| async {
            let output = ToolOutput::text("it went wrong").with_structured_content(json!({"exit_code": 4}));
            Ok(ToolOutput { is_error: true, ..output })
        });
    });
    load(&world);
    let running = say(&world).await;
    let result = result(&running);
    let heading = result["content"][0]["text"].as_str().expect("a text");
    assert!(
        heading.starts_with("Script completed\nWall time ") && heading.ends_with(" seconds\nOutput:\n"),
        "{heading}"
    );
    let expected = "==> text 1/2 <==\na\n==> text 2/2 <==\n{\"exit_code\":4}\n<console_output>\nb\n</console_output>";
    assert_eq!(output(&running), expected);
    let calls = result["details"]["calls"].as_array().expect("calls");
    let told: Vec<Value> =
        calls.iter().map(|call| json!([call["id"], call["name"], call["args"], call["status"]])).collect();
    assert_eq!(
        told,
        [json!(["call_1/1", "work", "{\"text\":\"x\"}", "ok"]), json!(["call_1/2", "data", "{}", "error"])]
    );
    assert_eq!(result["isError"], false);
}

#[tokio::test]
async fn what_is_wrong_with_the_source_is_said_before_it_runs() {
    let world = scripted(&["tools.work({})\n// @options: {}"]);
    let ran = Log::default();
    world.extend("work", |registrar| recording(registrar, "work", &ran));
    load(&world);
    let running = say(&world).await;
    let text = result(&running)["content"][0]["text"].clone();
    assert_eq!(text, "`// @options:` stands in line 2: it has to be the first line of the script");
    assert_eq!(ran.all(), [] as [Value; 0]);
}

#[tokio::test]
async fn long_output_and_pictures_are_in_files() {
    let pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let code = format!(
        "// @options: {{\"max_output_tokens\": 10}}\ntext('x'.repeat(1000)); image('data:;base64,{pixel}'); image('data:;base64,{pixel}')"
    );
    let world = scripted(&[&code]);
    load(&world);
    let running = say(&world).await;
    let result = result(&running);
    let path = result["details"]["fullOutputPath"].as_str().expect("a file");
    assert_eq!(std::fs::read_to_string(path).expect("the file"), "x".repeat(1000));
    let blocks = result["content"].as_array().expect("blocks");
    let kinds: Vec<&str> = blocks.iter().filter_map(|block| block["type"].as_str()).collect();
    assert_eq!(kinds, ["text", "text", "image", "text", "image"]);
    let text = blocks[1]["text"].as_str().expect("a text");
    assert!(
        text.starts_with("Warning: truncated output (original token count: 250)\nTotal output lines: 1\n\n"),
        "{text}"
    );
    let line = text.lines().last().expect("a line");
    assert!(line.starts_with("[Image saved to ") && line.ends_with(".png (image/png, 70B)]"), "{line}");
    // A picture that is shown twice is in one file.
    assert_eq!(blocks[3]["text"].as_str(), Some(line));
}

#[tokio::test]
async fn much_output_cuts_nothing_of_an_error() {
    let world = scripted(&[
        "// @options: {\"max_output_tokens\": 10}\ntext('x'.repeat(1000)); throw new Error('what is wrong is said in this line')",
    ]);
    load(&world);
    let running = say(&world).await;
    let text = output(&running);
    assert!(text.starts_with("Warning: truncated output"), "{text}");
    assert!(text.contains("\nScript error:\nError: what is wrong is said in this line\n"), "{text}");
    assert!(text.ends_with("\n\nNo tool calls were made."), "{text}");
}

#[tokio::test]
async fn the_model_reads_how_a_tool_is_reached_that_it_cannot_call() {
    let call = |name: &str| json!([{"tool_call": {"name": name, "arguments": {}}}]);
    let mut world =
        crate::world::with_replies(json!([call("mcp__sky-net__stars"), call("hidden"), call("none"), "Done."]));
    world.tools = crate::world::tools(&["+codemode", "+tool_search"]);
    world.extend("tools", |registrar| {
        for (name, exposure) in
            [("mcp__sky-net__stars", tau_tools::Exposure::Deferred), ("hidden", tau_tools::Exposure::Hidden)]
        {
            let spec = ToolSpec { exposure, ..spec(name) };
            registrar.tool(spec, |_: Invocation, _| async { Ok(ToolOutput::text("")) });
        }
        registrar.tool_hint(|name| (name == "none").then(|| "Nobody has it".to_owned()));
    });
    load(&world);
    let running = say(&world).await;
    let lines = running.file().into_iter().map(|line| line["message"].clone());
    let texts: Vec<Value> =
        lines.filter(|line| line["role"] == "toolResult").map(|line| line["content"][0]["text"].clone()).collect();
    let expected = [
        "Tool mcp__sky-net__stars not found. Scripts of codemode call it as tools.mcp__sky_net__stars(args). tool_search loads it: search for mcp__sky-net__stars",
        "Tool hidden not found",
        "Tool none not found. Nobody has it",
    ];
    assert_eq!(texts, expected);
}

#[tokio::test]
async fn a_script_looks_for_tools_and_groups() {
    let code =
        "text(ALL_TOOLS.map((tool) => tool.name)); text((await searchTools('weather forecast')).map((t) => t.name));
        text(await describeTool('mcp__sky-net__forecast')); text(await describeTool('none') === undefined);
        text(await describeNamespace('sky_net')); text(await describeNamespace('sky') === undefined);
        return (await searchTools('weather', {namespace: 'other', limit: 1})).length";
    let world = scripted(&[code]);
    world.extend("tools", |registrar| {
        let namespace = tau_tools::ToolNamespace {
            name: "mcp__sky-net".to_owned(),
            aliases: vec!["sky-net".to_owned()],
            description: Some("The sky.".to_owned()),
            instructions: Some("Look up.".to_owned()),
        };
        let of = |name: &str, description: &str| ToolSpec {
            exposure: tau_tools::Exposure::Deferred,
            namespace: Some(namespace.clone()),
            description: description.to_owned(),
            ..spec(name)
        };
        for spec in
            [of("mcp__sky-net__forecast", "The weather of tomorrow."), of("mcp__sky-net__stars", "Names stars.")]
        {
            registrar.tool(spec, |_: Invocation, _| async { Ok(ToolOutput::text("")) });
        }
    });
    load(&world);
    let running = say(&world).await;
    let texts = output(&running);
    let texts: Vec<&str> =
        texts.split("==> text ").skip(1).map(|text| text.split_once("<==\n").expect("a text").1.trim()).collect();
    assert_eq!(texts[0], r#"["mcp__sky_net__forecast","mcp__sky_net__stars"]"#);
    assert_eq!(texts[1], r#"["mcp__sky_net__forecast"]"#);
    assert!(
        texts[2].starts_with("The weather of tomorrow.\n\n```ts\ndeclare const tools: { mcp__sky_net__forecast(args: "),
        "{}",
        texts[2]
    );
    assert_eq!(texts[3], "true");
    let expected = r#"{"name":"mcp__sky-net","description":"The sky.","instructions":"Look up.","tools":["mcp__sky_net__forecast","mcp__sky_net__stars"]}"#;
    assert_eq!(texts[4], expected);
    assert_eq!(texts[5..], ["true", "0"]);
}

#[tokio::test]
async fn a_script_waits_for_tools_that_come_late() {
    let world =
        scripted(&["text(await tools.mcp__late__work({text: 'x'})); await tools.mcp__gone__work({})", "return 1"]);
    let asked: Log<tau_hooks::Reach> = Log::default();
    world.extend("late", |registrar| {
        let (api, asked) = (registrar.api(), asked.clone());
        registrar.late_tools(
            || true,
            move |reach, _| {
                let (api, wants) = (api.clone(), reach.wants("mcp__late"));
                asked.push(reach);
                async move {
                    if wants {
                        let spec = ToolSpec { exposure: tau_tools::Exposure::Deferred, ..spec("mcp__late__work") };
                        api.add_tool(std::sync::Arc::new(Late(spec))).expect("a tool");
                    }
                    vec![tau_hooks::MissingTools {
                        prefix: "mcp__gone".to_owned(),
                        problem: "the MCP server \"gone\" cannot be reached: connection refused".to_owned(),
                        is_off: false,
                    }]
                }
            },
        );
    });
    load(&world);
    let running = say(&world).await;
    let text = output(&running);
    assert!(text.starts_with("here\nScript error:\nTypeError: tools.mcp__gone__work is not there: the MCP server \"gone\" cannot be reached: connection refused"), "{text}");
    running.say("Again").await;
    assert!(!asked.all()[1].wants("mcp__late"));
}

struct Late(ToolSpec);

#[async_trait::async_trait]
impl tau_tools::Tool for Late {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, _: Invocation) -> Result<ToolOutput, tau_tools::ToolFailure> {
        Ok(ToolOutput::text("here"))
    }
}
