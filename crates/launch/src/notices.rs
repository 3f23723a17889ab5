//! What tau knows of and does not do yet: said, so that nobody waits for it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tau_agent::settings::Environment;
use tau_agent::state::{StateDir, StateFile};

use crate::args::Args;
use crate::voice::Voice;

/// What was said already, in `<agentDir>/tau/notices.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Said {
    /// That these files are not used.
    mcp_files: Vec<PathBuf>,
}

/// Says what of the command line and of the user's files has no effect. What concerns a file is said once and remembered.
pub(crate) fn tell(args: &Args, env: &Environment, trusted: bool, voice: &Voice) {
    if !args.no_mcp {
        mcp(env, trusted, voice);
    }
}

fn mcp(env: &Environment, trusted: bool, voice: &Voice) {
    let of_project = trusted.then(|| env.project_dir().join("mcp.json"));
    let files = std::iter::once(env.agent_dir().join("mcp.json")).chain(of_project).filter(|file| file.is_file());
    for file in files {
        let said: StateFile<Said> = StateDir::of_user(&env.agent_dir()).file("notices");
        // What cannot be remembered is said again.
        if said.read().is_ok_and(|said| said.mcp_files.contains(&file)) {
            continue;
        }
        let text = "tau does not use MCP servers yet; this file is left as it is";
        voice.warning(format!("{}: {text}. This warning appears once.", file.display()));
        if let Err(error) = said.update(|said| said.mcp_files.push(file)) {
            voice.warning(error.to_string());
        }
    }
}
