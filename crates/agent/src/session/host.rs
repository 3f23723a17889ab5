//! The session as extensions see it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tau_ai::{AuthError, Message, MessageContent, Model, ModelRegistry, RequestAuth, ThinkingLevel};
use tau_hooks::payload::{CustomDraft, ForkPosition, ModelSelectSource};
use tau_hooks::{
    ActionError, ChildError, ChildInfo, ChildRequest, ChildSession, CommandInfo, CompactCallback, ContextUsage,
    ExecOptions, ExecResult, HostActions, HostControl, HostSessions, HostView, Messages, MissingTools, Mode,
    NewSessionRequest, Owner, Replaced, ScopedModel, SendOptions, SourceInfo, ThemeInfo, TreeMove, TreeMoved,
    UpcomingRequest, UserMessageOptions,
};
use tau_session::{Session, SessionError};
use tau_tools::ToolSpec;
use tau_view::theme::ColorTheme;
use tokio_util::sync::CancellationToken;

use super::AgentSession;
use super::mcp::tell_servers;
use super::provenance::resource_source;
use super::sending::{send_message, send_user_message};
use super::themes::{all_themes, choose_theme, current_theme, show_theme};
use crate::extensions::{Lists, is_builtin_name};
use crate::parts::Parts;
use crate::pipeline::beside::upcoming_request;
use crate::pipeline::credentials::ready_to_ask;
use crate::pipeline::record::{record_tools_while_idle, report_no_tools, report_unmatched_late_tools};
use crate::pipeline::routing::{answering_model, route_direct};
use crate::pipeline::state_entry::append_state;
use crate::pipeline::system_prompt::{rebuild_prompt, run_prompt, system_prompt_options};
use crate::program::run_program;
use crate::session::compact::compact_session;
use crate::usage::context_usage;

impl AgentSession {
    pub(super) fn strong(&self) -> Result<Arc<Self>, ActionError> {
        self.me.upgrade().ok_or(ActionError::Stale)
    }
}

fn source_of(parts: &Parts, path: &str) -> SourceInfo {
    let found = parts.extensions.as_ref().and_then(|extensions| extensions.source_of(path));
    found.unwrap_or_else(|| {
        let source = match path {
            _ if is_builtin_name(path) => "builtin",
            _ if path.starts_with('<') => "sdk",
            _ => "local",
        };
        SourceInfo::new(path, source)
    })
}

fn refused(error: SessionError) -> ActionError {
    ActionError::Refused(error.to_string())
}

impl HostView for AgentSession {
    fn mode(&self) -> Mode {
        self.parts.mode
    }

    fn cwd(&self) -> PathBuf {
        self.parts.conversation.cwd()
    }

    fn session(&self) -> Arc<Session> {
        self.parts.conversation.session()
    }

    fn model(&self) -> Option<Arc<Model>> {
        self.parts.choices.model()
    }

    fn thinking_level(&self) -> ThinkingLevel {
        self.parts.choices.thinking_level()
    }

    fn scoped_models(&self) -> Arc<[ScopedModel]> {
        self.parts.choices.scoped_models()
    }

    fn is_idle(&self) -> bool {
        self.parts.activity.looks_idle()
    }

    fn has_pending_messages(&self) -> bool {
        self.parts.activity.has_user_texts()
    }

    fn context_usage(&self) -> Option<ContextUsage> {
        let conversation = &self.parts.conversation;
        Some(context_usage(&conversation.history(), &conversation.session(), &*answering_model(&self.parts)?))
    }

    fn system_prompt(&self) -> String {
        run_prompt(&self.parts).to_string()
    }

    fn system_prompt_options(&self) -> Value {
        system_prompt_options(&self.parts)
    }

    fn allows_tool(&self, name: &str) -> bool {
        self.parts.choices.tools.selection().allows(name)
    }

    fn is_project_trusted(&self) -> bool {
        self.parts.settings().is_trusted()
    }

    fn active_tools(&self) -> Vec<String> {
        self.parts.choices.tools.active_names()
    }

    fn all_tools(&self) -> Vec<ToolSpec> {
        self.parts.choices.tools.specs()
    }

    fn tool_source(&self, name: &str) -> Option<SourceInfo> {
        let tools = self.parts.hooks.tools();
        let owner = tools.iter().find(|(_, tool)| tool.spec().name == name).map(|(owner, _)| owner);
        let known = self.parts.choices.tools.specs().iter().any(|spec| spec.name == name);
        match owner {
            Some(owner) => Some(source_of(&self.parts, &owner.path)),
            None => known.then(|| SourceInfo::new(format!("builtin:{name}"), "builtin")),
        }
    }

    fn models(&self) -> Option<Arc<ModelRegistry>> {
        Some(Arc::clone(&self.parts.services.models))
    }

    fn settings(&self) -> Value {
        self.parts.settings().merged().clone()
    }

    fn themes(&self) -> Vec<Arc<ThemeInfo>> {
        all_themes(&self.parts)
    }

    fn theme(&self) -> Option<Arc<ThemeInfo>> {
        current_theme(&self.parts)
    }

    fn child(&self) -> Option<ChildInfo> {
        self.parts.family.info().cloned()
    }

    fn commands(&self) -> Vec<CommandInfo> {
        let resources = self.parts.prompting.resources();
        let extensions = self.parts.hooks.commands().into_iter().map(|entry| CommandInfo {
            name: entry.name,
            description: entry.command.description,
            source: "extension".to_owned(),
            path: Some(entry.owner.path.to_string()),
            source_info: Some(source_of(&self.parts, &entry.owner.path)),
        });
        let templates = resources.prompt_templates.iter().map(|template| CommandInfo {
            name: template.name.clone(),
            description: Some(template.description.clone()),
            source: "prompt".to_owned(),
            path: Some(template.file_path.display().to_string()),
            source_info: Some(resource_source(&self.parts, &template.file_path, &template.provenance)),
        });
        let skills = resources.skills.iter().map(|skill| CommandInfo {
            name: format!("skill:{}", skill.name),
            description: Some(skill.description.clone()),
            source: "skill".to_owned(),
            path: Some(skill.file_path.display().to_string()),
            source_info: Some(resource_source(&self.parts, &skill.file_path, &skill.provenance)),
        });
        let is_file = |name: &str| resources.prompt_templates.iter().any(|template| template.name == name);
        let offered = self.parts.hooks.templates().into_iter().filter(|(_, info)| !is_file(&info.name));
        let offered = offered.map(|(owner, info)| CommandInfo {
            name: info.name,
            description: Some(info.description),
            source: "prompt".to_owned(),
            path: Some(info.path),
            source_info: Some(source_of(&self.parts, &owner.path)),
        });
        extensions.chain(templates).chain(offered).chain(skills).collect()
    }
}

#[async_trait]
impl HostActions for AgentSession {
    fn send_message(&self, message: CustomDraft, options: SendOptions) -> Result<(), ActionError> {
        send_message(&self.strong()?.live(), message, options)
    }

    fn send_user_message(&self, content: MessageContent, options: UserMessageOptions) -> Result<(), ActionError> {
        send_user_message(self.strong()?, &content, options);
        Ok(())
    }

    fn append_entry(&self, custom_type: &str, data: Option<Value>) -> Result<String, ActionError> {
        append_state(&self.parts, custom_type, data).map_err(refused)
    }

    fn session_written(&self) {
        self.parts.conversation.rebuild();
    }

    fn set_session_name(&self, name: &str) -> Result<(), ActionError> {
        self.strong()?.rename(name).map_err(refused)
    }

    fn set_label(&self, entry_id: &str, label: Option<&str>) -> Result<(), ActionError> {
        self.strong()?.label(entry_id, label).map_err(refused)
    }

    fn set_active_tools(&self, names: &[String]) {
        let tools = &self.parts.choices.tools;
        tools.refresh(&self.parts.hooks);
        let before = tools.active_names();
        tools.activate(names);
        if !names.is_empty() && !before.is_empty() && tools.active_names().is_empty() {
            report_no_tools(&self.parts, "setActiveTools", names);
        }
        record_tools_while_idle(&self.parts);
        rebuild_prompt(&self.parts);
    }

    fn tools_changed(&self) {
        self.parts.choices.tools.refresh(&self.parts.hooks);
        rebuild_prompt(&self.parts);
    }

    fn late_tools_came(&self, missing: &[MissingTools]) {
        report_unmatched_late_tools(&self.parts, missing);
    }

    fn prompt_changed(&self) {
        rebuild_prompt(&self.parts);
    }

    fn mcp_servers_changed(&self) {
        // Nobody needs servers when the session is gone.
        if let Ok(me) = self.strong() {
            tell_servers(&me.live());
        }
    }

    fn providers_changed(&self) {
        let Some(extensions) = &self.parts.extensions else { return };
        let models = &self.parts.services.models;
        extensions.register_providers(models);
        let has_login = models.logins().iter().any(|(provider, _)| models.stored_login(provider).is_some());
        if has_login || extensions.has_new_lists() {
            let (parts, extensions) = (Arc::clone(&self.parts), Arc::clone(extensions));
            // The extension that is asked may be the one that waits for this.
            self.parts.services.runtime.spawn(async move {
                let end = CancellationToken::new();
                extensions.refresh_models(&parts.services.models, Lists::New, &end).await;
                extensions.project_logins(&parts.services.models).await;
                parts.choices.refresh_model(&parts.services.models);
            });
        }
    }

    async fn refresh_models(&self, providers: Option<Vec<String>>, cancel: CancellationToken) -> Vec<(String, String)> {
        let Some(extensions) = &self.parts.extensions else { return Vec::new() };
        let lists = providers.as_deref().map_or(Lists::All, Lists::Of);
        let failed = extensions.refresh_models(&self.parts.services.models, lists, &cancel).await;
        self.parts.choices.refresh_model(&self.parts.services.models);
        failed
    }

    fn set_theme(&self, name: &str) -> Result<(), ActionError> {
        choose_theme(&self.parts, name)
    }

    fn show_theme(&self, colors: ColorTheme) -> Result<u64, ActionError> {
        Ok(show_theme(&self.parts, colors))
    }

    fn set_thinking_level(&self, level: ThinkingLevel) -> Result<(), ActionError> {
        self.strong()?.choose_thinking(level).map(drop).map_err(refused)
    }

    async fn set_model(&self, model: Arc<Model>) -> Result<bool, ActionError> {
        let Ok((model, _)) = ready_to_ask(&self.parts, &model).await else { return Ok(false) };
        self.strong()?.choose_model(model, ModelSelectSource::Set).await.map_err(refused)?;
        Ok(true)
    }

    async fn exec(&self, program: &str, args: &[String], options: ExecOptions) -> ExecResult {
        let leftovers = self.parts.extensions.as_ref().map(|extensions| extensions.leftovers().clone());
        // What it starts finds the environment of the session, which says among others whose gates to ask.
        let mut env: BTreeMap<String, String> = tau_sys::variables().collect();
        self.parts.hooks.variables.apply(&mut env);
        let env = Some(env.into_iter().collect());
        run_program(program, args, self.parts.conversation.cwd(), env, options, leftovers).await
    }

    async fn request_auth(&self, model: &Arc<Model>) -> Result<RequestAuth, AuthError> {
        ready_to_ask(&self.parts, model).await.map(|(_, auth)| auth)
    }

    async fn route_model(
        &self,
        model: &Arc<Model>,
        messages: Messages,
        thinking: ThinkingLevel,
        cancel: CancellationToken,
    ) -> Result<(Arc<Model>, ThinkingLevel), ActionError> {
        let routed = route_direct(&self.parts, model, thinking, messages, &cancel).await;
        let routed = routed.map_err(|error| ActionError::Refused(error.to_string()))?;
        Ok((routed.model, routed.thinking))
    }

    async fn upcoming_request(
        &self,
        more: Vec<Arc<Message>>,
        cancel: CancellationToken,
    ) -> Result<UpcomingRequest, ActionError> {
        let live = self.strong()?.live();
        let upcoming = upcoming_request(&live, more, &cancel).await;
        upcoming.map_err(|error| ActionError::Refused(error.to_string()))
    }
}

#[async_trait]
impl HostControl for AgentSession {
    fn abort(&self) {
        self.parts.activity.cancel_run_for_extension();
        self.parts.family.abort_children();
    }

    fn compact(&self, instructions: Option<String>, done: CompactCallback) {
        let Ok(me) = self.strong() else { return done(Err(ActionError::Stale.to_string())) };
        let (live, asked_in) = (me.live(), self.parts.conversation.number());
        let work = self.parts.lifecycle.background.begin();
        self.parts.services.runtime.spawn(async move {
            let result = compact_session(&live, instructions, asked_in).await;
            done(result.map_err(|error| error.to_string()));
            drop(work);
        });
    }

    fn shutdown(&self) {
        self.parts.lifecycle.exit.cancel();
    }

    async fn wait_for_idle(&self) -> Result<(), ActionError> {
        // Not for commands: the one that asks may be among them.
        self.parts.lifecycle.background.done().await;
        Ok(())
    }

    async fn reload(&self) -> Result<(), ActionError> {
        let done = self.strong()?.reload().await;
        done.map(drop).map_err(|error| ActionError::Refused(error.to_string()))
    }
}

#[async_trait]
impl HostSessions for AgentSession {
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

    async fn open_child(&self, request: ChildRequest, by: Arc<Owner>) -> Result<Arc<dyn ChildSession>, ChildError> {
        self.strong()?.open_child_for(request, by).await
    }
}
