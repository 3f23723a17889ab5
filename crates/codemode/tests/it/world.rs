//! A session with codemode and tool search, as the program loads them.

use serde_json::{Value, json};
use tau_agent::ToolChoice;
use tau_agent_testkit::{Running, World};
use tau_codemode::{Codemode, ToolSearch};
use tau_hooks::dialect::PI;
use tau_hooks::{Extension, Owner};

/// Loads the extensions of the program.
pub fn load(world: &World) {
    let codemode = Codemode::new().saving_in(world.home.temp_dir());
    for extension in [&codemode as &dyn Extension, &ToolSearch] {
        let owner = Owner::new(format!("builtin:{}", extension.name()), extension.name(), &PI);
        world.hooks.load_with(owner, |registrar| extension.register(registrar)).expect("an extension that loads");
    }
}

/// A session in which the model runs these scripts, one for each prompt, and says `Done.` after each. Load what is tested
/// and then the extensions of the program, as the program does.
pub fn scripted(scripts: &[&str]) -> World {
    let run = |code: &&str| json!([{"tool_call": {"name": "codemode", "arguments": {"code": code}}}]);
    let replies: Vec<Value> = scripts.iter().flat_map(|code| [run(code), json!("Done.")]).collect();
    with_replies(replies.into())
}

/// The same with any replies.
pub fn with_replies(replies: Value) -> World {
    let mut world = World::new(replies);
    world.tools = tools(&["+codemode"]);
    world
}

pub fn tools(edits: &[&str]) -> ToolChoice {
    let edits = edits.iter().map(|&edit| edit.to_owned()).collect();
    ToolChoice { no_builtin: true, edits, ..ToolChoice::default() }
}

/// The last result of codemode.
pub fn result(running: &Running) -> Value {
    let lines = running.file().into_iter().map(|line| line["message"].clone());
    let results = lines.filter(|message| message["role"] == "toolResult" && message["toolName"] == "codemode");
    results.collect::<Vec<_>>().pop().expect("a result")
}

/// The texts of the last result of codemode behind its heading.
pub fn output(running: &Running) -> String {
    let result = result(running);
    let blocks = result["content"].as_array().expect("blocks");
    let texts = blocks.iter().skip(1).map(|block| block["text"].as_str().unwrap_or("IMAGE"));
    texts.collect::<Vec<_>>().join("|")
}

/// Runs a script in a session and gives what the model reads of it.
pub async fn say(world: &World) -> Running {
    let running = world.start().await;
    running.say("Go").await;
    running
}
