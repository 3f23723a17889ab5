//! Opening a child session.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tau_hooks::{
    ChildError, ChildFile, ChildHooks, ChildInfo, ChildLife, ChildRequest, ChildSession, ChildSkill, ChildTemplate,
    Hooks, Owner, Report,
};
use tau_session::{NewSession, Session, SessionError};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::handle::{Child, Listeners};
use crate::children::hand_on;
use crate::children::{Announced, Announcement, DEEPEST};
use crate::extensions::{DiscoveryOptions, Extensions, Lists};
use crate::parts::{Lineage, MOST_CHILDREN, ToolChoice};
use crate::pipeline::recorded_model;
use crate::resources::{ContextFile, Given, LoadOptions, PromptTemplate, Provenance, Skill};
use crate::services::ExtensionServices;
use crate::session::lifecycle::ENGINE_PATIENCE;
use crate::session::{AgentSession, SessionOptions, StartError};
use crate::settings::{CHILD_NAME, Environment, IS_CHILD, Settings, SettingsStore};

impl AgentSession {
    /// Opens a child for the extension `by`; see [`tau_hooks::Ctx::open_child`].
    pub(crate) async fn open_child_for(
        self: &Arc<Self>,
        request: ChildRequest,
        by: Arc<Owner>,
    ) -> Result<Arc<dyn ChildSession>, ChildError> {
        let (me, (sender, opened)) = (Arc::clone(self), oneshot::channel());
        // The caller may live on a thread of its own, and may stop waiting: then nobody closes the child.
        self.parts.services.runtime.spawn(async move {
            let child = me.open(request, by).await;
            if let Err(Ok(child)) = sender.send(child) {
                child.close().await;
            }
        });
        let child = opened.await.map_err(|_| ChildError::Load("tau crashed while it opened the session".to_owned()))?;
        Ok(child? as Arc<dyn ChildSession>)
    }

    async fn open(self: &Arc<Self>, request: ChildRequest, by: Arc<Owner>) -> Result<Arc<Child>, ChildError> {
        self.check_open(&by)?;
        let family = &self.parts.family;
        let depth = family.info().map_or(0, |info| info.depth) + 1;
        // Sessions in other processes count, too.
        let level = Announcement::of(&self.env()).level + depth;
        if level > DEEPEST {
            return Err(ChildError::TooDeep(DEEPEST));
        }
        let seat = family.count().take().ok_or(ChildError::TooMany(MOST_CHILDREN))?;
        let name = request.name.as_deref().map(str::trim).filter(|name| !name.is_empty()).unwrap_or("child");
        let info = ChildInfo { name: name.into(), depth };
        let run = match request.life {
            ChildLife::Run => self.parts.activity.run_signal(),
            ChildLife::Session => CancellationToken::new(),
        };

        self.check_tools(request.tools.iter().flatten().map(String::as_str))?;
        let env = self.env_for(request.cwd.as_deref(), request.agent_dir.as_deref())?;
        let trusted = self.trust_for(&env, request.trusted)?;
        let settings = Arc::new(SettingsStore::from(self.settings_for(&env, trusted, &request)?));

        let hooks = Hooks::child_of(self.hooks(), &info.name);
        announce(&hooks, &info.name);
        // Extensions may ask for their settings and their state as soon as they register.
        hooks.serve(ExtensionServices::new(Arc::clone(&settings)));
        self.hear_reports_of(&hooks, &info.name);
        let below = Announcement { level: level + 1, distrusts: self.never_trusts() };
        Announced::once(&hooks, &self.parts.services.runtime, below);
        let target = ChildHooks::new(&hooks);
        for own in &request.own {
            own.load(&target).await.map_err(|error| ChildError::Load(error.to_string()))?;
        }
        let names: Vec<String> = hooks.tools().iter().map(|(_, tool)| tool.spec().name.clone()).collect();
        self.check_tools(names.iter().map(String::as_str))?;

        let wanted = &request.extensions;
        let mut models = Arc::clone(self.models());
        let mut extensions = None;
        if wanted.discover || !wanted.paths.is_empty() {
            let options = DiscoveryOptions {
                paths: wanted.paths.clone(),
                no_extensions: !wanted.discover,
                ..DiscoveryOptions::default()
            };
            let above = self.extensions();
            let scripts = above.and_then(|extensions| extensions.scripts());
            let own = Extensions::new(env.clone(), Arc::clone(&hooks), options, scripts, Vec::new());
            let own = Arc::new(own.for_child(above.map(Arc::as_ref)));
            if let Err(error) = own.start(&settings, Some(trusted), self.mode()).await {
                own.shut_down(ENGINE_PATIENCE).await;
                return Err(ChildError::Load(error.to_string()));
            }
            // Providers that they bring are theirs alone.
            models = Arc::new(models.fork());
            own.register_providers(&models);
            own.refresh_models(&models, Lists::New, &CancellationToken::new()).await;
            own.project_logins(&models).await;
            extensions = Some(own);
        } else {
            crate::extensions::require_beside_files(&env, &settings.snapshot(), &hooks);
        }

        let new = NewSession { sources: hooks.sources.clone(), ..NewSession::default() };
        let session = match Self::tree_for(request.file, &env, &settings.snapshot(), new) {
            Ok(session) => session,
            Err(error) => return Err(give_up(extensions, error).await),
        };
        let (has_model, has_thinking) = {
            let choices = session.choices();
            let recorded = recorded_model(&choices, &models);
            let known = recorded.and_then(|choice| models.find(&choice.provider, &choice.model_id));
            (known.is_some(), choices.thinking_level.is_some())
        };
        let resources = request.resources;
        let options = SessionOptions {
            mode: self.mode(),
            settings,
            hooks: Arc::clone(&hooks),
            extensions: extensions.clone(),
            models,
            session,
            // A conversation that goes on does so with its own model.
            model: request.model.or_else(|| if has_model { None } else { self.parts.choices.model() }),
            thinking: request
                .thinking
                .or_else(|| if has_thinking { None } else { Some(self.parts.choices.thinking_level()) }),
            scoped_models: self.parts.choices.scoped_models().to_vec(),
            tools: ToolChoice {
                only: request.tools,
                exclude: request.exclude_tools,
                no_builtin: request.no_builtin_tools,
                none: request.no_tools,
                ..ToolChoice::default()
            },
            resources: LoadOptions {
                no_context_files: resources.no_context_files,
                no_skills: resources.no_skills,
                no_prompt_templates: resources.no_prompt_templates,
                no_themes: true,
                skill_paths: resources.skill_paths,
                prompt_template_paths: resources.prompt_template_paths,
                system_prompt: resources.system_prompt,
                append_system_prompt: resources.append_system_prompt,
                given: given(resources.context_files, resources.skills, resources.prompt_templates, &by),
                ..LoadOptions::default()
            },
            name: None,
            temp_dir: Some(self.parts.temp_dir()),
            patterns: self.parts.prompting.patterns.clone(),
            env,
        };
        let lineage = Lineage::new(info.clone(), family.count().clone(), self.never_trusts(), seat);
        let listeners = Arc::new(Listeners::default());
        let heard = Arc::clone(&listeners);
        let above = self.parts.choices.tools.selection();
        let built = match options.build_below(Some((lineage, above))) {
            Ok(built) => built,
            Err(StartError::Session(error)) => return Err(give_up(extensions, error).await),
        };
        built.session().listen(move |event| heard.tell(event));
        let session = built.start().await;
        let child = Arc::new(Child::new(session, info.clone(), listeners));
        // Only a front end that is there is asked.
        if self.hooks().dialogs.has_back_end() {
            let runtime = &self.parts.services.runtime;
            hand_on(runtime, &hooks.dialogs, &self.hooks().dialogs, &info.name, child.ended().clone());
        }
        self.adopt(&child, request.life, Arc::clone(&by), run);
        // What ended meanwhile has ended its children, but not this one.
        if let Err(gone) = self.check_open(&by) {
            child.close().await;
            return Err(gone);
        }
        Ok(child)
    }

    /// The session tree that a child continues.
    fn tree_for(
        file: ChildFile,
        env: &Environment,
        settings: &Settings,
        new: NewSession,
    ) -> Result<Arc<Session>, SessionError> {
        Ok(match file {
            ChildFile::Memory => Arc::new(Session::in_memory(&env.cwd, new)?),
            ChildFile::New(dir) => {
                let dir = dir.map(|dir| env.resolve(&dir.to_string_lossy(), &env.cwd));
                let dir = dir.unwrap_or_else(|| Self::session_dir_for(env, settings));
                Arc::new(Session::create(&dir, &env.cwd, new)?)
            }
            ChildFile::Open(session) => session,
        })
    }

    fn check_open(&self, by: &Owner) -> Result<(), ChildError> {
        by.check()?;
        if self.is_shut_down() || self.parts.conversation.is_left() { Err(ChildError::Ending) } else { Ok(()) }
    }

    /// Takes a child in. From now on it ends with this session, with the extension `by`, and with `run`.
    fn adopt(&self, child: &Arc<Child>, life: ChildLife, by: Arc<Owner>, run: CancellationToken) {
        let parts = Arc::downgrade(&self.parts);
        let child = Arc::clone(child);
        self.parts.family.adopt(Arc::clone(&child) as Arc<dyn ChildSession>, life);
        let parent_ends = self.parts.lifecycle.ending.clone();
        self.parts.services.runtime.spawn(async move {
            let session = Arc::clone(child.session());
            tokio::select! {
                () = child.ended().cancelled() => {}
                () = parent_ends.cancelled() => {}
                () = by.life().cancelled() => {}
                () = run.cancelled() => {}
                // It asked for its own end.
                () = session.exit_requested().cancelled() => {}
            }
            child.close().await;
            let child = child as Arc<dyn ChildSession>;
            if let Some(parts) = parts.upgrade() {
                parts.family.forget(&child);
            }
        });
    }

    /// The user hears of what goes wrong in a child as they do of what goes wrong here.
    fn hear_reports_of(&self, child: &Hooks, name: &Arc<str>) {
        let (mine, name) = (Arc::downgrade(self.hooks()), Arc::clone(name));
        child.dispatcher.reports.listen(move |report| {
            let Some(mine) = mine.upgrade() else { return };
            // A file or a native extension is found by its path; parts of tau get the name of the session with them.
            let is_path = report.extension.starts_with(['/', '<']);
            let extension = if is_path { Arc::clone(&report.extension) } else { named(&name, &report.extension) };
            mine.dispatcher.reports.send(&Report { extension, ..report.clone() });
        });
    }
}

/// Most characters of a name in a variable: what a command starts with has its limits.
const LONGEST_NAME: usize = 200;

/// Says in the environment of a child what it is, for commands and extensions that look for it there. Nothing is granted
/// for these variables: a session that finds them has less.
fn announce(hooks: &Hooks, name: &str) {
    let name: String = name.chars().filter(|char| !char.is_control()).take(LONGEST_NAME).collect();
    hooks.variables.fix(IS_CHILD, "1");
    hooks.variables.fix(CHILD_NAME, &name);
}

/// Ends the extensions of a child that cannot be opened, with what they started.
async fn give_up(extensions: Option<Arc<Extensions>>, error: SessionError) -> ChildError {
    if let Some(extensions) = extensions {
        extensions.shut_down(ENGINE_PATIENCE).await;
    }
    error.into()
}

fn named(child: &str, part: &str) -> Arc<str> {
    format!("{part} of child session {child}").into()
}

/// The resources that the extension `by` gives to a child.
fn given(
    context_files: Option<Vec<(PathBuf, String)>>,
    skills: Vec<ChildSkill>,
    templates: Vec<ChildTemplate>,
    by: &Owner,
) -> Given {
    let provenance = Provenance::Extension(by.path.to_string());
    let context_files = context_files
        .map(|files| files.into_iter().map(|(path, content)| ContextFile { path, content }).collect::<Vec<_>>());
    let skill = |skill: ChildSkill| Skill {
        base_dir: skill.file_path.parent().unwrap_or(Path::new("/")).to_path_buf(),
        name: skill.name,
        description: skill.description,
        file_path: skill.file_path,
        disable_model_invocation: skill.disable_model_invocation,
        provenance: provenance.clone(),
    };
    let template = |template: ChildTemplate| PromptTemplate {
        name: template.name,
        description: template.description,
        argument_hint: None,
        content: template.content,
        file_path: template.file_path,
        provenance: provenance.clone(),
    };
    Given {
        context_files,
        skills: skills.into_iter().map(skill).collect(),
        prompt_templates: templates.into_iter().map(template).collect(),
    }
}
