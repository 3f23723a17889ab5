//! Shell commands of the user.

use tau_agent::UserCommand;
use tau_rpc::{Bash, BashDone, Failure};

use crate::rpc::server::Server;

pub(in crate::rpc) async fn bash(server: &Server, bash: Bash) -> Result<BashDone, Failure> {
    let Bash { command, exclude_from_context } = bash;
    let command = UserCommand { command, exclude_from_context: exclude_from_context == Some(true) };
    let done = server.session().run_bash(command, server.id().cloned()).await?;
    Ok(BashDone {
        output: done.output,
        exit_code: done.exit_code,
        cancelled: done.cancelled,
        truncated: done.truncated,
        full_output_path: done.full_output_path,
    })
}
