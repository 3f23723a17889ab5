//! What is suggested while the user writes.

use std::sync::Arc;

use tau_agent::settings::keys;
use tau_agent::{AgentSession, BUILTINS};
use tau_ai::ThinkingLevel;
use tau_hooks::SourceInfo;
use tau_hooks::payload::StreamingBehavior;
use tau_tui::complete::{ArgumentReply, Arguments, Became, Builtin, Command, Completion, Places, Suggestion};

use super::App;
use crate::told::{Teller, Told};

/// The list, and what it is filled from.
pub(super) struct Completing {
    pub(super) list: Completion,
    builtin: Arc<Builtin>,
}

impl Completing {
    pub(super) fn new(env: &tau_agent::settings::Environment, teller: &Teller) -> Self {
        let places = Places { cwd: env.cwd.clone(), home: Some(env.home.clone()) };
        let builtin = Arc::new(Builtin::new(places));
        let teller = teller.clone();
        let list = Completion::new(Arc::clone(&builtin) as _, move || teller.tell(Told::Suggested));
        Self { list, builtin }
    }

    /// Files that come first where files are suggested, the newest first.
    pub(super) fn set_recent(&self, files: &[String]) {
        self.builtin.files().set_recent(files.to_vec());
    }
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
        self.completing.builtin.set_arguments(Arc::new(Known(Arc::clone(&session))));
        let models = session.models().available();
        let mut providers: Vec<&str> = models.iter().map(|model| &*model.provider).collect();
        providers.sort_unstable();
        providers.dedup();
        self.dock.forget_model();
        self.dock.names_provider = providers.len() > 1;
        let rows = usize::try_from(settings.of(keys::AUTOCOMPLETE_MAX_VISIBLE));
        if let Ok(rows) = rows {
            self.completing.list.set_rows(rows);
        }
    }

    /// A key for the list; whether it took it.
    pub(super) fn key_of_list(&mut self, data: &str) -> bool {
        if self.keys.is(data, "app.clear") {
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
    }

    fn became(&mut self, became: Became) {
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

/// Where a command comes from, in a few letters: user, project or this run, and the package.
fn tag(kind: &str, info: Option<&SourceInfo>) -> String {
    let Some(info) = info else { return kind.to_owned() };
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
                    let found = session.hooks().complete(&command, &text).await;
                    let found = found.into_iter().map(|one| Suggestion {
                        value: one.value,
                        label: one.label,
                        description: one.description.unwrap_or_default(),
                    });
                    reply.send(Some(found.collect()));
                });
            }
        }
    }
}
