//! Built-in commands that tell about the program and change what is around a session.

mod hotkeys;
mod logins;
mod outcomes;
mod renewal;
mod settings;
mod texts;
mod trust;

use tau_agent::{Prompt, Prompted};

use crate::common::{Running, World};

/// What a command says, with the directories of the test replaced.
pub async fn said(world: &World, running: &Running, text: &str) -> String {
    let done = running.session.prompt(Prompt::new(text)).await;
    let text = match done {
        Ok(Prompted::Builtin(done)) => done.to_string(),
        Ok(other) => panic!("{text} is no built-in command: {other:?}"),
        Err(error) => format!("Error: {error}"),
    };
    let hidden =
        [(world.home.cwd(), "<cwd>"), (world.home.agent_dir(), "<agent>"), (world.home.root().to_owned(), "<root>")];
    let mut text = text;
    for (path, name) in hidden {
        text = text.replace(&path.display().to_string(), name);
    }
    text
}
