//! The built-in tools, for extensions that wrap them.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use rquickjs::Ctx;
use serde::Deserialize;
use serde_json::json;
use tau_tools::bash::{BashSpawn, BashTool};
use tau_tools::edit::EditTool;
use tau_tools::find::FindTool;
use tau_tools::grep::GrepTool;
use tau_tools::image::ResizeLimits;
use tau_tools::ls::LsTool;
use tau_tools::read::ReadTool;
use tau_tools::write::WriteTool;
use tau_tools::{Invocation, NestedCalls, Progress, Tool, ToolOutput};

use super::operations::JsOperations;
use super::port::{self, Arg, Caller};
use crate::ops::table::{Host, Promised, ops};
use crate::ops::{Json, OpError};

ops! {
    /// The built-in tools, for extensions that wrap them.
    pub(crate) static OPS: watched;

    /// How a tool presents itself; nothing when there is none of that name.
    fn piToolSpec(name) -> "ToolSpec | null" = pi_tool_spec, Pure;
    /// Arguments of a tool as the tool takes them.
    fn piToolPrepare(name, raw) = pi_tool_prepare, Pure;
    /// Runs a tool.
    fn piToolRun(rid, name, options: "ToolOptions", id, args) -> "ToolOutput" = pi_tool_run, Refused;
}

/// How a tool is set up for one call.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    cwd: PathBuf,
    /// Operations are those of JavaScript.
    operations: bool,
    /// Those operations tell pictures from text.
    sniffs: bool,
    /// Those operations hand out texts in pieces.
    streams: bool,
    auto_resize_images: bool,
    shell_path: Option<PathBuf>,
    /// What runs in place of the command of the arguments.
    spawn: Option<Spawn>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cwd: PathBuf::new(),
            operations: false,
            sniffs: false,
            streams: false,
            auto_resize_images: true,
            shell_path: None,
            spawn: None,
        }
    }
}

#[derive(Clone, Deserialize)]
struct Spawn {
    command: String,
    cwd: PathBuf,
    env: tau_tools::bash::Environment,
}

/// The tool of this name; without a caller it has its own operations.
fn tool(name: &str, options: Options, caller: Option<&Caller>) -> Option<Arc<dyn Tool>> {
    let Options { cwd, operations, sniffs, streams, auto_resize_images, shell_path, spawn } = options;
    let caller = caller.filter(|_| operations);
    let operations = caller.map(|caller| Arc::new(JsOperations { caller: caller.clone(), sniffs, streams }));
    macro_rules! build {
        ($tool:ident) => {{
            let tool = $tool::new(cwd);
            match operations {
                Some(operations) => Arc::new(tool.with_operations(operations)),
                None => Arc::new(tool),
            }
        }};
    }
    Some(match name {
        "read" => {
            let tool = ReadTool::new(cwd).with_resize(auto_resize_images.then(ResizeLimits::default));
            match operations {
                Some(operations) => Arc::new(tool.with_operations(operations)),
                None => Arc::new(tool),
            }
        }
        "bash" => {
            let mut tool = BashTool::new(cwd);
            if let Some(shell) = shell_path {
                tool = tool.with_shell_path(shell);
            }
            if let Some(operations) = operations {
                tool = tool.with_operations(operations);
            }
            if let Some(spawn) = spawn {
                tool = tool.with_spawn_hook(Arc::new(move |_| {
                    let Spawn { command, cwd, env } = spawn.clone();
                    BashSpawn { command, cwd, env }
                }));
            }
            Arc::new(tool)
        }
        "edit" => build!(EditTool),
        "write" => build!(WriteTool),
        "grep" => build!(GrepTool),
        "find" => build!(FindTool),
        "ls" => build!(LsTool),
        _ => return None,
    })
}

fn output(output: ToolOutput) -> serde_json::Value {
    tau_ai::to_json(output)
}

fn pi_tool_spec(name: String) -> Json {
    let tool = tool(&name, Options::default(), None);
    Json(tool.map(|tool| tau_ai::to_json(tool.spec())).unwrap_or_default())
}

fn pi_tool_prepare(name: String, raw: Json) -> Json {
    match tool(&name, Options::default(), None) {
        // The built-in tools do not wait for anything here.
        Some(tool) => match tool.prepare_arguments(raw.0.clone()).now_or_never() {
            Some(Ok(prepared)) => Json(prepared),
            _ => raw,
        },
        None => raw,
    }
}

fn pi_tool_run<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    rid: u32,
    name: String,
    options: Json,
    id: String,
    args: Json,
) -> rquickjs::Result<Promised<'js, Json>> {
    let mut options: Options = serde_json::from_value(options.0)
        .map_err(|error| OpError::type_error("ERR_INVALID_ARG_VALUE", error.to_string()).throw(&ctx))?;
    if let Some(spawn) = &mut options.spawn {
        spawn.env = host.child_env(Some(&spawn.env));
    }
    port::serve(&ctx, &host, rid, async move |caller, cancel| {
        let tool =
            tool(&name, options, Some(&caller)).ok_or_else(|| OpError::message(format!("Tool {name} not found")))?;
        let progress = Progress::new(move |partial| caller.tell("update", vec![Arg::Json(output(partial))]));
        let args = if args.0.is_null() { json!({}) } else { args.0 };
        let done = tool.execute(Invocation { id, args, cancel, progress, nested: NestedCalls::default() }).await;
        done.map(|done| Json(output(done))).map_err(|failure| OpError::message(failure.message))
    })
}

#[cfg(test)]
mod tests {
    use tau_tools::{BuiltinOptions, builtin_tools};

    use super::*;

    #[test]
    fn every_built_in_tool_presents_itself_as_to_the_model() {
        for built_in in builtin_tools(&BuiltinOptions::new("/")) {
            let spec = built_in.spec();
            let own = tool(&spec.name, Options::default(), None).unwrap_or_else(|| panic!("{} is there", spec.name));
            assert_eq!(serde_json::to_value(own.spec()).unwrap(), serde_json::to_value(spec).unwrap());
        }
        assert!(tool("none", Options::default(), None).is_none());
    }
}
