//! Hooks of one dialect without a session of tau around them.
//!
//! A session needs nothing of this: extensions of all dialects are loaded into its [`Hooks`], and it fires their events.
//! [`HookRunner`] is for programs that have tools and a conversation of their own and want hooks to work there: it
//! loads them, says who listens, fires events one at a time, and wraps tools.
//!
//! ```
//! use std::sync::Arc;
//!
//! use serde_json::json;
//! use tau_hooks::dialect::ORIGINAL;
//! use tau_hooks::events::ToolCall;
//! use tau_hooks::payload::{ToolCallEvent, ToolCallResult};
//! use tau_hooks::{Extension, HandlerError, HookRunner, Registrar};
//!
//! struct Careful;
//!
//! impl Extension for Careful {
//!     fn name(&self) -> &str {
//!         "careful"
//!     }
//!
//!     fn register(&self, hooks: &mut Registrar) -> Result<(), HandlerError> {
//!         hooks.on::<ToolCall>(|call, _| async move {
//!             let command = call.input["command"].as_str().unwrap_or_default();
//!             command.contains("rm -rf").then(|| ToolCallResult::block("not today"))
//!         });
//!         Ok(())
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! // Any host will do; `tau_agent::AgentSession` is one.
//! let host = Arc::new(tau_testkit::StaticHost::new());
//! let runner = HookRunner::new(&ORIGINAL, host);
//! runner.on_error(|error| eprintln!("{} failed at {}: {}", error.hook_path, error.event, error.error));
//! runner.load(&Careful)?;
//!
//! assert!(runner.has_handlers("tool_call"));
//! let input = json!({ "command": "rm -rf /" });
//! let call = ToolCallEvent { tool_name: "bash".into(), tool_call_id: "1".into(), parent_tool_call_id: None, input };
//! let answer = runner.emit_tool_call(call).await.expect("a decision");
//! assert_eq!(answer, Some(ToolCallResult::block("not today")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tau_ai::ContentBlock;
use tau_tools::{Invocation, Tool, ToolFailure, ToolOutput, ToolSpec};

use crate::dialect::Dialect;
use crate::dispatch::Dispatched;
use crate::error::HandlerError;
use crate::events::{ToolCall, ToolResult};
use crate::extension::Extension;
use crate::host::Host;
use crate::limits::Limits;
use crate::owner::Owner;
use crate::payload::{ToolCallEvent, ToolCallResult, ToolResultEvent};
use crate::registry::{Hooks, LoadError};
use crate::report::ReportKind;
use crate::scope::Scope;
use crate::table::Event;

/// Loads hooks of one dialect and fires their events. Clones share them.
#[derive(Clone)]
pub struct HookRunner {
    hooks: Arc<Hooks>,
    host: Arc<dyn Host>,
    dialect: &'static Dialect,
}

/// A hook that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFailure {
    /// Its file, or `<native:name>`.
    pub hook_path: String,
    /// The event, by the name that the dialect has for it.
    pub event: String,
    /// What went wrong.
    pub error: String,
}

impl HookRunner {
    /// A runner without hooks. What hooks ask and do, the host answers.
    pub fn new(dialect: &'static Dialect, host: Arc<dyn Host>) -> Self {
        let hooks = Hooks::new();
        hooks.bind(&host);
        Self { hooks, host, dialect }
    }

    /// What holds the hooks: for dialogs, commands, and everything else that they registered.
    pub fn hooks(&self) -> &Arc<Hooks> {
        &self.hooks
    }

    /// How long a handler may take where the dialect has a limit of its own; 30 s when nothing is said.
    pub fn set_timeout(&self, hook: Duration) {
        self.hooks.dispatcher.set_limits(Limits { hook, ..Limits::default() });
    }

    /// Loads a hook behind those that are there.
    ///
    /// # Errors
    /// When its registration fails or panics; then nothing of it stays.
    pub fn load(&self, hook: &dyn Extension) -> Result<Arc<Owner>, LoadError> {
        self.hooks.load_as(hook, self.dialect)
    }

    /// Calls `listener` with every failure from now on.
    pub fn on_error(&self, listener: impl Fn(&HookFailure) + Send + Sync + 'static) {
        self.hooks.dispatcher.reports.listen(move |report| {
            if let ReportKind::Error { message, .. } = &report.kind {
                listener(&HookFailure {
                    hook_path: report.extension.to_string(),
                    event: report.event.clone(),
                    error: message.clone(),
                });
            }
        });
    }

    /// Whether anybody handles an event, by the name that the dialect has for it.
    pub fn has_handlers(&self, event: &str) -> bool {
        (self.dialect.event)(event).is_some_and(|event| self.hooks.dispatcher.has_handlers(event))
    }

    /// Fires an event and waits for its handlers; a failing one is told to whoever listens, and the others are called all
    /// the same. Gives what the handlers want, if they want anything.
    pub async fn emit<E: Event>(&self, payload: E::Payload) -> Option<E::Output> {
        self.hooks.dispatcher.dispatch::<E>(&self.scope(), || payload).await.into_output()
    }

    /// Asks whether a tool may run.
    ///
    /// # Errors
    /// When a handler failed: then the tool must not run.
    pub async fn emit_tool_call(&self, call: ToolCallEvent) -> Result<Option<ToolCallResult>, HandlerError> {
        let done = self.hooks.dispatcher.dispatch::<ToolCall>(&self.scope(), || call).await;
        match done {
            Dispatched::Shut { shut, .. } => Err(shut.error),
            done => Ok(done.into_output()),
        }
    }

    /// A tool that asks the hooks before it runs and shows them what it returned, by the rules of the dialect.
    pub fn wrap(&self, tool: Arc<dyn Tool>) -> Arc<dyn Tool> {
        Arc::new(Wrapped { runner: self.clone(), tool })
    }

    fn scope(&self) -> Scope {
        Scope::new(Arc::clone(&self.host))
    }
}

struct Wrapped {
    runner: HookRunner,
    tool: Arc<dyn Tool>,
}

#[async_trait]
impl Tool for Wrapped {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    async fn prepare_arguments(&self, raw: Value) -> Result<Value, ToolFailure> {
        self.tool.prepare_arguments(raw).await
    }

    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        let Invocation { id, args, cancel, progress, nested } = invocation;
        let name = self.tool.spec().name.clone();
        let scope = Scope { cancel: cancel.clone(), ..self.runner.scope() }.in_tool_call(&id);
        let dispatcher = &self.runner.hooks.dispatcher;
        let call = || ToolCallEvent {
            tool_name: name.clone(),
            tool_call_id: id.clone(),
            parent_tool_call_id: None,
            input: args.clone(),
        };
        let gate = dispatcher.dispatch::<ToolCall>(&scope, call).await;
        let args = match gate {
            Dispatched::Shut { shut, .. } => return Err(ToolFailure::new(shut.reason())),
            Dispatched::Stopped { by, folded } => {
                return Err(ToolFailure::new(by.blocks_with(folded.output.and_then(|output| output.reason))));
            }
            Dispatched::Unheard => args,
            Dispatched::Done(folded) | Dispatched::Cancelled { folded, .. } | Dispatched::Withheld { folded, .. } => {
                folded.payload.input
            }
        };
        let invocation = Invocation { id: id.clone(), args: args.clone(), cancel, progress, nested };
        let result = self.tool.execute(invocation).await;
        let output = result.clone().unwrap_or_else(ToolOutput::from);
        let further = output.further;
        let (terminate, says_error) = (output.terminate, result.as_ref().is_ok_and(|output| output.is_error));
        let event = || ToolResultEvent {
            tool_name: name,
            tool_call_id: id,
            parent_tool_call_id: None,
            input: args,
            content: output.content,
            details: output.details,
            structured_content: output.structured_content,
            is_error: output.is_error,
            usage: output.usage,
        };
        let filtered = dispatcher.dispatch::<ToolResult>(&scope, event).await;
        let made = match filtered {
            Dispatched::Cancelled { withheld: true, .. } => return Err(ToolFailure::aborted()),
            Dispatched::Withheld { by, .. } => return Err(ToolFailure::new(by.withheld())),
            Dispatched::Unheard | Dispatched::Shut { folded: None, .. } => return result,
            Dispatched::Done(folded)
            | Dispatched::Stopped { folded, .. }
            | Dispatched::Cancelled { folded, .. }
            | Dispatched::Shut { folded: Some(folded), .. } => folded.payload,
        };
        if made.is_error && !says_error {
            let message = made.content.iter().filter_map(ContentBlock::as_text).collect();
            return Err(ToolFailure { message, details: made.details });
        }
        Ok(ToolOutput {
            content: made.content,
            details: made.details,
            usage: made.usage,
            structured_content: made.structured_content,
            is_error: made.is_error,
            terminate,
            further,
        })
    }
}
