//! How each kind of example is run.

use std::process::Output;

use serde_json::Value;
use tau_ai::scripted::ScriptedApi;

use super::blocks::{Block, blocks, root};
use super::table::not_run;
use super::world::World;

/// A conversation in which the model lists the folder.
const LISTING: &str = "replies:\n  - - tool_call: {name: bash, arguments: {command: ls}}\n  - A file of notes.\n";

/// Runs the examples of a page in one place: first its files, then its commands. A text behind commands is what they print.
pub fn page(page: &str) {
    let mut world = World::new();
    let all = blocks(page);
    let (commands, files): (Vec<&Block>, Vec<&Block>) = all
        .iter()
        .filter(|block| block.language != "text")
        .filter(|block| block.language == "sh" || !not_run(page, &block.text))
        .partition(|block| block.language == "sh");
    if page == "docs/packages.md" {
        let done = world.shell("tau install npm:loud", "");
        assert!(done.status.success(), "{done:?}");
    }
    for block in &files {
        if let Some(name) = name_of(block) {
            world.place.write(&format!("work/{name}"), &block.text);
        }
        file(&mut world, block);
    }
    for block in &commands {
        let lines = block.text.lines().filter(|line| !not_run(page, line));
        let script: String = lines.map(|line| format!("{line}\n")).collect();
        let done = world.shell(&script, "");
        assert!(
            done.status.success(),
            "{}: {:?}\n{script}{}{}",
            block.place(),
            done.status,
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&done.stderr)
        );
        let next = all.iter().find(|next| next.line > block.line);
        if let Some(text) = next.filter(|next| next.language == "text") {
            prints(text, &done);
        }
    }
    let is_text = |pair: &[Block]| pair[1].language == "text" && pair[0].language != "sh";
    assert!(!all.windows(2).any(is_text), "{page}: a text that is not behind commands");
    if page == "docs/rpc.md" {
        conversation(&world, &commands, &files);
    }
}

/// The name that a file has on the page: a comment in its first line.
fn name_of(block: &Block) -> Option<&str> {
    let first = block.text.lines().next()?;
    let name = first.strip_prefix("// ").or_else(|| first.strip_prefix("# "))?;
    name.ends_with(&format!(".{}", block.language)).then_some(name)
}

/// Every line is among those that were printed; `…` stands for anything.
fn prints(text: &Block, done: &Output) {
    let printed = [&done.stdout, &done.stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat();
    for wanted in text.text.lines() {
        let is_there = printed.lines().any(|line| fits(wanted, line));
        assert!(is_there, "{}: {wanted}\nis not among\n{printed}", text.place());
    }
}

fn fits(wanted: &str, line: &str) -> bool {
    match wanted.split_once('…') {
        None => wanted == line,
        Some((begin, rest)) => line.strip_prefix(begin).is_some_and(|line| {
            let mut ends = line.char_indices().map(|(at, _)| at).chain([line.len()]);
            ends.any(|at| fits(rest, &line[at..]))
        }),
    }
}

fn file(world: &mut World, block: &Block) {
    match block.language.as_str() {
        "json" if block.page == "docs/rpc.md" => {}
        "json" => json(world, block),
        "jsonl" => transcript(block),
        "yaml" => {
            let api = ScriptedApi::from_str("answers.yaml", &block.text);
            assert!(api.is_ok(), "{}: {:?}", block.place(), api.err());
            if !world.place.work().join("answers.yaml").exists() {
                world.place.write("work/answers.yaml", &block.text);
            }
        }
        "ts" => extension(world, block),
        "rust" => {
            // They are compiled as tests of documentation.
            let name = format!("/{}\")]", block.page);
            let held = ["crates/agent/src/prompt/docs.rs", "crates/hooks/src/generated/dialects.rs"];
            let is_held =
                held.iter().any(|file| std::fs::read_to_string(root().join(file)).expect("a file").contains(&name));
            assert!(is_held, "{}: no test compiles it", block.place());
        }
        "markdown" => markdown(world, block),
        other => panic!("{}: nobody runs examples in {other}", block.place()),
    }
}

fn json(world: &mut World, block: &Block) {
    let value: Value = serde_json::from_str(&block.text).unwrap_or_else(|error| panic!("{}: {error}", block.place()));
    if value.get("providers").is_some() {
        world.add_providers(&value);
        let done = clean(&block.place(), &world.shell("tau --list-models", ""));
        for provider in value["providers"].as_object().expect("providers").values() {
            for model in provider["models"].as_array().into_iter().flatten() {
                let id = model["id"].as_str().expect("an id");
                assert!(done.contains(id), "{}: {id} is not listed:\n{done}", block.place());
            }
        }
    } else if value.as_object().is_some_and(|all| all.values().all(|entry| entry["type"] == "api_key")) {
        // Each entry of `auth.json` is one that tau knows.
        let known = "OPENAI_KEY=k tau auth status";
        world.place.write("home/.pi/agent/auth.json", &block.text);
        let done = clean(&block.place(), &world.shell(known, ""));
        for provider in value.as_object().expect("entries").keys() {
            assert!(done.contains(provider.as_str()), "{}: {provider} is not known:\n{done}", block.place());
        }
        std::fs::remove_file(world.place.root().join("home/.pi/agent/auth.json")).expect("removed");
    } else if value.get("colors").is_some() {
        let shipped = std::fs::read_to_string(root().join("docs/themes/ocean.json")).expect("the theme");
        assert_eq!(block.text, shipped, "{} and docs/themes/ocean.json are one theme", block.place());
        clean(&block.place(), &world.shell("tau --no-themes --theme ocean.json --use-theme ocean --demo -p Hi", ""));
    } else if let Some(servers) = value.get("agent_servers").and_then(Value::as_object) {
        for server in servers.values() {
            let command = server["command"].as_str().expect("a command").rsplit('/').next().expect("a name");
            let words = server["args"].as_array().expect("arguments").iter().filter_map(Value::as_str);
            let line = [command].into_iter().chain(words).collect::<Vec<_>>().join(" ");
            clean(&block.place(), &world.shell(&line, ""));
        }
    } else if value.get("pi").is_some() {
        world.place.write("work/pack/package.json", &block.text);
        world.place.write("work/pack/extensions/a.ts", "export default (pi) => { pi.on('tool_call', () => {}); };");
        world.place.write("work/pack/skills/a/SKILL.md", "---\nname: a\ndescription: A.\n---\nA.\n");
        world.place.write("work/pack/prompts/a.md", "A.\n");
        let listed = clean(&block.place(), &world.shell("tau hooks list -e ./pack", ""));
        assert!(listed.contains("a.ts"), "{}: {listed}", block.place());
    } else {
        panic!("{}: nobody runs this", block.place());
    }
}

/// What `tau --mode json` prints, or keeps as a session, when a model lists a folder; `"…"` stands for any value.
fn transcript(block: &Block) {
    let world = World::new();
    std::fs::remove_dir_all(world.place.work()).expect("removed");
    world.place.write("work/notes.txt", "");
    let script = world.place.write("listing.yaml", LISTING).display().to_string();
    let printed = clean(
        &block.place(),
        &world.shell(&format!("tau --script {script} --thinking off --mode json 'What is here?'"), ""),
    );
    let is_kept = block.page == "docs/session-format.md";
    let got = if is_kept {
        let files = crate::support::files_below(&world.place.root().join("home/.pi/agent/sessions"));
        std::fs::read_to_string(&files[0]).expect("a session")
    } else {
        printed
    };
    let lines = |text: &str| -> Vec<Value> {
        let parse =
            |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}: {line}", block.place()));
        let parsed = text.lines().map(parse);
        // How often a command reports its output is a matter of luck.
        parsed.filter(|line: &Value| line["type"] != "tool_execution_update").collect()
    };
    let (wanted, got) = (lines(&block.text), lines(&got));
    for (index, wanted) in wanted.iter().enumerate() {
        let got = got.get(index).unwrap_or(&Value::Null);
        assert!(is_like(wanted, got), "{}, line {}:\n{wanted}\nis not\n{got}", block.place(), index + 1);
    }
    assert_eq!(wanted.len(), got.len(), "{}", block.place());
}

fn is_like(wanted: &Value, got: &Value) -> bool {
    match (wanted, got) {
        (Value::String(any), got) if any == "…" => !got.is_null(),
        (Value::Object(wanted), Value::Object(got)) => {
            wanted.len() == got.len()
                && wanted.iter().all(|(key, wanted)| got.get(key).is_some_and(|got| is_like(wanted, got)))
        }
        (Value::Array(wanted), Value::Array(got)) => {
            wanted.len() == got.len() && wanted.iter().zip(got).all(|(wanted, got)| is_like(wanted, got))
        }
        (wanted, got) => wanted == got,
    }
}

/// Loads an extension and, where it blocks a call, makes that call.
fn extension(world: &World, block: &Block) {
    let text = match block.text.starts_with("async execute(") {
        true => format!(
            "export default (pi) => pi.registerTool({{ name: 'example', label: 'e', description: 'e', \
             parameters: {{ type: 'object', properties: {{}} }},\n{}}});",
            block.text
        ),
        false if block.text.contains("export default") => block.text.clone(),
        false => format!("{}export default (pi) => {{ pi.on('tool_call', () => {{}}); }};\n", block.text),
    };
    world.place.write("work/example.ts", text);
    let calls = "replies:\n  - - tool_call: {name: bash, arguments: {command: git push --force}}\n    \
                 - tool_call: {name: write, arguments: {path: Cargo.lock, content: x}}\n    \
                 - tool_call: {name: example, arguments: {}}\n  - Done.\n";
    let script = world.place.write("calls.yaml", calls).display().to_string();
    let done = world.shell(&format!("tau --script {script} -e example.ts --mode json Go"), "");
    let printed = clean(&block.place(), &done);
    for reason in block.text.split("reason: \"").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(printed.contains(reason), "{}: nothing was blocked with {reason:?}:\n{printed}", block.place());
    }
    let is_tool = block.text.starts_with("async execute(");
    assert!(!is_tool || !printed.contains("Tool example not found"), "{}: {printed}", block.place());
}

fn markdown(world: &World, block: &Block) {
    let (path, prompt) = match block.page.as_str() {
        "docs/prompt-templates.md" => ("prompts/review.md", "/review tests"),
        "docs/rules.md" => ("rules/unwrap.md", "Hi"),
        "docs/orchestrator.md" => ("rules/80-format.md", "Hi"),
        "docs/skills.md" => ("skills/release-notes/SKILL.md", "/skill:release-notes"),
        other => panic!("{other}: nobody knows what this file is"),
    };
    world.place.write(&format!("home/.pi/agent/{path}"), &block.text);
    let module = if block.page == "docs/orchestrator.md" { "-e builtin:rules " } else { "" };
    clean(&block.place(), &world.shell(&format!("tau {module}-p '{prompt}'"), ""));
    let request = world.server.requests().pop().expect("a request").body.to_string();
    let said = if block.page == "docs/rules.md" {
        ""
    } else {
        block.text.lines().last().expect("a line").split('$').next().expect("a text")
    };
    assert!(request.contains(said.trim_end()), "{}: the model does not see {said:?}:\n{request}", block.place());
}

/// A client that says what the page says hears what the page says.
fn conversation(world: &World, commands: &[&Block], files: &[&Block]) {
    let [ask, answers] = files else { panic!("docs/rpc.md: a question and what is answered") };
    let printed = clean("docs/rpc.md", &world.shell(&commands[0].text, &ask.text));
    let mut lines = printed.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    for wanted in answers.text.lines() {
        let wanted: Value = serde_json::from_str(wanted).expect("JSON");
        assert!(lines.any(|line| line == wanted), "docs/rpc.md: {wanted} is not among\n{printed}");
    }
}

/// What a command printed that ended well and complained of nothing.
fn clean(what: &str, done: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&done.stdout), text(&done.stderr));
    assert!(done.status.success() && stderr.is_empty(), "{what}: {:?}\n{stdout}\n{stderr}", done.status);
    stdout
}
