//! Settings, commands and MCP servers, as extensions ask for and register them, and errors that name what is missing.

use serde_json::json;
use tau_script::LoadOutcome;

use crate::bus::{hear, heard};
use crate::common::World;
use crate::support::Scripts;
use crate::tour;

/// Why a file did not load.
fn error_of(outcomes: &[LoadOutcome], file: &str) -> String {
    let outcome = outcomes.iter().find(|outcome| outcome.path.ends_with(file)).expect("an outcome");
    match &outcome.result {
        Ok(_) => "it loaded".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_a_copy_and_not_there_while_an_extension_loads() {
    let world = tour::world().settings(json!({"theme": "light", "own": {"deep": [1]}}));
    let source = "export default (pi) => {
  let early;
  try { pi.getSettings(); } catch (error) { early = error.message; }
  pi.registerCommand('tell', { handler: async () => {
    pi.getSettings().own.deep.push(2);
    const { theme, own } = pi.getSettings();
    pi.events.emit('told', { early: typeof early, theme, own });
  } });
};";
    world.home.write_agent("extensions/mine.ts", source);
    let scripts = Scripts::new(&world);
    scripts.load_found_in(&world).await;
    let log = hear(&world, "told");
    let running = world.start().await;
    running.say("/tell").await;
    assert_eq!(heard(&log, 1).await, [json!({"early": "string", "theme": "light", "own": {"deep": [1]}})]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_without_a_name_or_a_handler_does_not_load() {
    let world = tour::world();
    let scripts = Scripts::new(&world);
    let sources = [
        ("object.ts", "export default (pi) => pi.registerCommand({ name: 'x', handler() {} });"),
        ("empty.ts", "export default (pi) => pi.registerCommand('', { handler() {} });"),
        ("idle.ts", "export default (pi) => pi.registerCommand('idle', { description: 'x' });"),
        ("none.ts", "export default (pi) => pi.registerCommand('none');"),
    ];
    let outcomes = scripts.load(&world, &sources).await;
    let error = |file: &str| error_of(&outcomes, file);
    for file in ["object.ts", "empty.ts"] {
        assert!(error(file).contains("must have a non-empty string name"), "{}", error(file));
    }
    for (file, name) in [("idle.ts", "/idle"), ("none.ts", "/none")] {
        let path = world.home.cwd().join("scripts").join(file);
        let expected =
            format!("Command \"{name}\" registered by extension \"{}\" must define handler().", path.display());
        assert_eq!(error(file), expected);
    }
    assert!(world.hooks.commands().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_something_that_is_missing_names_it() {
    let world = tour::world();
    let scripts = Scripts::new(&world);
    let sources = [
        ("load.ts", "export default (pi: any): void => {\n  const x: number = 1;\n  pi.registerTeapot('x', x);\n};"),
        (
            "deep.ts",
            "export default async (pi: any) => {\n  await null;\n  pi.events.listen?.(1);\n  pi.events.hark('a');\n};",
        ),
    ];
    let outcomes = scripts.load(&world, &sources).await;
    let error = |file: &str| error_of(&outcomes, file);
    assert_eq!(error("load.ts"), "pi.registerTeapot is not a function");
    assert_eq!(error("deep.ts"), "pi.events.hark is not a function");
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_read_the_usual_words_too() {
    let source = "export default (pi: any) => {
  const told: string[] = [];
  const says = (run: () => unknown) => { try { run(); } catch (error: any) { told.push(error.message, error.stack.split('\\n')[0]); } };
  const none: any = undefined;
  says(() => pi.registerTeapot(1));
  for (let i = 0; i < 2; i++) says(() => none.deep.value);
  says(() => { none.x = 1; });
  says(() => { const [a] = none; });
  says(() => [1].map(none));
  says(() => { throw new TypeError('not a function'); });
  pi.registerCommand('tell', { handler: async () => pi.events.emit('told', told) });
};";
    let world = tour::world();
    world.home.write_agent("extensions/mine.ts", source);
    let scripts = Scripts::new(&world);
    scripts.load_found_in(&world).await;
    let log = hear(&world, "told");
    let running = world.start().await;
    running.say("/tell").await;
    let messages = [
        "pi.registerTeapot is not a function",
        "Cannot read properties of undefined (reading 'deep')",
        "Cannot read properties of undefined (reading 'deep')",
        "Cannot set properties of undefined (setting 'x')",
        "undefined is not iterable",
        "not a function",
        "not a function",
    ];
    let expected: Vec<_> =
        messages.iter().flat_map(|message| [(*message).to_owned(), format!("TypeError: {message}")]).collect();
    assert_eq!(heard(&log, 1).await, [json!(expected)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistake_in_a_tool_is_reported_with_its_place() {
    let source = "export default (pi: any) => {
  const tool = (name: string, execute: any) =>
    pi.registerTool({ name, label: name, description: 'x', parameters: { type: 'object', properties: {} }, execute });
  tool('broken', async (_id: string, args: any) => {
    await null;
    return args.nothing();
  });
  tool('failing', async () => { throw new Error('no such note'); });
};";
    let call = |name: &str| json!([{"tool_call": {"name": name, "arguments": {}}}]);
    let world = World::new(json!([call("broken"), call("failing"), "Done."]));
    let path = world.home.write_agent("extensions/mine.ts", source).display().to_string();
    let scripts = Scripts::new(&world);
    scripts.load_found_in(&world).await;
    let running = world.start().await;
    running.say("Go").await;
    let lines = running.file();
    let results = lines.iter().filter(|line| line["message"]["role"] == "toolResult");
    let texts: Vec<_> = results.map(|line| line["message"]["content"][0]["text"].clone()).collect();
    assert_eq!(texts, ["args.nothing is not a function", "no such note"]);
    let [report] = &world.reports.all()[..] else { panic!("one report: {:?}", world.reports.all()) };
    let told = format!("the tool broken failed: args.nothing is not a function ({path}:6:");
    assert!(report.0 == path && report.2.starts_with(&told), "{report:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_servers_are_checked_owned_and_listed() {
    let world = tour::world();
    let first = "export default (pi) => {
  pi.registerMcpServer('files', { command: 'serve', exposure: 'codemode-deferred' });
  pi.registerMcpServer('gone', { url: 'http://localhost/' });
  pi.unregisterMcpServer('gone');
  pi.registerCommand('tell', { handler: async () => {
    const said = [];
    const refused = (...args) => { try { pi.registerMcpServer(...args); } catch (error) { said.push(error.message); } };
    refused('bad name', { command: 'x' });
    refused('empty', {});
    refused('other', { command: 'mine' });
    refused('oth-er_2', { command: 'mine' });
    pi.registerMcpServer('files', { command: 'again' });
    pi.unregisterMcpServer('other');
    pi.events.emit('told', { said, servers: pi.getMcpServers() });
    pi.getMcpServers()[0].config.command = 'changed';
    pi.unregisterMcpServer('files');
    pi.events.emit('told', pi.getMcpServers().map((server) => [server.name, server.config.command]));
  } });
};";
    let second = "export default (pi) => {
  pi.registerMcpServer('other', { command: 'theirs' });
  pi.registerMcpServer('oth_er-2', { command: 'theirs' });
};";
    let failing = "export default (pi) => { pi.registerMcpServer('lost', { command: 'x' }); throw new Error('no'); };";
    let mine = world.home.write_agent("extensions/a.ts", first);
    let theirs = world.home.write_agent("extensions/b.ts", second);
    world.home.write_agent("extensions/c.ts", failing);
    let scripts = Scripts::new(&world);
    scripts.load_found_in(&world).await;
    let log = hear(&world, "told");
    let running = world.start().await;
    running.say("/tell").await;
    let (mine, theirs) = (mine.display(), theirs.display());
    let told = heard(&log, 2).await;
    let said = [
        format!(
            "Invalid MCP server registered by extension \"{mine}\": the name \"bad name\" may only have letters, digits, \
             \"_\" and \"-\""
        ),
        format!("Invalid MCP server registered by extension \"{mine}\": server \"empty\": command or url is required"),
        format!("MCP server \"other\" is already registered by extension \"{theirs}\""),
        "MCP server \"oth-er_2\" conflicts with registered server \"oth_er-2\"".to_owned(),
    ];
    let server = |name: &str, config: serde_json::Value, path: String| json!({"name": name, "config": config, "extensionPath": path});
    let servers = [
        server("files", json!({"command": "again"}), mine.to_string()),
        server("other", json!({"command": "theirs"}), theirs.to_string()),
        server("oth_er-2", json!({"command": "theirs"}), theirs.to_string()),
    ];
    assert_eq!(told[0], json!({"said": said, "servers": servers}));
    assert_eq!(told[1], json!([["other", "theirs"], ["oth_er-2", "theirs"]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_connects_servers_hears_of_those_registered_later() {
    let world = tour::world();
    let registers = "export default (pi) => {
  pi.registerMcpServer('first', { command: 'serve' });
  const change = (n) => {
    if (n) pi.registerMcpServer('second', { url: 'http://localhost/' });
    else pi.unregisterMcpServer('second');
    pi.unregisterMcpServer('none');
  };
  pi.registerCommand('change', { handler: async (args) => change(args === 'in') });
};";
    let connects = "export default (pi) => pi.on('mcp_servers_change', ({ type, servers }) =>
  pi.events.emit('told', [type, servers.map((server) => [server.name, server.config, server.extensionPath])]));";
    let owner = world.home.write_agent("extensions/a.ts", registers).display().to_string();
    world.home.write_agent("extensions/b.ts", connects);
    let scripts = Scripts::new(&world);
    scripts.load_found_in(&world).await;
    let log = hear(&world, "told");
    let running = world.start().await;
    running.say("/change in").await;
    running.say("/change out").await;
    let first = json!(["first", {"command": "serve"}, owner]);
    let second = json!(["second", {"url": "http://localhost/"}, owner]);
    let told = [json!(["mcp_servers_change", [first, second]]), json!(["mcp_servers_change", [first]])];
    assert_eq!(heard(&log, 2).await, told);
    assert_eq!(world.reports.all(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_nobody_connects_are_reported_once() {
    let world = tour::world();
    let source = "export default (pi) => {
  pi.registerMcpServer('first', { command: 'serve' });
  pi.on('session_start', () => pi.registerMcpServer('late', { command: 'serve' }));
  pi.registerCommand('more', { handler: async () => {
    pi.registerMcpServer('first', { command: 'other' });
    pi.registerMcpServer('second', { command: 'serve' });
  } });
};";
    let owner = world.home.write_agent("extensions/a.ts", source).display().to_string();
    let scripts = Scripts::new(&world);
    scripts.load_found_in(&world).await;
    let running = world.start().await;
    let report = |name: &str| {
        let text = format!("nothing connects the MCP server \"{name}\": no extension handles mcp_servers_change");
        (owner.clone(), "register_mcp_server".to_owned(), text)
    };
    assert_eq!(world.reports.all(), [report("first"), report("late")]);
    running.say("/more").await;
    assert_eq!(world.reports.all(), [report("first"), report("late"), report("second")]);
}
