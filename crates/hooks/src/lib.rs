//! The heart of tau: events, the extensions that handle them, and the rules by which their results add up.
//!
//! [`events::TABLE`] lists every event with its rules; [`dialect`] the sets of rules under which groups of
//! extensions run. [`Dispatcher`] calls handlers in order and within their limits and keeps a record of each call;
//! [`Hooks`] holds what extensions have registered with one session. [`Extension`] is how an extension is written
//! in Rust.
//!
//! This crate must not know JavaScript, terminals, or where extensions come from.

mod action_error;
mod api;
pub mod bus;
mod changes;
mod children;
mod context;
pub mod dialect;
pub mod dialogs;
mod dispatch;
mod error;
pub mod events;
mod exit;
mod extension;
mod fold;
mod future;
pub mod generated;
mod handle;
mod handler;
mod host;
mod in_a_row;
mod limits;
mod mcp;
mod messages;
mod missing_tools;
mod mode;
mod model_source;
pub mod mount;
mod named;
mod occasion;
mod offers;
mod output;
mod owner;
pub mod payload;
mod queue;
mod registry;
mod rendering;
mod replace;
mod report;
mod routing;
mod runner;
mod scope;
mod services;
mod source_info;
pub mod status;
pub mod table;
mod tasks;
mod theme;
mod trace;
mod ui;
mod variables;

pub use action_error::ActionError;
pub use api::Api;
pub use changes::{Changes, Prefix};
pub use context::Ctx;
pub use dispatch::{Dispatched, Dispatcher, Folded, RunningCall, Shut};
pub use error::HandlerError;
pub use exit::Exit;
pub use extension::{
    Command, CommandHandler, Completer, Completion, Extension, FlagKind, FlagSpec, FlagValue, Handler, Provider,
    Registered, Registrar, Shortcut, ShortcutHandler,
};
pub use future::BoxFuture;
pub use handle::Handle;
pub use handler::visit::{Step, Visit};
pub use handler::{
    AnyOutput, AnyPayload, Callable, HeldUp, IntoOutcome, LocalHandler, Outcome, Registration, RemoteHandler, as_seen,
};
pub use host::{
    Beyond, ChildError, ChildEvent, ChildExtensions, ChildFile, ChildHooks, ChildInfo, ChildLife, ChildListener,
    ChildLoader, ChildPrompt, ChildRequest, ChildResources, ChildSession, ChildSkill, ChildSubscription, ChildTemplate,
    CommandInfo, CompactCallback, ContextUsage, Cycled, DeliverAs, Direction, ExecOptions, ExecResult, Host,
    HostActions, HostControl, HostSessions, HostView, QueueMode, QueuedTexts, ScopedModel, SendOptions, SessionDriver,
    SessionStats, TokenTotals, UpcomingRequest, UserMessageOptions, WholeEvent,
};
pub use in_a_row::{Failing, InARow};
pub use limits::{CallClock, Limits, Pause};
pub use mcp::{HostedMcpServer, McpConfigError, McpRegistrationError, McpServer, check_mcp_server};
pub use messages::{HistoryMessage, Messages};
pub use mode::Mode;
pub use model_source::{ModelListRequest, ModelSource};
pub use offers::{
    BashWrapper, Check, CheckHandler, CliCall, Finding, FindingLevel, LateTools, MissingTools, PromptSegment,
    PromptSight, Reach, SegmentText, Subcommand, SubcommandHandler, TemplateContent, TemplateInfo, Templates, ToolHint,
    is_argument_space, split_arguments, substitute_arguments, wrap_bash,
};
pub use owner::Owner;
pub use queue::UpdateQueue;
pub use registry::{CommandEntry, Demand, Hooks, LoadError, Required};
pub use rendering::{MarkdownKind, MarkdownTransformer, ToolRenderers};
pub use replace::{NewSessionRequest, Replaced, SessionSetup, TreeMove, TreeMoved};
pub use report::{Report, ReportKind, Reports};
pub use routing::{
    AskedModel, FailedRequest, Route, RouteReason, RouteRequest, Router, VIRTUAL_MODEL_STATE, VirtualModel,
};
pub use runner::{HookFailure, HookRunner};
pub use scope::{RunIds, Scope};
pub use services::{
    Folders, Services, SettingGuard, SettingInFile, SettingLayer, SettingScope, SettingSource, SettingSpec,
    SettingValue, StateChange, StateDir, StateError, StateFile, StateScope, StateStore,
};
pub use source_info::SourceInfo;
pub use table::{Event, EventRow, Late};
pub use tasks::{RunningTask, Task, Tasks};
pub use theme::ThemeInfo;
pub use trace::{Trace, TraceIds, TraceOutcome, TraceReadError, TraceReader, TraceRecord, TracedCall};
pub use ui::{DialogOptions, Ui, UiSource};
pub use variables::Variables;
