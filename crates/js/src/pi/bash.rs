//! Commands and programs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rquickjs::Ctx;
use serde::Deserialize;
use tau_tools::bash::{BashExec, BashOperations, LocalBash, find_shell};
use tau_tools::{ExecCommand, exec_process};

use super::port::{self, Arg, Flow};
use crate::ops::table::{Host, Promised, ops};
use crate::ops::{Json, OpError};

ops! {
    /// Commands and programs.
    pub(crate) static OPS: watched;

    /// Runs a shell command; output comes as `data`. Gives the exit code, or null when there is none.
    fn piBash(rid, options: "ShellCommand") = pi_bash, Refused;
    /// Runs a program without a shell. Never fails.
    fn piExec(rid, options: "Omit<ExecOptions, \"token\"> & { program: string; args: string[] }") -> "ExecOutput" = pi_exec, Refused;
    /// The shell that commands run in.
    fn piFindShell(custom) = pi_find_shell, Recorded;
}

#[derive(Deserialize)]
struct Command {
    command: String,
    cwd: String,
    timeout: Option<f64>,
    env: Option<BTreeMap<String, Option<String>>>,
    shell: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Program {
    program: String,
    args: Vec<String>,
    cwd: Option<String>,
    /// Milliseconds.
    timeout: Option<f64>,
    /// The most output that is kept, in bytes.
    max_buffer: Option<usize>,
}

fn parse<T: for<'a> Deserialize<'a>>(ctx: &Ctx<'_>, options: Json) -> rquickjs::Result<T> {
    serde_json::from_value(options.0)
        .map_err(|error| OpError::type_error("ERR_INVALID_ARG_VALUE", error.to_string()).throw(ctx))
}

fn pi_bash<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    rid: u32,
    options: Json,
) -> rquickjs::Result<Promised<'js, Option<i32>>> {
    let Command { command, cwd, timeout, env, shell } = parse(&ctx, options)?;
    let cwd = host.resolve(&cwd);
    let env = match env {
        Some(env) => {
            let given = env.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
            host.child_env(Some(&given))
        }
        None => host.child_env(None),
    };
    port::serve(&ctx, &host, rid, async move |caller, cancel| {
        let flow = Arc::<Flow>::default();
        let pace = Some(flow.pace());
        let on_data = Arc::new(move |bytes: &[u8]| {
            caller.tell("data", vec![Arg::Piece(bytes.to_owned(), flow.send(bytes.len()))]);
        });
        let exec = BashExec { on_data, cancel, timeout, env: Some(env), pace };
        let done = LocalBash::new(shell).exec(&command, &cwd, exec).await;
        done.map_err(|error| OpError::message(error.to_string()))
    })
}

fn pi_exec<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32, options: Json) -> rquickjs::Result<Promised<'js, Json>> {
    let Program { program, args, cwd, timeout, max_buffer } = parse(&ctx, options)?;
    let cwd = cwd.map_or_else(|| host.cwd(), |cwd| host.resolve(&cwd));
    let timeout = timeout.filter(|ms| *ms > 0.0).and_then(|ms| Duration::try_from_secs_f64(ms / 1_000.0).ok());
    let command = ExecCommand { timeout, max_buffer, ..host.program_in(cwd, program, args) };
    port::serve(&ctx, &host, rid, async move |_, cancel| {
        let output = exec_process(command, cancel).await;
        Ok(Json(tau_ai::to_json(output)))
    })
}

fn pi_find_shell<'js>(ctx: Ctx<'js>, custom: Option<String>) -> rquickjs::Result<String> {
    let found = find_shell(custom.map(PathBuf::from).as_deref());
    let found = found.map_err(|error| OpError::message(error.message).throw(&ctx))?;
    Ok(found.to_string_lossy().into_owned())
}
