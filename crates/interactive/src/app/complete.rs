//! What is suggested while the user writes.

use std::sync::Arc;

use tau_agent::settings::{is_builtin_name, keys};
use tau_agent::{AgentSession, BUILTINS};
use tau_ai::ThinkingLevel;
use tau_hooks::mount::{SuggestHandle, SuggestSource, Suggests};
use tau_hooks::payload::StreamingBehavior;
use tau_hooks::{CommandInfo, Failing, HandlerError, InARow, SourceInfo, TemplateInfo};
use tau_tui::complete::{ArgumentReply, Arguments, Became, Builtin, Command, Completion, Places, Provider, Suggestion};
use tokio_util::task::TaskTracker;

use super::App;
use super::actions::CLEAR;
use crate::mounts::{Own, Theirs};
use crate::paths::short_owner;
use crate::told::{Said, Teller, Told};

/// The list, and what it is filled from.
pub(super) struct Completing {
    pub(super) list: Completion,
    /// The same for editors of extensions.
    pub(super) source: SuggestSource,
    builtin: Arc<Builtin>,
    teller: Teller,
    /// Providers of extensions, the outermost last.
    wrapped: Vec<(Arc<str>, SuggestHandle, InARow)>,
}

impl Completing {
    pub(super) fn new(env: &tau_agent::settings::Environment, teller: &Teller) -> Self {
        let places = Places { cwd: env.cwd.clone(), home: Some(env.home.clone()) };
        let builtin = Arc::new(Builtin::new(places));
        let told = teller.clone();
        let list = Completion::new(Arc::clone(&builtin) as _, move || told.tell(Told::Suggested));
        let source = source_of(Arc::clone(&builtin) as _);
        Self { list, source, builtin, teller: teller.clone(), wrapped: Vec::new() }
    }

    /// Completions come from here now.
    pub(super) fn set_provider(&mut self, provider: Arc<dyn Provider>) {
        self.source = source_of(Arc::clone(&provider));
        self.list.set_provider(provider);
    }

    /// An extension wants to suggest, too. One that says so in each session, with one provider, suggests once.
    pub(super) fn wrap(&mut self, owner: &Arc<str>, handle: &SuggestHandle, tasks: &TaskTracker) {
        if self.wrapped.iter().any(|(other, known, _)| other == owner && known == handle) {
            return;
        }
        self.wrapped.push((Arc::clone(owner), handle.clone(), InARow::default()));
        self.rebuild(tasks);
    }

    /// An extension suggests nothing any more.
    pub(super) fn remove_owner(&mut self, owner: &Arc<str>, tasks: &TaskTracker) {
        let before = self.wrapped.len();
        self.wrapped.retain(|(other, ..)| other != owner);
        if self.wrapped.len() < before {
            self.rebuild(tasks);
        }
    }

    /// Puts the providers of extensions around that of tau, one after the other.
    fn rebuild(&self, tasks: &TaskTracker) {
        let (wrapped, teller) = (self.wrapped.clone(), self.teller.clone());
        let mut provider: Arc<dyn Provider> = Arc::clone(&self.builtin) as _;
        let mut last: Option<Arc<dyn Suggests>> = None;
        tasks.spawn(async move {
            for (owner, handle, failures) in wrapped {
                let failing = teller.clone();
                let failed = move |error: &HandlerError, which: Failing| {
                    let owner = short_owner(&owner);
                    let text = match which {
                        Failing::First => format!("{owner}: its completions failed: {error}"),
                        Failing::Again => return,
                        Failing::Last => {
                            format!("{owner}: its completions are left out, because they failed three times in a row: {error}")
                        }
                    };
                    failing.tell(Told::Done(Said::Error(text)));
                };
                if failures.is_over() {
                    continue;
                }
                let current = Own { provider: Arc::clone(&provider), theirs: last.clone() };
                match handle.0.wrap(Arc::new(current)).await {
                    Ok(theirs) => {
                        last = Some(Arc::clone(&theirs));
                        provider = Arc::new(Theirs::new(theirs, provider, failures, failed));
                    }
                    Err(error) => failed(&error, Failing::First),
                }
            }
            teller.tell(Told::Provider(provider));
        });
    }

    /// Files that come first where files are suggested, the newest first.
    pub(super) fn set_recent(&self, files: &[String]) {
        self.builtin.files().set_recent(files.to_vec());
    }
}

fn source_of(provider: Arc<dyn Provider>) -> SuggestSource {
    SuggestSource(Arc::new(Own { provider, theirs: None }))
}

impl App {
    /// Takes the commands that there are now.
    pub(super) fn commands_changed(&mut self) {
        let Some(session) = self.session.clone() else { return };
        let own = BUILTINS.iter().map(|builtin| Command {
            name: builtin.name.to_owned(),
            argument_hint: builtin.argument.to_owned(),
            description: builtin.doc.to_owned(),
            source: String::new(),
        });
        let settings = self.settings();
        let offers_skills = settings.enable_skill_commands();
        let theirs = session.slash_commands().into_iter().filter(|info| offers_skills || info.source != "skill");
        // Templates of extensions come and go, so they are asked for whenever commands are suggested.
        let late = session.hooks().templates();
        let is_late = |info: &CommandInfo| {
            late.iter().any(|(_, late)| late.name == info.name && info.path.as_ref() == Some(&late.path))
        };
        let theirs = theirs.filter(|info| !is_late(info));
        let theirs = theirs.map(|info| Command {
            name: info.name,
            argument_hint: String::new(),
            description: info.description.unwrap_or_default(),
            source: tag(&info.source, info.source_info.as_ref()),
        });
        let theirs: Vec<Command> = theirs.collect();
        // A command of an extension comes before the built-in one of its name.
        let own = own.filter(|own| !theirs.iter().any(|other| other.name == own.name));
        let mut commands: Vec<Command> = own.collect();
        commands.extend(theirs);
        self.completing.builtin.set_commands(commands);
        let late = Arc::downgrade(&session);
        self.completing.builtin.set_late_commands(Arc::new(move || {
            let late = late.upgrade().map(|session| session.hooks().templates()).unwrap_or_default();
            late.into_iter().map(|(owner, info)| template(&owner.path, info)).collect()
        }));
        self.completing.builtin.set_arguments(Arc::new(Known(Arc::clone(&session))));
        let models = session.models().available();
        let mut providers: Vec<&str> = models.iter().map(|model| &*model.provider).collect();
        providers.sort_unstable();
        providers.dedup();
        self.dock.forget_model();
        self.dock.names_provider = providers.len() > 1;
        self.dock.providers = providers.len();
        self.facts.is_stale = true;
        let rows = usize::try_from(settings.of(keys::AUTOCOMPLETE_MAX_VISIBLE));
        if let Ok(rows) = rows {
            self.completing.list.set_rows(rows);
        }
    }

    /// A key for the list; whether it took it.
    pub(super) fn key_of_list(&mut self, data: &str) -> bool {
        if self.keys.is(data, CLEAR) {
            // It empties the editor, whatever is listed.
            self.completing.list.close();
            return false;
        }
        let became = self.completing.list.key(data, &self.keys, &mut self.editor.model);
        self.became(became);
        became != Became::Nothing
    }

    /// The list has more, or something else.
    pub(super) fn suggested(&mut self) {
        let became = self.completing.list.wake(&mut self.editor.model);
        self.became(became);
        // What was typed behind a choice waits for it.
        self.hear_next();
    }

    pub(super) fn became(&mut self, became: Became) {
        match became {
            Became::Nothing => {}
            Became::Taken | Became::Closed => self.screen.changed_by_key(),
            Became::Applied => self.edited(),
            Became::Submit => {
                self.edited();
                self.submit(StreamingBehavior::Steer);
            }
        }
    }
}

/// A template of an extension.
fn template(owner: &str, info: TemplateInfo) -> Command {
    let source = if is_builtin_name(owner) { String::new() } else { short_owner(owner) };
    Command { name: info.name, argument_hint: info.argument_hint, description: info.description, source }
}

/// Where a command comes from, in a few letters: user, project or this run, and the package. What the program brings has no
/// tag.
fn tag(kind: &str, info: Option<&SourceInfo>) -> String {
    let Some(info) = info else { return kind.to_owned() };
    if info.source == "builtin" {
        return String::new();
    }
    let scope = info.scope.chars().next().unwrap_or('?');
    match info.origin.as_str() {
        "package" => format!("{scope}:{}", info.source),
        _ => scope.to_string(),
    }
}

/// What can follow commands of a session.
struct Known(Arc<AgentSession>);

impl Arguments for Known {
    fn knows(&self, command: &str) -> bool {
        matches!(command, "model" | "thinking") || !self.0.hooks().completers(command).is_empty()
    }

    fn complete(&self, command: &str, text: &str, reply: ArgumentReply) {
        let wanted = text.to_lowercase();
        let matching = |all: Vec<Suggestion>| {
            let found = all.into_iter().filter(|one| one.value.to_lowercase().contains(&wanted));
            Some(found.collect())
        };
        let named = |value: String, description: String| Suggestion { label: value.clone(), value, description };
        match command {
            "model" => {
                let models = self.0.models().available();
                let all =
                    models.iter().map(|model| named(format!("{}/{}", model.provider, model.id), model.name.clone()));
                reply.send(matching(all.collect()));
            }
            "thinking" => {
                let level = |level: ThinkingLevel| named(level.to_string(), String::new());
                reply.send(matching(self.0.thinking_levels().into_iter().map(level).collect()));
            }
            _ => {
                let (session, command, text) = (Arc::clone(&self.0), command.to_owned(), text.to_owned());
                tokio::spawn(async move {
                    let shown = |found: Vec<tau_hooks::Completion>| -> Vec<Suggestion> {
                        let row = |one: tau_hooks::Completion| Suggestion {
                            value: one.value,
                            label: one.label,
                            description: one.description.unwrap_or_default(),
                        };
                        found.into_iter().map(row).collect()
                    };
                    let so_far = |found| reply.so_far(shown(found));
                    let found = session.hooks().complete_as_found(&command, &text, so_far).await;
                    reply.send(Some(shown(found)));
                });
            }
        }
    }
}
