//! The heart of tau: events, the extensions that handle them, and the rules by which their results add up.
//!
//! [`events::TABLE`] lists every event with its rules; [`dialect`] the sets of rules under which groups of
//! extensions run. [`Dispatcher`] calls handlers in order and within their limits and keeps a record of each call;
//! [`Hooks`] holds what extensions have registered with one session. [`Extension`] is how an extension is written
//! in Rust.
//!
//! This crate must not know JavaScript, terminals, or where extensions come from.

mod api;
pub mod bus;
mod changes;
mod children;
mod context;
pub mod dialect;
pub mod dialogs;
mod dispatch;
pub mod events;
mod exit;
mod extension;
mod fold;
pub mod generated;
mod handle;
mod handler;
mod hooks;
mod limits;
mod mcp;
mod messages;
mod named;
mod output;
pub mod payload;
mod queue;
mod rendering;
mod replace;
mod report;
mod routing;
mod runner;
pub mod status;
pub mod table;
mod theme;
mod trace;
mod ui;
mod variables;
mod visit;

pub use api::Api;
pub use changes::{Changes, Prefix};
pub use children::{
    Beyond, ChildError, ChildEvent, ChildExtensions, ChildFile, ChildInfo, ChildLife, ChildListener, ChildLoader,
    ChildPrompt, ChildRequest, ChildResources, ChildSession, ChildSkill, ChildSubscription, ChildTemplate,
};
pub use context::{
    ActionError, CommandInfo, CompactCallback, ContextUsage, Ctx, DeliverAs, ExecOptions, ExecResult, Host, Mode,
    ScopedModel, SendOptions, SourceInfo, UserMessageOptions,
};
pub use dispatch::{Dispatched, Dispatcher, RunningCall, Scope, Shut};
pub use exit::Exit;
pub use extension::{
    Command, CommandHandler, Completer, Completion, Extension, FlagKind, FlagSpec, FlagValue, Handler, Provider,
    Registered, Registrar, Shortcut, ShortcutHandler,
};
pub use handle::Handle;
pub use handler::{
    AnyHandler, AnyOutput, AnyPayload, BoxFuture, HandlerError, HeldUp, IntoOutcome, Outcome, Owner, Registration,
    Together, as_seen,
};
pub use hooks::{CommandEntry, Demand, Hooks, LoadError, Required};
pub use limits::{CallClock, Limits, Pause};
pub use mcp::{McpConfigError, McpRegistrationError, McpServer, check_mcp_server};
pub use messages::{HistoryMessage, Messages};
pub use queue::UpdateQueue;
pub use rendering::{MarkdownKind, MarkdownTransformer, ToolRenderers};
pub use replace::{NewSessionRequest, Replaced, SessionSetup, TreeMove, TreeMoved};
pub use report::{Report, ReportKind, Reports};
pub use routing::{
    AskedModel, FailedRequest, Route, RouteReason, RouteRequest, Router, VIRTUAL_MODEL_STATE, VirtualModel,
};
pub use runner::{HookFailure, HookRunner};
pub use table::{Event, EventRow, Late};
pub use theme::ThemeInfo;
pub use trace::{Trace, TraceOutcome, TraceRecord, TracedCall};
pub use ui::{DialogOptions, Ui, UiSource};
pub use variables::Variables;
pub use visit::{Step, Visit};
