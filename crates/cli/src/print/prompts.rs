//! The prompts of the command line.

use std::io::{IsTerminal, Read};

use tau_agent::Prompt;
use tau_agent::settings::Environment;
use tau_launch::Voice;
use tau_launch::args::{Cli, MAX_ATTACHED, is_binary};

use crate::exit::Reported;

/// The prompts of the command line, with piped input and attached files in front of the first one.
pub(super) fn prompts(cli: &Cli, env: &Environment, voice: &Voice) -> Result<Vec<Prompt>, Reported> {
    let mut piped = String::new();
    if !std::io::stdin().is_terminal() {
        let mut bytes = Vec::new();
        // A byte more than is allowed shows that there are too many.
        std::io::stdin()
            .take(MAX_ATTACHED + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| Reported::fail(&format!("standard input cannot be read: {error}")))?;
        if bytes.len() as u64 > MAX_ATTACHED {
            let most = MAX_ATTACHED >> 20;
            let message = format!("standard input has more than {most} MB, the most that can be part of a prompt");
            return Err(Reported::fail(&message));
        }
        if is_binary(&bytes) {
            let message =
                "standard input is binary, so it cannot be part of a prompt; name the file in the prompt instead";
            return Err(Reported::fail(message));
        }
        piped = String::from_utf8_lossy(&bytes).into_owned();
    }
    if let Some(why) = cli.args.unless_piped.as_ref().filter(|_| piped.trim().is_empty()) {
        return Err(Reported::fail(why));
    }
    let prompts =
        tau_launch::prompts(cli, env, Some(&piped), voice).map_err(|error| Reported::fail(&error.to_string()))?;
    if prompts.is_empty() && !(cli.messages.is_empty() && cli.files.is_empty()) {
        // A script whose variable is empty must not go on as if it had an answer.
        return Err(Reported::fail("the prompt is empty"));
    }
    let asked = cli.args.print || cli.args.mode.is_some();
    if prompts.is_empty() && !asked {
        return Err(Reported::fail(
            "nothing to do: give a prompt, for example `tau -p \"What is in this directory?\"`, or start `tau` in a \
             terminal",
        ));
    }
    Ok(prompts)
}
