//! The session as extensions see it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tau_ai::{AuthError, ContentBlock, Message, MessageContent, Model, ModelRegistry, RequestAuth, ThinkingLevel};
use tau_hooks::dialect::Failures;
use tau_hooks::payload::{CustomDraft, ForkPosition, InputSource, ModelSelectSource, StreamingBehavior};
use tau_hooks::{
    ActionError, ChildError, ChildInfo, ChildRequest, ChildSession, CommandInfo, CompactCallback, ContextUsage,
    DeliverAs, ExecOptions, ExecResult, Host, Messages, Mode, NewSessionRequest, Owner, Replaced, Report, ReportKind,
    ScopedModel, SendOptions, SourceInfo, ThemeInfo, TreeMove, TreeMoved, UserMessageOptions, VIRTUAL_MODEL_STATE,
};
use tau_session::{EntryBody, Session, SessionError};
use tau_tools::{ExecCommand, Leftovers, ToolSpec, exec_process};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{AgentSession, Item, Queued, Run, SessionEvent};
use crate::pipeline::{Prompt, PromptError, Submitted, custom_message};
use crate::usage::context_usage;

impl AgentSession {
    fn strong(&self) -> Result<Arc<Self>, ActionError> {
        self.me.upgrade().ok_or(ActionError::Stale)
    }

    /// Starts a prompt without waiting for it, behind whatever handlers of `agent_settled` are still at work. The run
    /// that is under way waits until it is in a queue.
    fn prompt_later(&self, prompt: Prompt) -> Result<(), ActionError> {
        let (me, asked_in) = (self.strong()?, self.current.number());
        let delivery = (!self.is_idle()).then(|| self.deliveries.begin());
        self.lanes.prompts.push(self.background.begin(), async move {
            // A run waits for what is on its way to it, and handlers of a recorded message may wait for the user.
            if delivery.is_none() {
                me.told_of_recorded(&CancellationToken::new()).await;
            }
            drop(me.settle_gate.read().await);
            if me.current.number() != asked_in {
                return me.report_gone("send_user_message");
            }
            if prompt.finds_commands() && me.extension_command_name(&prompt.text).is_some() {
                return me.command_later(prompt);
            }
            me.place_later(prompt, delivery).await;
            me.tell_queues_in_time();
        });
        Ok(())
    }

    /// Puts text of an extension where it belongs. The run that it begins, if any, is not waited for.
    async fn place_later(self: &Arc<Self>, prompt: Prompt, delivery: Option<Item>) {
        match self.submit(prompt).await {
            Ok(Submitted::Done(_)) => {}
            Ok(Submitted::Run(upcoming)) => {
                drop(delivery);
                self.started(upcoming.start_unattended("send_user_message")).await;
            }
            Err(error) => self.report_failed("send_user_message", &error),
        }
    }

    /// Waits for the stages before a run, unless something is on its way to that run: they wait for it, and it is next in
    /// the lane of the caller.
    async fn started(&self, stages: JoinHandle<()>) {
        tokio::select! {
            // The stages report what goes wrong themselves.
            _ = stages => {}
            () = self.deliveries.any() => {}
        }
    }

    /// Waits until the events of all messages recorded so far are handled, to keep their order.
    /// Does not wait after an abort, nor when the session ends.
    async fn told_of_recorded(&self, aborted: &CancellationToken) {
        tokio::select! {
            biased;
            () = aborted.cancelled() => {}
            () = self.ending.cancelled() => {}
            () = self.lanes.recorded.caught_up(self.background.begin()) => {}
        }
    }

    /// Runs a command of an extension that an extension sent as text. It may wait for the session to become idle, so
    /// nothing that the session waits for waits for it.
    fn command_later(self: &Arc<Self>, prompt: Prompt) {
        let (me, work) = (Arc::clone(self), self.commands.begin());
        self.runtime.spawn(async move {
            // The command may be gone by now: then it is text like any other.
            me.place_later(prompt, None).await;
            drop(work);
        });
    }

    /// Starts a run with one message of an extension: no `input`. The session is busy from now on, unless something waits
    /// that was asked for before.
    fn run_later(&self, message: Arc<Message>) -> Result<(), ActionError> {
        let (me, asked_in) = (self.strong()?, self.current.number());
        let open = self.settle_gate.try_read();
        let begun = if open.is_ok() && self.lanes.prompts.is_empty() { self.begin_run() } else { None };
        drop(open);
        self.lanes.prompts.push(self.background.begin(), async move {
            let mut queued = Queued { message, text: None };
            let aborted = begun.as_ref().map(|run| run.cancel.clone()).unwrap_or_default();
            me.told_of_recorded(&aborted).await;
            if let Some(run) = begun {
                return me.started(me.begin_triggered(run, queued.message)).await;
            }
            loop {
                drop(me.settle_gate.read().await);
                if me.current.number() != asked_in {
                    return me.report_gone("send_message");
                }
                if me.is_shut_down() {
                    return me.report_failed("send_message", &PromptError::ShuttingDown);
                }
                if let Some(run) = me.begin_run_in(asked_in).await {
                    return me.started(me.begin_triggered(run, queued.message)).await;
                }
                // Somebody else began a run in the meantime: the message steers it, unless it is over already.
                match me.queue(StreamingBehavior::Steer, queued) {
                    Ok(()) => return,
                    Err(back) => queued = back,
                }
            }
        });
        Ok(())
    }

    /// Goes through the stages between a message of an extension and its run, and lets the run go.
    fn begin_triggered(self: &Arc<Self>, run: Run, message: Arc<Message>) -> JoinHandle<()> {
        let me = Arc::clone(self);
        self.runtime.spawn(async move {
            match me.prepare_triggered(&run, message).await {
                Ok(messages) => me.run_unattended(run, messages, "send_message"),
                Err(error) => {
                    me.give_up(run);
                    me.report_failed("send_message", &error);
                }
            }
        })
    }

    /// Runs in the background; what keeps the run from being done is reported.
    pub(crate) fn run_unattended(self: &Arc<Self>, run: Run, messages: Vec<Arc<Message>>, what: &'static str) {
        let me = Arc::clone(self);
        self.runtime.spawn(async move {
            if let Err(error) = me.run_to_end(run, messages).await {
                me.report_failed(what, &error);
            }
        });
    }

    fn report_gone(&self, what: &str) {
        let text = "dropped: the session it was meant for was replaced";
        self.hooks.dispatcher.reports.send(&Report::diagnostic("session", what, text));
    }

    pub(crate) fn report_failed(&self, what: &str, error: &PromptError) {
        self.hooks.dispatcher.reports.send(&Report {
            extension: "<runtime>".into(),
            event: what.to_owned(),
            kind: ReportKind::Error { message: error.to_string(), stack: None },
            location: None,
            failures: Failures::Extension,
        });
    }

    /// Records a message while nothing is under way. The session and the history have it at once; handlers are told
    /// right after.
    pub(super) fn record(&self, message: Arc<Message>) -> Result<(), ActionError> {
        let me = self.strong()?;
        let item = self.keep_message(message).map_err(refused)?;
        self.lanes.recorded.push(self.background.begin(), async move {
            me.tell_recorded(Arc::clone(item.message())).await;
        });
        Ok(())
    }
}

impl AgentSession {
    fn source_of(&self, path: &str) -> SourceInfo {
        let found = self.extensions.as_ref().and_then(|extensions| extensions.source_of(path));
        found.unwrap_or_else(|| SourceInfo::new(path, if path.starts_with('<') { "sdk" } else { "local" }))
    }
}

fn refused(error: SessionError) -> ActionError {
    ActionError::Refused(error.to_string())
}

#[async_trait]
impl Host for AgentSession {
    async fn open_child(&self, request: ChildRequest, by: Arc<Owner>) -> Result<Arc<dyn ChildSession>, ChildError> {
        self.strong()?.open_child_for(request, by).await
    }

    fn child(&self) -> Option<ChildInfo> {
        self.lineage().map(|lineage| lineage.info.clone())
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn cwd(&self) -> PathBuf {
        Self::cwd(self)
    }

    fn session(&self) -> Arc<Session> {
        Self::session(self)
    }

    fn model(&self) -> Option<Arc<Model>> {
        Self::model(self)
    }

    fn thinking_level(&self) -> ThinkingLevel {
        Self::thinking_level(self)
    }

    fn scoped_models(&self) -> Arc<[ScopedModel]> {
        Self::scoped_models(self)
    }

    fn compact(&self, instructions: Option<String>, done: CompactCallback) {
        let Ok(me) = self.strong() else { return done(Err(ActionError::Stale.to_string())) };
        let asked_in = self.current.number();
        let work = self.background.begin();
        self.runtime.spawn(async move {
            let result = me.compact_session(instructions, asked_in).await;
            done(result.map_err(|error| error.to_string()));
            drop(work);
        });
    }

    fn is_idle(&self) -> bool {
        self.looks_idle()
    }

    fn has_pending_messages(&self) -> bool {
        self.queues.lock().has_user_texts()
    }

    fn context_usage(&self) -> Option<ContextUsage> {
        Some(context_usage(&self.history(), &Self::session(self), &*self.answering_model()?))
    }

    fn system_prompt(&self) -> String {
        self.run_prompt().to_string()
    }

    fn is_project_trusted(&self) -> bool {
        self.settings.snapshot().is_trusted()
    }

    fn abort(&self) {
        self.cancel_run_for_extension();
    }

    fn shutdown(&self) {
        self.exit.cancel();
    }

    fn active_tools(&self) -> Vec<String> {
        self.tools.active_names()
    }

    fn all_tools(&self) -> Vec<ToolSpec> {
        self.tools.specs()
    }

    fn tool_source(&self, name: &str) -> Option<SourceInfo> {
        let tools = self.hooks.tools();
        let owner = tools.iter().find(|(_, tool)| tool.spec().name == name).map(|(owner, _)| owner);
        let known = self.tools.specs().iter().any(|spec| spec.name == name);
        match owner {
            Some(owner) => Some(self.source_of(&owner.path)),
            None => known.then(|| SourceInfo::new(format!("builtin:{name}"), "builtin")),
        }
    }

    fn system_prompt_options(&self) -> Value {
        Self::system_prompt_options(self)
    }

    fn set_active_tools(&self, names: &[String]) {
        self.tools.refresh(&self.hooks);
        let before = self.tools.active_names();
        self.tools.activate(names);
        if !names.is_empty() && !before.is_empty() && self.tools.active_names().is_empty() {
            self.report_no_tools("setActiveTools", names);
        }
        self.record_tools_while_idle();
        self.rebuild_prompt();
    }

    fn session_written(&self) {
        let _one = self.keeping.lock();
        self.rebuild_history();
    }

    fn tools_changed(&self) {
        self.tools.refresh(&self.hooks);
        self.rebuild_prompt();
    }

    fn mcp_servers_changed(&self) {
        // Nobody needs servers when the session is gone.
        if let Ok(me) = self.strong() {
            me.tell_servers();
        }
    }

    fn settings(&self) -> Value {
        self.settings.snapshot().merged().clone()
    }

    fn models(&self) -> Option<Arc<ModelRegistry>> {
        Some(Arc::clone(&self.models))
    }

    async fn request_auth(&self, model: &Arc<Model>) -> Result<RequestAuth, AuthError> {
        self.auth(model).await
    }

    async fn route_model(
        &self,
        model: &Arc<Model>,
        messages: Messages,
        thinking: ThinkingLevel,
        cancel: CancellationToken,
    ) -> Result<(Arc<Model>, ThinkingLevel), ActionError> {
        let routed = self.strong()?.route_direct(model, thinking, messages, &cancel).await;
        let routed = routed.map_err(|error| ActionError::Refused(error.to_string()))?;
        Ok((routed.model, routed.thinking))
    }

    fn providers_changed(&self) {
        if let Some(extensions) = &self.extensions {
            extensions.register_providers(&self.models);
            let (Some(me), extensions) = (self.me.upgrade(), Arc::clone(extensions)) else { return };
            if self.models.logins().iter().any(|(provider, _)| self.models.stored_login(provider).is_some()) {
                // The extension that is asked may be the one that waits for this.
                self.runtime.spawn(async move {
                    extensions.project_logins(&me.models).await;
                    me.refresh_model();
                });
            }
        }
    }

    fn themes(&self) -> Vec<Arc<ThemeInfo>> {
        self.all_themes()
    }

    fn theme(&self) -> Option<Arc<ThemeInfo>> {
        self.current_theme()
    }

    fn set_theme(&self, name: &str) -> Result<(), ActionError> {
        self.choose_theme(name)
    }

    fn commands(&self) -> Vec<CommandInfo> {
        let resources = self.resources();
        let extensions = self.hooks.commands().into_iter().map(|entry| CommandInfo {
            name: entry.name,
            description: entry.command.description,
            source: "extension".to_owned(),
            path: Some(entry.owner.path.to_string()),
            source_info: Some(self.source_of(&entry.owner.path)),
        });
        let templates = resources.prompt_templates.iter().map(|template| CommandInfo {
            name: template.name.clone(),
            description: Some(template.description.clone()),
            source: "prompt".to_owned(),
            path: Some(template.file_path.display().to_string()),
            source_info: Some(self.resource_source(&template.file_path, &template.provenance)),
        });
        let skills = resources.skills.iter().map(|skill| CommandInfo {
            name: format!("skill:{}", skill.name),
            description: Some(skill.description.clone()),
            source: "skill".to_owned(),
            path: Some(skill.file_path.display().to_string()),
            source_info: Some(self.resource_source(&skill.file_path, &skill.provenance)),
        });
        extensions.chain(templates).chain(skills).collect()
    }

    fn send_message(&self, message: CustomDraft, options: SendOptions) -> Result<(), ActionError> {
        let message = Arc::new(custom_message(message));
        let queue = |behavior| {
            let queued = Queued { message: Arc::clone(&message), text: None };
            // The run may have ended since the question: then the message is recorded as it is while idle.
            self.queue(behavior, queued).or_else(|queued| self.record(queued.message))
        };
        if options.deliver_as == Some(DeliverAs::NextTurn) {
            self.queues.lock().next_turn.push(message);
            return Ok(());
        }
        match (self.is_idle(), options.deliver_as, options.trigger_turn) {
            (true, _, Some(true)) => self.run_later(message),
            (true, ..) => self.record(message),
            (false, Some(DeliverAs::FollowUp), _) => queue(StreamingBehavior::FollowUp),
            (false, _, Some(false)) => self.park(message).or_else(|message| self.record(message)),
            (false, ..) => queue(StreamingBehavior::Steer),
        }
    }

    fn send_user_message(&self, content: MessageContent, options: UserMessageOptions) -> Result<(), ActionError> {
        let images = match &content {
            MessageContent::Blocks(blocks) => {
                blocks.iter().filter(|block| matches!(block, ContentBlock::Image(_))).cloned().collect()
            }
            MessageContent::Text(_) => Vec::new(),
        };
        self.prompt_later(Prompt {
            text: content.text(),
            images,
            source: InputSource::Extension,
            streaming_behavior: options.deliver_as,
            expand: options.expand_prompt_templates,
        })
    }

    fn append_entry(&self, custom_type: &str, data: Option<Value>) -> Result<String, ActionError> {
        let entry = Self::session(self).append(EntryBody::custom(custom_type, data)).map_err(refused)?;
        if custom_type == VIRTUAL_MODEL_STATE {
            self.router_memory.forget();
        }
        self.events.send(|| SessionEvent::EntryAppended { entry: entry_json(&entry) });
        Ok(entry.id().to_string())
    }

    fn set_session_name(&self, name: &str) -> Result<(), ActionError> {
        self.strong()?.rename(name).map_err(refused)
    }

    fn set_label(&self, entry_id: &str, label: Option<&str>) -> Result<(), ActionError> {
        self.strong()?.label(entry_id, label).map(drop).map_err(refused)
    }

    fn set_thinking_level(&self, level: ThinkingLevel) -> Result<(), ActionError> {
        self.strong()?.choose_thinking(level).map(drop).map_err(refused)
    }

    async fn set_model(&self, model: Arc<Model>) -> Result<bool, ActionError> {
        let Ok((model, _)) = self.ready_to_ask(&model).await else { return Ok(false) };
        self.strong()?.choose_model(model, ModelSelectSource::Set).await.map_err(refused)?;
        Ok(true)
    }

    async fn exec(&self, program: &str, args: &[String], options: ExecOptions) -> ExecResult {
        let leftovers = self.strong().ok().and_then(|session| Some(session.extensions()?.leftovers().clone()));
        // What it starts finds the environment of the session, which says among others whose gates to ask.
        let mut env: BTreeMap<String, String> = tau_tools::variables().collect();
        self.hooks.variables.apply(&mut env);
        run_program(program, args, Self::cwd(self), Some(env.into_iter().collect()), options, leftovers).await
    }

    async fn wait_for_idle(&self) -> Result<(), ActionError> {
        // Not for commands: the one that asks may be among them.
        self.background.done().await;
        Ok(())
    }

    async fn reload(&self) -> Result<(), ActionError> {
        let done = self.strong()?.reload().await;
        done.map(drop).map_err(|error| ActionError::Refused(error.to_string()))
    }

    async fn new_session(&self, request: NewSessionRequest) -> Result<Replaced, ActionError> {
        Ok(self.strong()?.new_session(request).await?)
    }

    async fn fork(&self, entry_id: &str, position: ForkPosition) -> Result<Replaced, ActionError> {
        Ok(self.strong()?.fork(entry_id, position).await?)
    }

    async fn switch_session(&self, path: &Path) -> Result<Replaced, ActionError> {
        Ok(self.strong()?.switch_session(path).await?)
    }

    async fn navigate_tree(&self, target_id: &str, how: TreeMove) -> Result<TreeMoved, ActionError> {
        Ok(self.strong()?.navigate_tree(target_id, how).await?)
    }
}

/// An entry as it is in the file.
pub(crate) fn entry_json(entry: &tau_session::Entry) -> Value {
    entry.to_value().map(Value::Object).unwrap_or_default()
}

/// Runs a program for an extension, in `cwd` unless it says where. What it leaves running goes to `leftovers`, if somebody takes it.
pub(super) async fn run_program(
    program: &str,
    args: &[String],
    cwd: PathBuf,
    env: Option<Vec<(String, String)>>,
    options: ExecOptions,
    leftovers: Option<Leftovers>,
) -> ExecResult {
    let ExecOptions { cwd: other, timeout, cancel } = options;
    let command = ExecCommand { timeout, env, leftovers, ..ExecCommand::new(program, args, other.unwrap_or(cwd)) };
    let done = exec_process(command, cancel.unwrap_or_default()).await;
    ExecResult { stdout: done.stdout, stderr: done.stderr, code: done.code, killed: done.killed }
}
